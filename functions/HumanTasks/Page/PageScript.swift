/// The page's script. It shows the chosen photos, reports at once if they are too large or too many, and shows that
/// the form is being sent. The page works without it.
enum PageScript {
    static let text = """
        (() => {
          const form = document.querySelector("form");
          if (!form) return;
          const button = form.querySelector("button[type=submit]");
          const words = button.textContent;
          form.addEventListener("submit", () => {
            button.disabled = true;
            button.textContent = button.dataset.busy;
          });
          addEventListener("pageshow", () => {
            button.disabled = false;
            button.textContent = words;
          });
          const none = form.querySelector("input[value=none]");
          form.addEventListener("change", event => {
            if (!none || event.target.name !== "choice" || !event.target.checked) return;
            const others = form.querySelectorAll("input[name=choice]");
            others.forEach(box => { if ((box === none) !== (event.target === none)) box.checked = false; });
          });
          const boxes = [...form.querySelectorAll("input[type=checkbox][name=choice]")];
          const checkBoxes = () => {
            const isMissing = !boxes.some(box => box.checked);
            boxes[0].setCustomValidity(isMissing ? boxes[0].closest("fieldset").dataset.missing : "");
          };
          if (boxes.length) {
            form.addEventListener("change", checkBoxes);
            addEventListener("pageshow", checkBoxes);
          }
          const input = form.querySelector("input[type=file]");
          if (!input) return;
          const list = document.getElementById("chosen");
          const tile = file => {
            const item = document.createElement("li");
            const picture = document.createElement("img");
            picture.alt = file.name;
            picture.onload = () => URL.revokeObjectURL(picture.src);
            picture.onerror = () => { item.textContent = file.name; };
            picture.src = URL.createObjectURL(file);
            item.append(picture);
            return item;
          };
          const problem = files => {
            if (files.length > Number(input.dataset.most)) return input.dataset.tooMany;
            const total = files.reduce((sum, file) => sum + file.size, 0);
            if (total > Number(input.dataset.total)) return input.dataset.tooMuch;
            const large = files.find(file => file.size > Number(input.dataset.bytes));
            return large ? input.dataset.tooLarge.replace("{name}", () => large.name) : "";
          };
          input.addEventListener("change", () => {
            const files = [...input.files];
            list.replaceChildren(...files.map(tile));
            list.hidden = files.length === 0;
            input.setCustomValidity(problem(files));
            input.reportValidity();
          });
        })();
        """
}

/// The script of the console. It shows times in the reader's zone and changes as they happen, and asks before something
/// is removed. All pages work without it.
enum ConsoleScript {
    static let text = """
        (() => {
          document.addEventListener("submit", event => {
            const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
            if (question && !confirm(question)) event.preventDefault();
          });
          const clock = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });
          const forms = {
            clock: new Intl.DateTimeFormat("sv-SE", { timeStyle: "short" }),
            day: new Intl.DateTimeFormat("en", { weekday: "short", day: "numeric" }),
          };
          const prepare = root => {
            // The time of the reader's own zone; UTC is what the pointer shows.
            root.querySelectorAll("time[datetime]").forEach(time => {
              const moment = new Date(time.dateTime);
              if (!isNaN(moment)) time.textContent = (forms[time.dataset.form] ?? clock).format(moment);
            });
            root.querySelectorAll("[data-zone]").forEach(note => { note.hidden = true; });
            // Browsers copy only on pages from this machine or over TLS.
            if (navigator.clipboard) root.querySelectorAll("[data-copy]").forEach(button => { button.hidden = false; });
          };
          prepare(document);
          document.addEventListener("click", async event => {
            const button = event.target.closest("[data-copy]");
            if (!button) return;
            await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
            button.textContent = "Copied";
          });
          if (!("live" in document.body.dataset)) return;
          let isBusy = false, isStale = false;
          const initial = field => field.tagName !== "SELECT" ? field.defaultValue
            : ([...field.options].find(option => option.defaultSelected) ?? field.options[0]).value;
          const isEdited = () => [...document.querySelectorAll("main input:not([type=hidden]), main textarea, main select")]
            .some(field => field === document.activeElement || field.value !== initial(field));
          const refresh = async () => {
            if (document.hidden) return;
            if (isEdited()) { isStale = true; return; }
            if (isBusy) { isStale = true; return; }
            isBusy = true;
            isStale = false;
            try {
              const answer = await fetch(location.href, { headers: { "X-Console-Refresh": "1" } });
              const page = new DOMParser().parseFromString(await answer.text(), "text/html");
              const main = page.querySelector("main#content");
              if (!main) { location.reload(); return; }
              const focus = document.activeElement?.id;
              const open = [...document.querySelectorAll("main details")].map(details => details.open);
              main.querySelectorAll("details").forEach((details, index) => { details.open = open[index] ?? false; });
              prepare(main);
              document.querySelector("main").replaceWith(main);
              if (focus) document.getElementById(focus)?.focus();
            } catch { isStale = true; }
            isBusy = false;
            if (isStale) setTimeout(refresh, 1000);
          };
          // A page that nobody looks at has no connection: browsers have few for each server.
          let changes;
          const listen = () => {
            changes?.close();
            if (document.hidden) return;
            changes = new EventSource("/console/changes");
            changes.addEventListener("change", refresh);
          };
          listen();
          document.addEventListener("visibilitychange", () => { listen(); refresh(); });
          addEventListener("pagehide", () => changes?.close());
        })();
        """
}

/// The page's script: it subscribes the browser, shows its agents and what arrives, and unsubscribes it.
enum TryScript {
    static let text = #"""
        (() => {
          const main = document.querySelector("main");
          const key = main.dataset.key;
          if (!key) return;
          const isLocal = "local" in main.dataset;
          const base = location.pathname.replace(/\/+$/, "");

        \#(TryState.text)

          const part = id => document.getElementById(id);
          const show = (id, isShown) => { part(id).hidden = !isShown; };
          const say = text => { part("status").textContent = text; };
          const sentence = text => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.?$/, ".");
          const explain = error => {
            if (error.name === "NotAllowedError") return "The browser does not allow notifications for this page.";
            if (error.name === "AbortError") return `The browser's push service refuses: ${error.message}`;
            if (error instanceof TypeError && !error.status) return "The gateway cannot be reached.";
            return sentence(error.message);
          };

          // The code of a link, or of a text with spaces or hyphens; a used code does not count. An icon on the home
          // screen opens its link for good.
          let usedCodes = [];
          const use = async code => {
            if (code) await keepFact("usedCodes", usedCodes = [...usedCodes, code].slice(-50));
          };
          const codeIn = text => text.split("#").pop().replace(/[\s-]/g, "").toUpperCase();
          const linkedCode = () => {
            const code = codeIn(location.hash);
            return /^[0-9A-Z]{26}$/.test(code) && !usedCodes.includes(code) ? code : "";
          };

          // On an iPhone, only a page on the home screen has push messages. Its storage is another one than Safari's,
          // so the manifest gives it the code.
          const isPhoneTab = navigator.standalone === false && !("PushManager" in window);
          const obstacle = () => {
            if (!isSecureContext) return "insecure";
            if (isPhoneTab) return "home-screen";
            if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) return "unable";
            return Notification.permission === "denied" ? "denied" : null;
          };

          const encoded = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
            .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
          const subscription = async () => {
            await navigator.serviceWorker.register(`${base}/worker.js`, { scope: base });
            const { pushManager } = await navigator.serviceWorker.ready;
            const known = await pushManager.getSubscription();
            const knownKey = known?.options.applicationServerKey;
            if (known && (!knownKey || encoded(knownKey) === key)) return known;
            // A subscription belongs to the key that it was made with.
            await known?.unsubscribe();
            return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
          };

          const pair = async code => {
            try {
              return await call("POST", "/pair", code ? { code } : {});
            } catch (error) {
              if (error.code === "unknown_code") await use(code);
              throw error;
            }
          };
          const join = async () => {
            // Safari asks only as an effect of the click.
            if (await Notification.requestPermission() !== "granted") {
              return say("The browser does not allow notifications for this page.");
            }
            // The code is exchanged last, so that nothing that fails before uses it up.
            const made = await subscription();
            await keepFact("key", key);
            const code = linkedCode() || codeIn(part("code").value);
            if (code || isLocal) {
              await keepPairing(await pair(code));
              await use(code);
              part("code").value = "";
              history.replaceState(null, "", location.pathname);
            }
            await renew(made);
            say("This browser is subscribed.");
          };

          const leave = async pairing => {
            try {
              await call("DELETE", "/subscription", undefined, pairing.credential);
            } catch (error) {
              if (error.code !== "unauthorized") throw error;
            }
            await dropPairing(pairing);
            if ((await pairings()).length === 0) {
              const registration = await navigator.serviceWorker.getRegistration(base);
              await (await registration?.pushManager.getSubscription())?.unsubscribe();
            }
            say("This browser is not subscribed to the agent any more.");
          };

          const quoted = text => `'${text.replaceAll("'", `'\\''`)}'`;
          const command = pairing => {
            const url = location.origin + base.slice(0, -"\#(TryPage.path)".length) + "/triggerReplyFinished";
            const bearer = pairing.secret
              ? quoted(`Authorization: Bearer ${pairing.secret}`) : '"Authorization: Bearer $CODEAGENTS_PUSH_SECRET"';
            const body = JSON.stringify({ cwd: pairing.cwd, message_preview: "Hello from my server." });
            return `curl ${url} \\\n  -H ${bearer} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(body)}`;
          };

          const made = (template, fill) => {
            const item = part(template).content.firstElementChild.cloneNode(true);
            fill(name => item.querySelector(name));
            return item;
          };
          const attempt = (button, work) => button.addEventListener("click", async () => {
            button.disabled = true;
            try { await work(); } catch (error) { say(explain(error)); }
            button.disabled = false;
            await render();
          });
          const agent = pairing => made("agent", find => {
            find(".name").textContent = pairing.agent_display_name ?? pairing.cwd;
            find(".folder").textContent = pairing.cwd;
            find("code").textContent = command(pairing);
            find(".where").textContent = pairing.secret
              ? "Notify this browser:" : "Notify this browser, where the server's secret is:";
            attempt(find(".copy"), async () => {
              await navigator.clipboard.writeText(command(pairing));
              say("Copied.");
            });
            attempt(find(".leave"), () => leave(pairing));
          });
          const message = kept => made("message", find => {
            const received = new Date(kept.receivedAt);
            find("time").textContent = received.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
            find(".title").textContent = kept.title;
            find(".body").textContent = kept.body;
            find("pre").textContent = JSON.stringify(kept.values, null, 2);
          });

          const render = async () => {
            const [all, kept, why, code] = [await pairings(), await messages(), obstacle(), linkedCode()];
            for (const name of ["insecure", "home-screen", "unable", "denied"]) show(name, name === why);
            show("join", !why && (code || !all.length || !isLocal));
            show("invited", code);
            show("own", !code && isLocal);
            show("typed", !code && !isLocal);
            part("code").required = !code && !isLocal;
            part("home-code").textContent = code.match(/.{1,5}/g)?.join("-") ?? "";
            show("home-hint", code);
            show("subscribed", all.length);
            part("agents").replaceChildren(...all.map(agent));
            show("arrived", all.length || kept.length);
            show("nothing", !kept.length);
            show("clear", kept.length);
            part("messages").replaceChildren(...kept.reverse().map(message));
            const query = isPhoneTab && code ? `?code=${code}` : "";
            document.querySelector("link[rel=manifest]").href = `${base}/manifest.webmanifest${query}`;
          };

          const start = async () => {
            usedCodes = await fact("usedCodes") ?? [];
            await render();
            if (obstacle() || Notification.permission !== "granted" || !(await pairings()).length) return;
            try { await renew(await subscription()); } catch (error) { say(explain(error)); }
            await render();
          };

          part("form").addEventListener("submit", event => event.preventDefault());
          attempt(part("form").querySelector("button"), async () => {
            if (part("form").reportValidity()) await join();
          });
          attempt(part("clear"), clearMessages);
          addEventListener("hashchange", render);
          document.addEventListener("visibilitychange", () => { if (!document.hidden) render(); });
          navigator.serviceWorker?.addEventListener("message", render);
          start().catch(error => say(explain(error)));
        })();
        """#
}

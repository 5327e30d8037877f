import Messaging

/// The service worker of the page: it shows what arrives and reports it, hands it to the page, gives the gateway a
/// subscription that the browser has changed, and keeps the page for times without a network.
enum TryWorker {
    static let text = #"""
        const base = new URL(".", location.href).pathname.replace(/\/$/, "");
        const cacheName = "pushgate-try-1";
        const files = [base, `${base}/manifest.webmanifest`, `${base}/icon.png`];
        const day = 24 * 60 * 60 * 1000;

        \#(TryState.text)

        const tell = async message => {
          const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
          for (const page of pages) page.postMessage(message);
        };

        addEventListener("install", event => event.waitUntil((async () => {
          await (await caches.open(cacheName)).addAll(files);
          await skipWaiting();
        })()));

        addEventListener("activate", event => event.waitUntil((async () => {
          for (const name of await caches.keys()) {
            if (name.startsWith("pushgate-try-") && name !== cacheName) await caches.delete(name);
          }
          await clients.claim();
        })()));

        // The files are those of the gateway, or without an answer those of its last one.
        addEventListener("fetch", event => {
          const url = new URL(event.request.url);
          if (event.request.method !== "GET" || url.origin !== location.origin || !files.includes(url.pathname)) return;
          event.respondWith((async () => {
            try {
              const answer = await fetch(event.request);
              if (answer.ok && !url.search) {
                const copy = answer.clone();
                event.waitUntil(caches.open(cacheName).then(cache => cache.put(url.pathname, copy)));
              }
              return answer;
            } catch (error) {
              const kept = await caches.match(url.pathname);
              if (kept) return kept;
              throw error;
            }
          })());
        });

        // A message has a notification in the form of Declarative Web Push, or data alone.
        const read = data => {
          let content = null;
          try { content = data.json(); } catch { content = { notification: { title: data?.text() } }; }
          const shown = content?.notification ?? {};
          const values = shown.data ?? content?.data ?? {};
          const folder = String(values.cwd ?? "").split("/").filter(part => part).pop();
          return {
            title: String(shown.title ?? values.title ?? folder ?? "A message"),
            body: String(shown.body ?? values.body ?? ""),
            notification: shown, values, badge: content?.app_badge,
            message_id: content?.message_id ?? null, receivedAt: Date.now(), receipt: content?.pushgate_receipt ?? null,
          };
        };

        // Reports a message to the gateway, which answers nothing. A report that could not be sent goes with the next.
        const report = async (address, kind) => {
          if (typeof address !== "string") return;
          const own = { id: address.split("/").pop(), kind };
          const device = await fact("device") ?? crypto.randomUUID();
          await keepFact("device", device);
          const receipts = [own, ...await fact("receipts") ?? []].slice(0, 100);
          await keepFact("receipts", []);
          try {
            const body = JSON.stringify({ receipts: receipts.map(receipt => ({ ...receipt, device })) });
            const path = base.slice(0, -"\#(TryPage.path)".length) + "\#(ReceiptAddress.path)";
            await fetch(path, { method: "POST", credentials: "omit", keepalive: true, body });
          } catch {
            await keepFact("receipts", receipts);
          }
        };

        const display = async message => {
          const shown = message.notification;
          const actions = Array.isArray(shown.actions) ? shown.actions : [];
          return registration.showNotification(message.title, {
            body: message.body, icon: shown.icon ?? `${base}/icon.png`, image: shown.image, lang: shown.lang,
            dir: shown.dir, tag: shown.tag, renotify: Boolean(shown.tag), silent: shown.silent ?? null,
            actions: actions.map(({ action, title }) => ({ action, title })),
            data: {
              navigate: shown.navigate ?? null, receipt: message.receipt,
              actions: Object.fromEntries(actions.map(({ action, navigate }) => [action, navigate])),
            },
          });
        };

        addEventListener("push", event => event.waitUntil((async () => {
          const message = read(event.data);
          // A browser ends subscriptions whose messages show nothing, so one that it cannot show as it is stays plain.
          // On a desktop without notifications, such as some of Linux, the page has the message at least.
          let failure = null;
          await display(message).catch(() => registration.showNotification(message.title, { body: message.body }))
            .catch(error => { failure = error; });
          const { notification, badge, receipt, ...kept } = message;
          await keepMessage(kept);
          await tell({ kind: "message" });
          if (Number.isInteger(badge)) await navigator.setAppBadge?.(badge).catch(() => {});
          // A device that never registers again is removed by the gateway after 90 days, although it is notified.
          if (Date.now() - (await fact("renewedAt") ?? 0) > day) {
            const subscription = await registration.pushManager.getSubscription();
            if (subscription) await renew(subscription).catch(() => {});
          }
          if (failure) throw failure;
          await report(receipt, "delivered").catch(() => {});
        })()));

        addEventListener("pushsubscriptionchange", event => event.waitUntil((async () => {
          const options = event.oldSubscription?.options
            ?? { userVisibleOnly: true, applicationServerKey: await fact("key") };
          await renew(event.newSubscription ?? await registration.pushManager.subscribe(options));
          await tell({ kind: "subscription" });
        })()));

        const target = (notification, action) => {
          const { navigate, actions } = notification.data ?? {};
          try {
            const url = new URL(actions?.[action] ?? navigate ?? base, location.origin);
            if (["http:", "https:"].includes(url.protocol)) return url;
          } catch {}
          return new URL(base, location.origin);
        };

        addEventListener("notificationclick", event => {
          event.notification.close();
          const url = target(event.notification, event.action);
          event.waitUntil((async () => {
            const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
            const page = pages.find(page => page.url.split("#")[0] === url.href.split("#")[0]);
            await (page ? page.focus() : clients.openWindow(url.href));
            await report(event.notification.data?.receipt, "opened").catch(() => {});
          })());
        });
        """#
}

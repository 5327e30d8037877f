// Shows the notifications, while no page is open too. docs/webpush.md has the form of a message.
importScripts("gateway.js");

self.addEventListener("install", (event) => event.waitUntil(self.skipWaiting()));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// A browser ends the subscription of a worker that shows nothing, so a message without a text gets one.
self.addEventListener("push", (event) => {
  const message = event.data?.json() ?? {};
  const { title = "Notification", body, tag, image, navigate, silent, renotify } = message.notification ?? {};
  const data = { ...(message.notification?.data ?? message.data), navigate };
  event.waitUntil(self.registration.showNotification(title, { body, tag, image, silent, renotify, data }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.navigate ?? self.registration.scope));
});

async function open(url) {
  const pages = await self.clients.matchAll({ type: "window" });
  const page = pages.find((one) => one.url === url);
  return page ? page.focus() : self.clients.openWindow(url);
}

// Browsers replace a subscription now and then. The gateway moves everything from the former one to the next.
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

async function renew(event) {
  const settings = await kept();
  if (!settings) return;
  const { applicationServerKey, subscription: former } = settings;
  const next = event.newSubscription
    ?? await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  await call(settings, "registerSubscription", { cwd: settings.cwd, web_push: next.toJSON(), replaces: former });
  await keep({ ...settings, subscription: next.toJSON() });
}

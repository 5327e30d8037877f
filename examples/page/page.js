// Subscribes this browser to an agent of a gateway, whose setting webpush.allowedOrigins names this page's origin.

const form = document.getElementById("subscribe");
const show = (text) => { document.getElementById("status").textContent = text; };

// Shows what became of the work that a button starts.
async function showing(work) {
  show("");
  try {
    show(await work());
  } catch (error) {
    show(error.message);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  showing(() => subscribe(Object.fromEntries(new FormData(form))));
});
document.getElementById("unsubscribe").addEventListener("click", () => showing(unsubscribe));

async function subscribe(fields) {
  const settings = { ...fields, gateway: fields.gateway.replace(/\/+$/, "") };
  await navigator.serviceWorker.register("worker.js");
  const worker = await navigator.serviceWorker.ready;
  const key = await fetch(`${settings.gateway}/webpush/key`);
  if (!key.ok) throw new Error((await key.json()).error.message);
  const applicationServerKey = await key.text();

  // A browser has one subscription for a page, and refuses another key than that of the first time.
  const former = await worker.pushManager.getSubscription();
  if (former && (await kept())?.applicationServerKey !== applicationServerKey) await former.unsubscribe();
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });

  const installation = (await kept())?.installation ?? crypto.randomUUID();
  const next = { ...settings, applicationServerKey, installation, subscription: subscription.toJSON() };
  await call(next, "registerSubscription", { cwd: next.cwd, web_push: next.subscription });
  // The worker needs all of it when the browser replaces the subscription. The secret stays in this browser.
  await keep(next);
  return `This browser is subscribed to ${next.cwd}.`;
}

async function unsubscribe() {
  const settings = await kept();
  if (!settings) return "This browser is not subscribed.";
  await call(settings, "unregisterSubscription", {});
  const worker = await navigator.serviceWorker.getRegistration();
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
  await forget();
  return "This browser is unsubscribed.";
}

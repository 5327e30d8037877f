// The calls and the settings that the page and its worker share. It is no module: not every browser has modules for
// service workers.

const SETTINGS_CACHE = "push-settings";
const SETTINGS_NAME = "/settings.json";

/** Makes a call of docs/functions/codeagents.md for this browser, and throws the gateway's reason if it is refused. */
async function call(settings, name, fields) {
  const answer = await fetch(`${settings.gateway}/${name}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${settings.secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ installation_id: settings.installation, ...fields }),
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.message ?? body.error ?? `The gateway answers ${answer.status}.`);
  return body;
}

/** Returns the settings of the last subscription; `undefined` if there is none. */
async function kept() {
  const found = await (await caches.open(SETTINGS_CACHE)).match(SETTINGS_NAME);
  return await found?.json();
}

async function keep(settings) {
  await (await caches.open(SETTINGS_CACHE)).put(SETTINGS_NAME, new Response(JSON.stringify(settings)));
}

async function forget() {
  await caches.delete(SETTINGS_CACHE);
}

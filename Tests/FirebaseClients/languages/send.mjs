// Sends as firebase-admin for Node does: over one session of Node's own HTTP/2, with an assertion without a key id,
// and an access token from its fixed token address.
import { createSign } from "node:crypto";
import { readFileSync } from "node:fs";
import http2 from "node:http2";

const ORIGIN = "https://fcm.googleapis.com";
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const CLOSINGS = 5;

const order = JSON.parse(readFileSync(0, "utf8"));
const account = JSON.parse(readFileSync(process.env.GOOGLE_APPLICATION_CREDENTIALS, "utf8"));

await accessToken();
const session = connect();
const answers = await Promise.all(order.tokens.map((token) => send(session, token)));
await closed(session, () => session.close());

// Closes a session whose request is not written yet: Node sends GOAWAY first.
const hasty = connect();
await new Promise((resolve) => hasty.once("connect", resolve));
const late = send(hasty, null, true);
const lateClosed = closed(hasty, () => hasty.close());
const lateAnswer = await late;
await lateClosed;

const closings = [];
for (let count = 0; count < CLOSINGS; count += 1) {
  const session = connect();
  await send(session, null, true);
  closings.push(await closed(session, () => session.close()));
}

const last = performance.now();
process.on("exit", () => {
  const seconds = (performance.now() - last) / 1000;
  console.log(JSON.stringify({ names: answers.map((one) => one.name), late: lateAnswer.name, closings, seconds }));
});

function connect() {
  const session = http2.connect(ORIGIN);
  session.on("error", fail);
  return session;
}

function fail(error) {
  console.error(error);
  process.exit(1);
}

/** Resolves with the milliseconds until the session is closed. */
function closed(session, close) {
  return new Promise((resolve) => {
    const start = performance.now();
    session.once("close", () => resolve(performance.now() - start));
    close();
  });
}

function send(session, token, isDryRun = false) {
  const message = { ...order.message, token: token ?? order.tokens[0] };
  return new Promise((resolve, reject) => {
    const request = session.request({
      ":method": "POST", ":path": `/v1/projects/${order.project}/messages:send`,
      authorization: `Bearer ${accessToken.value}`, "content-type": "application/json",
    });
    let status, text = "";
    request.setEncoding("utf8");
    request.on("response", (headers) => { status = headers[":status"]; });
    request.on("data", (piece) => { text += piece; });
    request.on("error", reject);
    request.on("end", () => status === 200 ? resolve(JSON.parse(text)) : reject(new Error(`${status}: ${text}`)));
    request.end(JSON.stringify({ message, validate_only: isDryRun }));
  }).catch(fail);
}

async function accessToken() {
  const now = Math.floor(Date.now() / 1000);
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: account.client_email, scope: "https://www.googleapis.com/auth/firebase.messaging", aud: TOKEN_URL,
    iat: now, exp: now + 3600,
  };
  const input = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  const signature = createSign("RSA-SHA256").update(input).sign(account.private_key, "base64url");
  const answer = await fetch(TOKEN_URL, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: `${input}.${signature}`,
    }),
  });
  if (!answer.ok) fail(new Error(`${answer.status}: ${await answer.text()}`));
  accessToken.value = (await answer.json()).access_token;
  return accessToken.value;
}

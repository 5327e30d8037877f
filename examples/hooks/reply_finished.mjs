#!/usr/bin/env node
// Tells a gateway that a reply is finished: reply_finished.mjs FOLDER [TEXT]
//
// CODEAGENTS_PUSH_GATEWAY_BASE_URL and CODEAGENTS_PUSH_SECRET are those of the file that `pushgate enable` writes. It
// needs Node 18 or later, and no package. A daemon in JavaScript imports `replyFinished`.
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MILLISECONDS = 15_000;

/** Returns the gateway's answer, in which `attempted` is the number of devices. */
export async function replyFinished(folder, text = "") {
  const { CODEAGENTS_PUSH_GATEWAY_BASE_URL: gateway = "", CODEAGENTS_PUSH_SECRET: secret } = process.env;
  const answer = await fetch(`${gateway.replace(/\/+$/, "")}/triggerReplyFinished`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ cwd: folder, message_preview: text }),
    signal: AbortSignal.timeout(MILLISECONDS),
  });
  if (!answer.ok) throw new Error(`the gateway answers ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder, text] = process.argv.slice(2);
  if (!folder) {
    console.error("usage: reply_finished.mjs FOLDER [TEXT]");
    process.exit(64);
  }
  try {
    console.log(JSON.stringify(await replyFinished(folder, text)));
  } catch (error) {
    console.error(error.cause ? `${error.message}: ${error.cause.message}` : error.message);
    process.exitCode = 1;
  }
}

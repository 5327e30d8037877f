"""A page that subscribes, on a server of its own. It runs the tests' scripts, so no driver of browsers is needed."""

import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from measure.servers import ARRIVAL_SECONDS
from measure.tools import Failure

DOCUMENT = """<!doctype html>
<title>Subscriber</title>
<script>
(async () => {
  for (;;) {
    const {number, script} = await (await fetch("/next")).json()
    let outcome
    try { outcome = {value: await eval(script)} } catch (error) { outcome = {error: `${error}`} }
    await fetch("/outcome", {method: "POST", body: JSON.stringify({number, ...outcome})})
  }
})()
</script>
"""

# The text is reported first, so that it arrives from a browser too that cannot show notifications.
WORKER = """
self.addEventListener("install", event => event.waitUntil(self.skipWaiting()))
self.addEventListener("activate", event => event.waitUntil(self.clients.claim()))
self.addEventListener("push", event => event.waitUntil((async () => {
  const text = event.data ? event.data.text() : null
  const shown = self.registration.showNotification("Message", {body: text ?? ""})
  await fetch("/received", {method: "POST", body: JSON.stringify(text)})
  await shown
})()))
"""

FILES = {"/": ("text/html", DOCUMENT), "/worker.js": ("text/javascript", WORKER)}


class Page:
    """One page in one browser, and the texts that its worker has received."""

    def __init__(self) -> None:
        self.scripts: queue.Queue[dict[str, Any]] = queue.Queue()
        self.changed = threading.Condition()
        self.outcomes: dict[int, dict[str, Any]] = {}
        self.received: list[str | None] = []
        self.count = 0
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("PageHandler", (Handler,), {"page": self}))
        self.server.daemon_threads = True
        # Browsers let a page without TLS subscribe if its host is localhost.
        self.origin = f"http://localhost:{self.server.server_port}"

    def __enter__(self) -> "Page":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()

    def run(self, script: str) -> Any:
        """Returns the value of an expression in the page; a promise is awaited."""
        with self.changed:
            self.count += 1
            number = self.count
            self.scripts.put({"number": number, "script": script})
            if not self.changed.wait_for(lambda: number in self.outcomes, ARRIVAL_SECONDS):
                raise Failure(f"the page did not run {script!r} within {ARRIVAL_SECONDS} s")
            outcome = self.outcomes.pop(number)
        if "error" in outcome:
            raise Failure(f"the page failed to run {script!r}: {outcome['error']}")
        return outcome.get("value")

    def wait_for(self, count: int) -> list[str | None]:
        """Waits until the worker has received so many messages, and takes all that it has."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.received) >= count, ARRIVAL_SECONDS):
                raise Failure(f"{len(self.received)} messages of {count} arrived within {ARRIVAL_SECONDS} s")
            received, self.received = self.received, []
            return received

    def note(self, path: str, value: Any) -> None:
        with self.changed:
            if path == "/received":
                self.received.append(value)
            else:
                self.outcomes[value["number"]] = value
            self.changed.notify_all()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    page: Page

    def do_GET(self) -> None:
        if self.path == "/next":
            self.answer("application/json", json.dumps(self.page.scripts.get()))
        elif self.path in FILES:
            self.answer(*FILES[self.path])
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        self.page.note(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer("application/json", "{}")

    def answer(self, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass

"""A distributor of UnifiedPush and an app with it, written from the specification of version 3.

The app registers at its distributor with the VAPID key of its application server, and gets an endpoint. It makes the
keys, and hands both to the server. The distributor takes what RFC 8030, 8188, 8291 and 8292 describe, and checks it.
"""

import json
import os
import re
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from py_vapid import Vapid02
from py_vapid.utils import b64urldecode, b64urlencode

from .endpoints import write_certificate
from .keys import ReceiverKeys

# The greatest number of bytes of an endpoint, and of a message.
LONGEST_ENDPOINT, LONGEST_MESSAGE = 1000, 4096
URGENCIES = ["very-low", "low", "normal", "high"]
DISCOVERY = {"unifiedpush": {"version": 1}}


@dataclass
class App:
    """An app's registration, and its messages, which it decrypts."""

    endpoint: str
    vapid: str
    keys: ReceiverKeys = field(default_factory=ReceiverKeys.generate)
    messages: list[dict[str, Any]] = field(default_factory=list)
    fields: list[dict[str, str]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    # The statuses of the next answers, with their fields, before the distributor takes messages again.
    script: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    is_registered: bool = True

    @property
    def subscription(self) -> dict[str, Any]:
        """The endpoint and the set of keys, by the names that browsers have for them."""
        return {"endpoint": self.endpoint, "keys": self.keys.json()}


class Distributor:
    """The push server of a distributor in a private network."""

    def __init__(self, folder: Path) -> None:
        self.authority = folder / "distributor.pem"
        key = folder / "distributor.key"
        if not self.authority.exists():
            write_certificate(self.authority, key, [])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, key)
        self.apps: dict[str, App] = {}
        # Departures from the specification.
        self.faults: list[str] = []
        self.changed = threading.Condition()
        # It is called before each answer.
        self.pause: Callable[[], object] = lambda: None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Requests", (Requests,), {"distributor": self}))
        self.server.daemon_threads = True
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.host = f"127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> "Distributor":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()

    def register(self, vapid: str, length: int = 0) -> App:
        """Registers an app, with an endpoint of so many bytes at least."""
        start, end = f"https://{self.host}/up{b64urlencode(os.urandom(12))}", "?up=1"
        path = "x" * max(0, length - len(start) - len(end))
        app = App(start + path + end, vapid)
        self.apps[app.endpoint] = app
        return app

    def wait_for(self, app: App, count: int, seconds: float) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: len(app.messages) >= count, seconds)

    def answer(self, endpoint: str, fields: dict[str, str], body: bytes) -> tuple[int, dict[str, str]]:
        app = self.apps.get(endpoint)
        if not app or not app.is_registered:
            return 404, {}
        if problem := fault(app, fields, body):
            self.faults.append(problem)
            return 400, {}
        with self.changed:
            app.fields.append(fields)
            app.sizes.append(len(body))
            if app.script:
                return app.script.pop(0)
            app.messages.append(json.loads(app.keys.decrypt(body)))
            self.changed.notify_all()
        return 201, {"TTL": fields["ttl"], "Location": "/messages/1"}


def fault(app: App, fields: dict[str, str], body: bytes) -> str | None:
    """Returns what the specification forbids in a message."""
    if not 1 <= len(body) <= LONGEST_MESSAGE:
        return f"the message has {len(body)} bytes"
    if fields.get("content-encoding") != "aes128gcm":
        return f"the encoding is {fields.get('content-encoding')}"
    if not re.fullmatch("[0-9]+", fields.get("ttl", "")):
        return f"TTL is {fields.get('ttl')}"
    if fields.get("urgency", "normal") not in URGENCIES:
        return f"Urgency is {fields['urgency']}"
    if not re.fullmatch("[A-Za-z0-9_-]{1,32}", fields.get("topic", "x")):
        return f"Topic is {fields['topic']}"
    authorization = fields.get("authorization", "")
    match = re.fullmatch("vapid t=([^,]+), k=([^,]+)", authorization)
    if not match or match[2] != app.vapid or not Vapid02.verify(authorization.replace(", ", ",")):
        return f"Authorization is {authorization}"
    audience = json.loads(b64urldecode(match[1].split(".")[1].encode()))["aud"]
    return None if audience == "/".join(app.endpoint.split("/")[:3]) else f"aud is {audience}"


class Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    distributor: Distributor

    def do_POST(self) -> None:
        fields = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(fields["content-length"]))
        endpoint = f"https://{fields['host']}{self.path}"
        self.distributor.pause()
        status, more = self.distributor.answer(endpoint, fields, body)
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass

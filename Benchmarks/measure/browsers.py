"""The memory of `pushgate webpush-service` with many idle browsers: Firefox's WebSockets that have said hello."""

import json
import resource
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from .servers import WebPushService
from .tools import Failure, Programs

HELLO = {"messageType": "hello", "use_webpush": True, "broadcasts": {}, "uaid": ""}
UPGRADE = (
    "GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: push-notification\r\n\r\n")
# The time after the last hello, for all that the service does then.
REST_SECONDS = 3
ANSWER_SECONDS = 60


def measure_idle_browsers(programs: Programs, folder: Path, count: int) -> float:
    """Returns the peak of resident memory in MiB."""
    # The service is started with the raised limit too.
    raise_descriptor_limit(count + 500)
    with WebPushService(programs.pushgate, folder / "webpush-service") as service:
        address = urlsplit(service.addresses["firefox"]).netloc
        print(f"connecting {count:,} browsers …", flush=True)
        browsers: list[socket.socket] = []
        try:
            for _ in range(count):
                browsers.append(connect(address))
            time.sleep(REST_SECONDS)
            # An answer on the first connection shows that none was closed for later ones.
            for browser in (browsers[0], browsers[-1]):
                say({}, browser)
                expect(browser, b"{}")
            return service.memory()["VmHWM"]
        finally:
            for browser in browsers:
                browser.close()


def raise_descriptor_limit(count: int) -> None:
    limit, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    if maximum != resource.RLIM_INFINITY and maximum < count:
        raise Failure(f"a process may open {maximum} files, and {count} are needed; raise the limit (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit, count), maximum))


def connect(address: str) -> socket.socket:
    """Returns the connection of a browser that the service knows."""
    host, port = address.split(":")
    browser = socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS)
    browser.sendall(UPGRADE.format(host=address).encode())
    expect(browser, b"\r\n\r\n")
    say(HELLO, browser)
    expect(browser, b"}")
    return browser


def say(message: dict, browser: socket.socket) -> None:
    """Sends a text in one frame, masked with zeros (RFC 6455 §5)."""
    text = json.dumps(message, separators=(",", ":")).encode()
    browser.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)


def expect(browser: socket.socket, end: bytes) -> None:
    received = b""
    while not received.endswith(end):
        part = browser.recv(4096)
        if not part:
            raise Failure(f"the push service closed a browser's connection after: {received!r}")
        received += part

"""Names that strangers own, and whose addresses change. The network is one in which each address is this machine's."""

import json
import socket
import ssl
import subprocess
import threading
import time
import unittest
from contextlib import ExitStack
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from measure.servers import ARRIVAL_SECONDS

from .endpoints import write_certificate
from .gateway import Gateway
from .judges import Subscriber
from .keys import ReceiverKeys
from .names import NameServer

PUBLIC = "198.41.0.4"
# The addresses of hosts that no stranger may reach, in the forms that a name server can give.
INSIDE = {
    "loopback": ["127.0.0.2"], "private": ["192.168.7.7"], "provider": ["100.64.7.7"], "metadata": ["169.254.169.254"],
    "mapped": ["::ffff:192.168.7.7"], "unique-local": ["fd00::7"], "translated": ["64:ff9b::c0a8:707"],
    "both": ["192.168.7.7", "fd00::7"],
}


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


def inside() -> dict[str, list[str]]:
    """Returns the addresses of the versions that this machine has."""
    return {name: addresses for name, addresses in INSIDE.items() if has_ipv6() or ":" not in "".join(addresses)}


class Host:
    """A server at one address, which keeps the messages that it gets, and counts connections."""

    def __init__(self, address: str, certificate: Path, key: Path) -> None:
        self.paths: list[str] = []
        self.connections = 0
        host = self

        class Requests(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                host.paths.append(f"{self.headers['host']}{self.path}")
                self.send_response(201)
                self.send_header("Content-Length", "0")
                # The next message needs another connection, and so another look-up.
                self.send_header("Connection", "close")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            address_family = socket.AF_INET6 if ":" in address else socket.AF_INET

            def verify_request(self, *_: Any) -> bool:
                host.connections += 1
                return True

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server = Server((address, 443), Requests)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)

    def __enter__(self) -> "Host":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()


class Network:
    """The hosts, their names and the gateway, which are started when the first test needs them."""

    def __init__(self, folder: Path, stack: ExitStack, pushgate: Path) -> None:
        self.folder, self.stack, self.pushgate = folder, stack, pushgate

    @cached_property
    def names(self) -> NameServer:
        return self.stack.enter_context(NameServer())

    @cached_property
    def hosts(self) -> dict[str, Host]:
        certificate, key = self.folder / "hosts.pem", self.folder / "hosts.key"
        # A host inside would get the message, if the gateway connected to it: it has the certificate for all names.
        write_certificate(certificate, key, [f"{name}.example" for name in [*INSIDE, "several", "steady"]])
        # An address of IPv4 in the form of IPv6 leads to that one.
        addresses = {one for several in inside().values() for one in several if not one.startswith("::ffff:")}
        hosts = {}
        for address in [PUBLIC, *sorted(addresses)]:
            # The whole of 127.0.0.0/8 is there.
            if not address.startswith("127."):
                command = ["ip", "address", "add", address, "dev", "lo"]
                subprocess.run(command + (["nodad"] if ":" in address else []), check=True)
            hosts[address] = self.stack.enter_context(Host(address, certificate, key))
        return hosts

    @cached_property
    def gateway(self) -> Gateway:
        _ = self.hosts, self.names
        return self.stack.enter_context(
            Gateway(self.pushgate, self.folder / "gateway-of-strangers", self.folder / "hosts.pem", {}))


class ChangingNameTests(unittest.TestCase):
    def __init__(self, method: str, network: Network) -> None:
        super().__init__(method)
        self.network = network

    def setUp(self) -> None:
        self.gateway, self.hosts, self.names = self.network.gateway, self.network.hosts, self.network.names

    def send(self, name: str) -> str:
        """Sends a message to a subscription at a name, and returns its id."""
        subscriber = Subscriber("plain", f"https://{name}.example/up", ReceiverKeys.generate())
        answer = self.gateway.send({"token": subscriber.token, "data": {"k": "v"}})
        self.assertEqual(answer.status, 200, answer.text)
        return json.loads(answer.text)["name"].rpartition("/")[2]

    def first_outcome(self, message: str) -> tuple[str, str | None]:
        """Waits for the first outcome of a message, and returns its state and the reason of its first failure."""
        deadline = time.monotonic() + ARRIVAL_SECONDS
        while time.monotonic() < deadline:
            notification = self.gateway.notification(message)
            failures = notification.get("failures") or []
            if failures or notification["state"] != "pending":
                return notification["state"], failures[0]["reason"] if failures else None
            time.sleep(0.05)
        self.fail(f"the message {message} has no outcome: {notification}")

    def connections_inside(self) -> int:
        return sum(host.connections for address, host in self.hosts.items() if address != PUBLIC)

    def test_a_name_that_changes_its_answer_gains_nothing(self) -> None:
        for name, addresses in inside().items():
            self.names.answers[f"{name}.example"] = [[PUBLIC], addresses]
            self.assertEqual(self.first_outcome(self.send(name)), ("accepted", None))
        for name in inside():
            with self.subTest(name):
                # An answer is kept for some seconds, and then the name is looked up again.
                deadline, outcome = time.monotonic() + ARRIVAL_SECONDS, ("accepted", None)
                while outcome == ("accepted", None) and time.monotonic() < deadline:
                    time.sleep(0.5)
                    outcome = self.first_outcome(self.send(name))
                    self.assertEqual(self.connections_inside(), 0)
                self.assertEqual(outcome, ("pending", "AddressNotAllowed"))

    def test_a_name_with_several_addresses_is_reached_by_the_allowed_one(self) -> None:
        self.names.answers["several.example"] = [["192.168.7.7", "169.254.169.254", "fd00::7", PUBLIC]]
        self.assertEqual(self.first_outcome(self.send("several")), ("accepted", None))
        self.assertIn("several.example/up", self.hosts[PUBLIC].paths)
        self.assertEqual(self.connections_inside(), 0)

    def test_a_name_that_is_inside_from_the_beginning_gets_no_connection(self) -> None:
        self.names.answers["steady.example"] = [["192.168.7.7"]]
        self.assertEqual(self.first_outcome(self.send("steady")), ("pending", "AddressNotAllowed"))
        self.assertEqual(self.connections_inside(), 0)


def changing_name_tests(folder: Path, stack: ExitStack, pushgate: Path) -> list[unittest.TestCase]:
    network = Network(folder, stack, pushgate)
    return [ChangingNameTests(name, network) for name in vars(ChangingNameTests) if name.startswith("test_")]

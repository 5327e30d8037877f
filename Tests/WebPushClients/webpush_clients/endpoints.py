"""A push service that keeps what it receives, over TLS: HTTP/2 on one port, HTTP/1.1 on the other."""

import asyncio
import datetime
import ipaddress
import ssl
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded


@dataclass
class Received:
    """A request."""

    version: str
    authority: str
    path: str
    fields: dict[str, str]
    body: bytes

    @property
    def endpoint(self) -> str:
        return f"https://{self.authority}{self.path}"


class EndpointServer:
    def __init__(self, folder: Path, names: list[str]) -> None:
        self.authority = folder / "endpoints.pem"
        self.key = folder / "endpoints.key"
        write_certificate(self.authority, self.key, names)
        self.lock = threading.Lock()
        self.received: list[Received] = []
        self.loop = asyncio.new_event_loop()

    def __enter__(self) -> "EndpointServer":
        listening = self.loop.create_server(lambda: HTTP2(self), "127.0.0.1", 0, ssl=self.context("h2"))
        server = self.loop.run_until_complete(listening)
        self.http2 = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        handler = type("EndpointHandler", (HTTP1,), {"server_of_endpoints": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.server.socket = self.context("http/1.1").wrap_socket(
            self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.http1 = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.loop.call_soon_threadsafe(self.loop.stop)

    def context(self, protocol: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, self.key)
        context.set_alpn_protocols([protocol])
        return context

    def add(self, request: Received) -> None:
        with self.lock:
            self.received.append(request)


class HTTP2(asyncio.Protocol):
    def __init__(self, server: EndpointServer) -> None:
        self.server = server
        self.connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.streams: dict[int, tuple[list[tuple[str, str]], bytearray]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.connection.initiate_connection()
        self.transport.write(self.connection.data_to_send())

    def data_received(self, data: bytes) -> None:
        for event in self.connection.receive_data(data):
            match event:
                case RequestReceived():
                    self.streams[event.stream_id] = event.headers, bytearray()
                case DataReceived():
                    self.streams[event.stream_id][1].extend(event.data)
                    self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case StreamEnded():
                    self.answer(event.stream_id)
        self.transport.write(self.connection.data_to_send())

    def answer(self, stream: int) -> None:
        headers, body = self.streams.pop(stream)
        fields = dict(headers)
        assert len(fields) == len(headers), headers
        self.server.add(Received("HTTP/2", fields[":authority"], fields[":path"], fields, bytes(body)))
        self.connection.send_headers(stream, [(":status", "201")], end_stream=True)


class HTTP1(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_endpoints: EndpointServer

    def do_POST(self) -> None:
        fields = {name.lower(): value for name, value in self.headers.items()}
        assert len(fields) == len(self.headers.items()), self.headers
        body = self.rfile.read(int(fields["content-length"]))
        self.server_of_endpoints.add(Received("HTTP/1.1", fields["host"], self.path, fields, body))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def write_certificate(path: Path, key_path: Path, names: list[str]) -> None:
    """Writes a certificate for these names and 127.0.0.1, which is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Endpoints for tests")])
    now = datetime.datetime.now(datetime.UTC)
    alternatives = [x509.DNSName(one) for one in names] + [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256()))
    path.write_bytes(certificate.public_bytes(Encoding.PEM))
    key_path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))

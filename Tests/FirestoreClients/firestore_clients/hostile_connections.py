"""Hostile HTTP/2 connections: frames and streams that no gRPC library would send."""

import random
import socket
import struct
from collections import deque

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, DataReceived, ResponseReceived, StreamEnded, StreamReset, TrailersReceived
from h2.settings import SettingCodes

from .api import SERVICE, message, root

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
ANSWER_SECONDS = 120
# The connections that stay open behind their attack, at most.
OPEN = 100


class Connections:
    """Attacks on connections of their own. Those that leave something open stay for a while."""

    def __init__(self, address: str, by: random.Random) -> None:
        host, _, port = address.partition(":")
        self.address, self.random = (host, int(port)), by
        self.open: deque[socket.socket] = deque()

    def attack(self) -> tuple[str, str]:
        """Returns the code of the answer, or a word for the end of the attack, and the attack's name."""
        attack = self.random.choice([
            self.no_window, self.no_window, self.half_open, self.half_message, self.wrong_prefix, self.wrong_prefix,
            self.wrong_content_type, self.broken_frames, self.half_preface, self.many_resets])
        return attack(), attack.__name__

    def close(self) -> None:
        while self.open:
            self.open.popleft().close()

    def connect(self, window: int = 65_535) -> tuple[socket.socket, H2Connection]:
        connection = socket.create_connection(self.address, timeout=ANSWER_SECONDS)
        protocol = H2Connection(H2Configuration(client_side=True, validate_outbound_headers=False))
        protocol.local_settings[SettingCodes.INITIAL_WINDOW_SIZE] = window
        protocol.initiate_connection()
        connection.sendall(protocol.data_to_send())
        return connection, protocol

    def begin(self, protocol: H2Connection, method: str, content_type: str = "application/grpc") -> int:
        stream = protocol.get_next_available_stream_id()
        protocol.send_headers(stream, [
            (":method", "POST"), (":scheme", "http"), (":path", SERVICE + method), (":authority", "localhost"),
            ("content-type", content_type), ("te", "trailers"), ("authorization", "Bearer owner")])
        return stream

    def leave(self, connection: socket.socket) -> str:
        self.open.append(connection)
        while len(self.open) > OPEN:
            self.open.popleft().close()
        return "left open"

    def no_window(self) -> str:
        """Asks for much and takes nothing."""
        connection, protocol = self.connect(window=self.random.choice([0, 0, 1, 100]))
        for _ in range(self.random.randint(1, 5)):
            stream = self.begin(protocol, "RunQuery")
            protocol.send_data(stream, prefixed(query()), end_stream=True)
        connection.sendall(protocol.data_to_send())
        return self.leave(connection)

    def half_open(self) -> str:
        connection, protocol = self.connect()
        for _ in range(self.random.randint(1, 20)):
            self.begin(protocol, self.random.choice(["Commit", "RunQuery", "Listen", "Write"]))
        connection.sendall(protocol.data_to_send())
        return self.leave(connection)

    def half_message(self) -> str:
        """Promises more bytes than it sends."""
        connection, protocol = self.connect()
        stream = self.begin(protocol, self.random.choice(["Commit", "RunQuery", "Listen"]))
        protocol.send_data(stream, struct.pack(">BI", 0, self.random.choice([10, 10**6, 2**32 - 1])) + b"x")
        if self.random.random() < 0.5:
            connection.sendall(protocol.data_to_send())
            return self.leave(connection)
        protocol.end_stream(stream)
        return self.answer(connection, protocol, stream)

    def wrong_prefix(self) -> str:
        """Sends a compressed message, two for one, none, or a length that is not there."""
        connection, protocol = self.connect()
        stream = self.begin(protocol, self.random.choice(["Commit", "RunQuery", "GetDocument"]))
        data = self.random.choice([
            b"", b"\x00", b"\x01" + prefixed(query())[1:], b"\x07" + prefixed(query())[1:], prefixed(query()) * 2,
            struct.pack(">BI", 0, 2**32 - 1), self.random.randbytes(50)])
        protocol.send_data(stream, data, end_stream=True)
        return self.answer(connection, protocol, stream)

    def wrong_content_type(self) -> str:
        connection, protocol = self.connect()
        stream = self.begin(protocol, "RunQuery", self.random.choice(["text/plain", "", "application/grpc-web", "application/json"]))
        protocol.send_data(stream, prefixed(query()), end_stream=True)
        return self.answer(connection, protocol, stream)

    def broken_frames(self) -> str:
        connection = socket.create_connection(self.address, timeout=ANSWER_SECONDS)
        frame = self.random.randbytes(self.random.choice([1, 8, 9, 30, 20_000]))
        return self.send_and_close(connection, PREFACE + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00" + frame)

    def half_preface(self) -> str:
        connection = socket.create_connection(self.address, timeout=ANSWER_SECONDS)
        return self.send_and_close(connection, PREFACE[:self.random.randrange(1, 24)])

    def many_resets(self) -> str:
        """Begins streams and resets them at once."""
        connection, protocol = self.connect()
        for _ in range(50):
            stream = self.begin(protocol, "RunQuery")
            protocol.send_data(stream, prefixed(query()), end_stream=True)
            protocol.reset_stream(stream, 8)
        return self.send_and_close(connection, protocol.data_to_send())

    def send_and_close(self, connection: socket.socket, data: bytes) -> str:
        try:
            connection.sendall(data)
        except ConnectionError:
            pass
        connection.close()
        return "closed"

    def answer(self, connection: socket.socket, protocol: H2Connection, stream: int) -> str:
        """Returns the name of the answer's gRPC status, or else its HTTP status."""
        seen: dict[str, str] = {}
        try:
            connection.sendall(protocol.data_to_send())
            while data := connection.recv(65_536):
                for event in protocol.receive_data(data):
                    if isinstance(event, (ResponseReceived, TrailersReceived)):
                        seen |= {decoded(name): decoded(text) for name, text in event.headers or []}
                    if isinstance(event, DataReceived):
                        protocol.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    if isinstance(event, (StreamEnded, StreamReset, ConnectionTerminated)):
                        return CODES.get(seen.get("grpc-status", ""), seen.get(":status", "reset"))
                connection.sendall(protocol.data_to_send())
        except TimeoutError:
            return "DEADLINE_EXCEEDED"
        except ConnectionError:
            pass
        finally:
            connection.close()
        return "closed"


CODES = {"0": "OK", "2": "UNKNOWN", "3": "INVALID_ARGUMENT", "12": "UNIMPLEMENTED", "13": "INTERNAL", "14": "UNAVAILABLE"}


def decoded(text: bytes | str) -> str:
    return text.decode() if isinstance(text, bytes) else text


def prefixed(data: bytes) -> bytes:
    return struct.pack(">BI", 0, len(data)) + data


def query() -> bytes:
    """Returns a query with a large result."""
    request = message("RunQueryRequest")(parent=root())
    getattr(request.structured_query, "from_").add(collection_id="large")
    return request.SerializeToString()

"""A name server whose answers change."""

import ipaddress
import socket
import struct
import threading
from collections import Counter

A, AAAA = 1, 28


class NameServer:
    """Answers look-ups of names, each time with the next addresses of the name; the last ones stay."""

    def __init__(self, address: str = "127.0.0.1", port: int = 53) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        # The questions, by name and kind. A look-up asks for both kinds of address.
        self.questions = Counter[tuple[str, int]]()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, port))

    def __enter__(self) -> "NameServer":
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def serve(self) -> None:
        while True:
            try:
                question, client = self.socket.recvfrom(512)
                self.socket.sendto(self.answer(question), client)
            except OSError:
                return

    def answer(self, question: bytes) -> bytes:
        """Returns the answer to a question (RFC 1035 §4.1)."""
        labels, place = [], 12
        while length := question[place]:
            labels.append(question[place + 1:place + 1 + length].decode())
            place += 1 + length
        [kind] = struct.unpack(">H", question[place + 1:place + 3])
        addresses = self.addresses(".".join(labels).lower(), kind)
        # A recursive server's answer, without an error.
        head = question[:2] + struct.pack(">HHHHH", 0x8180, 1, len(addresses), 0, 0)
        # The name is that of the question, and nobody may keep the answer.
        records = [struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(one)) + one for one in addresses]
        return head + question[12:place + 5] + b"".join(records)

    def addresses(self, name: str, kind: int) -> list[bytes]:
        rounds = self.answers.get(name)
        if not rounds:
            return []
        self.questions[name, kind] += 1
        current = rounds[min(self.questions[name, kind], len(rounds)) - 1]
        version = {A: 4, AAAA: 6}.get(kind)
        return [one.packed for one in map(ipaddress.ip_address, current) if one.version == version]

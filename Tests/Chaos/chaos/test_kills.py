"""Tests of the check of copies, and of the network that can be down."""

import contextlib
import socket
import threading
import unittest
from typing import Any

from measure.tools import Failure

from .kills import expect_no_copies
from .network import Network


def accepted(id: str, at: int, status: int = 200) -> dict[str, Any]:
    return {"apns_id": id, "received_at": at, "status": status}


class CopiesTests(unittest.TestCase):
    def test_copy_of_what_was_accepted_long_before_the_kill_is_found(self) -> None:
        with self.assertRaisesRegex(Failure, "1 of 2 .* 2.0 s before"):
            expect_no_copies([accepted("a", 1000), accepted("b", 1100), accepted("a", 3001)], 0, 1500, 3000)

    def test_other_copies_are_right(self) -> None:
        self.assertEqual(expect_no_copies([
            # Accepted too late, refused before the kill, copied before the kill, and of another cycle.
            accepted("late", 1500), accepted("late", 3001), accepted("refused", 1000, 503), accepted("refused", 3001),
            accepted("moved", 1000), accepted("moved", 1400), accepted("old", 99), accepted("old", 3001),
        ], 100, 1500, 3000), 1)


class NetworkTests(unittest.TestCase):
    def test_network_that_is_down_ends_connections_and_refuses_new_ones(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=echo, args=(server,), daemon=True).start()
            with Network(f"http://127.0.0.1:{server.getsockname()[1]}") as network:
                for _ in range(2):
                    with socket.create_connection(("127.0.0.1", network.port)) as connection:
                        connection.sendall(b"a")
                        self.assertEqual(connection.recv(1), b"a")
                        network.take_down()
                        with self.assertRaises(ConnectionResetError):
                            connection.recv(1)
                        with self.assertRaises(ConnectionRefusedError):
                            socket.create_connection(("127.0.0.1", network.port))
                        network.bring_up()

    def test_ends_of_connections_pass(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            with Network(f"http://127.0.0.1:{server.getsockname()[1]}") as network:
                with socket.create_connection(("127.0.0.1", network.port)) as connection:
                    far, _ = server.accept()
                    connection.shutdown(socket.SHUT_WR)
                    self.assertEqual(far.recv(1), b"")
                    far.sendall(b"b")
                    far.close()
                    self.assertEqual(connection.recv(2), b"b")
                    self.assertEqual(connection.recv(1), b"")


def echo(server: socket.socket) -> None:
    for _ in range(2):
        with server.accept()[0] as connection:
            connection.sendall(connection.recv(1))
            with contextlib.suppress(ConnectionResetError):
                connection.recv(1)

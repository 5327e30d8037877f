"""The requests of an operator, and connections that end early."""

import itertools
import random
import socket
import ssl
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from measure.servers import BUNDLE_ID

from .client import Answer
from .load import Sequence
from .systems import WORDS

OWN_DATABASE = "/v1/projects/pushgate/databases/(default)/documents"


class Operator(Sequence):
    """Reads of an operator, messages to one device, and the deletion of old documents.

    Runs keep their events for 30 days, and sessions theirs for an hour at least. These documents are deleted here
    after a minute, over the interface for documents: otherwise they would make the database grow during the whole run.
    """

    DELETED = ["runEvents", "runApprovals", "runs", "sessionEvents", "sessionNotifications"]
    DELETION_STEPS, KEPT_SECONDS = 30, 60
    MOST_WRITES = 500

    def attach(self, admin_token: str) -> "Operator":
        self.headers = {"Authorization": f"Bearer {admin_token}"}
        return self

    def steps(self) -> Iterator[None]:
        for number in itertools.count():
            getattr(self, random.choice(["check", "read", "notify", "err"]))()
            yield
            if number % self.DELETION_STEPS == 0:
                for collection in self.DELETED:
                    self.delete_old(collection)
                    yield

    def check(self) -> None:
        self.send("GET", random.choice(["/", "/healthz", "/health", "/readyz", "/metrics"]))

    def read(self) -> None:
        deliveries = self.send("GET", "/v1/deliveries?limit=20").json["deliveries"]
        if deliveries:
            self.send("GET", f"/v1/deliveries/{random.choice(deliveries)['id']}")
        self.send("GET", "/v1/servers")
        self.send("GET", f"{OWN_DATABASE}/messages?pageSize=20")

    def notify(self) -> None:
        marker, token = self.deliveries.marker(), self.token(0)
        body = {"to": token, "title": marker, "body": WORDS, "bundle_id": BUNDLE_ID, "environment": "sandbox"}
        self.send("POST", "/v1/deliveries", body)
        self.deliveries.owe(marker, [token])

    def err(self) -> None:
        """Sends requests that are refused."""
        self.client.send("GET", "/nothing", expected=(404,))
        self.client.send("GET", "/v1/deliveries", expected=(401,))
        self.client.send("POST", "/triggerReplyFinished", {"cwd": "/"}, expected=(401,))

    def delete_old(self, collection: str) -> None:
        query = {
            "from": [{"collectionId": collection, "allDescendants": True}],
            "select": {"fields": [{"fieldPath": "__name__"}]},
        }
        found = [row["document"] for row in self.query(query) if "document" in row]
        cutoff = time.time() - self.KEPT_SECONDS
        old = [document["name"] for document in found if seconds(document["updateTime"]) < cutoff]
        for first in range(0, len(old), self.MOST_WRITES):
            writes = [{"delete": name} for name in old[first : first + self.MOST_WRITES]]
            self.send("POST", f"{OWN_DATABASE}:commit", {"writes": writes})

    def query(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        return self.send("POST", f"{OWN_DATABASE}:runQuery", {"structuredQuery": query}).json

    def send(self, method: str, path: str, body: Any = None) -> Answer:
        return self.client.send(method, path, body, self.headers)


def seconds(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()


class Connections(Sequence):
    """Connections that end early: before TLS, before a request, within one, or before its answer."""

    period = 0.5
    REQUEST = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    def steps(self) -> Iterator[None]:
        while True:
            address = urlsplit(random.choice([self.client.addresses.plain, self.client.addresses.secure]))
            try:
                with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
                    if address.scheme == "https" and random.random() < 0.7:
                        self.begin_and_end_tls(connection)
                    else:
                        self.begin_and_end(connection)
            except OSError as error:
                raise self.client.unexpected(f"a connection failed: {error!r}") from None
            yield

    def begin_and_end_tls(self, connection: socket.socket) -> None:
        with self.client.addresses.context.wrap_socket(connection, server_hostname="127.0.0.1") as secure:
            self.begin_and_end(secure)

    def begin_and_end(self, connection: socket.socket | ssl.SSLSocket) -> None:
        connection.sendall(self.REQUEST[: random.choice([0, 10, len(self.REQUEST)])])

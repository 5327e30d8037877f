"""The requests to FCM's and Firestore's interfaces."""

import itertools
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from measure.access_token import access_token
from measure.servers import BUNDLE_ID

from .client import Answer
from .load import Sequence
from .systems import WORDS


class FCM(Sequence):
    period = 0.25
    DEVICES, PASSING = 6, 10
    # The steps for which an access token is used.
    TOKEN_STEPS = 500

    def attach(self, account: dict[str, str]) -> "FCM":
        self.account = account
        return self

    def prepare(self) -> None:
        self.sign_in()
        self.live = [self.token(device) for device in range(self.DEVICES)]
        self.registrations = self.register(self.live)
        self.change_topic("batchAdd", "live", self.registrations)

    def steps(self) -> Iterator[None]:
        for number in itertools.count():
            device = number % self.DEVICES
            self.notify({"token": self.registrations[device]}, [self.live[device]])
            yield
            if number % 4 == 0:
                self.notify({"topic": "live"}, self.live)
                yield
            if number % 8 == 0:
                self.notify({"condition": "'live' in topics && !('passing' in topics)"}, self.live)
                yield
            if number % 3 == 0:
                yield from self.pass_by(number // 3 % self.PASSING)
            if number % self.TOKEN_STEPS == 0:
                self.sign_in()
                yield

    def sign_in(self) -> None:
        self.headers = {
            "Authorization": f"Bearer {access_token(self.client.addresses.plain, self.account)}",
            "access_token_auth": "true",
        }

    def notify(self, target: dict[str, str], tokens: list[str]) -> None:
        marker = self.deliveries.marker()
        self.message(target | {"data": {"marker": marker}})
        self.deliveries.owe(marker, tokens)

    def message(self, fields: dict[str, Any], expected: tuple[int, ...] = (200,)) -> None:
        message = {"notification": {"title": "Soak", "body": WORDS}} | fields
        self.post(f"/v1/projects/{self.account['project_id']}/messages:send", {"message": message}, expected)

    def pass_by(self, number: int) -> Iterator[None]:
        """Registers a device, uses its registration, and invalidates or unsubscribes it."""
        token = self.token(100 + number)
        registration, = self.register([token])
        yield
        self.change_topic("batchAdd", "passing", [registration])
        yield
        self.message({"topic": "passing"})
        yield
        self.client.send("GET", f"/iid/info/{registration}?details=true", headers=self.headers)
        yield
        if number % 2:
            self.invalidate(token)
            # 404 UNREGISTERED, unless the push service has no time to answer within `fcm.sendWait`.
            self.message({"token": registration}, (200, 404))
        else:
            self.change_topic("batchRemove", "passing", [registration])
        yield

    def register(self, tokens: list[str]) -> list[str]:
        body = {"application": BUNDLE_ID, "sandbox": True, "apns_tokens": tokens}
        results = self.post("/iid/v1:batchImport", body).json["results"]
        return [result["registration_token"] for result in results]

    def change_topic(self, change: str, topic: str, registrations: list[str]) -> None:
        body = {"to": f"/topics/{topic}", "registration_tokens": registrations}
        if any(self.post(f"/iid/v1:{change}", body).json["results"]):
            raise self.client.unexpected(f"{change} failed for the topic {topic}")

    def post(self, path: str, body: Any, expected: tuple[int, ...] = (200,)) -> Answer:
        return self.client.send("POST", path, body, self.headers, expected)


class Firestore(Sequence):
    """Documents in two databases, one with automatic indexes.

    A database keeps the earlier states of its documents for an hour. The data has a constant size sooner because each
    database is emptied after a while, with all its earlier states.
    """

    period = 0.2
    PROJECTS = ["soak-plain", "soak-indexed"]
    INDEXED = PROJECTS[1]
    DOCUMENTS = 50
    ROUNDS = 25
    # The documents of a database at rest, and their bytes: more than SQLite's cache on the connection that writes,
    # which is 16 MiB and would fill up during the first hours otherwise.
    RESTING, RESTING_BYTES, RESTING_PROJECT = 20_000, 1_000, "soak-resting"

    def prepare(self) -> None:
        """Fills the cache of the connection that writes, so that growth of the memory has another cause."""
        self.project, each = self.RESTING_PROJECT, 500
        fields = {"text": {"stringValue": "x" * self.RESTING_BYTES}}
        for first in range(0, self.RESTING, each):
            names = map(self.name, range(first, first + each))
            self.post(":commit", {"writes": [{"update": {"name": name, "fields": fields}} for name in names]})

    def steps(self) -> Iterator[None]:
        while True:
            for self.project in self.PROJECTS:
                for _ in range(self.ROUNDS):
                    yield from self.round()
                self.client.send("DELETE", f"/emulator{self.documents}")
                yield

    @property
    def documents(self) -> str:
        return f"/v1/projects/{self.project}/databases/(default)/documents"

    def name(self, number: int) -> str:
        return f"{self.documents[len('/v1/'):]}/notes/{number}"

    def round(self) -> Iterator[None]:
        number = random.randrange(self.DOCUMENTS)
        self.post(":commit", {"writes": [self.set(number), self.set((number + 1) % self.DOCUMENTS)]})
        yield
        self.client.send("GET", f"{self.documents}/notes/{number}")
        yield
        self.post(":runQuery", {"structuredQuery": self.query(number) | {"limit": 20}})
        yield
        self.post(":runAggregationQuery", {"structuredAggregationQuery": {
            "structuredQuery": self.query(number), "aggregations": [{"alias": "count", "count": {}}]}})
        yield
        transaction = self.post(":beginTransaction", {}).json["transaction"]
        path = f"{self.documents}/notes/{number}?transaction={quote(transaction, safe='')}"
        self.client.send("GET", path)
        self.post(":commit", {"transaction": transaction, "writes": [self.set(number)]})
        yield
        self.post(":batchWrite", {"writes": [self.set(each) for each in range(number, self.DOCUMENTS, 10)]})
        yield
        self.client.send("GET", f"{self.documents}/notes?pageSize=30")
        yield
        self.client.send("DELETE", f"{self.documents}/notes/{(number + 1) % self.DOCUMENTS}")
        yield

    def set(self, number: int) -> dict[str, Any]:
        fields = {"group": {"integerValue": str(number % 5)}, "text": {"stringValue": WORDS * random.randint(1, 4)}}
        count = {"fieldPath": "count", "increment": {"integerValue": "1"}}
        return {"update": {"name": self.name(number), "fields": fields}, "updateTransforms": [count]}

    @staticmethod
    def query(number: int) -> dict[str, Any]:
        condition = {"field": {"fieldPath": "group"}, "op": "EQUAL", "value": {"integerValue": str(number % 5)}}
        return {"from": [{"collectionId": "notes"}], "where": {"fieldFilter": condition}}

    def post(self, method: str, body: Any) -> Answer:
        return self.client.send("POST", self.documents + method, body)

"""The gateway under test for its operator and its devices: plain HTTP, without Google's clients."""

import hashlib
import http.client
import json
import os
import secrets
import time
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

# The time for all notifications of a test, and the longest wait of a request for them that the emulator allows. They
# are for machines that are several times slower than usual: without a fault a wait ends as soon as all have arrived.
ARRIVAL_SECONDS = 300
WAIT_SECONDS = 60


class Answer(NamedTuple):
    status: int
    body: Any


class Arrival(NamedTuple):
    """A notification as a device received it."""

    # The result of `Served.phone` for its registration token.
    phone: str
    title: str | None
    body: str | None
    # The strings of the message, without the platform's own fields.
    data: dict[str, str]


class Served:
    """The gateway that the variable `FIREBASE_CLIENTS` describes."""

    def __init__(self) -> None:
        description = json.loads(os.environ["FIREBASE_CLIENTS"])
        self.url: str = description["url"]
        self.directory: str = description["directory"]
        self.bundle_id: str = description["bundle_id"]
        self.simulator: str | None = description["simulator"]
        self.admin = {"Authorization": f"Bearer {description['admin_token']}"}
        # The APNs tokens by imported registration token.
        self.imported: dict[str, str] = {}

    @property
    def is_emulator(self) -> bool:
        return self.simulator is None

    def register(self, count: int, access_token: str = "") -> list[str]:
        """Returns registration tokens: random ones in emulator mode, which accepts any; otherwise imported ones."""
        if self.is_emulator:
            return [made_up_token() for _ in range(count)]
        devices = [secrets.token_hex(32) for _ in range(count)]
        hundreds = [devices[start:start + 100] for start in range(0, count, 100)]
        return [token for hundred in hundreds for token in self.import_tokens(hundred, access_token)]

    def import_tokens(self, devices: list[str], access_token: str) -> list[str]:
        """Imports at most 100 APNs tokens, and returns their registration tokens."""
        answer = request(
            self.url, "POST", "/iid/v1:batchImport",
            {"application": self.bundle_id, "sandbox": True, "apns_tokens": devices},
            {"Authorization": f"Bearer {access_token}", "access_token_auth": "true"})
        assert answer.status == 200, answer
        tokens = [result["registration_token"] for result in answer.body["results"]]
        self.imported.update(zip(tokens, devices))
        return tokens

    def phone(self, token: str) -> str:
        """Returns the device under which a notification to this registration token arrives."""
        return f"token#{hashlib.sha256(token.encode()).hexdigest()[:8]}" if self.is_emulator else self.imported[token]

    def arrivals(self, collapse_id: str, count: int) -> list[Arrival]:
        """Returns all notifications with this collapse id, when `count` have arrived or the time is over."""
        query = {"collapse_id": collapse_id, "wait_for": count, "timeout": WAIT_SECONDS}
        deadline = time.monotonic() + ARRIVAL_SECONDS
        while len(found := self.arrived(query)) < count and time.monotonic() < deadline:
            pass
        return found

    def arrived(self, query: dict[str, Any]) -> list[Arrival]:
        if self.is_emulator:
            return [from_inbox(item) for item in self.inbox(**query)]
        path = "/notifications?" + urlencode(query | {"status": 200, "limit": 10_000})
        return [from_simulator(item) for item in request(self.simulator, "GET", path).body["notifications"]]

    def inbox(self, **query: Any) -> list[dict[str, Any]]:
        return self.ask("GET", "/emulator/v1/inbox?" + urlencode(query))["notifications"]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Sends a request with the admin token, and returns the body of the answer."""
        answer = request(self.url, method, path, body, self.admin)
        assert answer.status == 200, answer
        return answer.body

    def script(self, error_code: str, **step: Any) -> None:
        self.ask("POST", "/emulator/v1/scripts", {"errorCode": error_code, **step})


def made_up_token() -> str:
    """Returns a random token in FCM's form: an installation id and 134 further characters."""
    return f"{secrets.token_urlsafe(16)}:APA91b{secrets.token_urlsafe(99)}AA"


def from_inbox(item: dict[str, Any]) -> Arrival:
    message = item["message"]
    notification = message.get("notification", {})
    return Arrival(item["token"], notification.get("title"), notification.get("body"), message.get("data", {}))


def from_simulator(item: dict[str, Any]) -> Arrival:
    payload = item["payload"]
    alert = payload["aps"].get("alert", {})
    data = {
        key: value for key, value in payload.items()
        if key not in ("aps", "fcm_options") and not key.startswith(("gcm.", "google."))
    }
    return Arrival(item["token"], alert.get("title"), alert.get("body"), data)


def request(url: str, method: str, path: str, body: Any = None, headers: dict[str, str] = {}) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=ARRIVAL_SECONDS)
    try:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read().decode()
        return Answer(answer.status, json.loads(text) if text else None)
    finally:
        connection.close()

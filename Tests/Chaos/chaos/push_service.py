"""The push service for browsers, and the subscriptions of browsers that exist only there."""

import json
import random
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from measure.servers import WebPushService, ask

from .decryption import Receiver

# The services of whose main hosts the gateway keeps the order of notifications, and the others. These rest for seconds
# after they did not answer.
ORDERED = ["apple", "mozilla", "google"]
OTHERS = ["microsoft", "standard"]
# The hosts of services' endpoints; that of a standard one is the server itself.
HOSTS = [
    "web.push.apple.com", "updates.push.services.mozilla.com", "fcm.googleapis.com", "wns2-par02p.notify.windows.com",
]
# The answers to requests of a cycle, in any order. Between them and after them messages are accepted.
ANSWERS: list[dict[str, Any]] = [
    {"status": 503, "retry_after": 1, "times": 5},
    {"status": 429, "retry_after": 1, "times": 5},
    {"status": 500, "times": 3},
    {"status": 201, "delay_ms": 300, "times": 30},
    {"hang": True, "times": 2},
    {"close": True},
    # The message is delivered, and the sender cannot know it.
    {"status": 503, "retry_after": 1, "accept": True, "times": 3},
    {"hang": True, "accept": True, "times": 2},
    {"close": True, "accept": True},
]
# The accepted messages between two of them, at most.
BETWEEN = 30


class Browser(NamedTuple):
    """A subscription, and the token by which the service names it."""

    subscription: dict[str, Any]
    token: str


class BrowserMessage(NamedTuple):
    """A request with a message for a browser."""

    token: str
    connection: int
    # The answer's status; none if there was no answer.
    status: int | None
    is_accepted: bool
    topic: str | None
    payload: dict[str, Any]

    @property
    def completion(self) -> str:
        return self.data["completion_id"]

    @property
    def data(self) -> dict[str, str]:
        return self.payload.get("notification", self.payload)["data"]

    @property
    def tag(self) -> str | None:
        """The name of messages that replace each other."""
        return self.payload.get("notification", {}).get("tag")

    @property
    def id(self) -> str:
        """All that must be the same when the message is sent again."""
        return f"{self.payload['message_id']} {self.topic} {self.tag}"


class PushService(WebPushService):
    def __init__(self, pushgate: Path, directory: Path):
        super().__init__(pushgate, directory, "--service-names")
        self.receivers: dict[str, Receiver] = {}
        self.messages: list[BrowserMessage] = []

    @property
    def control(self) -> str:
        return self.addresses["control"]

    @property
    def settings(self) -> dict[str, str]:
        """The variables of a gateway that takes this server for the services of browsers."""
        server = self.addresses["push"].removeprefix("https://")
        return {
            "PUSHGATE_WEBPUSH_SUBJECT": "mailto:ops@pushgate.dev",
            "PUSHGATE_WEBPUSH_CA_FILE": self.addresses["ca_file"],
            "PUSHGATE_WEBPUSH_CONNECT_TO": ",".join(f"{host}={server}" for host in HOSTS),
            "PUSHGATE_WEBPUSH_ALLOWED_HOSTS": server,
            "PUSHGATE_WEBPUSH_NEW_REGISTRATIONS_PER_HOUR_PER_ADDRESS": "0",
        }

    def subscribe(self, service: str, key: str) -> Browser:
        """Makes a subscription for a gateway's public key."""
        order = {"service": service, "application_server_key": key}
        made = ask(self.control, "POST", "/subscriptions", order)
        self.receivers[made["token"]] = Receiver(made["private_key"], made["keys"]["p256dh"], made["keys"]["auth"])
        return Browser({"endpoint": made["endpoint"], "expirationTime": None, "keys": made["keys"]}, made["token"])

    def end(self, browser: Browser) -> None:
        """Ends a subscription. Its messages are answered with 410 from here on."""
        ask(self.control, "DELETE", f"/subscriptions?token={browser.token}")

    def misbehave(self) -> None:
        steps: list[dict[str, Any]] = []
        for step in random.sample(ANSWERS, len(ANSWERS)):
            steps += [{"status": 201, "times": random.randint(1, BETWEEN)}, step]
        ask(self.control, "PUT", "/answers", {"token": None, "answers": steps})

    def behave(self) -> None:
        ask(self.control, "DELETE", "/answers")

    def status(self) -> dict[str, Any]:
        return ask(self.control, "GET", "/status")

    def received(self) -> list[BrowserMessage]:
        """Returns all messages, decrypted, in the order in which they arrived."""
        while page := ask(
            self.control, "GET", f"/notifications?limit=10000&offset={len(self.messages)}&timeout=0",
        )["notifications"]:
            self.messages += map(self.read, page)
        return self.messages

    def read(self, item: dict[str, Any]) -> BrowserMessage:
        body = urlsafe_b64decode(item["body"] + "=" * (-len(item["body"]) % 4))
        payload = json.loads(self.receivers[item["token"]].decrypt(body))
        is_accepted, topic = "message_id" in item, item["headers"].get("topic")
        return BrowserMessage(item["token"], item["connection"], item["status"], is_accepted, topic, payload)


def topic(tag: str) -> str:
    """Returns the topic that docs/webpush.md has for a collapse id."""
    return urlsafe_b64encode(sha256(tag.encode()).digest()).decode()[:32]

"""`pushgate apns-simulator` as a process on free ports, with its control address."""

import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jwt

from measure.servers import ARRIVAL_SECONDS, Simulator, ask

BUNDLE_ID = "com.example.agents"
TOPIC = BUNDLE_ID + ".push-type.liveactivity"


class AppleSide(Simulator):
    """A simulator of Apple's side, with what a sender needs."""

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        suffix = f"?{urlencode(query)}" if query else ""
        return ask(self.addresses["control"], method, path + suffix, body, timeout=ARRIVAL_SECONDS + 30)

    def received(self, **query: Any) -> list[dict[str, Any]]:
        """Returns the requests that match the query; with `wait_for`, waits for so many."""
        return self.ask("GET", "/notifications", limit=10_000, timeout=ARRIVAL_SECONDS, **query)["notifications"]

    def channels(self) -> list[dict[str, Any]]:
        return self.ask("GET", "/channels")["channels"]

    @property
    def key(self) -> str:
        return Path(self.addresses["key_path"]).read_text()

    @property
    def authorization(self) -> str:
        """A provider token as Apple documents it."""
        claims = {"iss": self.addresses["team_id"], "iat": int(time.time())}
        return "bearer " + jwt.encode(claims, self.key, algorithm="ES256", headers={"kid": self.addresses["key_id"]})


def start(seconds: int, channel: str | None = None) -> dict[str, Any]:
    """Returns the payload that starts a card."""
    aps: dict[str, Any] = {
        "event": "start", "timestamp": seconds, "content-state": {"step": 0}, "attributes-type": "RunActivityAttributes",
        "attributes": {"card": "c1"}, "alert": {"title": "Run", "body": "Started"},
    }
    aps |= {"input-push-channel": channel} if channel else {"input-push-token": 1}
    return {"aps": aps}


def update(seconds: int, step: int) -> dict[str, Any]:
    return {"aps": {"event": "update", "timestamp": seconds, "content-state": {"step": step}}}


def end(seconds: int) -> dict[str, Any]:
    return {"aps": {"event": "end", "timestamp": seconds, "dismissal-date": seconds + 900}}

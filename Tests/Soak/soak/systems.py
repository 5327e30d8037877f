"""The requests to CodeAgents, Runs and Sessions, as servers, hooks and phones send them."""

import itertools
import random
import time
import uuid
from collections.abc import Iterator
from typing import Any

from .client import Answer
from .load import Sequence

SECRET = "soak-" + "0123456789abcdef" * 2
RUNS_KEY = "key-of-the-runs-of-the-soak"
SESSIONS_KEY = "master-key-of-the-sessions-of-the-soak"
WORDS = "The tests pass. " * 12


class CodeAgents(Sequence):
    period = 0.25
    AGENTS, DEVICES, PASSING = 4, 2, 12

    def prepare(self) -> None:
        for agent, device in itertools.product(range(self.AGENTS), range(self.DEVICES)):
            self.register(f"/srv/projects/{agent}", f"phone-{device}", self.live(agent)[device])

    def steps(self) -> Iterator[None]:
        for number in itertools.count():
            for _ in range(3):
                self.trigger(random.randrange(self.AGENTS))
                yield
            self.pass_by(number % self.PASSING)
            yield

    def live(self, agent: int) -> list[str]:
        return [self.token(agent * self.DEVICES + device) for device in range(self.DEVICES)]

    def trigger(self, agent: int) -> None:
        marker, tokens = self.deliveries.marker(), self.live(agent)
        answer = self.post("/triggerReplyFinished", {
            "cwd": f"/srv/projects/{agent}", "completion_id": marker, "message_preview": WORDS,
        }, random.choice([{}, {"Prefer": "respond-async"}, {"Prefer": "wait=3"}]))
        if answer.json["attempted"] != len(tokens):
            raise self.client.unexpected(f"a trigger was not for {len(tokens)} devices: {answer.json}")
        self.deliveries.owe(marker, tokens, f"agent-{agent}")

    def pass_by(self, number: int) -> None:
        """Registers, notifies, invalidates or unregisters a device that is not registered during the whole run."""
        cwd, installation, token = f"/srv/passing/{number}", f"passing-{number}", self.token(100 + number)
        action = random.choice(["register", "register", "trigger", "invalidate", "unregister"])
        if action == "register":
            return self.register(cwd, installation, token)
        if action == "unregister":
            self.post("/unregisterSubscription", {"installation_id": installation, "cwd": cwd})
            return
        if action == "invalidate":
            self.invalidate(token)
        self.post("/triggerReplyFinished", {"cwd": cwd, "message_preview": WORDS})

    def register(self, cwd: str, installation: str, token: str) -> None:
        body = {"cwd": cwd, "installation_id": installation, "fcm_token": token, "agent_display_name": "A soak"}
        self.post("/registerSubscription", body)

    def post(self, path: str, body: dict[str, Any], headers: dict[str, str] = {}) -> Answer:
        return self.client.send("POST", path, body, {"Authorization": f"Bearer {SECRET}"} | headers)


class Runs(Sequence):
    period = 0.4
    DEVICES = 2

    def prepare(self) -> None:
        for device in range(self.DEVICES):
            self.register(self.token(device))

    def steps(self) -> Iterator[None]:
        for number in itertools.count():
            run, approval = f"run-{uuid.uuid4()}", f"approval-{uuid.uuid4()}"
            self.report(run, "run_started")
            yield
            marker = self.notify(run, "approval_requested", approval)
            yield
            # A pending approval is requested again by the reminders, until its run ends.
            if number % 4:
                self.report(run, "approval_resolved", {"approval_id": approval})
                self.deliveries.excuse(marker)
                yield
            self.pass_by(number)
            yield
            self.deliveries.excuse(marker)
            end = random.choice(["run_completed", "run_failed", "run_cancelled"])
            self.report(run, end) if end == "run_cancelled" else self.notify(run, end)
            yield

    def notify(self, run: str, kind: str, approval: str | None = None) -> str:
        marker = self.deliveries.marker()
        data = {"repo_name": marker, "prompt_preview": WORDS, "error": "It failed.", "server_id": "server"}
        self.report(run, kind, data | ({"approval_id": approval} if approval else {}))
        self.deliveries.owe(marker, [self.token(device) for device in range(self.DEVICES)])
        return marker

    def report(self, run: str, kind: str, data: dict[str, Any] = {}) -> None:
        event = {
            "id": str(uuid.uuid4()), "run_id": run, "seq": time.monotonic_ns(), "type": kind, "data": data,
            "created_at": int(time.time()),
        }
        # A server repeats an event after a doubtful result.
        for _ in range(random.choice([1, 1, 1, 1, 2])):
            self.send("POST", "/api/events", event, (202,))

    def pass_by(self, number: int) -> None:
        """Registers a device for the time between two of these steps. A 410 may have removed it in the meantime."""
        token = self.token(100 + number // 2 % 10)
        if number % 2 == 0:
            self.register(token)
            if random.random() < 0.3:
                self.invalidate(token)
        else:
            self.send("DELETE", f"/api/devices/{token}", None, (204, 404))

    def register(self, token: str) -> None:
        self.send("POST", "/api/devices", {"token": token, "platform": "ios"}, (201,))

    def send(self, method: str, path: str, body: Any, expected: tuple[int, ...]) -> None:
        self.client.send(method, path, body, {"Authorization": f"Bearer {RUNS_KEY}"}, expected)


class Sessions(Sequence):
    period = 0.3
    DEVICES, SESSIONS, KEY_LIMIT = 2, 15, 2

    def prepare(self) -> None:
        for device in range(self.DEVICES):
            self.send("POST", "/api/v1/push/register", self.phone(self.token(device)))

    def steps(self) -> Iterator[None]:
        for number in itertools.count():
            session = f"s-{number % self.SESSIONS}"
            for event in ("UserPromptSubmit", "PreToolUse"):
                self.report(session, event)
                yield
            for event in ("PermissionRequest", "Stop"):
                marker = self.deliveries.marker()
                self.report(session, event, marker)
                self.deliveries.owe(marker, [self.token(device) for device in range(self.DEVICES)], session)
                yield
            self.report_by_hook(session)
            yield
            self.read(session)
            yield
            if number % 10 == 0:
                yield from self.use_key()

    def report(self, session: str, event: str, message: str = "A message.") -> None:
        self.send("POST", "/api/v1/events", {
            "device": {"device_id": f"mac-{session}", "device_name": "A Mac", "platform": "darwin"},
            "event": {
                "session_id": session, "hook_event_name": event, "message": message, "prompt": WORDS,
                "tool_name": "Bash", "cwd": "/srv/projects/soak",
            },
            "timestamp": "2026-01-01T00:00:00Z",
        })

    def report_by_hook(self, session: str) -> None:
        headers = {
            "X-Claudiator-Device-Id": f"mac-{session}", "X-Claudiator-Device-Name": "A Mac",
            "X-Claudiator-Platform": "darwin",
        }
        body = {"session_id": session, "hook_event_name": "PostToolUse", "cwd": "/srv/projects/soak"}
        self.send("POST", "/api/v1/hooks/http", body, headers=headers)

    def read(self, session: str) -> None:
        list_ = random.choice([
            "ping", "devices", "sessions?exclude_ended=true", f"sessions/{session}/events?limit=50",
            f"devices/mac-{session}/sessions", "notifications?limit=50"])
        answer = self.send("GET", f"/api/v1/{list_}")
        if list_.startswith("notifications"):
            ids = [item["id"] for item in answer.json["notifications"]]
            self.send("POST", "/api/v1/notifications/ack", {"ids": ids})

    def use_key(self) -> Iterator[None]:
        """Makes a key with a limit, exceeds the limit, and revokes the key. A phone comes and goes with a 410."""
        body = {"name": "soak", "scopes": ["read"], "rate_limit": self.KEY_LIMIT}
        key = self.send("POST", "/admin/api-keys", body, expected=(201,)).json
        yield
        for _ in range(self.KEY_LIMIT + 1):
            self.send("GET", "/api/v1/ping", headers={"Authorization": f"Bearer {key['key']}"}, expected=(200, 429))
        yield
        self.send("DELETE", f"/admin/api-keys/{key['id']}")
        yield
        passing = self.token(100)
        self.send("POST", "/api/v1/push/register", self.phone(passing))
        self.invalidate(passing)
        yield

    @staticmethod
    def phone(token: str) -> dict[str, Any]:
        return {"platform": "ios", "push_token": token, "sandbox": True}

    def send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] = {}, expected: tuple[int, ...] = (200,)
    ) -> Answer:
        return self.client.send(method, path, body, {"Authorization": f"Bearer {SESSIONS_KEY}"} | headers, expected)

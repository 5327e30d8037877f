"""A phase in which Apple's side refuses a part of the notifications, or all, or cannot be reached for a while."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from measure.servers import ask

from .browser_phase import BrowserPhase
from .network import Network

# The answers to requests of a cycle, in any order. Between them and after them notifications are accepted.
ANSWERS: list[dict[str, Any]] = [
    {"status": 503, "reason": "ServiceUnavailable", "times": 20},
    {"status": 503, "reason": "Shutdown", "times": 5},
    {"status": 503, "reason": "ServiceUnavailable", "retry_after": 1, "times": 5},
    {"status": 500, "reason": "InternalServerError", "times": 5},
    {"status": 429, "reason": "TooManyRequests", "times": 5},
]
# The accepted notifications between two of them, at most.
BETWEEN = 100
REFUSAL = {"status": 403, "reason": "InvalidProviderToken", "times": None}
# A connection like this loses no answer.
GENTLE: dict[str, Any] = {
    "times": None, "goaway": {"after": 25, "reason": "Shutdown", "leave_out_last": True},
    "stream_limits": [{"after": 5, "limit": 100}, {"after": 10, "limit": 3}, {"after": 15, "limit": 1000}],
    "refuse_every": 23,
}


class OutagePhase(BrowserPhase):
    def __enter__(self) -> "OutagePhase":
        super().__enter__()
        try:
            self.network = Network(self.simulator.addresses["apns"]).__enter__()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        if hasattr(self, "network"):
            self.network.__exit__()

    @property
    def apns(self) -> dict[str, str]:
        return super().apns | {"apns": self.network.url}

    def misbehave(self) -> None:
        super().misbehave()
        self.refuse_some()

    def behave_gently(self) -> None:
        """Has no answer of Apple's side lost, whatever happens to connections and streams."""
        self.misbehave()
        self.simulator.script_connections(GENTLE)

    def refuse_some(self) -> None:
        refuse_some(self.control)

    def refuse_all(self) -> None:
        ask(self.control, "PUT", "/answers", {"token": None} | REFUSAL)

    def outages(self) -> list["Outage"]:
        return [
            Outage("refusing", self.refuse_all, self.refuse_some),
            Outage("unreachable", self.network.take_down, self.network.bring_up),
        ]

    def conclude(self, patience: int) -> None:
        self.simulator.drop_scripts()
        super().conclude(patience)


def refuse_some(control: str) -> None:
    """Has the simulator with this control address refuse some of the next notifications."""
    steps: list[dict[str, Any]] = []
    for step in random.sample(ANSWERS, len(ANSWERS)):
        steps += [{"status": 200, "times": random.randint(1, BETWEEN)}, step]
    ask(control, "PUT", "/answers", {"token": None, "answers": steps})


class Outage(NamedTuple):
    """A time in which Apple's side accepts nothing."""

    name: str
    begin: Callable[[], None]
    end: Callable[[], None]

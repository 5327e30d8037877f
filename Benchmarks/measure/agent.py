"""An agent with many devices, the target of a multicast."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from .bench import REPLY, Bench
from .servers import ask
from .tools import Failure

SECRET = "benchmark-of-an-agent-with-many-devices"


class Delivery(NamedTuple):
    """Seconds until the last arrival, until the trigger's answer, and of processor time."""

    arrived: float
    answered: float
    cost: float


@dataclass
class Agent:
    bench: Bench
    cwd: str
    devices: int

    def register(self) -> None:
        self.bench.register(self.cwd, SECRET, n=self.devices, s=120)

    def trigger(self) -> None:
        """Sends a trigger, which is answered after all notifications are durable."""
        answer = ask(
            self.bench.gateway.url, "POST", "/triggerReplyFinished", {"cwd": self.cwd, "message_preview": REPLY},
            {"Authorization": f"Bearer {SECRET}", "Prefer": "respond-async"})
        if answer["attempted"] != self.devices:
            raise Failure(f"a trigger was not for {self.devices} devices: {answer}")

    def deliver(self) -> Delivery:
        """Sends a trigger and waits for the arrival of the last notification."""
        self.bench.register_dead(self.cwd, self.devices, SECRET)
        self.bench.simulator.reset()
        before = self.bench.gateway.processor_time()
        with ThreadPoolExecutor(1) as waiter:
            arrival = waiter.submit(self.bench.simulator.wait_for, self.devices)
            startedAt = time.perf_counter()
            self.trigger()
            answeredAt = time.perf_counter()
            arrival.result()
            arrivedAt = time.perf_counter()
        dead = self.bench.condition.dead(self.devices)
        self.bench.simulator.expect(accepted=self.devices - dead, rejected=dead)
        cost = self.bench.gateway.processor_time() - before
        return Delivery(arrivedAt - startedAt, answeredAt - startedAt, cost)

"""Conditions of the simulator, which apply to the gateway and to the reference programs alike."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .devices import device_token
from .servers import Simulator


@dataclass(frozen=True)
class Condition:
    """A condition. By default every request is answered 200 at once."""

    name: str = ""
    # A step of the script for connections, which applies to all of them.
    connections: dict[str, Any] | None = None
    # The interval of devices whose tokens are answered 410.
    dead_every: int = 0
    # h2load neither repeats requests that a GOAWAY has refused, nor opens another connection.
    h2load: bool = True

    def dead(self, count: int) -> int:
        """Returns the number of dead tokens among the first `count` devices."""
        return count // self.dead_every if self.dead_every else 0

    @contextlib.contextmanager
    def imposed_on(self, simulator: Simulator, devices: int) -> Iterator[None]:
        """Imposes the condition on connections opened meanwhile, and on the first `devices` devices."""
        if self.connections:
            simulator.script_connections({"times": None} | self.connections)
        for index in range(self.dead(devices)):
            simulator.script_token(device_token((index + 1) * self.dead_every - 1), {"status": 410, "times": None})
        yield
        simulator.drop_scripts()


NORMAL = Condition()

VARIANTS = [
    Condition("40 ms latency", connections={"latency": {"ms": [40]}}),
    Condition("5 % dead tokens", dead_every=20),
    Condition("GOAWAY every 1,000", connections={"goaway": {"after": 1000}}, h2load=False),
]

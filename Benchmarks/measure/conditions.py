"""How the simulator treats whoever sends to it, the gateway and the programs beside it alike."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .devices import device_token
from .servers import Simulator


@dataclass(frozen=True)
class Condition:
    """One that changes something; without any change everything is answered 200 at once."""

    name: str = ""
    # A step of the script for connections, which all of them follow.
    connections: dict[str, Any] | None = None
    # The token of every so many-th device is answered 410.
    dead_every: int = 0
    # h2load does not send again what a GOAWAY has turned away, nor the rest on another connection.
    h2load: bool = True

    def dead(self, count: int) -> int:
        """How many of the first so many devices are."""
        return count // self.dead_every if self.dead_every else 0

    @contextlib.contextmanager
    def imposed_on(self, simulator: Simulator, devices: int) -> Iterator[None]:
        """Holds for connections made while it lasts, and for the first so many devices."""
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

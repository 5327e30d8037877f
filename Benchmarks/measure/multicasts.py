"""The speed of one trigger for many devices."""

from .agent import Agent
from .bench import Bench
from .references import References


class Multicasts:
    """One trigger for many devices, against programs that only send the same requests."""

    STREAMS = 100
    AIM = 0.8

    def __init__(self, bench: Bench, devices: int):
        self.bench = bench
        self.name = f"multicast of {devices:,}"
        self.agent = Agent(bench, f"/srv/projects/{devices}", devices)
        self.agent.register()
        self.agent.deliver()
        self.references = References(
            bench, f"notifications of a {self.name}", f"notification of a {self.name}", devices, self.STREAMS, self.AIM)

    def round(self) -> None:
        delivery = self.agent.deliver()
        cost = delivery.cost / self.agent.devices
        self.bench.note(f"{self.name}, accepted and durable", "ms", delivery.answered * 1e3)
        self.bench.note(f"the gateway's, per notification of a {self.name}", "µs", cost * 1e6)
        self.references.compare(self.agent.devices / delivery.arrived)

"""The growth of the cost with the devices of an agent, and with the devices of all agents."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from .agent import Agent
from .bench import Bench
from .report import Report, print_table
from .servers import Gateway, Simulator
from .stored_devices import StoredDevices
from .tools import Programs

DEVICES = [10**exponent for exponent in range(6)]
STORED = [10**exponent for exponent in range(7)]
# The device counts of the agents that are triggered while the stored devices of other agents grow.
AGENTS = [1, 1_000]
HEADS = ["devices", "a trigger", "a notification", "processor time", "VmRSS", "VmHWM"]


def measure_growth(programs: Programs, folder: Path) -> None:
    with Simulator(programs.pushgate, folder / "simulator") as simulator:
        for name, rows in (("devices", devices_of_an_agent), ("stored", devices_of_others)):
            lines = Lines(programs, folder, simulator, name)
            print_table(list(rows(lines)), right=set(range(len(HEADS) + 1)))
            print(flush=True)


def devices_of_an_agent(lines: "Lines") -> Iterator[list[str]]:
    yield HEADS
    lines.register(DEVICES)
    for count in DEVICES:
        yield from lines.measure([count])


def devices_of_others(lines: "Lines") -> Iterator[list[str]]:
    yield ["stored", *HEADS]
    lines.register(AGENTS)
    others = StoredDevices(lines.start, lines.data / "pushgate.sqlite")
    for count in STORED:
        print(f"storing devices of other agents: {count:,} …", flush=True)
        others.grow(count)
        for line in lines.measure(AGENTS):
            yield [f"{count:,}", *line]


class Lines:
    """Measures each line in a new gateway process on the same data, so that the memory is that of one line."""

    def __init__(self, programs: Programs, folder: Path, simulator: Simulator, name: str):
        self.programs, self.folder, self.simulator, self.data = programs, folder, simulator, folder / name

    def start(self) -> Gateway:
        return Gateway(self.programs.pushgate, self.data, self.simulator.addresses)

    def agent(self, gateway: Gateway, devices: int) -> Agent:
        bench = Bench(self.programs, gateway, self.simulator, self.folder, 0, Report({}))
        return Agent(bench, f"/srv/projects/{devices}", devices)

    def register(self, counts: list[int]) -> None:
        print(f"registering {sum(counts):,} devices …", flush=True)
        with self.start() as gateway:
            for count in counts:
                self.agent(gateway, count).register()

    def measure(self, counts: list[int]) -> Iterator[list[str]]:
        for count in counts:
            print(f"devices of the agent that is triggered: {count:,} …", flush=True)
            with self.start() as gateway:
                yield self.line(self.agent(gateway, count))

    def line(self, agent: Agent) -> list[str]:
        """Sends enough triggers for a median. The first one, which opens connections, does not count."""
        agent.deliver()
        deliveries = [agent.deliver() for _ in range(min(200, max(5, 20_000 // agent.devices)))]
        arrived = median(delivery.arrived for delivery in deliveries)
        cost = sum(delivery.cost for delivery in deliveries) / len(deliveries)
        memory = agent.bench.gateway.memory()
        return [
            f"{agent.devices:,}", f"{arrived * 1e3:,.1f} ms", f"{arrived / agent.devices * 1e6:,.0f} µs",
            f"{cost / agent.devices * 1e6:,.0f} µs", f"{memory['VmRSS']:.0f} MiB", f"{memory['VmHWM']:.0f} MiB",
        ]

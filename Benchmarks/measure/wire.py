"""Triggers and multicasts against h2load, with a sink that does not limit them."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from .agent import SECRET
from .bench import CONNECTIONS, CWD, KNOWN, REPLY, Bench
from .report import Figure, Report, print_figures, print_table
from .servers import Gateway, ask
from .sink import Sink
from .tools import Failure, Programs
from .wire_references import WireReferences

SIZES = [10_000, 100_000]
# The required rates a second, and the largest processor time of a trigger in microseconds.
TRIGGERS, TRIGGER_US, NOTIFICATIONS = 5_000, 300, 25_000


@dataclass
class Rounds:
    """The measurements of one type of request."""

    name: str
    rates: list[float] = field(default_factory=list)
    references: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    memory: float = 0

    def add(self, rate: float, reference: float, cost: float) -> None:
        self.rates.append(rate)
        self.references.append(reference)
        self.costs.append(cost)

    @property
    def row(self) -> list[str]:
        ratios = [rate / reference for rate, reference in zip(self.rates, self.references)]
        return [
            self.name, spread(self.rates, 0), spread(self.references, 0), spread(ratios, 2),
            f"{median(self.costs):.0f} µs", f"{self.memory:.0f} MiB",
        ]


def spread(values: list[float], digits: int) -> str:
    if not values:
        return ""
    return f"{median(values):,.{digits}f} ({min(values):,.{digits}f}–{max(values):,.{digits}f})"


def measure_wire(programs: Programs, folder: Path, rounds: int) -> None:
    with Sink(programs.sink, folder / "sink") as sink:
        with Gateway(programs.pushgate, folder / "data", sink.addresses) as gateway:
            wire = Wire(Bench(programs, gateway, sink, folder, 3, Report({})), sink, rounds)
            health, triggers = wire.health(), wire.triggers()
            multicasts = [wire.multicasts(size) for size in SIZES]
    print()
    heads = ["", "a second", "h2load", "ratio", "processor time", "peak memory"]
    print_table([heads, *(one.row for one in (health, triggers, *multicasts))], right={1, 2, 3, 4, 5})
    print_figures([
        Figure(triggers.name, "/s", TRIGGERS, values=triggers.rates),
        Figure("the gateway's processor time per trigger", "µs", TRIGGER_US, is_at_most=True, values=triggers.costs),
        *(Figure(one.name, "/s", NOTIFICATIONS, values=one.rates) for one in multicasts),
    ])


class Wire:
    def __init__(self, bench: Bench, sink: Sink, rounds: int):
        self.bench, self.sink, self.gateway, self.count = bench, sink, bench.gateway, rounds
        self.references = WireReferences(bench, sink, bench.folder / "references")

    def health(self) -> Rounds:
        rounds = Rounds("GET /healthz")
        for _ in range(self.count):
            figures = self.bench.load("GET", "/healthz")
            rounds.rates.append(figures["rate"])
            rounds.costs.append(figures["cost_us"])
        return self.with_memory(rounds)

    def triggers(self) -> Rounds:
        self.bench.register(CWD, n=KNOWN, s=60)
        rounds = Rounds("triggers, one device each")
        # The first round is a warm-up.
        for number in range(self.count + 1):
            print(f"triggers, round {number} of {self.count} …", flush=True)
            rate, cost = self.trigger()
            reference = self.references.h2load(CONNECTIONS // WireReferences.CONNECTIONS)
            if number > 0:
                rounds.add(rate, reference, cost)
        return self.with_memory(rounds)

    def trigger(self) -> tuple[float, float]:
        body = {"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY, "completion_id": "{uuid}"}
        before = self.sink.counts()
        figures = self.bench.load("POST", "/triggerReplyFinished", body=body, m=KNOWN, x='"sent":1')
        count = int(figures["requests"])
        self.sink.wait_for(before["requests"] + count, before["distinct"] + count)
        return figures["rate"], figures["cost_us"]

    def multicasts(self, size: int) -> Rounds:
        cwd = f"/srv/projects/{size}"
        self.bench.register(cwd, SECRET, n=size, s=120)
        rounds = Rounds(f"notifications of a multicast of {size:,}")
        for number in range(self.count + 1):
            print(f"multicast of {size:,}, round {number} of {self.count} …", flush=True)
            rate, cost = self.multicast(cwd, size)
            reference = self.references.h2load(WireReferences.STREAMS)
            if number > 0:
                rounds.add(rate, reference, cost)
        return self.with_memory(rounds)

    def multicast(self, cwd: str, size: int) -> tuple[float, float]:
        before, cost = self.sink.counts(), self.gateway.processor_time()
        startedAt = time.perf_counter()
        answer = ask(
            self.gateway.url, "POST", "/triggerReplyFinished", {"cwd": cwd, "message_preview": REPLY},
            {"Authorization": f"Bearer {SECRET}", "Prefer": "respond-async"})
        if answer["attempted"] != size:
            raise Failure(f"a trigger was not for {size} devices: {answer}")
        self.sink.wait_for(before["requests"] + size, before["distinct"] + size)
        seconds = time.perf_counter() - startedAt
        # Writes after the arrivals are part of the cost.
        time.sleep(0.5)
        return size / seconds, (self.gateway.processor_time() - cost) / size * 1e6

    def with_memory(self, rounds: Rounds) -> Rounds:
        rounds.memory = self.gateway.memory()["VmHWM"]
        return rounds

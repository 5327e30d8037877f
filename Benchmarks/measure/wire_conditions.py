"""A multicast against bare-curl, with a sink that delays answers, sends GOAWAY, and reports dead tokens."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from .agent import SECRET
from .bench import REPLY, Bench
from .conditions import Condition
from .devices import device_token
from .report import Report
from .servers import Gateway, ask
from .sink import Sink
from .tools import Failure, Programs
from .wire_references import WireReferences

ROUNDS = 5
AIM = 1.5
CWD = "/srv/projects/conditions"
# The answer waits for all attempts and the removal of dead tokens, so that they can be registered again.
SETTINGS = {"PUSHGATE_FUNCTIONS_CODEAGENTS_TRIGGER_WAIT": "60s"}


class Treatment(NamedTuple):
    """A condition of the sink, as its options."""

    name: str
    options: Sequence[str] = ()
    dead_every: int = 0
    aim: float | None = AIM


LATE, AWAY, DEAD_EVERY = ["-l", "40"], ["-g", "1000"], 20
TREATMENTS = [
    Treatment("nothing", aim=None),
    Treatment("40 ms latency", LATE),
    Treatment("5 % dead tokens", dead_every=DEAD_EVERY),
    Treatment("GOAWAY every 1,000", AWAY),
    Treatment("all three", LATE + AWAY, DEAD_EVERY),
]


def measure_conditions(programs: Programs, folder: Path, count: int) -> None:
    report = Report({})
    for number, treatment in enumerate(TREATMENTS):
        # Each condition has data of its own, so that removed devices do not affect the next one.
        data = folder / f"{number}"
        data.mkdir()
        measure(programs, data, treatment, count, report)
    report.print()


def measure(programs: Programs, folder: Path, treatment: Treatment, count: int, report: Report) -> None:
    options = list(treatment.options)
    if treatment.dead_every:
        dead = (device_token(index) for index in range(treatment.dead_every - 1, count, treatment.dead_every))
        (folder / "dead").write_text("".join(f"{token}\n" for token in dead))
        options += ["-d", str(folder / "dead")]
    condition = Condition(treatment.name, dead_every=treatment.dead_every)
    with Sink(programs.sink, folder / "sink", *options) as sink:
        with Gateway(programs.pushgate, folder / "data", sink.addresses, SETTINGS) as gateway:
            bench = Bench(programs, gateway, sink, folder, 0, report, condition)
            pair = Pair(bench, sink, count, treatment.aim)
            for number in range(ROUNDS + 1):
                print(f"multicasts of {count:,}, {treatment.name}, round {number} of {ROUNDS} …", flush=True)
                pair.round(is_counted=number > 0)
            report.memory[treatment.name] = gateway.memory()


class Pair:
    def __init__(self, bench: Bench, sink: Sink, count: int, aim: float | None):
        self.bench, self.sink, self.count = bench, sink, count
        self.dead = bench.condition.dead(count)
        self.references = WireReferences(bench, sink, bench.folder / "references", count)
        shape = f"libcurl, {WireReferences.CONNECTIONS} × {WireReferences.STREAMS} streams"
        self.comparison = bench.compare(f"notifications of a multicast of {count:,}", shape, aim)
        bench.register(CWD, SECRET, n=count, s=120)

    def round(self, is_counted: bool) -> None:
        """Runs a round. The first round is a warm-up."""
        rate = self.multicast()
        before = self.sink.counts()
        reference = self.references.curl(self.dead)
        after = self.sink.counts()
        if "-g" in self.sink.options and after["goaways"] == before["goaways"]:
            raise Failure(f"the sink should have sent GOAWAY, but did not: {after}")
        if is_counted:
            self.comparison.add(rate, reference)

    def multicast(self) -> float:
        self.bench.register_dead(CWD, self.count, SECRET)
        before, cost = self.sink.counts(), self.bench.gateway.processor_time()
        with ThreadPoolExecutor(1) as waiter:
            started_at = perf_counter()
            arrival = waiter.submit(
                self.sink.wait_for, before["requests"] + self.count, before["distinct"] + self.count)
            answer = ask(
                self.bench.gateway.url, "POST", "/triggerReplyFinished", {"cwd": CWD, "message_preview": REPLY},
                {"Authorization": f"Bearer {SECRET}"}, timeout=150)
            seconds = arrival.result() - started_at
        expected = {"attempted": self.count, "sent": self.count - self.dead, "pruned": self.dead}
        if {name: answer[name] for name in expected} != expected:
            raise Failure(f"a trigger should be answered {expected}, but got {answer}")
        cost = (self.bench.gateway.processor_time() - cost) / self.count
        self.bench.note("the gateway's, per notification", "µs", cost * 1e6)
        return self.count / seconds

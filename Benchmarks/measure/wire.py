"""How near triggers and multicasts come to the speed of the wire: with a sink that is never what limits."""

import time
from pathlib import Path
from statistics import median

from .agent import SECRET
from .bench import CONNECTIONS, CWD, KNOWN, REPLY, Bench
from .report import Report, print_table, spread
from .servers import Gateway, ask
from .sink import Sink
from .tools import Failure, Programs
from .wire_references import WireReferences

ROUNDS = 5
SIZES = [10_000, 100_000]


def measure_wire(programs: Programs, folder: Path) -> None:
    rows = [["", "a second", "against h2load", "costs the gateway", "memory at most"]]
    with Sink(programs.sink, folder / "sink") as sink:
        with Gateway(programs.pushgate, folder / "data", sink.addresses) as gateway:
            wire = Wire(Bench(programs, gateway, sink, folder, 3, Report({})), sink)
            rows.append(wire.health())
            rows.append(wire.triggers())
            for size in SIZES:
                rows.append(wire.multicasts(size))
    print()
    print_table(rows, right={1, 2, 3, 4})


class Wire:
    def __init__(self, bench: Bench, sink: Sink):
        self.bench, self.sink, self.gateway = bench, sink, bench.gateway
        self.references = WireReferences(bench, sink, bench.folder / "references")

    def health(self) -> list[str]:
        figures = [self.bench.load("GET", "/healthz") for _ in range(ROUNDS)]
        return self.row("GET /healthz", [one["rate"] for one in figures], [], [one["cost_us"] for one in figures])

    def triggers(self) -> list[str]:
        self.bench.register(CWD, n=KNOWN, s=60)
        body = {"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY, "completion_id": "{uuid}"}
        rates, ratios, costs = [], [], []
        for number in range(ROUNDS + 1):
            print(f"triggers, round {number} of {ROUNDS} …", flush=True)
            before = self.sink.counts()
            figures = self.bench.load("POST", "/triggerReplyFinished", body=body, m=KNOWN, x='"sent":1')
            count = int(figures["requests"])
            self.sink.wait_for(before["requests"] + count, before["distinct"] + count)
            reference = self.references.h2load(CONNECTIONS // WireReferences.CONNECTIONS)
            # The first one warms.
            if number > 0:
                rates.append(figures["rate"])
                ratios.append(figures["rate"] / reference)
                costs.append(figures["cost_us"])
        return self.row("triggers, one device each", rates, ratios, costs)

    def multicasts(self, size: int) -> list[str]:
        cwd = f"/srv/projects/{size}"
        self.bench.register(cwd, SECRET, n=size, s=120)
        rates, ratios, costs = [], [], []
        for number in range(ROUNDS + 1):
            print(f"multicast of {size:,}, round {number} of {ROUNDS} …", flush=True)
            rate, cost = self.multicast(cwd, size)
            reference = self.references.h2load(WireReferences.STREAMS)
            if number > 0:
                rates.append(rate)
                ratios.append(rate / reference)
                costs.append(cost)
        return self.row(f"notifications of a multicast of {size:,}", rates, ratios, costs)

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
        # What is written about them afterwards is part of their price.
        time.sleep(0.5)
        return size / seconds, (self.gateway.processor_time() - cost) / size * 1e6

    def row(self, name: str, rates: list[float], ratios: list[float], costs: list[float]) -> list[str]:
        ratio = f"{median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})" if ratios else ""
        memory = f"{self.gateway.memory()['VmHWM']:.0f} MiB"
        return [name, f"{spread(rates)}", ratio, f"{median(costs):.0f} µs", memory]

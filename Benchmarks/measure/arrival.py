"""The time from a trigger to the arrival of its notification, at half of the gateway's highest rate."""

from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles

from .bench import CWD, KNOWN, REPLY, Bench
from .devices import device_token
from .report import Figure, Report, print_figures
from .servers import Gateway
from .sink import Sink
from .tools import Failure, Programs

ROUNDS = 3
AIM_MS = 20
# The seconds for measuring the highest rate.
SLICE_SECONDS = 4
# The first seconds, which are not counted.
LEAD_SECONDS = 2
# At half load few of them are busy; the others are a reserve for a slow gateway.
CONNECTIONS = 256


def measure_arrival(programs: Programs, folder: Path, seconds: float) -> None:
    rates, halves, medians, answers = [], [], [], []
    figure = Figure("from trigger to arrival, p99", "ms", AIM_MS, is_at_most=True)
    arrivals = folder / "arrivals"
    with Sink(programs.sink, folder / "sink", "-a", str(arrivals)) as sink:
        with Gateway(programs.pushgate, folder / "data", sink.addresses) as gateway:
            load = Load(Bench(programs, gateway, sink, folder, SLICE_SECONDS, Report({})), sink, arrivals)
            load.trigger()
            for number in range(1, ROUNDS + 1):
                print(f"round {number} of {ROUNDS} …", flush=True)
                rates.append(load.trigger()["rate"])
                halves.append(rates[-1] / 2)
                latencies, p99 = load.paced(halves[-1], seconds)
                medians.append(median(latencies))
                figure.values.append(quantiles(latencies, n=100)[98])
                answers.append(p99)
    print_figures([figure])
    print(
        f"\nhighest rate: {median(rates):,.0f} triggers/s; measured at {median(halves):,.0f}/s: arrival p50 "
        f"{median(medians):.1f} ms, answer p99 {median(answers):.1f} ms")


class Load:
    def __init__(self, bench: Bench, sink: Sink, arrivals: Path):
        self.bench, self.sink, self.arrivals = bench, sink, arrivals
        self.numbers = {device_token(number): number for number in range(KNOWN)}
        bench.register(CWD, n=KNOWN, s=60)

    def trigger(self, **options: float) -> dict[str, float]:
        """Sends triggers to the known devices in turn, and waits until all notifications have arrived."""
        before = self.sink.counts()
        body = {"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY, "completion_id": "{uuid}"}
        figures = self.bench.load("POST", "/triggerReplyFinished", body=body, m=KNOWN, x='"attempted":1', **options)
        count = int(figures["requests"])
        self.sink.wait_for(before["requests"] + count, before["distinct"] + count)
        return figures

    def paced(self, rate: float, seconds: float) -> tuple[list[float], float]:
        """Returns the milliseconds from each trigger's due time to its arrival, and the p99 of the answers."""
        offset = self.arrivals.stat().st_size
        figures = self.trigger(r=rate, s=LEAD_SECONDS + seconds, c=CONNECTIONS)
        latencies = []
        for number, arrived_at in self.arrived(offset):
            due = figures["started_at"] + number / rate
            if number >= LEAD_SECONDS * rate:
                latencies.append((arrived_at - due) * 1e3)
        if min(latencies) < 0:
            raise Failure("a notification arrived before its trigger")
        return latencies, figures["p99_ms"]

    def arrived(self, offset: int) -> list[tuple[int, float]]:
        """Returns each trigger's number and time of arrival. Notifications to one device arrive in order."""
        times, before = [], defaultdict(int)
        with self.arrivals.open() as file:
            file.seek(offset)
            for line in file:
                token, time = line.split()
                times.append((self.numbers[token] + before[token] * KNOWN, float(time)))
                before[token] += 1
        return times

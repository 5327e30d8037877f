"""The gateway's overhead over a bare Hummingbird server, for /healthz and for registrations."""

from dataclasses import replace
from pathlib import Path

from .bench import CWD, KNOWN, Bench
from .report import Report
from .servers import Gateway, PrintingServer
from .sink import Sink
from .tools import Programs, build

ROUNDS = 9
REFERENCE = "GET /healthz of a bare Hummingbird route"


def measure_bare_route(programs: Programs, folder: Path, seconds: float) -> None:
    report = Report({})
    program = build("BareHummingbird")
    with Sink(programs.sink, folder / "sink") as sink, PrintingServer("bare server", program, folder / "bare") as server:
        with Gateway(programs.pushgate, folder / "data", sink.addresses) as gateway:
            bench = Bench(programs, gateway, sink, folder, seconds, report)
            rounds = Rounds(bench, replace(bench, gateway=server))
            for number in range(ROUNDS + 1):
                print(f"round {number} of {ROUNDS} …", flush=True)
                rounds.round(number)
    report.print()


class Rounds:
    def __init__(self, bench: Bench, bare: Bench):
        self.bench, self.bare = bench, bare
        self.health = bench.compare("GET /healthz", REFERENCE, 0.8)
        self.known = bench.compare("registrations, known servers", REFERENCE, 0.4)
        self.new = bench.compare("registrations, new servers", REFERENCE, 0.25)
        bench.register(CWD, n=KNOWN, s=60)

    def round(self, number: int) -> None:
        """Runs a round. Round 0 is a warm-up."""
        figures = {
            "GET /healthz of the bare server": self.bare.load("GET", "/healthz"),
            "GET /healthz": self.bench.load("GET", "/healthz"),
            "registration, known server": self.bench.register(CWD, m=KNOWN),
            "registration, new server": self.bench.register(CWD, f=KNOWN + number * 1_000_000),
        }
        if number == 0:
            return
        for name, figure in figures.items():
            self.bench.note(f"per {name}", "µs", figure["cost_us"])
            self.bench.note(f"{name}, p99", "ms", figure["p99_ms"])
        bare, health, known, new = (figure["rate"] for figure in figures.values())
        self.health.add(health, bare)
        self.known.add(known, bare)
        self.new.add(new, bare)

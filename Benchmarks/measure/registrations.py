"""The speed of registrations."""

from pathlib import Path
from typing import Any

from .bench import CWD, KNOWN, Bench


class Registrations:
    """Registrations against the gateway's cheapest request, and against SQLite with the same commits."""

    GROUP = 64

    def __init__(self, bench: Bench, database: Path):
        self.bench, self.database = bench, database
        self.new = bench.compare("registrations, new servers", "GET /healthz", aim=0.3)
        self.known = bench.compare("registrations, known servers", "GET /healthz", aim=0.3)
        self.new_bare = bench.compare("registrations, new servers", f"SQLite, groups of {self.GROUP}")
        self.known_bare = bench.compare("registrations, known servers", f"SQLite, groups of {self.GROUP}")
        self.next = KNOWN
        self.register(n=KNOWN, s=60)
        self.commit(commits=KNOWN, seconds=60)

    def round(self) -> None:
        health = self.bench.health()
        new = self.register(f=self.next)
        new_bare = self.commit(first=self.next)
        known = self.register(m=KNOWN)
        known_bare = self.commit(modulo=KNOWN)
        self.next += 1_000_000
        self.new.add(new["rate"], health)
        self.new_bare.add(new["rate"], new_bare)
        self.known.add(known["rate"], health)
        self.known_bare.add(known["rate"], known_bare)
        for name, figures in (("new server", new), ("known server", known)):
            self.bench.note(f"registration, {name}, p50", "ms", figures["p50_ms"])
            self.bench.note(f"registration, {name}, p99", "ms", figures["p99_ms"])
            self.bench.note(f"the gateway's, per registration, {name}", "µs", figures["cost_us"])

    def register(self, **options: Any) -> dict[str, float]:
        return self.bench.register(CWD, **options)

    def commit(self, first: int = 0, modulo: int = 10**9, commits: int = 10**9, seconds: float | None = None) -> float:
        return self.bench.tool(
            self.bench.programs.bare_sqlite, self.database, seconds or self.bench.seconds, commits, self.GROUP, first,
            modulo)["rate"]

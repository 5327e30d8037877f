"""The shared parts of the measurements: the load, its requests, and the report."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .conditions import NORMAL, Condition
from .report import Comparison, Report
from .servers import Gateway, Simulator
from .tools import Failure, Programs

CONNECTIONS = 64
# The servers with one agent and one device each, registered before the rounds, for known servers and triggers.
KNOWN = 10_000
SECRET = "{uuid}+{n}"
CWD = "/srv/projects/benchmark"
REPLY = "The tests pass. " * 12


@dataclass
class Bench:
    """The shared state of the measurements."""

    programs: Programs
    gateway: Gateway
    simulator: Simulator
    folder: Path
    seconds: float
    report: Report
    condition: Condition = NORMAL

    def compare(self, name: str, reference: str, aim: float | None = None) -> Comparison:
        self.report.comparisons.append(Comparison(self.named(name), reference, aim))
        return self.report.comparisons[-1]

    def note(self, name: str, unit: str, value: float) -> None:
        self.report.note(self.named(name), unit, value)

    def named(self, name: str) -> str:
        return f"{name}; {self.condition.name}" if self.condition.name else name

    def run(self, *command: Any) -> subprocess.CompletedProcess[str]:
        """Runs a program, which ends long before the time-out."""
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=150)
        if done.returncode != 0:
            name, words = Path(command[0]).name, self.gateway.words()
            raise Failure(f"{name} failed: {done.stderr}\nThe gateway's log ends with: {words}")
        return done

    def tool(self, *command: Any) -> dict[str, float]:
        """Returns the figures that a C program prints. An error among its requests is a failure, because errors are fast."""
        done = self.run(*command)
        figures = json.loads(done.stdout)
        if figures["errors"]:
            raise Failure(f"{figures['errors']} of {figures['requests']} requests failed. {done.stderr}")
        return figures | {"rate": figures["requests"] / figures["seconds"]}

    def load(self, method: str, path: str, secret: str = SECRET, body: Any = None, **options: Any) -> dict[str, float]:
        """Sends requests on 64 connections for the length of a slice, and measures the gateway's time for each."""
        address = urlsplit(self.gateway.url)
        options = {"c": CONNECTIONS, "s": self.seconds} | options
        if body is not None:
            options["b"] = json.dumps(body, separators=(",", ":"))
        flags = [part for option, value in options.items() for part in (f"-{option}", value)]
        flags += ["-H", f"Authorization: Bearer {secret}", "-H", "Content-Type: application/json"]
        before = self.gateway.processor_time()
        figures = self.tool(self.programs.load, *flags, address.hostname, address.port, method, path)
        figures["cost_us"] = (self.gateway.processor_time() - before) / figures["requests"] * 1e6
        return figures

    def register(self, cwd: str, secret: str = SECRET, **options: Any) -> dict[str, float]:
        body = {
            "cwd": cwd, "installation_id": "{uuid}", "fcm_token": "{hex}", "agent_display_name": "Benchmark",
            "platform": "ios",
        }
        return self.load("POST", "/registerSubscription", secret, body, **options)

    def register_dead(self, cwd: str, count: int, secret: str = SECRET) -> None:
        """Registers those of the first `count` devices again that the gateway has removed."""
        every = self.condition.dead_every
        if dead := self.condition.dead(count):
            self.register(cwd, secret, f=every - 1, k=every, n=dead, s=60)

    def health(self) -> float:
        """Measures the rate of the cheapest request."""
        figures = self.load("GET", "/healthz")
        self.note("the gateway's, per GET /healthz", "µs", figures["cost_us"])
        return figures["rate"]

"""What is measured: a class is a subject, a call of its `round` one round of it and of what it is held against."""

import json
import re
import resource
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .provider_token import provider_token
from .report import Comparison, Report
from .servers import Gateway, Simulator, ask
from .tools import Failure, Programs

CONNECTIONS = 64
# Servers with one agent and one device each, registered before the rounds: known ones, and what is triggered.
KNOWN = 10_000
SECRET = "{uuid}+{n}"
CWD = "/srv/projects/benchmark"
REPLY = "The tests pass. " * 12


@dataclass
class Bench:
    """What the subjects share."""

    programs: Programs
    gateway: Gateway
    simulator: Simulator
    folder: Path
    seconds: float
    report: Report

    def compare(self, name: str, reference: str, aim: float | None = None) -> Comparison:
        self.report.comparisons.append(Comparison(name, reference, aim))
        return self.report.comparisons[-1]

    def run(self, *command: Any) -> subprocess.CompletedProcess[str]:
        """Programs end by themselves well before the time-out."""
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=150)
        if done.returncode != 0:
            raise Failure(f"{Path(command[0]).name} failed: {done.stderr}\nThe gateway's last words: {self.gateway.words()}")
        return done

    def tool(self, *command: Any) -> dict[str, float]:
        """The figures that one of our C programs prints. An error among its requests is a failure: it would be fast."""
        done = self.run(*command)
        figures = json.loads(done.stdout)
        if figures["errors"]:
            raise Failure(f"{figures['errors']} of {figures['requests']} requests failed. {done.stderr}")
        return figures | {"rate": figures["requests"] / figures["seconds"]}

    def load(self, method: str, path: str, secret: str = SECRET, body: Any = None, **options: Any) -> dict[str, float]:
        """Requests on 64 connections, for as long as a slice of a round lasts; with what one costs the gateway."""
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

    def health(self) -> float:
        """The rate of the least request there is."""
        figures = self.load("GET", "/healthz")
        self.report.note("the gateway's, per GET /healthz", "µs", figures["cost_us"])
        return figures["rate"]


def registration(cwd: str) -> dict[str, str]:
    return {
        "cwd": cwd, "installation_id": "{uuid}", "fcm_token": "{hex}", "agent_display_name": "Benchmark",
        "platform": "ios",
    }


def children_time() -> float:
    """Seconds that the programs run so far have taken of the processors, once ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Registrations:
    """Registrations against the server's own least request, and against SQLite doing their commits and nothing else."""

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
            self.bench.report.note(f"registration, {name}, p50", "ms", figures["p50_ms"])
            self.bench.report.note(f"registration, {name}, p99", "ms", figures["p99_ms"])
            self.bench.report.note(f"the gateway's, per registration, {name}", "µs", figures["cost_us"])

    def register(self, **options: Any) -> dict[str, float]:
        return self.bench.load("POST", "/registerSubscription", body=registration(CWD), **options)

    def commit(self, first: int = 0, modulo: int = 10**9, commits: int = 10**9, seconds: float | None = None) -> float:
        return self.bench.tool(
            self.bench.programs.bare_sqlite, self.database, seconds or self.bench.seconds, commits, self.GROUP, first,
            modulo)["rate"]


class Triggers:
    """Triggers for one device each; they count when the simulator has the notification."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.delivered = bench.compare("triggers delivered, one device each", "GET /healthz")

    def round(self) -> None:
        health = self.bench.health()
        self.bench.simulator.reset()
        startedAt = time.perf_counter()
        answers = self.trigger()
        self.bench.simulator.wait_for(int(answers["requests"]))
        seconds = time.perf_counter() - startedAt
        self.delivered.add(self.bench.simulator.accepted() / seconds, health)
        self.bench.report.note("trigger, delivered, p50", "ms", answers["p50_ms"])
        self.bench.report.note("trigger, delivered, p99", "ms", answers["p99_ms"])
        self.bench.report.note("the gateway's, per trigger", "µs", answers["cost_us"])

    def trigger(self) -> dict[str, float]:
        body = {"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY, "completion_id": "{uuid}"}
        return self.bench.load("POST", "/triggerReplyFinished", body=body, m=KNOWN, x='"sent":1')


class Multicasts:
    """One trigger for many devices against programs that send the same requests and do nothing else."""

    DEVICES = 10_000
    CONNECTIONS = 4
    STREAMS = 100
    SECRET = "benchmark-of-a-multicast-to-many-devices"
    CWD = "/srv/projects/multicast"

    def __init__(self, bench: Bench):
        self.bench = bench
        addresses = bench.simulator.addresses
        self.bare = bench.compare("notifications of a multicast", "libcurl, 4 × 100 streams", aim=0.7)
        self.h2load = bench.compare("notifications of a multicast", "h2load, 4 × 100 streams")
        bench.load(
            "POST", "/registerSubscription", secret=self.SECRET, body=registration(self.CWD), n=self.DEVICES, s=60)
        self.send()
        token = provider_token(Path(addresses["key_path"]), addresses["key_id"], addresses["team_id"])
        self.headers, self.payload = self.request(token)

    def round(self) -> None:
        rate = self.send()
        self.bare.add(rate, self.counted(self.send_with_curl))
        self.h2load.add(rate, self.counted(self.send_with_h2load))

    def send(self) -> float:
        """Triggers, and waits for the last notification to arrive."""
        self.bench.simulator.reset()
        before = self.bench.gateway.processor_time()
        with ThreadPoolExecutor(1) as waiter:
            arrival = waiter.submit(self.bench.simulator.wait_for, self.DEVICES)
            startedAt = time.perf_counter()
            answer = ask(
                self.bench.gateway.url, "POST", "/triggerReplyFinished", {"cwd": self.CWD, "message_preview": REPLY},
                {"Authorization": f"Bearer {self.SECRET}", "Prefer": "respond-async"})
            answeredAt = time.perf_counter()
            arrival.result()
            seconds = time.perf_counter() - startedAt
        if answer["attempted"] != self.DEVICES or self.bench.simulator.accepted() != self.DEVICES:
            raise Failure(f"the multicast did not go to {self.DEVICES} devices once each: {answer}")
        cost = (self.bench.gateway.processor_time() - before) / self.DEVICES
        self.bench.report.note("multicast of 10,000, accepted and durable", "ms", (answeredAt - startedAt) * 1e3)
        self.bench.report.note("the gateway's, per notification of a multicast", "µs", cost * 1e6)
        return self.DEVICES / seconds

    def request(self, token: str) -> tuple[dict[str, str], str]:
        """Headers and payload, as the simulator has just had them from the gateway."""
        latest = self.bench.simulator.latest()
        headers = {name: value for name, value in latest["headers"].items() if name != "apns-id"}
        payload = json.dumps(latest["payload"], separators=(",", ":"), ensure_ascii=False)
        return headers | {"authorization": f"bearer {token}"}, payload

    def counted(self, send: Any) -> float:
        """A program's rate, after making sure that the simulator took what it sent."""
        self.bench.simulator.reset()
        rate = send()
        if self.bench.simulator.accepted() < self.DEVICES:
            raise Failure("the simulator refused some of what was sent to compare with")
        return rate

    def send_with_curl(self) -> float:
        file = self.bench.folder / "request"
        file.write_text("".join(f"{name}: {value}\n" for name, value in self.headers.items()) + "\n" + self.payload)
        addresses = self.bench.simulator.addresses
        before = children_time()
        rate = self.bench.tool(
            self.bench.programs.bare_curl, addresses["apns"], addresses["ca_file"], file, self.DEVICES,
            self.CONNECTIONS, self.STREAMS)["rate"]
        self.bench.report.note("bare-curl's, per notification", "µs", (children_time() - before) / self.DEVICES * 1e6)
        return rate

    def send_with_h2load(self) -> float:
        urls, payload = self.bench.folder / "urls", self.bench.folder / "payload"
        device = self.bench.simulator.addresses["apns"] + "/3/device/"
        urls.write_text("".join(f"{device}{number:064x}\n" for number in range(self.DEVICES)))
        payload.write_text(self.payload)
        headers = self.headers | {"apns-id": "00000000-0000-4000-8000-000000000000", "user-agent": "pushgate"}
        output = self.bench.run(
            "h2load", "-n", self.DEVICES, "-c", self.CONNECTIONS, "-m", self.STREAMS, "-d", payload, "-i", urls,
            *(part for name, value in headers.items() for part in ("-H", f"{name}: {value}"))).stdout
        rate = re.search(r"([\d.]+) req/s", output)
        if not rate or f"{self.DEVICES} 2xx" not in output:
            raise Failure(f"h2load did not have all its requests answered:\n{output}")
        return float(rate[1])

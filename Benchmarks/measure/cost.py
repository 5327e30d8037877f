"""The cost of requests in counts that are the same on every machine."""

import contextlib
import http.client
import json
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from .agent import Agent
from .bench import CWD, KNOWN, REPLY, Bench
from .counts import Counter, Counts, Trace
from .devices import device_token
from .report import Report, print_table
from .servers import Gateway, Simulator, ask
from .tools import ROOT, Failure, Programs

REQUESTS = 1_000
WARMING = 300
TRACED = 100
DEVICES = 10_000
MULTICASTS = 3
KEY = "master-key-of-the-benchmark"
SECRET = "benchmark-of-one-request-at-a-time"
SETTINGS = {
    "PUSHGATE_FUNCTIONS_SESSIONS_ENABLED": "true", "PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY": KEY,
}

REFERENCE = ROOT / "Benchmarks" / "cost.json"
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- cost -->\n", "<!-- /cost -->\n"
# The counts that may not rise by more than a tenth. The others depend on the machine and on timing.
GUARDED = ["allocations", "statements", "documents"]
TOLERANCE = 1.1
COLUMNS = {
    "allocations": "allocations", "bytes": "bytes", "statements": "SQL statements", "documents": "documents written",
    "calls": "system calls", "switches": "context switches", "wakes": "hand-overs",
}

Figures = dict[str, float]
Request = Callable[[], None]


def measure_cost(programs: Programs, folder: Path, accepting: bool = False) -> None:
    """Compares the counts with the reference, or stores them as the new reference."""
    figures: dict[str, Figures] = {}
    with counted_gateway(programs, folder) as (bench, counter):
        for name, request in Caller(bench.gateway).requests(programs).items():
            print(f"{name} …", flush=True)
            figures[name] = one_by_one(request, counter, bench.gateway, folder)
        print("multicasts …", flush=True)
        figures[f"a notification of a multicast of {DEVICES:,}"] = multicast(bench, counter)
        side_by_side = with_connections(bench, counter)
    show(figures, side_by_side)
    if accepting:
        REFERENCE.write_text(json.dumps(figures, indent=2) + "\n")
        PAGE.write_text(page(figures))
        print(f"\n{REFERENCE.relative_to(ROOT)} and {PAGE.relative_to(ROOT)} now contain these figures.")
    elif problems := compare(figures, json.loads(REFERENCE.read_text())):
        raise Failure(
            "a request costs more than before:\n  " + "\n  ".join(problems)
            + "\nFind the cause. If the change justifies the cost, “make cost ARGS=--accept” stores the new figures; "
            "commit them with the change.")
    else:
        print(f"\nNo count exceeds {REFERENCE.relative_to(ROOT)} by more than a tenth.")


def test_cost(programs: Programs, folder: Path) -> None:
    """Plants allocations, a tenth of a registration's, and fails unless they are detected."""
    name, reference = "a registration, known", json.loads(REFERENCE.read_text())
    planted = int(reference[name]["allocations"] * 0.15 / reference[name]["statements"]) + 1
    with counted_gateway(programs, folder, planted) as (bench, counter):
        request = Caller(bench.gateway).requests(programs)[name]
        figures = {name: one_by_one(request, counter, bench.gateway, folder)}
    if not compare(figures, reference):
        raise Failure(f"{planted} allocations planted into each SQL statement were not detected: {figures}")
    print(f"{planted} allocations planted into each SQL statement were detected.")


@contextlib.contextmanager
def counted_gateway(programs: Programs, folder: Path, planted: int = 0) -> Iterator[tuple[Bench, Counter]]:
    counts = folder / "counts"
    environment = {"LD_PRELOAD": str(programs.counting), "COUNTS": str(counts), "COUNTS_PLANTED": str(planted)}
    with Simulator(programs.pushgate, folder / "simulator") as simulator:
        with Gateway(programs.pushgate, folder / "data", simulator.addresses, SETTINGS | environment) as gateway:
            yield Bench(programs, gateway, simulator, folder, 1, Report({})), Counter(counts, gateway.process.pid)


class Caller:
    """Sends one request at a time on one connection."""

    def __init__(self, gateway: Gateway):
        self.gateway = gateway
        self.connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=30)
        self.connection.connect()
        self.number = 0

    def send(self, method: str, path: str, key: str = "", body: Any = None, answer: str = "") -> None:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"} if key else {}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        if response.status // 100 != 2 or answer not in text:
            raise Failure(f"{method} {path} was answered {response.status}: {text}")

    def register(self, secret: str, installation: str = "phone") -> None:
        body = {
            "cwd": CWD, "installation_id": installation, "fcm_token": device_token(1), "platform": "ios",
            "agent_display_name": "Benchmark",
        }
        self.send("POST", "/registerSubscription", secret, body)

    def register_new(self) -> None:
        self.number += 1
        self.register(f"{SECRET}-{self.number:012}")

    def trigger(self) -> None:
        body = {
            "cwd": CWD, "conversation_id": str(uuid.uuid4()), "message_preview": REPLY,
            "completion_id": str(uuid.uuid4()),
        }
        self.send("POST", "/triggerReplyFinished", SECRET, body, '"sent":1')

    def hook_event(self) -> None:
        body = {
            "device": {"device_id": "device", "device_name": "benchmark", "platform": "linux"},
            "event": {
                "session_id": "session", "hook_event_name": "PermissionRequest", "cwd": CWD, "tool_name": "Bash",
                "message": REPLY,
            },
            "timestamp": "2026-01-01T00:00:00Z",
        }
        self.send("POST", "/api/v1/events", KEY, body, '"status":"ok"')

    def requests(self, programs: Programs) -> dict[str, Request]:
        phone = {"platform": "ios", "push_token": device_token(2)}
        ask(self.gateway.url, "POST", "/api/v1/push/register", phone, {"Authorization": f"Bearer {KEY}"})
        self.register(SECRET)
        command = [str(programs.pushgate), "access-token", "--data-directory", str(self.gateway.directory)]
        token = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        message = {"message": {"token": device_token(3), "notification": {"title": "Benchmark", "body": REPLY}}}
        send = "/v1/projects/pushgate/messages:send"
        return {
            "an empty request (`GET /healthz`)": lambda: self.send("GET", "/healthz"),
            "a registration, known": lambda: self.register(SECRET),
            "a registration, new": self.register_new,
            "a trigger with one device, delivered": self.trigger,
            "a hook event that notifies one phone": self.hook_event,
            "`messages:send` to one device, delivered": lambda: self.send("POST", send, token, message, '"name"'),
        }


def one_by_one(request: Request, counter: Counter, gateway: Gateway, folder: Path) -> Figures:
    """Returns the medians over the requests, each with the gateway's work after its answer."""
    for _ in range(WARMING):
        request()
    costs, before = [], counter.read()
    for _ in range(REQUESTS):
        request()
        after = counter.read()
        costs.append(after.since(before))
        before = after
    with (trace := Trace(gateway.process.pid, folder / "trace")):
        for _ in range(TRACED):
            request()
        counter.read()
    medians = Counts(*(median(values) for values in zip(*costs)))
    return rounded(medians._asdict() | trace.each(TRACED)._asdict())


def multicast(bench: Bench, counter: Counter) -> Figures:
    agent = Agent(bench, f"/srv/projects/{DEVICES}", DEVICES)
    agent.register()
    agent.deliver()
    costs = []
    for _ in range(MULTICASTS):
        before = counter.read()
        agent.deliver()
        costs.append(counter.read().since(before).each(DEVICES))
    return rounded(Counts(*(median(values) for values in zip(*costs)))._asdict())


def with_connections(bench: Bench, counter: Counter) -> dict[str, Counts]:
    """Returns the cost of the same requests on 64 connections at once, for information."""
    costs = {}
    bench.register(CWD, n=KNOWN, s=60)
    body = {"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY, "completion_id": "{uuid}"}
    for name, load in {
        "an empty request": lambda: bench.load("GET", "/healthz"),
        "a registration, known": lambda: bench.register(CWD, m=KNOWN),
        "a trigger with one device, delivered": lambda: bench.load(
            "POST", "/triggerReplyFinished", body=body, n=KNOWN, x='"sent":1'),
    }.items():
        before = counter.read()
        count = int(load()["requests"])
        costs[name] = counter.read().since(before).each(count)
    return costs


def rounded(figures: Figures) -> Figures:
    return {name: round(value, 2) for name, value in figures.items()}


# ---- Output and comparison


def rows(figures: dict[str, Figures]) -> list[list[str]]:
    def text(value: float | None) -> str:
        return "" if value is None else f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:,.2f}"

    return [["", *COLUMNS.values()]] + [
        [name, *(text(values.get(column)) for column in COLUMNS)] for name, values in figures.items()]


def show(figures: dict[str, Figures], side_by_side: dict[str, Counts]) -> None:
    print()
    print_table(rows(figures), right=set(range(1, len(COLUMNS) + 1)))
    print("\nOn 64 connections, for information:\n")
    print_table(rows({name: counts._asdict() for name, counts in side_by_side.items()}), right=set(range(1, 8)))


def page(figures: dict[str, Figures]) -> str:
    """Returns the text of docs/performance.md with the figures in its table."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    heading, *lines = rows(figures)
    table = [heading, ["---"] + ["---:"] * len(COLUMNS), *lines]
    return before + BEGIN + "".join("| " + " | ".join(row) + " |\n" for row in table) + END + after


def compare(figures: dict[str, Figures], reference: dict[str, Figures]) -> list[str]:
    """Returns a line for each figure that exceeds the reference."""
    problems = []
    for name, values in figures.items():
        for column in GUARDED:
            known = reference.get(name, {}).get(column)
            if known is None or values[column] > known * TOLERANCE:
                problems.append(f"{name}: {COLUMNS[column]}: {known} before, {values[column]} now")
    if PAGE.read_text() != page(reference):
        problems.append(f"the table in {PAGE.relative_to(ROOT)} differs from {REFERENCE.relative_to(ROOT)}")
    return problems

"""The latency of hook events, while the push service answers and while it hangs."""

from pathlib import Path
from statistics import median
from typing import NamedTuple

from .bench import REPLY, Bench
from .devices import device_token
from .report import Figure, Report, print_figures, print_table, spread
from .servers import Gateway, ask
from .sink import Sink
from .tools import Failure, Programs

ROUNDS = 3
CONNECTIONS = 16
SESSIONS = 1_000
PHONES = 3
AIM_MS = 100
# The required rate of events that cause notifications, a second.
AIM = 4_000
KEY = "master-key-of-the-benchmark"
SETTINGS = {
    "PUSHGATE_FUNCTIONS_SESSIONS_ENABLED": "true", "PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY": KEY,
}
# One answer, after which a connection is permitted all its streams; then silence.
HANGING = ["-s", "1"]


class Leg(NamedTuple):
    name: str
    event: str
    is_hanging: bool


LEGS = [
    Leg("every event notifies phones; the push service answers", "PermissionRequest", False),
    Leg("the same; the push service hangs", "PermissionRequest", True),
    Leg("no event notifies phones; the push service answers", "PostToolUse", False),
    Leg("the same; the push service hangs", "PostToolUse", True),
]


def measure_hooks(programs: Programs, folder: Path, seconds: float) -> None:
    rounds: dict[Leg, list[dict[str, float]]] = {leg: [] for leg in LEGS}
    for number in range(1, ROUNDS + 1):
        print(f"hooks, round {number} of {ROUNDS} …", flush=True)
        for index, (leg, figures) in enumerate(rounds.items()):
            with Sink(programs.sink, folder / f"sink-{index}-{number}", *(HANGING if leg.is_hanging else [])) as sink:
                figures.append(run(programs, folder / f"{index}-{number}", sink, leg, seconds))
    show(rounds)


def run(programs: Programs, folder: Path, sink: Sink, leg: Leg, seconds: float) -> dict[str, float]:
    """Runs in a new gateway without data of the run before."""
    with Gateway(programs.pushgate, folder, sink.addresses, SETTINGS) as gateway:
        bench = Bench(programs, gateway, sink, folder, seconds, Report({}))
        headers = {"Authorization": f"Bearer {KEY}"}
        for number in range(PHONES):
            phone = {"platform": "ios", "push_token": device_token(number)}
            ask(gateway.url, "POST", "/api/v1/push/register", phone, headers)
        # Before the clock starts, so that connections to the push service are open, and hang.
        send(bench, "PermissionRequest", n=CONNECTIONS * 10)
        figures = send(bench, leg.event, m=SESSIONS)
        versions = ask(gateway.url, "GET", "/api/v1/ping", headers=headers)
        if versions["data_version"] != CONNECTIONS * 10 + figures["requests"]:
            raise Failure(f"{figures['requests']:,.0f} events were answered, but the gateway counted: {versions}")
        if leg.is_hanging and not sink.counts()["stalled"]:
            raise Failure("the hanging push service received no request")
        if not leg.is_hanging:
            notified = CONNECTIONS * 10 + (int(figures["requests"]) if leg.event == "PermissionRequest" else 0)
            sink.wait_for(PHONES * notified, PHONES * notified)
        return figures | {"memory": gateway.memory()["VmHWM"]}


def send(bench: Bench, event: str, **options: float) -> dict[str, float]:
    body = {
        "device": {"device_id": "device-{n}", "device_name": "benchmark", "platform": "linux"},
        "event": {
            "session_id": "session-{uuid}", "hook_event_name": event, "cwd": "/srv/projects/benchmark",
            "tool_name": "Bash", "message": REPLY,
        },
        "timestamp": "2026-01-01T00:00:00Z",
    }
    return bench.load("POST", "/api/v1/events", KEY, body, c=CONNECTIONS, x='"status":"ok"', **options)


def show(rounds: dict[Leg, list[dict[str, float]]]) -> None:
    rows = [["", "events/s", "p50", "p99", "longest", "processor time", "memory"]]
    for leg, figures in rounds.items():
        rows.append([
            leg.name, f"{median(one['rate'] for one in figures):,.0f}",
            *(f"{spread([one[name] for one in figures])} ms" for name in ("p50_ms", "p99_ms", "max_ms")),
            f"{median(one['cost_us'] for one in figures):,.0f} µs",
            f"{max(one['memory'] for one in figures):,.0f} MiB",
        ])
    print()
    print_table(rows, right={1, 2, 3, 4, 5, 6})
    notified = next(
        figures for leg, figures in rounds.items() if leg.event == "PermissionRequest" and not leg.is_hanging)
    print_figures([Figure("events that notify phones", "/s", AIM, values=[one["rate"] for one in notified])])
    worst = max(one["p99_ms"] for leg, figures in rounds.items() if leg.is_hanging for one in figures)
    verdict = "met" if worst < AIM_MS else "above"
    print(f"\nhighest p99 while the push service hangs: {worst:.0f} ms, aim < {AIM_MS} ms: {verdict}")

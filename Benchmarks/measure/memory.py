"""A gateway's memory at rest and during a large multicast, and the time to the first notification."""

import time
from pathlib import Path

from .agent import SECRET
from .bench import REPLY, Bench
from .report import Figure, Report, print_figures
from .servers import Gateway, ask
from .sink import Sink
from .tools import Failure, Programs

ROUNDS = 3
CWD = "/srv/projects/memory"
# An agent with one device, whose notification opens a connection.
SMALL_CWD = "/srv/projects/small"
REST_AIM_MIB = 8
MULTICAST_AIM_MIB = 150
FIRST_AIM_MS = 20
# The seconds for the work after a start, and for settling the last chunk of a multicast.
REST_SECONDS = 3


def measure_memory(programs: Programs, folder: Path, count: int) -> None:
    """Measures each figure in a new gateway process."""
    rest = Figure("at rest, not file-backed (RssAnon)", "MiB", REST_AIM_MIB, is_at_most=True)
    most = Figure(f"peak in a multicast of {count:,} (VmHWM)", "MiB", MULTICAST_AIM_MIB, is_at_most=True)
    first = Figure("first notification of the multicast", "ms", FIRST_AIM_MS, is_at_most=True)
    arrivals = folder / "arrivals"
    with Sink(programs.sink, folder / "sink", "-a", str(arrivals)) as sink:
        with Gateway(programs.pushgate, folder / "data", sink.addresses) as gateway:
            print(f"registering {count:,} devices …", flush=True)
            bench = Bench(programs, gateway, sink, folder, 0, Report({}))
            bench.register(SMALL_CWD, SECRET, n=1, s=60)
            bench.register(CWD, SECRET, n=count, s=300)
        for number in range(1, ROUNDS + 1):
            print(f"round {number} of {ROUNDS} …", flush=True)
            with Gateway(programs.pushgate, folder / f"empty-{number}", sink.addresses) as gateway:
                time.sleep(REST_SECONDS)
                rest.values.append(gateway.memory()["RssAnon"])
            with Gateway(programs.pushgate, folder / "data", sink.addresses) as gateway:
                trigger(gateway, sink, SMALL_CWD, 1)
                first.values.append(multicast(gateway, sink, count, arrivals) * 1e3)
                most.values.append(gateway.memory()["VmHWM"])
    print_figures([rest, most, first])


def multicast(gateway: Gateway, sink: Sink, count: int, arrivals: Path) -> float:
    """Returns the seconds from the trigger to the first arrival."""
    offset = arrivals.stat().st_size
    started_at = time.monotonic()
    trigger(gateway, sink, CWD, count)
    time.sleep(REST_SECONDS)
    with arrivals.open() as file:
        file.seek(offset)
        return float(file.readline().split()[1]) - started_at


def trigger(gateway: Gateway, sink: Sink, cwd: str, count: int) -> None:
    """Waits until all notifications have arrived."""
    before = sink.counts()
    answer = ask(
        gateway.url, "POST", "/triggerReplyFinished", {"cwd": cwd, "message_preview": REPLY},
        {"Authorization": f"Bearer {SECRET}", "Prefer": "respond-async"})
    if answer["attempted"] != count:
        raise Failure(f"a trigger was not for {count} devices: {answer}")
    sink.wait_for(before["requests"] + count, before["distinct"] + count)

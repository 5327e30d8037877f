"""How much memory a gateway takes when it has nothing to do, and while it sends a large multicast."""

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
REST_AIM_MIB = 8
MULTICAST_AIM_MIB = 150
# Until what a start leaves behind is done; and until the last chunk of a multicast is settled.
REST_SECONDS = 3


def measure_memory(programs: Programs, folder: Path, count: int) -> None:
    """Each figure is of a gateway process of its own, which has done nothing else."""
    rest = Figure("at rest, not file-backed (RssAnon)", "MiB", REST_AIM_MIB, is_at_most=True)
    most = Figure(f"in a multicast of {count:,}, at most (VmHWM)", "MiB", MULTICAST_AIM_MIB, is_at_most=True)
    with Sink(programs.sink, folder / "sink") as sink:
        with Gateway(programs.pushgate, folder / "data", sink.addresses) as gateway:
            print(f"registering {count:,} devices …", flush=True)
            Bench(programs, gateway, sink, folder, 0, Report({})).register(CWD, SECRET, n=count, s=300)
        for number in range(1, ROUNDS + 1):
            print(f"round {number} of {ROUNDS} …", flush=True)
            with Gateway(programs.pushgate, folder / f"empty-{number}", sink.addresses) as gateway:
                time.sleep(REST_SECONDS)
                rest.values.append(gateway.memory()["RssAnon"])
            with Gateway(programs.pushgate, folder / "data", sink.addresses) as gateway:
                multicast(gateway, sink, count)
                most.values.append(gateway.memory()["VmHWM"])
    print_figures([rest, most])


def multicast(gateway: Gateway, sink: Sink, count: int) -> None:
    before = sink.counts()
    answer = ask(
        gateway.url, "POST", "/triggerReplyFinished", {"cwd": CWD, "message_preview": REPLY},
        {"Authorization": f"Bearer {SECRET}", "Prefer": "respond-async"})
    if answer["attempted"] != count:
        raise Failure(f"a trigger was not for {count} devices: {answer}")
    sink.wait_for(before["requests"] + count, before["distinct"] + count)
    time.sleep(REST_SECONDS)

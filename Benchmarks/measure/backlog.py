"""The memory of a queue while nothing can be delivered, and the speed of its delivery afterwards."""

import time
from pathlib import Path

from .agent import Agent
from .bench import Bench
from .report import Figure, Report, print_figures
from .servers import Gateway
from .sink import Sink
from .tools import Failure, Programs

DEVICES = 10_000
AIM = 20_000


def measure_backlog(programs: Programs, folder: Path, count: int) -> None:
    """Queues `count` notifications without the sink, starts it again on the same port, and waits for all arrivals."""
    rate = Figure("delivery of queued notifications", "notifications/s", AIM)
    with Sink(programs.sink, folder / "sink") as sink:
        addresses, port = sink.addresses, sink.port
    with Gateway(programs.pushgate, folder / "data", addresses) as gateway:
        agent = Agent(Bench(programs, gateway, sink, folder, 0, Report({})), "/srv/projects/backlog", DEVICES)
        agent.register()
        tell("registered", DEVICES, 0, gateway)
        startedAt = time.perf_counter()
        for _ in range(count // DEVICES):
            agent.trigger()
        tell("queued", count, time.perf_counter() - startedAt, gateway)
        with Sink(programs.sink, folder / "sink", "-p", str(port)) as sink:
            startedAt = time.perf_counter()
            wait_for(sink, count, gateway)
            seconds = time.perf_counter() - startedAt
            tell("delivered", count, seconds, gateway)
    rate.values.append(count / seconds)
    print_figures([rate])


def wait_for(sink: Sink, count: int, gateway: Gateway) -> None:
    """Waits until each notification has arrived once. Two minutes without progress are a failure."""
    counts, changedAt = sink.counts(), time.monotonic()
    while counts["distinct"] < count:
        time.sleep(0.1)
        before, counts = counts, sink.counts()
        if counts["distinct"] > before["distinct"]:
            changedAt = time.monotonic()
        elif time.monotonic() - changedAt > 120:
            raise Failure(f"expected {count} notifications, got {counts}. The gateway's log: {gateway.words()}")
    if counts["requests"] != count:
        raise Failure(f"expected {count} notifications, once each, got {counts}")


def tell(what: str, count: int, seconds: float, gateway: Gateway) -> None:
    memory = gateway.memory()
    rate = f"{count / seconds:9,.0f}/s" if seconds else " " * 11
    print(
        f"{what:10} {count:9,} {seconds:7.1f} s {rate}   memory {memory['VmRSS']:4.0f} MiB, "
        f"at most {memory['VmHWM']:4.0f} MiB", flush=True)

"""What happens when nothing can be delivered for a while: how much memory a queue takes, and how fast it empties."""

import time
from pathlib import Path
from urllib.parse import urlsplit

from .agent import Agent
from .bench import Bench
from .report import Report
from .servers import Gateway, Simulator
from .tools import Failure, Programs

DEVICES = 10_000


def measure_backlog(programs: Programs, folder: Path, count: int) -> None:
    """Queues so many notifications with the simulator away, brings it back on the same port, and waits for all."""
    with Simulator(programs.pushgate, folder / "simulator") as simulator:
        addresses = simulator.addresses
    with Gateway(programs.pushgate, folder / "data", addresses) as gateway:
        agent = Agent(Bench(programs, gateway, simulator, folder, 0, Report({})), "/srv/projects/backlog", DEVICES)
        agent.register()
        tell("registered", DEVICES, 0, gateway)
        startedAt = time.perf_counter()
        for _ in range(count // DEVICES):
            agent.trigger()
        tell("queued", count, time.perf_counter() - startedAt, gateway)
        with Simulator(programs.pushgate, folder / "simulator", urlsplit(addresses["apns"]).port) as simulator:
            startedAt = time.perf_counter()
            wait_for(simulator, count, gateway)
            tell("delivered", count, time.perf_counter() - startedAt, gateway)


def wait_for(simulator: Simulator, count: int, gateway: Gateway) -> None:
    """Polls: nobody waits for so many in one request. Two minutes without any progress are a failure."""
    accepted, changedAt = 0, time.monotonic()
    while accepted < count:
        time.sleep(0.5)
        now = simulator.status()["accepted"]
        if now > accepted:
            accepted, changedAt = now, time.monotonic()
        elif time.monotonic() - changedAt > 120:
            raise Failure(
                f"only {accepted} of {count} notifications arrived. The gateway's last words: {gateway.words()}")


def tell(what: str, count: int, seconds: float, gateway: Gateway) -> None:
    memory = gateway.memory()
    rate = f"{count / seconds:9,.0f}/s" if seconds else " " * 11
    print(
        f"{what:10} {count:9,} {seconds:7.1f} s {rate}   memory {memory['VmRSS']:4.0f} MiB, "
        f"at most {memory['VmHWM']:4.0f} MiB", flush=True)

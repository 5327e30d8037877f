"""Live Activities: 1,000 runs whose cards get an update a second each, through channels."""

import http.client
import json
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from .devices import device_token
from .report import print_table
from .servers import ARRIVAL_SECONDS, Gateway, Simulator, ask
from .tools import Failure, Programs

RUNS = 1_000
# Each has a connection of its own, and its part of the runs.
SENDERS = 25
SECRET = "0" * 47
CWD = "/srv/projects/benchmark"
UNLIMITED_UPDATES = {
    f"PUSHGATE_FUNCTIONS_CODEAGENTS_UPDATES_PER_MINUTE_PER_{what}": "0" for what in ("SECRET", "ADDRESS")}
# The distance between two updates of a card: none, and the default.
INTERVALS = {"no update waits": "1ms", "the newest in 5 s is sent": "5s"}
PAGE = 2_000


def measure_cards(programs: Programs, folder: Path, seconds: int) -> None:
    rows = []
    for index, (name, interval) in enumerate(INTERVALS.items()):
        print(f"{name}: {RUNS:,} runs for {seconds} s …", flush=True)
        rows.append([name, *run(programs, folder, index, interval, seconds)])
    print()
    heads = ["updates", "accepted", "answered, p50", "broadcasts", "processor time an update", "a broadcast", "channels"]
    print_table([heads, *rows], right=set(range(1, len(heads))))
    print("\nNo channel got content that is older than what it had got, and each has the newest at the end.")


def run(programs: Programs, folder: Path, index: int, interval: str, seconds: int) -> list[str]:
    """Measures with a new simulator and a new gateway without data, and returns the cells of a row."""
    with Simulator(programs.pushgate, folder / f"simulator-{index}") as simulator:
        settings = UNLIMITED_UPDATES | {
            "PUSHGATE_APNS_CHANNEL_ENDPOINT": simulator.addresses["channels"],
            "PUSHGATE_LIVE_ACTIVITIES_UPDATE_INTERVAL": interval,
        }
        with Gateway(programs.pushgate, folder / f"data-{index}", simulator.addresses, settings) as gateway:
            register(gateway)
            with ThreadPoolExecutor(SENDERS) as senders:
                list(senders.map(lambda sender: send(gateway, sender, 0, 1), range(SENDERS)))
                simulator.wait_for(RUNS)
                wait_until_newest(simulator, 0)
                simulator.reset()
                cost, began = gateway.processor_time(), time.monotonic()
                times = list(senders.map(lambda sender: send(gateway, sender, 1, seconds), range(SENDERS)))
                rate = RUNS * seconds / (time.monotonic() - began)
            wait_until_newest(simulator, seconds)
            cost = gateway.processor_time() - cost
            broadcasts = check_order(simulator, seconds)
            channels = len(ask(simulator.addresses["control"], "GET", "/channels")["channels"])
            if channels != RUNS:
                raise Failure(f"{RUNS:,} runs have {channels:,} channels")
            answered = median(one for part in times for one in part)
            return [
                f"{rate:,.0f}/s", f"{answered * 1e3:.1f} ms", f"{broadcasts:,}", f"{cost / RUNS / seconds * 1e6:,.0f} µs",
                f"{cost / broadcasts * 1e6:,.0f} µs", f"{channels:,}",
            ]


def register(gateway: Gateway) -> None:
    body = {
        "cwd": CWD, "installation_id": "00000000-0000-4000-8000-000000000000", "fcm_token": device_token(0),
        "agent_display_name": "Benchmark", "platform": "ios",
        "live_activity": {"push_to_start_token": "80" * 80, "frequent_updates": True},
    }
    ask(gateway.url, "POST", "/registerSubscription", body, {"Authorization": f"Bearer {SECRET}"})


def send(gateway: Gateway, sender: int, first: int, count: int) -> list[float]:
    """Sends an update a second for each run of a sender, at times fixed in advance, and returns the seconds of each."""
    runs = range(sender, RUNS, SENDERS)
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=ARRIVAL_SECONDS)
    headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
    began, times = time.monotonic(), []
    try:
        for number in range(first, first + count):
            for place, run in enumerate(runs):
                due = began + (number - first) + place / len(runs)
                time.sleep(max(0, due - time.monotonic()))
                body = {"cwd": CWD, "conversation_id": f"run-{run}", "step": str(number), "percentage": number % 101}
                sent = time.monotonic()
                connection.request("POST", "/updateReply", json.dumps(body), headers)
                answer = connection.getresponse()
                text = answer.read().decode()
                times.append(time.monotonic() - sent)
                if answer.status != 200 or json.loads(text)["devices"] != 1:
                    raise Failure(f"an update was answered {answer.status}: {text}")
    finally:
        connection.close()
    return times


def step(payload: dict[str, Any]) -> int:
    return int(payload["aps"]["content-state"]["step"])


def wait_until_newest(simulator: Simulator, newest: int) -> None:
    """Waits until each card has its newest content: in its start, or in what its channel keeps."""

    def is_there() -> bool:
        channels = ask(simulator.addresses["control"], "GET", "/channels")["channels"]
        kept = [one["stored"]["payload"] for one in channels if "stored" in one]
        return len(channels) == RUNS and (newest == 0 or [step(one) for one in kept] == [newest] * RUNS)

    wait(is_there, f"the content of all {RUNS:,} cards to be the newest")


def wait(is_there: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + ARRIVAL_SECONDS
    while not is_there():
        if time.monotonic() > deadline:
            raise Failure(f"waited {ARRIVAL_SECONDS} s for {what}")
        time.sleep(0.2)


def check_order(simulator: Simulator, newest: int) -> int:
    """Returns the number of broadcasts. Fails if one is refused, older than the one before, or repeated."""
    steps: defaultdict[str, list[int]] = defaultdict(list)
    offset = 0
    while True:
        path = f"/notifications?limit={PAGE}&offset={offset}"
        page = ask(simulator.addresses["control"], "GET", path)["notifications"]
        for one in page:
            if one["status"] != 200 or "channel" not in one:
                raise Failure(f"the simulator received another request than accepted broadcasts: {one}")
            steps[one["channel"]].append(step(one["payload"]))
        offset += len(page)
        if len(page) < PAGE:
            break
    for channel, order in steps.items():
        if any(later <= earlier for earlier, later in zip(order, order[1:])) or order[-1] != newest:
            raise Failure(f"the channel {channel} got its updates in this order: {order}")
    if len(steps) != RUNS:
        raise Failure(f"{len(steps):,} of {RUNS:,} channels got updates")
    return offset

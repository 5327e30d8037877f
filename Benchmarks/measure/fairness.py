"""The delay of one app's notifications while the push service of another app hangs."""

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple
from urllib.parse import urlsplit

from .bench import CWD, REPLY
from .report import print_table, spread
from .servers import Gateway, Simulator, ask
from .tools import Failure, Programs

ROUNDS = 3
# The triggers a second for each app, and the number of clients that send them.
RATE = 100
CALLERS = 8
# The seconds that are not counted, until the hanging app has its whole window in flight.
LEAD_SECONDS = 5
# Longer than a request may go without an answer, so that time-outs and new connections are included.
COUNTED_SECONDS = 40
AT_MOST = 1.2
# One answer, after which a connection is permitted all its streams; then silence.
HANGING = {"times": None, "stall_after": 1}


def measure_fairness(programs: Programs, folder: Path) -> None:
    with Simulator(programs.pushgate, folder / "one") as one, Simulator(programs.pushgate, folder / "two") as two:
        pair = Pair(programs, folder, App("com.example.one", one), App("com.example.two", two))
        latencies = {leg: [] for leg in LEGS}
        for number in range(1, ROUNDS + 1):
            print(f"fairness, round {number} of {ROUNDS} …", flush=True)
            for leg, values in latencies.items():
                values.append(pair.run(leg, number))
    show(latencies)


class Leg(NamedTuple):
    """The second app's behaviour in a run."""

    name: str
    is_other_loaded: bool
    is_other_hanging: bool


ANSWERS = Leg("beside an app whose push service answers", True, False)
HANGS = Leg("beside an app whose push service hangs", True, True)
LEGS = [Leg("alone", False, False), ANSWERS, HANGS]


class Latency(NamedTuple):
    """Returns a percentile in milliseconds."""

    p50: float
    p99: float


def show(latencies: dict["Leg", list[Latency]]) -> None:
    rows = [[leg.name, *(f"{spread(column)} ms" for column in zip(*values))] for leg, values in latencies.items()]
    print()
    print_table([["from trigger to arrival", "p50", "p99"], *rows], right={1, 2})
    ratios = [one.p99 / other.p99 for one, other in zip(latencies[HANGS], latencies[ANSWERS])]
    verdict = "met" if median(ratios) <= AT_MOST else "above"
    print(
        f"\np99 beside the hanging push service ÷ p99 beside the answering one: {spread(ratios)}, "
        f"aim ≤ {AT_MOST:g}: {verdict}")


@dataclass
class App:
    bundle_id: str
    simulator: Simulator

    @property
    def headers(self) -> dict[str, str]:
        secret = "secret-of-a-server-with-devices-of-" + self.bundle_id.replace(".", "-")
        return {"Authorization": f"Bearer {secret}", "Content-Type": "application/json", "Prefer": "respond-async"}

    @property
    def settings(self) -> dict[str, str]:
        """Returns the app as in a gateway's configuration."""
        addresses = self.simulator.addresses
        return {
            "bundleId": self.bundle_id, "keyPath": addresses["key_path"], "keyId": addresses["key_id"],
            "teamId": addresses["team_id"], "environment": "sandbox", "endpoint": addresses["apns"],
        }

    def register(self, gateway: Gateway) -> None:
        body = {
            "cwd": CWD, "installation_id": "00000000-0000-4000-8000-000000000000", "fcm_token": "0" * 64,
            "agent_display_name": "Benchmark", "platform": "ios", "bundle_id": self.bundle_id,
        }
        ask(gateway.url, "POST", "/registerSubscription", body, self.headers)


class Pair:
    """Two apps of one gateway. The server of the second may hang."""

    def __init__(self, programs: Programs, folder: Path, app: App, other: App):
        self.programs, self.folder, self.app, self.other = programs, folder, app, other
        self.configuration = folder / "configuration.yaml"
        authorities = folder / "authorities.pem"
        files = (Path(one.simulator.addresses["ca_file"]) for one in (app, other))
        authorities.write_text("".join(file.read_text() for file in files))
        # JSON is YAML too.
        self.configuration.write_text(
            json.dumps({"apps": [app.settings, other.settings], "apns": {"caFile": str(authorities)}}, indent=2))

    def run(self, leg: Leg, number: int) -> Latency:
        """Runs in a new gateway without data of the run before."""
        loaded = [self.app, self.other] if leg.is_other_loaded else [self.app]
        self.other.simulator.drop_scripts()
        if leg.is_other_hanging:
            self.other.simulator.script_connections(HANGING)
        folder = self.folder / f"{LEGS.index(leg)}-{number}"
        with Gateway(self.programs.pushgate, folder, self.configuration) as gateway:
            for app in (self.app, self.other):
                app.register(gateway)
                app.simulator.reset()
            loads = [PacedTriggers(gateway, app) for app in loaded]
            for load in loads:
                load.start()
            for load in loads:
                load.finish()
            latency = loads[0].latency()
        if leg.is_other_hanging and not self.other.simulator.status()["connections_stalled"]:
            raise Failure("the hanging server received no request")
        return latency


class PacedTriggers:
    """Triggers for one device of an app at times fixed in advance, independent of the answers."""

    COUNT = RATE * (LEAD_SECONDS + COUNTED_SECONDS)

    def __init__(self, gateway: Gateway, app: App):
        self.gateway, self.app = gateway, app
        self.callers = ThreadPoolExecutor(CALLERS)

    def start(self) -> None:
        self.startedAt = time.time()
        self.calls = [self.callers.submit(self.call, first) for first in range(CALLERS)]

    def finish(self) -> None:
        for call in self.calls:
            call.result()
        self.callers.shutdown()

    def due(self, number: int) -> float:
        return self.startedAt + number / RATE

    def call(self, first: int) -> None:
        connection = http.client.HTTPConnection(urlsplit(self.gateway.url).netloc, timeout=30)
        for number in range(first, self.COUNT, CALLERS):
            time.sleep(max(0, self.due(number) - time.time()))
            body = {"cwd": CWD, "message_preview": REPLY, "completion_id": str(number)}
            connection.request("POST", "/triggerReplyFinished", json.dumps(body), self.app.headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != 200 or json.loads(text)["attempted"] != 1:
                raise Failure(f"a trigger of {self.app.bundle_id} was answered {answer.status}: {text}")
        connection.close()

    def latency(self) -> Latency:
        """Returns the times from each trigger's due time to the arrival at the simulator."""
        self.app.simulator.wait_for(self.COUNT)
        self.app.simulator.expect(accepted=self.COUNT, rejected=0)
        latencies = []
        for notification in self.app.simulator.notifications(limit=self.COUNT):
            number = int(notification["payload"]["completion_id"])
            if number >= RATE * LEAD_SECONDS:
                latencies.append(notification["received_at"] - self.due(number) * 1e3)
        return Latency(median(latencies), quantiles(latencies, n=100)[98])

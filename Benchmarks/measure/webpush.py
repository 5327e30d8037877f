"""Messages for browsers, against a loop of the same encryption and against pywebpush; and the memory of idle browsers."""

import http.client
import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from .agent import SECRET
from .bench import REPLY
from .browsers import measure_idle_browsers
from .devices import device_token
from .pywebpush import PyWebPush
from .report import Figure, print_figures, print_table, spread
from .servers import Gateway, ask
from .sink import Sink
from .tools import Failure, Programs

SUBSCRIPTIONS = 10_000
CWD = "/srv/projects/browsers"
# The services' main hosts, with the beginnings of their endpoints' paths.
SERVICES = {
    "web.push.apple.com": "/", "updates.push.services.mozilla.com": "/wpush/v2/", "fcm.googleapis.com": "/fcm/send/",
    "jmt17.google.com": "/fcm/send/",
}
# The connections that register subscriptions.
REGISTRARS = 8
# The required limits: processor time beside that of the loop, and memory. The aim is a rate on one core.
BESIDE_US, MEMORY_MIB, A_CORE = 45, 150, 8_000
# The time of a pass of the loop, and the number of messages of one of pywebpush.
LOOP_SECONDS, REFERENCE_COUNT = 1, 2_000
# The bytes by which a body is longer than its text and padding: the header, a delimiter and a tag (RFC 8188).
OVERHEAD = 86 + 1 + 16


@dataclass
class Rounds:
    """The figures of all rounds. Costs are microseconds of processor time for a message."""

    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    loop: list[float] = field(default_factory=list)
    pywebpush: list[float] = field(default_factory=list)
    memory: float = 0


def measure_webpush(programs: Programs, folder: Path, rounds: int) -> None:
    keys = folder / "subscriptions"
    command = [programs.bare_webpush, "subscriptions", str(SUBSCRIPTIONS)]
    with keys.open("wb") as file:
        subprocess.run(command, stdout=file, check=True, timeout=60)
    arrivals = folder / "arrivals"
    with Sink(programs.sink, folder / "sink", "-w", "-a", str(arrivals), hosts=list(SERVICES)) as sink:
        with Gateway(programs.pushgate, folder / "data", sink.addresses, settings(sink)) as gateway:
            figures = Browsers(programs, gateway, sink, keys, arrivals).measure(rounds)
    idle = measure_idle_browsers(programs, folder, SUBSCRIPTIONS)
    show(figures, idle)


def settings(sink: Sink) -> dict[str, str]:
    return {
        "PUSHGATE_WEBPUSH_SUBJECT": "mailto:operator@push-benchmark.org",
        "PUSHGATE_WEBPUSH_CA_FILE": sink.addresses["ca_file"],
        "PUSHGATE_WEBPUSH_CONNECT_TO": ",".join(f"{host}=127.0.0.1:{sink.port}" for host in SERVICES),
    }


class Browsers:
    """The subscriptions of one agent, a quarter at each service."""

    def __init__(self, programs: Programs, gateway: Gateway, sink: Sink, keys: Path, arrivals: Path):
        self.programs, self.gateway, self.sink = programs, gateway, sink
        self.keys, self.arrivals = keys, arrivals
        self.tokens = [device_token(number) for number in range(SUBSCRIPTIONS)]

    def measure(self, count: int) -> Rounds:
        print(f"registering {SUBSCRIPTIONS:,} subscriptions …", flush=True)
        with ThreadPoolExecutor(REGISTRARS) as pool:
            list(pool.map(self.register, range(REGISTRARS)))
        figures = Rounds()
        with PyWebPush() as pywebpush:
            # The first round is a warm-up.
            for number in range(count + 1):
                print(f"multicast of {SUBSCRIPTIONS:,}, round {number} of {count} …", flush=True)
                rate, cost, size = self.multicast()
                loop = self.encrypt(size)
                reference = pywebpush.encrypt(self.keys, size, REFERENCE_COUNT)
                if number > 0:
                    figures.rates.append(rate)
                    figures.costs.append(cost)
                    figures.loop.append(loop)
                    figures.pywebpush += reference
        figures.memory = self.gateway.memory()["VmHWM"]
        return figures

    def register(self, first: int) -> None:
        """Registers one of so many subscriptions as there are connections, over one of these."""
        connection = http.client.HTTPConnection(urlsplit(self.gateway.url).netloc, timeout=60)
        headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
        hosts = list(SERVICES.items())
        for number, line in enumerate(self.keys.read_text().splitlines()):
            if number % REGISTRARS != first:
                continue
            (host, path), (public_key, secret) = hosts[number % len(hosts)], line.split()
            subscription = {
                "endpoint": f"https://{host}{path}{self.tokens[number]}",
                "keys": {"p256dh": public_key, "auth": secret},
            }
            body = {"cwd": CWD, "installation_id": f"browser-{number}", "web_push": subscription}
            connection.request("POST", "/registerSubscription", json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != 200:
                raise Failure(f"a subscription was answered {answer.status}: {text}")
        connection.close()

    def multicast(self) -> tuple[float, float, int]:
        """Returns the rate, the gateway's cost of a message, and the size of a message with its padding."""
        before, cost = self.sink.counts(), self.gateway.processor_time()
        offset = self.arrivals.stat().st_size
        started_at = time.perf_counter()
        answer = ask(
            self.gateway.url, "POST", "/triggerReplyFinished", {"cwd": CWD, "message_preview": REPLY},
            {"Authorization": f"Bearer {SECRET}", "Prefer": "respond-async"})
        if answer["attempted"] != SUBSCRIPTIONS:
            raise Failure(f"a trigger was not for {SUBSCRIPTIONS} subscriptions: {answer}")
        # Each message has a salt of its own, so distinct ones are as many.
        count = SUBSCRIPTIONS
        seconds = self.sink.wait_for(before["requests"] + count, before["distinct"] + count) - started_at
        # Writes after the arrivals are part of the cost.
        time.sleep(0.5)
        cost = (self.gateway.processor_time() - cost) / count * 1e6
        after = self.sink.counts()
        self.check_arrivals(offset)
        return count / seconds, cost, (after["bytes"] - before["bytes"]) // count - OVERHEAD

    def check_arrivals(self, offset: int) -> None:
        """Fails unless each subscription got the message once."""
        with self.arrivals.open() as file:
            file.seek(offset)
            arrived = sorted(line.split()[0] for line in file)
        if arrived != sorted(self.tokens):
            raise Failure(f"{len(set(arrived))} of {SUBSCRIPTIONS} subscriptions got {len(arrived)} messages")

    def encrypt(self, size: int) -> float:
        """Returns the cost of a message in the loop."""
        command = [self.programs.bare_webpush, "encrypt", self.keys, size, LOOP_SECONDS]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise Failure(f"bare-webpush failed: {done.stderr}")
        figures = json.loads(done.stdout)
        return figures["processor_seconds"] / figures["requests"] * 1e6


def show(figures: Rounds, idle: float) -> None:
    beside = [cost - loop for cost, loop in zip(figures.costs, figures.loop)]
    rows = [
        ["processor time of a message", "", "of the gateway's"],
        ["the gateway", f"{spread(figures.costs)} µs", ""],
        ["the loop of the same calls of OpenSSL", f"{spread(figures.loop)} µs", ratio(figures.loop, figures.costs)],
    ]
    if figures.pywebpush:
        rows.append([
            "pywebpush, without sending", f"{spread(figures.pywebpush)} µs", ratio(figures.pywebpush, figures.costs)])
    print()
    print_table(rows, right={1, 2})
    print(f"\n{median(figures.rates):,.0f} messages/s ({min(figures.rates):,.0f}–{max(figures.rates):,.0f})")
    print_figures([
        Figure("processor time of a message beside the loop's", "µs", BESIDE_US, is_at_most=True, values=beside),
        Figure("messages a second of processor time", "/s", A_CORE, values=[1e6 / cost for cost in figures.costs]),
        Figure("peak of resident memory (VmHWM)", "MiB", MEMORY_MIB, is_at_most=True, values=[figures.memory]),
        Figure(
            f"peak with {SUBSCRIPTIONS:,} idle browsers at webpush-service", "MiB", MEMORY_MIB, is_at_most=True,
            values=[idle]),
    ])


def ratio(values: list[float], others: list[float]) -> str:
    return spread([value / other for value, other in zip(values, others)])

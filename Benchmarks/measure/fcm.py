"""FCM's interface: 500 messages at once, as an SDK sends them, and a message to a large topic."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from .access_token import access_token, service_account
from .bench import REPLY, Bench
from .devices import device_token
from .firebase_admin_client import FirebaseAdmin
from .report import Report, print_table
from .servers import Gateway, Simulator, ask
from .tools import Failure, Programs

# FCM's limit for one multicast of an SDK. Each message is a request on a connection of its own, all at once.
AT_ONCE = 500
ROUNDS = 20
AIM_SECONDS = 3
# The rounds after which caches and allocators have their final size.
SETTLED_ROUNDS = 5
SUBSCRIBERS = 100_000
TOPIC = "benchmark"
TOPIC_ROUNDS = 3
# The limit of one request of the instance-id interface.
BATCH = 1_000


def measure_fcm(programs: Programs, folder: Path) -> None:
    with Simulator(programs.pushgate, folder / "simulator") as simulator:
        with Gateway(programs.pushgate, folder / "data", simulator.addresses) as gateway:
            account = service_account(programs.pushgate, gateway)
            bench = Bench(programs, gateway, simulator, folder, 0, Report({}))
            fcm = FCM(bench, account, access_token(gateway.url, json.loads(account.read_text())))
            fcm.measure_multicasts("500 requests, each on a new connection", fcm.send_requests)
            with FirebaseAdmin(gateway, account) as client:
                fcm.measure_multicasts("firebase-admin's send_each_for_multicast", client.multicast)
            fcm.measure_topic()


class FCM:
    def __init__(self, bench: Bench, account: Path, token: str):
        self.bench, self.token = bench, token
        self.project = json.loads(account.read_text())["project_id"]
        self.path = f"/v1/projects/{self.project}/messages:send"

    # ---- Many messages at once

    def measure_multicasts(self, name: str, send) -> None:
        """Sends messages at once. Each is delivered before its answer, so the time is that of delivering all."""
        seconds, sizes = [], [["after", "VmRSS", "VmHWM", "descriptors"]]
        for number in range(1, ROUNDS + 1):
            self.bench.simulator.reset()
            startedAt = time.perf_counter()
            send(AT_ONCE)
            seconds.append(time.perf_counter() - startedAt)
            self.bench.simulator.expect(accepted=AT_ONCE, rejected=0)
            if number % SETTLED_ROUNDS == 0:
                sizes.append([f"{number} multicasts", *self.sizes()])
        verdict = "met" if max(seconds) < AIM_SECONDS else "above"
        print(
            f"{name}: {median(seconds):.2f} s ({min(seconds):.2f}–{max(seconds):.2f}), {ROUNDS} one after the other; "
            f"aim < {AIM_SECONDS} s: {verdict}\n")
        print_table(sizes, right={1, 2, 3})
        print(flush=True)

    def sizes(self) -> list[str]:
        """Returns the memory and the open descriptors, after the gateway has closed ended connections."""
        time.sleep(1)
        memory = self.bench.gateway.memory()
        return [f"{memory['VmRSS']:.0f} MiB", f"{memory['VmHWM']:.0f} MiB", str(self.bench.gateway.descriptors())]

    def send_requests(self, count: int) -> None:
        body = {"message": {"token": "{hex}", "notification": {"title": "Benchmark", "body": REPLY}}}
        self.bench.load("POST", self.path, self.token, body, c=count, n=count, s=60)

    # ---- A topic

    def measure_topic(self) -> None:
        print(f"subscribing {SUBSCRIBERS:,} devices to a topic …", flush=True)
        startedAt = time.perf_counter()
        self.subscribe()
        print(f"{SUBSCRIBERS / (time.perf_counter() - startedAt):,.0f} subscriptions/s\n", flush=True)
        rows = [["message to a topic", "accepted", "all arrived", "notifications/s", "processor time", "VmHWM"]]
        for number in range(1, TOPIC_ROUNDS + 1):
            print(f"topic of {SUBSCRIBERS:,}, round {number} of {TOPIC_ROUNDS} …", flush=True)
            rows.append([f"round {number}", *self.send_to_topic()])
        print()
        print_table(rows, right={1, 2, 3, 4, 5})

    def subscribe(self) -> None:
        for first in range(0, SUBSCRIBERS, BATCH):
            tokens = [device_token(number) for number in range(first, first + BATCH)]
            answer = self.ask("/iid/v1:batchAdd", {"to": f"/topics/{TOPIC}", "registration_tokens": tokens})
            if any(answer["results"]):
                raise Failure(f"some devices could not be subscribed: {next(filter(None, answer['results']))}")

    def send_to_topic(self) -> list[str]:
        gateway, simulator = self.bench.gateway, self.bench.simulator
        simulator.reset()
        before = gateway.processor_time()
        with ThreadPoolExecutor(1) as waiter:
            arrival = waiter.submit(simulator.wait_for, SUBSCRIBERS)
            startedAt = time.perf_counter()
            self.ask(self.path, {"message": {"topic": TOPIC, "notification": {"title": "Benchmark", "body": REPLY}}})
            accepted = time.perf_counter() - startedAt
            arrival.result()
            arrived = time.perf_counter() - startedAt
        simulator.expect(accepted=SUBSCRIBERS, rejected=0)
        cost = (gateway.processor_time() - before) / SUBSCRIBERS
        return [
            f"{accepted * 1e3:.1f} ms", f"{arrived:.1f} s", f"{SUBSCRIBERS / arrived:,.0f}", f"{cost * 1e6:.0f} µs each",
            f"{gateway.memory()['VmHWM']:.0f} MiB",
        ]

    def ask(self, path: str, body: dict) -> dict:
        headers = {"Authorization": f"Bearer {self.token}", "access_token_auth": "true"}
        return ask(self.bench.gateway.url, "POST", path, body, headers)

"""How fast one run that has finished becomes many notifications."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .bench import REPLY, Bench, children_time, registration
from .provider_token import provider_token
from .servers import ask
from .tools import Failure


class Multicasts:
    """One trigger for many devices against programs that send the same requests and do nothing else."""

    DEVICES = 10_000
    CONNECTIONS = 4
    STREAMS = 100
    SECRET = "benchmark-of-a-multicast-to-many-devices"
    CWD = "/srv/projects/multicast"

    def __init__(self, bench: Bench):
        self.bench = bench
        addresses = bench.simulator.addresses
        self.bare = bench.compare("notifications of a multicast", "libcurl, 4 × 100 streams", aim=0.7)
        self.h2load = bench.compare("notifications of a multicast", "h2load, 4 × 100 streams")
        bench.load(
            "POST", "/registerSubscription", secret=self.SECRET, body=registration(self.CWD), n=self.DEVICES, s=60)
        self.send()
        token = provider_token(Path(addresses["key_path"]), addresses["key_id"], addresses["team_id"])
        self.headers, self.payload = self.request(token)

    def round(self) -> None:
        rate = self.send()
        self.bare.add(rate, self.counted(self.send_with_curl))
        self.h2load.add(rate, self.counted(self.send_with_h2load))

    def send(self) -> float:
        """Triggers, and waits for the last notification to arrive."""
        self.bench.simulator.reset()
        before = self.bench.gateway.processor_time()
        with ThreadPoolExecutor(1) as waiter:
            arrival = waiter.submit(self.bench.simulator.wait_for, self.DEVICES)
            startedAt = time.perf_counter()
            answer = ask(
                self.bench.gateway.url, "POST", "/triggerReplyFinished", {"cwd": self.CWD, "message_preview": REPLY},
                {"Authorization": f"Bearer {self.SECRET}", "Prefer": "respond-async"})
            answeredAt = time.perf_counter()
            arrival.result()
            seconds = time.perf_counter() - startedAt
        if answer["attempted"] != self.DEVICES or self.bench.simulator.accepted() != self.DEVICES:
            raise Failure(f"the multicast did not go to {self.DEVICES} devices once each: {answer}")
        cost = (self.bench.gateway.processor_time() - before) / self.DEVICES
        self.bench.report.note("multicast of 10,000, accepted and durable", "ms", (answeredAt - startedAt) * 1e3)
        self.bench.report.note("the gateway's, per notification of a multicast", "µs", cost * 1e6)
        return self.DEVICES / seconds

    def request(self, token: str) -> tuple[dict[str, str], str]:
        """Headers and payload, as the simulator has just had them from the gateway."""
        latest = self.bench.simulator.latest()
        headers = {name: value for name, value in latest["headers"].items() if name != "apns-id"}
        payload = json.dumps(latest["payload"], separators=(",", ":"), ensure_ascii=False)
        return headers | {"authorization": f"bearer {token}"}, payload

    def counted(self, send: Any) -> float:
        """A program's rate, after making sure that the simulator took what it sent."""
        self.bench.simulator.reset()
        rate = send()
        if self.bench.simulator.accepted() < self.DEVICES:
            raise Failure("the simulator refused some of what was sent to compare with")
        return rate

    def send_with_curl(self) -> float:
        file = self.bench.folder / "request"
        file.write_text("".join(f"{name}: {value}\n" for name, value in self.headers.items()) + "\n" + self.payload)
        addresses = self.bench.simulator.addresses
        before = children_time()
        rate = self.bench.tool(
            self.bench.programs.bare_curl, addresses["apns"], addresses["ca_file"], file, self.DEVICES,
            self.CONNECTIONS, self.STREAMS)["rate"]
        self.bench.report.note("bare-curl's, per notification", "µs", (children_time() - before) / self.DEVICES * 1e6)
        return rate

    def send_with_h2load(self) -> float:
        urls, payload = self.bench.folder / "urls", self.bench.folder / "payload"
        device = self.bench.simulator.addresses["apns"] + "/3/device/"
        urls.write_text("".join(f"{device}{number:064x}\n" for number in range(self.DEVICES)))
        payload.write_text(self.payload)
        headers = self.headers | {"apns-id": "00000000-0000-4000-8000-000000000000", "user-agent": "pushgate"}
        output = self.bench.run(
            "h2load", "-n", self.DEVICES, "-c", self.CONNECTIONS, "-m", self.STREAMS, "-d", payload, "-i", urls,
            *(part for name, value in headers.items() for part in ("-H", f"{name}: {value}"))).stdout
        rate = re.search(r"([\d.]+) req/s", output)
        if not rate or f"{self.DEVICES} 2xx" not in output:
            raise Failure(f"h2load did not have all its requests answered:\n{output}")
        return float(rate[1])

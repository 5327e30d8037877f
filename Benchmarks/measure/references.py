"""Programs that only send the requests that the gateway has just sent."""

import json
import re
import resource
import tempfile
from pathlib import Path

from .bench import Bench
from .devices import device_token
from .provider_token import provider_token
from .tools import Failure


class References:
    """bare-curl and h2load, which send to the first `count` devices with a number of streams at once."""

    CONNECTIONS = 4

    def __init__(self, bench: Bench, rate: str, request: str, count: int, streams: int, aim: float | None = None):
        self.bench, self.request, self.count, self.streams = bench, request, count, streams
        self.dead = bench.condition.dead(count)
        self.folder = Path(tempfile.mkdtemp(prefix="references-", dir=bench.folder))
        self.tokens = [device_token(number) for number in range(count)]
        self.headers, self.payload = self.sent_request()
        self.write_files()
        shape = f"{self.CONNECTIONS} × {streams} streams"
        self.programs = [(bench.compare(rate, f"libcurl, {shape}", aim), self.send_with_curl)]
        if bench.condition.h2load:
            self.programs.append((bench.compare(rate, f"h2load, {shape}"), self.send_with_h2load))

    def compare(self, rate: float) -> None:
        """Runs a round of the references, after a round of the gateway."""
        for comparison, send in self.programs:
            self.bench.simulator.reset()
            comparison.add(rate, send())
            if self.bench.simulator.status()["accepted"] < self.count - self.dead:
                raise Failure("the simulator refused requests of a reference program")

    def sent_request(self) -> tuple[dict[str, str], str]:
        """Returns headers and payload of a request that the simulator has received from the gateway."""
        first = self.bench.simulator.notifications(limit=1)[0]
        if first["token"] not in self.tokens:
            raise Failure("the gateway sent to a token that the reference programs do not have")
        headers = {name: value for name, value in first["headers"].items() if name != "apns-id"}
        addresses = self.bench.simulator.addresses
        token = provider_token(Path(addresses["key_path"]), addresses["key_id"], addresses["team_id"])
        payload = json.dumps(first["payload"], separators=(",", ":"), ensure_ascii=False)
        return headers | {"authorization": f"bearer {token}"}, payload

    def write_files(self) -> None:
        device = self.bench.simulator.addresses["apns"] + "/3/device/"
        head = "".join(f"{name}: {value}\n" for name, value in self.headers.items())
        self.write("request", head + "\n" + self.payload)
        self.write("tokens", "".join(f"{token}\n" for token in self.tokens))
        self.write("urls", "".join(f"{device}{token}\n" for token in self.tokens))
        self.write("payload", self.payload)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def send_with_curl(self) -> float:
        addresses = self.bench.simulator.addresses
        before = children_time()
        figures = self.bench.tool(
            self.bench.programs.bare_curl, addresses["apns"], addresses["ca_file"], self.folder / "request",
            self.folder / "tokens", self.CONNECTIONS, self.streams)
        if figures["gone"] != self.dead:
            raise Failure(f"{figures['gone']:.0f} tokens were answered 410, expected {self.dead}")
        cost = (children_time() - before) / self.count
        self.bench.note(f"bare-curl's, per {self.request}", "µs", cost * 1e6)
        return figures["rate"]

    def send_with_h2load(self) -> float:
        headers = self.headers | {"apns-id": "00000000-0000-4000-8000-000000000000", "user-agent": "pushgate"}
        output = self.bench.run(
            "h2load", "-n", self.count, "-c", self.CONNECTIONS, "-m", self.streams, "-d", self.folder / "payload",
            "-i", self.folder / "urls",
            *(part for name, value in headers.items() for part in ("-H", f"{name}: {value}"))).stdout
        rate = re.search(r"([\d.]+) req/s", output)
        if not rate or f" {self.count - self.dead} 2xx, 0 3xx, {self.dead} 4xx" not in output:
            raise Failure(f"not all requests of h2load were answered:\n{output}")
        return float(rate[1])


def children_time() -> float:
    """Returns the processor time of all ended programs, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

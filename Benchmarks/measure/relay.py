"""The author's relay: the rate and the cost of messages that are sealed beforehand, and the time that each is there."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple
from urllib.parse import urlsplit

from .bench import Bench
from .devices import device_token
from .relay_phone import RELAY, SEND, RelayPhone, encode
from .report import Figure, Report, print_figures
from .servers import Gateway
from .sink import Sink
from .tools import Programs

# Each phone has a sender of its own with one connection, so that its messages arrive in the order of their requests.
PHONES = 64
SLICE_SECONDS, PACED_SECONDS = 4, 10
# The first seconds at half load, which are not counted.
LEAD_SECONDS = 2
RATE_AIM, COST_AIM_US, HOP_AIM_MS = 5_000, 200, 10
# A plain text of 512 bytes, sealed: salt, size of a record, and the sender's key with its length (RFC 8188); the text
# with its delimiter and the tag. A relay cannot tell random bytes from sealed ones.
PLAIN_SIZE, TAG_SIZE, SALT_SIZE, RECORD_SIZE = 512, 17, 16, 4096


class Slice(NamedTuple):
    """The messages of all senders in a time."""

    # Of each sender: the monotonic time of its start.
    starts: list[float]
    rate: float
    cost_us: float


def measure_relay(programs: Programs, folder: Path, rounds: int) -> None:
    rate = Figure("messages accepted, durable and delivered", "/s", RATE_AIM)
    cost = Figure("processor time a message", "µs", COST_AIM_US, is_at_most=True)
    hop = Figure("from request to arrival at half load, p99", "ms", HOP_AIM_MS, is_at_most=True)
    medians, arrivals = [], folder / "arrivals"
    with Sink(programs.sink, folder / "sink", "-a", str(arrivals)) as sink:
        settings = RELAY | {"PUSHGATE_HTTP_PUBLIC_URL": "https://relay.example.com"}
        with Gateway(programs.pushgate, folder / "data", sink.addresses, settings) as gateway:
            load = Load(Bench(programs, gateway, sink, folder, SLICE_SECONDS, Report({})), sink, arrivals)
            load.send()
            for number in range(1, rounds + 1):
                print(f"round {number} of {rounds} …", flush=True)
                highest = load.send()
                rate.values.append(highest.rate)
                cost.values.append(highest.cost_us)
                latencies = load.paced(highest.rate / 2)
                medians.append(median(latencies))
                hop.values.append(quantiles(latencies, n=100)[98])
    print_figures([rate, cost, hop])
    print(f"\nmeasured at {median(rate.values) / 2:,.0f}/s: arrival p50 {median(medians):.1f} ms")


class Load:
    def __init__(self, bench: Bench, sink: Sink, arrivals: Path):
        self.bench, self.sink, self.arrivals = bench, sink, arrivals
        # The number of the next request, of which its id is made: a relay sends no id twice.
        self.first = 0
        self.phones = [RelayPhone(device_token(number)) for number in range(PHONES)]
        for phone in self.phones:
            phone.register(bench.gateway.url)
            phone.make_secret(bench.gateway.url)

    def send(self, seconds: float = SLICE_SECONDS, rate: float = 0) -> Slice:
        """Sends messages to all phones, and waits until all have arrived.

        With a rate, the times of the requests are fixed in advance; else each follows the answer to the one before.
        """
        before, cost = self.sink.counts(), self.bench.gateway.processor_time()
        with ThreadPoolExecutor(PHONES) as senders:
            figures = list(senders.map(lambda phone: self.run(phone, seconds, rate / PHONES), self.phones))
        counts = [int(one["requests"]) for one in figures]
        self.first += max(counts)
        self.sink.wait_for(before["requests"] + sum(counts), before["distinct"] + sum(counts))
        starts = [one["started_at"] for one in figures]
        ends = [one["started_at"] + one["seconds"] for one in figures]
        cost = self.bench.gateway.processor_time() - cost
        return Slice(starts, sum(counts) / (max(ends) - min(starts)), cost / sum(counts) * 1e6)

    def run(self, phone: RelayPhone, seconds: float, rate: float) -> dict[str, float]:
        address = urlsplit(self.bench.gateway.url)
        body = (
            f'{{"address":"{phone.address}","id":"{{uuid}}","sealed":"{sealed()}","priority":"high","ttl":3600,'
            '"kind":"alert"}')
        flags = ["-c", 1, "-s", seconds, "-f", self.first, "-x", '"accepted"', "-b", body]
        flags += ["-H", f"Authorization: Bearer {phone.send_secret}", "-H", "Content-Type: application/json"]
        if rate:
            flags += ["-r", rate]
        return self.bench.tool(self.bench.programs.load, *flags, address.hostname, address.port, "POST", SEND)

    def paced(self, rate: float) -> list[float]:
        """Returns the milliseconds from each request's due time to the arrival of its notification."""
        offset = self.arrivals.stat().st_size
        slice = self.send(LEAD_SECONDS + PACED_SECONDS, rate)
        starts = {phone.token: start for phone, start in zip(self.phones, slice.starts)}
        counts, latencies, each = dict.fromkeys(starts, 0), [], rate / PHONES
        with self.arrivals.open() as file:
            file.seek(offset)
            for line in file:
                token, time = line.split()
                number = counts[token]
                counts[token] += 1
                if number >= LEAD_SECONDS * each:
                    latencies.append((float(time) - starts[token] - number / each) * 1e3)
        return latencies


def sealed() -> str:
    header = os.urandom(SALT_SIZE) + RECORD_SIZE.to_bytes(4, "big") + b"\x41\x04" + os.urandom(64)
    return encode(header + os.urandom(PLAIN_SIZE + TAG_SIZE))

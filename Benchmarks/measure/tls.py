"""Requests over TLS beside plain ones, by h2load: kept connections, and a connection for each request."""

import re
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from .agent import SECRET
from .report import Figure, print_figures, print_table
from .servers import Gateway
from .sink import Sink
from .tools import Failure, Programs
from .wire import spread

CONNECTIONS = 64
REQUESTS, CONNECTS = 20_000, 2_000
# The required part of the plain rate.
AIM = 0.7


class Leg(NamedTuple):
    name: str
    scheme: str
    arguments: list[str]


LEGS = [
    Leg("plain, HTTP/1.1", "http", ["--h1"]),
    Leg("TLS, HTTP/1.1", "https", ["--h1"]),
    Leg("TLS, HTTP/2, 10 streams a connection", "https", ["-m", "10"]),
]


def measure_tls(programs: Programs, folder: Path, rounds: int) -> None:
    settings = certificate(folder) | {
        "PUSHGATE_HTTP_TLS_PORT": str(port := 20_000 + time.time_ns() % 20_000), "PUSHGATE_HTTP_TLS_HOST": "127.0.0.1"}
    rates: dict[tuple[str, str], list[float]] = {}
    costs: dict[tuple[str, str], list[float]] = {}
    with Sink(programs.sink, folder / "sink") as sink:
        with Gateway(programs.pushgate, folder / "data", sink.addresses, settings) as gateway:
            urls = {"http": gateway.url, "https": f"https://127.0.0.1:{port}"}
            for number in range(rounds + 1):
                print(f"TLS, round {number} of {rounds} …", flush=True)
                for leg in LEGS:
                    for request in ("GET /healthz", "registration"):
                        rate, cost = load(gateway, urls[leg.scheme], leg, request, folder, REQUESTS, CONNECTIONS)
                        # Round 0 is a warm-up.
                        if number:
                            rates.setdefault((request, leg.name), []).append(rate)
                            costs.setdefault((request, leg.name), []).append(cost)
                for leg in LEGS[:2]:
                    rate, cost = connect(gateway, urls[leg.scheme], leg)
                    if number:
                        rates.setdefault(("a connection for each GET /healthz", leg.name), []).append(rate)
                        costs.setdefault(("a connection for each GET /healthz", leg.name), []).append(cost)
    rows = [
        [request, name, spread(values, 0), spread(ratios(rates, request, name), 2), spread(costs[request, name], 0)]
        for (request, name), values in rates.items()
    ]
    print()
    print_table([["", "", "a second", "of plain", "processor time, µs"], *rows], right={2, 3, 4})
    print_figures([
        Figure(f"{request}, {name}, of plain", "", AIM, values=ratios(rates, request, name))
        # HTTP/2 has a cost of its own, which is not that of TLS.
        for request, name in rates if name == LEGS[1].name and not request.startswith("a connection")
    ])


def ratios(rates: dict[tuple[str, str], list[float]], request: str, name: str) -> list[float]:
    return [rate / plain for rate, plain in zip(rates[request, name], rates[request, LEGS[0].name])]


def certificate(folder: Path) -> dict[str, str]:
    """Makes a certificate, and returns the settings that use it."""
    key, chain = folder / "tls.key", folder / "tls.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", chain],
        check=True, capture_output=True)
    return {"PUSHGATE_HTTP_TLS_CERTIFICATE": str(chain), "PUSHGATE_HTTP_TLS_KEY": str(key)}


def load(
    gateway: Gateway, url: str, leg: Leg, request: str, folder: Path, count: int, connections: int
) -> tuple[float, float]:
    """Returns the requests a second, and the gateway's processor time for one in microseconds."""
    if request == "registration":
        body = folder / "registration.json"
        body.write_text('{"cwd":"/srv/tls","installation_id":"phone","fcm_token":"emulated:phone"}')
        arguments = [
            "-d", str(body), "-H", f"Authorization: Bearer {SECRET}", "-H", "Content-Type: application/json",
            f"{url}/registerSubscription",
        ]
    else:
        arguments = [f"{url}/healthz"]
    return run(gateway, ["-n", str(count), "-c", str(connections), *leg.arguments, *arguments], count)


def connect(gateway: Gateway, url: str, leg: Leg) -> tuple[float, float]:
    """Returns the connections a second, of one request each, in groups of 64."""
    rate = cost = 0.0
    for _ in range(groups := CONNECTS // CONNECTIONS):
        arguments = ["-n", str(CONNECTIONS), "-c", str(CONNECTIONS), *leg.arguments, f"{url}/healthz"]
        one = run(gateway, arguments, CONNECTIONS)
        rate, cost = rate + one[0] / groups, cost + one[1] / groups
    return rate, cost


def run(gateway: Gateway, arguments: list[str], count: int) -> tuple[float, float]:
    before = gateway.processor_time()
    output = subprocess.run(["h2load", *arguments], capture_output=True, text=True).stdout
    answers = re.search(r"status codes: (\d+) 2xx", output)
    rate = re.search(r"finished in .*?, ([\d.]+) req/s", output)
    if not answers or not rate or int(answers[1]) != count:
        raise Failure(f"not all requests of h2load were answered:\n{output}")
    return float(rate[1]), (gateway.processor_time() - before) / count * 1e6

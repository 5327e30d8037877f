"""Sends 10,000 hostile calls over gRPC, REST and bare HTTP/2.

The gateway must not end, must answer every call in time and never with INTERNAL or UNKNOWN (500 over REST), must still
answer a valid call after every hundred, and its memory must not grow.
"""

import argparse
import http.client
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import grpc

from firestore_clients.api import BIDIRECTIONAL, CHANNEL, GRPC, METADATA, SERVICE, STREAMING, message, root
from firestore_clients.gateway import Failure, Gateway, add_gateway, new_gateway
from firestore_clients.hostile_connections import Connections
from firestore_clients.hostile_messages import NAMES, hostile
from firestore_clients.operations import Operations
from firestore_clients.values import update

DEADLINE_SECONDS = 120
# A stream that stays open is right for Listen and Write: their calls are ended after this time.
STREAM_SECONDS = 0.3
FORBIDDEN = {"INTERNAL", "UNKNOWN", "DATA_LOSS", "500", "502"}
# The growth of memory that is allowed after the first quarter of the calls.
GROWTH_MIB = 48
DOCUMENTS = 200


class Hostile:
    """The calls, and the counts of their answers."""

    def __init__(self, gateway: Gateway, seed: int) -> None:
        self.gateway, self.random, self.valid = gateway, random.Random(seed), Operations(seed)
        self.channel = grpc.insecure_channel(gateway.address, options=CHANNEL)
        self.connections = Connections(gateway.address, self.random)
        self.codes: Counter[str] = Counter()

    def call(self) -> None:
        chance = self.random.random()
        if chance < 0.7:
            self.call_grpc()
        elif chance < 0.85:
            self.call_rest()
        else:
            self.count("HTTP/2", *self.connections.attack())

    def call_grpc(self) -> None:
        method, data = hostile(self.random, self.valid)
        is_open = method in BIDIRECTIONAL
        if is_open:
            call = self.channel.stream_stream(SERVICE + method, bytes, bytes)
            argument: Any = iter([data] * self.random.randint(1, 3))
        else:
            make = self.channel.unary_stream if method in STREAMING else self.channel.unary_unary
            call, argument = make(SERVICE + method, bytes, bytes), data
        try:
            answer = call(argument, timeout=STREAM_SECONDS if is_open else DEADLINE_SECONDS, metadata=METADATA)
            if is_open or method in STREAMING:
                list(answer)
            code, text = "OK", ""
        except grpc.RpcError as error:
            code, text = error.code().name, error.details() or ""
        if code == "DEADLINE_EXCEEDED" and is_open:
            code = "still open"
        self.count("gRPC", code, f"{method} {data[:200]!r} ({len(data)} bytes): {text}")

    def call_rest(self) -> None:
        """Sends any body to any path."""
        by = self.random
        verb = by.choice(["GET", "POST", "PATCH", "DELETE", "POST", "PUT", "OPTIONS"])
        action = by.choice(["", ":commit", ":runQuery", ":batchGet", ":beginTransaction", ":rollback", ":nothing", ":listen"])
        name = by.choice([root(), f"{root()}/c", f"{root()}/c/d"] + NAMES[:-2]).encode("unicode_escape").decode()
        query = by.choice(["", "?pageSize=x", "?readTime=yesterday", "?mask.fieldPaths=a..b", "?transaction=%ff", "?a=%", "?pageSize=-1"])
        body = by.choice([
            b"", b"{", b"[]", b"null", b'{"nothing":1}', b'{"structuredQuery":{"from":3}}', b"\xff\xfe",
            b'{"writes":[{"update":{"name":"x","fields":{"a":{"integerValue":"1e400"}}}}]}', b"[" * 100_000,
            b'{"a":' * 50_000, b'{"writes":[{"update":{"fields":{"a":' + b'{"mapValue":{"fields":{"a":' * 3_000,
            b'{"fields":{"a":{"timestampValue":"99999-01-01T00:00:00Z"}}}', b'{"fields":{"a":{"bytesValue":"***"}}}'])
        connection = http.client.HTTPConnection(self.gateway.address, timeout=DEADLINE_SECONDS)
        path = "/v1/" + name.replace(" ", "%20") + action + query
        try:
            connection.request(verb, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            code = str(answer.status)
        except TimeoutError:
            code = "DEADLINE_EXCEEDED"
        except (ConnectionError, http.client.HTTPException):
            code = "closed"
        finally:
            connection.close()
        self.count("REST", code, f"{verb} {path[:300]} {body[:100]!r}")

    def count(self, kind: str, code: str, words: str) -> None:
        self.codes[f"{kind} {code}"] += 1
        if code in FORBIDDEN or code in ("DEADLINE_EXCEEDED", "UNAVAILABLE"):
            raise Failure(f"{kind} was answered {code}: {words}")

    def check(self) -> None:
        """Fails unless the gateway runs and answers a valid query."""
        if not self.gateway.is_running():
            raise Failure(f"the gateway ended with {self.gateway.process.returncode}:\n{self.gateway.words()}")
        request = message("RunQueryRequest")(parent=root())
        getattr(request.structured_query, "from_").add(collection_id="large")
        api = GRPC(self.gateway.address)
        found = sum(one.HasField("document") for one in api.call("RunQuery", request, DEADLINE_SECONDS))
        api.close()
        if found != DOCUMENTS:
            raise Failure(f"a valid query has {found} documents, not {DOCUMENTS}")


def run(gateway: Gateway, options: argparse.Namespace) -> None:
    fill(GRPC(gateway.address))
    hostile, before = Hostile(gateway, options.seed), 0.0
    for number in range(1, options.calls + 1):
        hostile.call()
        if number % 100 == 0:
            hostile.check()
        if number % 1_000 == 0:
            print(f"{number:,} calls, {gateway.memory()['RssAnon']:.0f} MiB", flush=True)
        if number == options.calls // 4:
            before = gateway.memory()["RssAnon"]
    hostile.connections.close()
    hostile.check()
    for name, count in sorted(hostile.codes.items()):
        print(f"{count:9,}  {name}")
    growth = gateway.memory()["RssAnon"] - before
    print(f"{options.calls:,} hostile calls; memory grew by {growth:.0f} MiB after the first quarter, {GROWTH_MIB} are allowed")
    if growth > GROWTH_MIB:
        raise Failure("memory grew")
    for expected in ("gRPC INVALID_ARGUMENT", "gRPC UNIMPLEMENTED", "gRPC OK", "REST 400", "HTTP/2 left open"):
        if not hostile.codes[expected] and options.calls >= 1_000:
            raise Failure(f"no call was answered {expected}: not what this should test")


def fill(api: GRPC) -> None:
    """Writes documents whose query is larger than any window of flow control."""
    database = root().removesuffix("/documents")
    for first in range(0, DOCUMENTS, 50):
        writes = [update(f"{root()}/large/{n:03}", {"text": "x" * 20_000}) for n in range(first, first + 50)]
        api.call("Commit", message("CommitRequest")(database=database, writes=writes))
    api.close()


def main() -> int:
    options = read_options()
    print(f"seed {options.seed}", flush=True)
    try:
        with (tempfile.TemporaryDirectory(prefix="pushgate-hostile-") as folder,
              new_gateway(options, Path(folder) / "gateway") as gateway):
            run(gateway, options)
            return 0
    except Failure as failure:
        print(f"hostile: {failure}", file=sys.stderr)
        return 1


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/FirestoreClients/run hostile.py", description=__doc__)
    add_gateway(parser)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

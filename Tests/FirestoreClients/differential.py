"""Sends the same random operations to the gateway and to Google's emulator, and compares the answers.

Each operation is a write, a query or another read over random typed values, from a seed. Codes, documents, results of
transforms and orders must be equal; times are compared by the operation that made them, and texts of errors are not. A
difference is printed with the request, unless the contract declares it; `DECLARED` in firestore_clients/comparison.py is
the list. After a difference in a write, its documents are deleted on both sides, so that nothing else differs because of it.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from firestore_clients.api import GRPC, PROJECT, REST, CallError, message, root
from firestore_clients.comparison import Answer, Comparable, declared
from firestore_clients.gateway import JAR, Failure, Oracle, add_gateway, new_gateway
from firestore_clients.operations import DATABASE, Operation, Operations
from firestore_clients.values import deletion

# Both databases are read as a whole after so many operations.
CHECK_EVERY = 500
# The share of valid operations below which a run proves too little.
LEAST_VALID = 0.4
SHARE_OF_REST = 0.1


def has_negative_zero(operation: Operation) -> bool:
    """Google's emulator stores it without its sign over REST (§14), and answers would differ from then on."""
    return "-0.0" in json_format.MessageToJson(operation.request)


class Side:
    """One of the two servers."""

    def __init__(self, address: str, ignores_unknown: bool = False) -> None:
        self.grpc, self.rest, self.comparable = GRPC(address), REST(address, ignores_unknown), Comparable()

    def run(self, operation: Operation, number: int) -> Answer:
        api = self.rest if "REST" in operation.traits else self.grpc
        try:
            outcome = api.call(operation.method, operation.request)
        except CallError as error:
            outcome = error
        return self.comparable.answer(operation, outcome, number)


class Comparison:
    def __init__(self, ours: Side, theirs: Side, seed: int, most: int) -> None:
        self.ours, self.theirs, self.seed, self.most = ours, theirs, seed, most
        self.operations, self.random = Operations(seed), random.Random(seed + 1)
        self.codes: Counter[str] = Counter()
        self.explained: Counter[str] = Counter()
        self.differences = 0

    def run(self, count: int) -> None:
        for number in range(1, count + 1):
            operation = self.operations.next()
            if self.random.random() < SHARE_OF_REST and not has_negative_zero(operation):
                operation = operation._replace(traits=operation.traits | {"REST"})
            self.compare(operation, number)
            if "server time" in operation.traits:
                # Two times of one millisecond on one side only would be another order.
                time.sleep(0.002)
            if number % CHECK_EVERY == 0 or number == count:
                self.compare(everything(), number)
                print(f"{number:,} operations, {self.differences} differences", flush=True)
            if self.differences >= self.most:
                return print(f"stopped after {self.most} differences")

    def compare(self, operation: Operation, number: int) -> None:
        theirs, ours = self.theirs.run(operation, number), self.ours.run(operation, number)
        self.codes[f"{operation.method} {ours.code}"] += 1
        if theirs[:2] == ours[:2]:
            return
        if reason := declared(operation, theirs, ours):
            self.explained[f"§{reason.section} {reason.words}"] += 1
        else:
            self.differences += 1
            self.show(operation, number, theirs, ours)
        if operation.documents:
            self.heal(operation)

    def heal(self, operation: Operation) -> None:
        """Makes the documents of a write equal on both sides."""
        writes = [deletion(name) for name in dict.fromkeys(operation.documents)]
        for side in (self.theirs, self.ours):
            side.grpc.call("Commit", message("CommitRequest")(database=DATABASE, writes=writes))

    def show(self, operation: Operation, number: int, theirs: Answer, ours: Answer) -> None:
        print(f"\nDIFFERENCE {self.differences}: operation {number} of seed {self.seed}, {operation.method}"
              f" {sorted(operation.traits) or ''}\n{operation.request}")
        print(f"Google: {theirs.code} {theirs.text}\n  {theirs.content}\nours:   {ours.code} {ours.text}\n  {ours.content}",
              flush=True)

    def conclude(self) -> bool:
        print("\nanswers of ours by method and code")
        for name, count in sorted(self.codes.items()):
            print(f"{count:9,}  {name}")
        for name, count in sorted(self.explained.items()):
            print(f"{count:9,}  declared: {name}")
        valid = sum(count for name, count in self.codes.items() if name.endswith(" OK")) / max(1, self.codes.total())
        print(f"\n{self.codes.total():,} operations, {valid:.0%} valid, {self.differences} differences, seed {self.seed}")
        if valid < LEAST_VALID:
            print(f"too few of the operations were valid; {LEAST_VALID:.0%} must be")
        return not self.differences and valid >= LEAST_VALID


def everything() -> Operation:
    """Returns a query for all documents of the database."""
    request = message("RunQueryRequest")(parent=root())
    getattr(request.structured_query, "from_").add(all_descendants=True)
    return Operation("RunQuery", request, [], frozenset({"everything"}))


def main() -> int:
    options = read_options()
    if not options.theirs and (reason := Oracle.missing(options.jar)):
        print(f"The comparison with Google's emulator is skipped: {reason}.")
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="pushgate-differential-") as folder, ExitStack() as stack:
            return 0 if run(Path(folder), stack, options) else 1
    except (Failure, CallError) as failure:
        print(f"differential: {failure}", file=sys.stderr)
        return 1


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/FirestoreClients/run differential.py", description=__doc__)
    add_gateway(parser)
    parser.add_argument("--operations", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--most", type=int, default=20, help="the number of differences that ends the run (20)")
    parser.add_argument("--jar", type=Path, default=JAR, help="Google's emulator")
    parser.add_argument("--ours", help="HOST:PORT of a gateway that runs already")
    parser.add_argument("--theirs", help="HOST:PORT of another server to compare with, instead of Google's emulator")
    return parser.parse_args()


def run(folder: Path, stack: ExitStack, options: argparse.Namespace) -> bool:
    servers: list[Any] = []
    if not options.ours:
        servers.append(stack.enter_context(new_gateway(options, folder / "gateway")))
    if not options.theirs:
        servers.append(stack.enter_context(Oracle(folder / "oracle", options.jar)))
    for server in servers:
        server.clear(PROJECT)
    print(f"seed {options.seed}", flush=True)
    ours = Side(options.ours or servers[0].address)
    comparison = Comparison(ours, Side(options.theirs or servers[-1].address, ignores_unknown=True), options.seed, options.most)
    comparison.run(options.operations)
    for server in servers:
        if not server.is_running():
            raise Failure(f"the {server.name} ended:\n{server.words()}")
    return comparison.conclude()


if __name__ == "__main__":
    sys.exit(main())

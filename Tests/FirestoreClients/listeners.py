"""Lets 50 listeners follow random writes, while their streams are cut and resumed.

Every commit writes both documents of a pair with the same number, so that a snapshot with different numbers shows half a
commit. No change may come twice, no time go back, and at the end each listener must have exactly what a query says.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from firestore_clients.api import GRPC, message, root
from firestore_clients.gateway import Failure, Gateway, add_gateway, new_gateway
from firestore_clients.listener import DATABASE, Listener, Target
from firestore_clients.stop import Stop
from firestore_clients.values import deletion, update, value

PAIRS = 40
SETTLE_SECONDS = 300
Query = message("StructuredQuery")


def names(pair: int) -> list[str]:
    return [f"{root()}/pairs/{pair:02}{half}" for half in "ab"]


def check_pairs(documents: dict[str, Any]) -> str | None:
    """Returns the first pair of which a snapshot shows one commit's half."""
    for pair in range(PAIRS):
        numbers = [documents[name].fields["n"].integer_value if name in documents else None for name in names(pair)]
        if numbers[0] != numbers[1]:
            return f"pair {pair} has the numbers {numbers} in one snapshot"
    return None


def target(number: int, chance: random.Random) -> tuple[Any, Any]:
    """Returns the target of a listener, and the check of its snapshots. Five kinds take turns."""
    query = Query()
    getattr(query, "from_").add(collection_id="pairs", all_descendants=number % 5 == 1)
    check = check_pairs
    if number % 5 == 2:
        # The halves of a pair have the same `group`, so that they enter and leave together.
        query.where.field_filter.field.field_path, query.where.field_filter.op = "group", 5
        query.where.field_filter.value.CopyFrom(value(chance.randrange(4)))
    elif number % 5 == 3:
        query.order_by.add(field={"field_path": "n"}, direction=2)
        query.limit.value = chance.randint(1, 9)
        check = lambda documents: f"{len(documents)} documents" if len(documents) > query.limit.value else None  # noqa: E731
    elif number % 5 == 4:
        picked = chance.sample(range(PAIRS), 5)
        return Target(documents={"documents": [name for pair in picked for name in names(pair)]}), check
    return Target(query={"parent": root(), "structured_query": query}), check


class Writer:
    """A client that writes pairs."""

    def __init__(self, address: str, chance: random.Random) -> None:
        self.api, self.random, self.number = GRPC(address), chance, 0

    def work(self) -> None:
        self.number += 1
        pair = self.random.randrange(PAIRS)
        if self.random.random() < 0.15:
            writes = [deletion(name) for name in names(pair)]
        else:
            # A number that was there before changes nothing, and must not be told.
            fields = {"n": self.random.choice([self.number, 7]), "group": self.random.randrange(4)}
            writes = [update(name, fields) for name in names(pair)]
        self.api.call("Commit", message("CommitRequest")(database=DATABASE, writes=writes))
        time.sleep(self.random.uniform(0, 0.01))


def expected(api: Any, target: Any) -> dict[str, Any]:
    """Returns what a query says now, by name."""
    if target.HasField("documents"):
        request = message("BatchGetDocumentsRequest")(database=DATABASE, documents=target.documents.documents)
        answers = api.call("BatchGetDocuments", request)
        return {one.found.name: one.found for one in answers if one.HasField("found")}
    request = message("RunQueryRequest")(parent=root(), structured_query=target.query.structured_query)
    return {one.document.name: one.document for one in api.call("RunQuery", request) if one.HasField("document")}


def settle(api: Any, listeners: list[Listener], stop: Stop) -> None:
    """Waits until each listener has what a query says, and fails with the difference."""
    deadline = time.monotonic() + SETTLE_SECONDS
    wanted = [expected(api, one.target) for one in listeners]
    while time.monotonic() < deadline and not stop.faults:
        if all(one.is_current and one.snapshot == want for one, want in zip(listeners, wanted)):
            return
        time.sleep(0.1)
    for one, want in zip(listeners, wanted):
        if one.snapshot != want:
            differing = sorted(name.rpartition("/")[2] for name in one.snapshot.keys() | want.keys()
                               if one.snapshot.get(name) != want.get(name))
            stop.fault(f"listener {one.id} differs from the query in {differing[:8]} ({len(one.snapshot)} documents,"
                       f" the query has {len(want)}):\n{one.target}")


def run(gateway: Gateway, options: argparse.Namespace) -> None:
    chance = random.Random(options.seed)
    made = [target(number, chance) for number in range(options.listeners)]
    listeners = [Listener(gateway.address, number, *one) for number, one in enumerate(made)]
    listening, writing = Stop(), Stop()
    writers = [Writer(gateway.address, random.Random(options.seed * 10 + number)) for number in range(3)]

    def meanwhile() -> None:
        try:
            writing.run([one.work for one in writers], lambda: cut(listeners, options.seconds, chance, listening))
            settle(GRPC(gateway.address), listeners, listening)
        finally:
            # After the event, so that no listener begins again.
            listening.event.set()
            for _ in range(20):
                for one in listeners:
                    one.cut()
                time.sleep(0.05)

    listening.run([one.work for one in listeners], meanwhile)
    if not all(one.snapshots > 1 and one.changes for one in listeners) or not sum(one.resumed for one in listeners):
        raise Failure("a listener got no snapshots or changes, or none was cut: nothing was tested")
    total = {name: sum(getattr(one, name) for one in listeners)
             for name in ("snapshots", "changes", "resumed", "resets", "mismatches")}
    print(f"{len(listeners)} listeners, {sum(one.number for one in writers):,} commits: {total}")
    if total["resets"] > total["resumed"] * options.resets:
        raise Failure("too many resumed targets were reset; a token of a minute ago must be enough")


def cut(listeners: list[Listener], seconds: float, chance: random.Random, stop: Stop) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stop.event.wait(chance.uniform(0.05, 0.4)):
        for one in chance.sample(listeners, min(len(listeners), chance.choice([1, 2, 10]))):
            one.cut()


def main() -> int:
    options = read_options()
    print(f"seed {options.seed}", flush=True)
    try:
        with (tempfile.TemporaryDirectory(prefix="pushgate-listeners-") as folder,
              new_gateway(options, Path(folder) / "gateway") as gateway):
            run(gateway, options)
            return 0
    except Failure as failure:
        print(f"listeners: {failure}", file=sys.stderr)
        return 1


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/FirestoreClients/run listeners.py", description=__doc__)
    add_gateway(parser)
    parser.add_argument("--listeners", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--resets", type=float, default=0, help="the share of resumed targets that may be reset (none)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

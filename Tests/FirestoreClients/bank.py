"""Moves money between 100 accounts over gRPC and REST at once, while the gateway is killed again and again.

Each transfer is a transaction that reads two accounts, writes both, and creates a document of its own, so that the
balances can be computed again from the transfers. In every snapshot (a query, an aggregation, a read-only transaction, a
read at an earlier time) the sum must be right. At the end each balance must be what the transfers make of it, and each
transfer that was answered must be there. A commit whose answer is lost is repeated, and a transfer whose repetition is
aborted is tried again: it would be refused if the first commit had been applied, because its document exists. Then four
clients add to one counter, and their transactions are counted.
"""

import argparse
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from firestore_clients.api import GRPC, REST, CallError, message, root
from firestore_clients.gateway import Failure, Gateway, add_gateway, new_gateway
from firestore_clients.stop import Stop
from firestore_clients.transactions import DATABASE, LOST, Transactions
from firestore_clients.values import update

ACCOUNTS = [f"{root()}/accounts/{number:03}" for number in range(100)]
START = 1_000
TOTAL = START * len(ACCOUNTS)
COUNTER = f"{root()}/counters/hot"
ADDERS = 4


class Teller:
    """A client that moves money, and remembers the transfers whose commits were answered."""

    def __init__(self, number: int, api: Any, seed: int) -> None:
        self.number, self.api, self.random = number, api, random.Random(seed * 100 + number)
        self.transactions = Transactions(api)
        self.tried, self.answered, self.times = set[str](), set[str](), list[Any]()

    def move(self) -> None:
        source, target = self.random.sample(ACCOUNTS, 2)
        name = f"{root()}/transfers/{self.number:02}-{len(self.tried):06}"
        wanted = self.random.randint(1, 50)
        self.tried.add(name)

        def writes(documents: dict[str, Any]) -> list[Any]:
            have = balance(documents[source])
            amount = min(wanted, have)
            made = update(name, {"from": source, "to": target, "amount": amount})
            made.current_document.exists = False
            return [
                update(source, {"balance": have - amount}),
                update(target, {"balance": balance(documents[target]) + amount}), made]

        try:
            answer = self.transactions.run([source, target], writes)
            self.answered.add(name)
            self.times.append(answer.commit_time)
        except CallError as error:
            # Any id of a transaction is unknown after a restart.
            gone = error.code == "INVALID_ARGUMENT" and "transaction" in error.text.lower()
            if error.code not in LOST and not gone:
                raise
            time.sleep(0.05)


class Auditor:
    """A client that reads the sum in all ways."""

    def __init__(self, api: Any, tellers: list[Teller]) -> None:
        self.api, self.tellers, self.sums = api, tellers, 0
        self.ways = [self.by_query, self.by_aggregation, self.by_read_only_transaction, self.by_time]

    def audit(self) -> None:
        for way in self.ways:
            try:
                total = way()
            except CallError as error:
                gone = error.code == "INVALID_ARGUMENT" and "transaction" in error.text.lower()
                if error.code not in LOST and not gone:
                    raise
                time.sleep(0.05)
                continue
            if total not in (None, TOTAL):
                raise Failure(f"the sum {way.__name__.replace('_', ' ')} over {self.api.kind} is {total}, not {TOTAL}")
            self.sums += total is not None

    def query(self, **options: Any) -> int:
        request = message("RunQueryRequest")(parent=root(), **options)
        getattr(request.structured_query, "from_").add(collection_id="accounts")
        answers = self.api.call("RunQuery", request)
        return sum(balance(one.document) for one in answers if one.HasField("document"))

    def by_query(self) -> int:
        return self.query()

    def by_time(self) -> int | None:
        times = self.tellers[len(self.tellers) // 2].times
        return self.query(read_time=times[-1]) if times else None

    def by_aggregation(self) -> int:
        request = message("RunAggregationQueryRequest")(parent=root())
        aggregation = request.structured_aggregation_query
        getattr(aggregation.structured_query, "from_").add(collection_id="accounts")
        aggregation.aggregations.add(alias="sum", sum={"field": {"field_path": "balance"}})
        return self.api.call("RunAggregationQuery", request)[0].result.aggregate_fields["sum"].integer_value

    def by_read_only_transaction(self) -> int:
        begin = message("BeginTransactionRequest")(database=DATABASE)
        begin.options.read_only.SetInParent()
        transaction = self.api.call("BeginTransaction", begin).transaction
        half = len(ACCOUNTS) // 2
        client = Transactions(self.api)
        # Two reads, between which transfers are committed.
        documents = client.read(ACCOUNTS[:half], transaction) | client.read(ACCOUNTS[half:], transaction)
        return sum(balance(one) for one in documents.values())


def balance(document: Any) -> int:
    return document.fields["balance"].integer_value


def bank(gateway: Gateway, options: argparse.Namespace) -> None:
    setup = GRPC(gateway.address)
    writes = [update(name, {"balance": START}) for name in ACCOUNTS]
    setup.call("Commit", message("CommitRequest")(database=DATABASE, writes=writes))
    apis = [GRPC(gateway.address) if number % 2 else REST(gateway.address) for number in range(options.clients)]
    tellers = [Teller(number, api, options.seed) for number, api in enumerate(apis)]
    auditors = [Auditor(api(gateway.address), tellers) for api in (GRPC, REST)]
    stop, works = Stop(), [one.move for one in tellers] + [one.audit for one in auditors]
    stop.run(works, lambda: kill_again_and_again(gateway, options, stop))
    judge(REST(gateway.address), tellers, auditors)


def kill_again_and_again(gateway: Gateway, options: argparse.Namespace, stop: Stop) -> None:
    moments = random.Random(options.seed)
    for kill in range(options.kills + 1):
        if stop.event.wait(options.seconds / (options.kills + 1) * moments.uniform(0.7, 1.3)):
            return
        if not gateway.is_running():
            raise Failure(f"the gateway ended with {gateway.process.returncode}:\n{gateway.words()}")
        if kill < options.kills:
            gateway.kill()
            gateway.start()


def judge(api: Any, tellers: list[Teller], auditors: list[Auditor]) -> None:
    """Computes the balances from the transfers, and compares."""
    stored = documents(api, "transfers")
    expected = dict.fromkeys(ACCOUNTS, START)
    for transfer in stored.values():
        amount = transfer.fields["amount"].integer_value
        expected[transfer.fields["from"].string_value] -= amount
        expected[transfer.fields["to"].string_value] += amount
    found = {name: balance(one) for name, one in documents(api, "accounts").items()}
    answered = set[str]().union(*(one.answered for one in tellers))
    tried = set[str]().union(*(one.tried for one in tellers))
    if found != expected:
        wrong = [f"{name[-3:]}: {found.get(name)}, not {amount}" for name, amount in expected.items() if found.get(name) != amount]
        raise Failure(f"{len(wrong)} balances are not what the transfers make: {'; '.join(wrong[:10])}")
    if lost := answered - stored.keys():
        raise Failure(f"{len(lost)} transfers that were answered are lost: {sorted(lost)[:5]}")
    if strange := stored.keys() - tried:
        raise Failure(f"{len(strange)} transfers are there that nobody tried: {sorted(strange)[:5]}")
    for kind in ("gRPC", "REST"):
        if not any(one.answered for one in tellers if one.api.kind == kind):
            raise Failure(f"no transfer succeeded over {kind}")
    if not all(one.sums for one in auditors):
        raise Failure("a reader never saw a sum")
    aborted = sum(one.transactions.aborted for one in tellers)
    repeated = sum(one.transactions.repeated for one in tellers)
    print(f"bank: {len(answered):,} transfers answered, {len(stored):,} stored, {aborted:,} attempts aborted,"
          f" {repeated:,} commits repeated, {sum(one.sums for one in auditors):,} sums right", flush=True)


def documents(api: Any, collection: str) -> dict[str, Any]:
    request = message("RunQueryRequest")(parent=root())
    getattr(request.structured_query, "from_").add(collection_id=collection)
    return {one.document.name: one.document for one in api.call("RunQuery", request) if one.HasField("document")}


def contend(gateway: Gateway, seconds: float, least: float) -> None:
    """Lets four clients add to one counter."""
    apis = [GRPC(gateway.address) for _ in range(ADDERS)]
    start = message("CommitRequest")(database=DATABASE, writes=[update(COUNTER, {"balance": 0})])
    apis[0].call("Commit", start)
    added, clients = [0] * ADDERS, [Transactions(api) for api in apis]

    def adder(number: int) -> Any:
        def add() -> None:
            clients[number].run([COUNTER], lambda read: [update(COUNTER, {"balance": balance(read[COUNTER]) + 1})])
            added[number] += 1
        return add

    stop = Stop()
    stop.run([adder(number) for number in range(ADDERS)], lambda: stop.event.wait(seconds))
    stored = balance(documents(apis[0], "counters")[COUNTER])
    rate = sum(added) / seconds
    print(f"contention: {rate:,.0f} transactions/s of {ADDERS} clients on one counter ({added}),"
          f" {sum(one.aborted for one in clients):,} attempts aborted", flush=True)
    if stored != sum(added):
        raise Failure(f"the counter is {stored} after {sum(added)} additions")
    if rate < least or not all(added):
        raise Failure(f"at least {least} transactions/s are required, and some of every client")


def main() -> int:
    options = read_options()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    print(f"seed {options.seed}", flush=True)
    try:
        with (tempfile.TemporaryDirectory(prefix="pushgate-bank-") as folder,
              new_gateway(options, Path(folder) / "gateway") as gateway):
            bank(gateway, options)
            contend(gateway, options.contention, options.least)
            return 0
    except Failure as failure:
        print(f"bank: {failure}", file=sys.stderr)
        return 1


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/FirestoreClients/run bank.py", description=__doc__)
    add_gateway(parser)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--contention", type=float, default=5, help="the seconds on one counter (5)")
    parser.add_argument("--least", type=float, default=100, help="the required transactions/s on one counter (100)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""The client of the measurements of Firestore's API: client.py HOST:PORT ROW, which prints figures as JSON.

It runs with the packages of Tests/FirestoreClients, and counts no answer but the right one.
"""

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from firestore_clients.api import GRPC, PROJECT, CallError, message, root
from firestore_clients.transactions import DATABASE, Transactions
from firestore_clients.values import update

SECONDS = 3.0
DOCUMENTS = 10_000
IMPORTED = 100_000
BATCH = 500
LISTENERS = 10
CHANGES = 40
REPETITIONS = 15


def commit(api: GRPC, writes: list[Any]) -> Any:
    return api.call("Commit", message("CommitRequest")(database=DATABASE, writes=writes))


def rate(in_flight: int, call: Callable[[int], Any]) -> float:
    """Calls from so many threads for some seconds, and returns the calls a second."""
    end, counts, faults = time.monotonic() + SECONDS, [0] * in_flight, list[Exception]()

    def work(number: int) -> None:
        try:
            while time.monotonic() < end:
                call(number)
                counts[number] += 1
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(in_flight)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return sum(counts) / SECONDS


def simple(api: GRPC, in_flight: int) -> dict[str, float]:
    names = [f"{root()}/simple/{number}" for number in range(in_flight)]
    get = message("BatchGetDocumentsRequest")
    sets = rate(in_flight, lambda number: commit(api, [update(names[number], {"n": time.monotonic_ns()})]))
    gets = rate(in_flight, lambda number: api.call("BatchGetDocuments", get(database=DATABASE, documents=[names[number]])))
    return {f"bare gRPC, {in_flight} in flight: set": sets, f"bare gRPC, {in_flight} in flight: get": gets}


def library(_: GRPC, address: str) -> dict[str, float]:
    """Measures Google's own client."""
    os.environ["FIRESTORE_EMULATOR_HOST"] = address
    from google.cloud import firestore

    document = firestore.Client(project=PROJECT).document("library/one")
    sets = rate(1, lambda _: document.set({"n": time.monotonic_ns()}))
    return {"Python client: set": sets, "Python client: get": rate(1, lambda _: document.get())}


def batches(api: GRPC, collection: str, count: int) -> float:
    """Writes documents by BatchWrite, and returns the documents a second."""
    started = time.monotonic()
    for first in range(0, count, BATCH):
        writes = [update(f"{root()}/{collection}/{number:06}", {"n": number, "group": number % 100, "text": "x" * 50})
                  for number in range(first, first + BATCH)]
        answer = api.call("BatchWrite", message("BatchWriteRequest")(database=DATABASE, writes=writes))
        if any(status.code for status in answer.status):
            raise RuntimeError("a write of a batch was refused")
    return count / (time.monotonic() - started)


def load(api: GRPC) -> dict[str, float]:
    return {"import by BatchWrite of 500": batches(api, "imported", IMPORTED)}


def left(api: GRPC) -> dict[str, float]:
    return {"left after SIGKILL": count(api, "imported")}


def count(api: GRPC, collection: str) -> int:
    request = message("RunAggregationQueryRequest")(parent=root())
    aggregation = request.structured_aggregation_query
    getattr(aggregation.structured_query, "from_").add(collection_id=collection)
    aggregation.aggregations.add(alias="n", count={})
    return api.call("RunAggregationQuery", request)[0].result.aggregate_fields["n"].integer_value


def query(collection: str) -> Any:
    request = message("RunQueryRequest")(parent=root())
    getattr(request.structured_query, "from_").add(collection_id=collection)
    return request


def queries(api: GRPC) -> dict[str, float]:
    """Writes the documents that the client in Go queries, and counts them."""
    for collection in ("many", "indexed"):
        batches(api, collection, DOCUMENTS)
    delays = []
    for _ in range(REPETITIONS):
        started = time.monotonic()
        total = count(api, "many")
        delays.append((time.monotonic() - started) * 1e3)
        if total != DOCUMENTS:
            raise RuntimeError(f"{total} documents were counted, not {DOCUMENTS}")
    return {"count of them": median(delays)}


def listeners(api: GRPC, address: str, documents: int) -> dict[str, float]:
    """Measures the time from a commit's request to the change at each of ten listeners."""
    collection = f"heard{documents}"
    batches(api, collection, max(BATCH, documents)) if documents >= BATCH else commit(api, [
        update(f"{root()}/{collection}/{number:06}", {"n": number}) for number in range(documents)])
    sent, delays, ready = {}, queue.SimpleQueue[float](), threading.Semaphore(0)
    calls = [listen(GRPC(address), collection, sent, delays, ready) for _ in range(LISTENERS)]
    for _ in calls:
        if not ready.acquire(timeout=60):
            raise RuntimeError("a listener was never current")
    heard = []
    for number in range(CHANGES):
        sent[10**9 + number] = time.monotonic()
        commit(api, [update(f"{root()}/{collection}/{number:06}", {"n": 10**9 + number})])
        heard += [delays.get(timeout=60) * 1e3 for _ in calls]
    for call in calls:
        call.cancel()
    heard.sort()
    name = f"10 listeners, {documents:,} documents"
    return {f"{name}: median": median(heard), f"{name}: 99th": heard[int(len(heard) * 0.99)]}


def listen(api: GRPC, collection: str, sent: dict[int, float], delays: Any, ready: Any) -> Any:
    requests = queue.SimpleQueue[Any]()
    target = {"target_id": 1, "query": {"parent": root(), "structured_query": query(collection).structured_query}}
    requests.put(message("ListenRequest")(database=DATABASE, add_target=target))
    call = api.both_ways("Listen", iter(requests.get, None))

    def read() -> None:
        known, pending = set[int](), list[int]()
        is_ready = False
        try:
            for answer in call:
                number = answer.document_change.document.fields["n"].integer_value if answer.HasField("document_change") else 0
                if number in sent and number not in known:
                    known.add(number)
                    pending.append(number)
                change = answer.target_change
                if answer.HasField("target_change") and not change.target_change_type and not change.target_ids:
                    # As clients do, only a snapshot counts.
                    for one in pending:
                        delays.put(time.monotonic() - sent[one])
                    pending.clear()
                    if not is_ready:
                        is_ready = True
                        ready.release()
        except Exception:
            return

    threading.Thread(target=read, daemon=True).start()
    return call


def contention(api: GRPC, address: str) -> dict[str, float]:
    name = f"{root()}/counters/hot"
    commit(api, [update(name, {"n": 0})])
    clients = [Transactions(GRPC(address)) for _ in range(4)]
    added = rate(4, lambda number: clients[number].run(
        [name], lambda read: [update(name, {"n": read[name].fields["n"].integer_value + 1})]))
    stored = api.call("GetDocument", message("GetDocumentRequest")(name=name)).fields["n"].integer_value
    if stored != round(added * SECONDS):
        raise RuntimeError(f"the counter is {stored} after {added * SECONDS} additions")
    return {"4 clients, one counter": added}


def main() -> None:
    address, row = sys.argv[1:]
    # On two processors, Python's threads would pass its lock from one to the other for most of the time.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    api = GRPC(address)
    rows: dict[str, Callable[[], dict[str, float]]] = {
        "library": lambda: library(api, address), "one": lambda: simple(api, 1), "many": lambda: simple(api, 32),
        "load": lambda: load(api), "left": lambda: left(api), "queries": lambda: queries(api),
        "listeners": lambda: listeners(api, address, 100), "more-listeners": lambda: listeners(api, address, 2_000),
        "contention": lambda: contention(api, address)}
    try:
        print(json.dumps(rows[row]()))
    except (CallError, RuntimeError) as error:
        sys.exit(f"{row}: {error}")


if __name__ == "__main__":
    main()

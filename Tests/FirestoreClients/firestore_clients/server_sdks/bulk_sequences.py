"""BulkWriter, and the recursive delete that uses it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from ..values import Reference
from .query import NAME, Query
from .sdk import documents, fields, ids, typed
from .writes import change, create, delete, replace

BATCH, RETRY_BATCH = 20, 10
OK, NOT_FOUND, ALREADY_EXISTS = 0, 5, 6
# More than these deletes are never pending, so that a recursive delete asks for the next ones.
PENDING = 5000
# The least id that there can be.
LEAST_ID = "__id-9223372036854775808__"


def send(sdk, writes, size=BATCH):
    """Sends the batches at once, as BulkWriter does, and returns the status and the result of each write."""
    batches = [writes[start:start + size] for start in range(0, len(writes), size)]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda batch: sdk.send("BatchWrite", writes=batch), batches))
    assert all(len(one.status) == len(one.write_results) == len(batch) for one, batch in zip(answers, batches))
    return [pair for one in answers for pair in zip((status.code for status in one.status), one.write_results)]


def test_BulkWriter_applies_each_write_by_itself(sdk):
    there, missing = sdk.document("there"), sdk.document("missing")
    sdk.commit(create(there, {"n": 1}))
    writes = [create(there, {"n": 2}), change(missing, {"n": 2}, ["n"])]
    writes += [create(sdk.document(f"{number:02}"), {"n": number}) for number in range(17)] + [delete(sdk.document("x"))]
    results = send(sdk, writes)
    assert [status for status, _ in results] == [ALREADY_EXISTS, NOT_FOUND] + [OK] * 18
    # A delete has no time; the SDKs put one of 1970 in its place.
    assert [result.HasField("update_time") for _, result in results[2:19]] == [True] * 17
    (answer,) = sdk.get(there)
    assert fields(answer.found) == typed(n=1)
    assert len(documents(sdk.run(sdk.query()))) == 18


def test_BulkWriter_sends_many_batches_at_once(sdk):
    results = send(sdk, [replace(sdk.document(f"{number:04}"), {"n": number}) for number in range(1000)])
    assert [status for status, _ in results] == [OK] * 1000
    found = documents(sdk.run(sdk.query()))
    assert len(found) == 1000
    assert {one.name: one.update_time for one in found} == {
        sdk.document(f"{number:04}"): result.update_time for number, (_, result) in enumerate(results)}


def test_BulkWriter_repeats_the_failed_writes_in_smaller_batches(sdk):
    names = [sdk.document(f"{number:02}") for number in range(40)]
    sdk.commit(*(create(name, {"old": True}) for name in names[::2]))
    writes = [create(name, {"n": 1}) for name in names]
    failed = [write for write, (status, _) in zip(writes, send(sdk, writes)) if status]
    assert [write.update.name for write in failed] == names[::2]
    sdk.commit(*(delete(name) for name in names[::2]))
    assert [status for status, _ in send(sdk, failed, RETRY_BATCH)] == [OK] * 20
    assert [fields(one) for one in documents(sdk.run(sdk.query()))] == [typed(n=1)] * 40


def recursive_delete(sdk, query, limit=PENDING):
    """Deletes what a kindless query finds, page by page; returns the names."""
    query, deleted = query.select(NAME).limit(limit), []
    while True:
        page = documents(sdk.run(query))
        assert not any(fields(one) for one in page)
        assert all(status == OK for status, _ in send(sdk, [delete(one.name) for one in page]))
        deleted += [one.name for one in page]
        if len(page) < limit:
            return deleted
        # The next page starts behind the last document, which is gone by now.
        query = query.start_after_document(page[-1])


def below_collection(sdk, parent, collection_id):
    """Returns the query of a collection and all below it: a range of names up to the next collection there can be."""
    least, next_one = (Reference(f"{parent}/{id}/{LEAST_ID}") for id in (collection_id, collection_id + "\0"))
    return Query(parent, all_descendants=True).where(NAME, ">=", least).where(NAME, "<", next_one)


def tree(sdk, *paths):
    names = [f"{sdk.document('top')}/{path}" for path in paths]
    sdk.commit(*(create(name, {"n": 1}) for name in names))
    return names


@pytest.mark.parametrize("limit", [PENDING, 2])
def test_recursiveDelete_of_a_collection_spares_its_neighbours(sdk, limit):
    gone = tree(sdk, "c/a", "c/a/c/b", "c/missing/x/y", "c/z", "c/__id7__")
    kept = tree(sdk, "b/a", "c!/a", "ca/a", "c-/a/c/b", "d/c/c/e")
    sdk.commit(create(sdk.document("top"), {}), create(f"{sdk.document('other')}/c/a", {}))
    deleted = recursive_delete(sdk, below_collection(sdk, sdk.document("top"), "c"), limit)
    assert sorted(deleted) == sorted(gone)
    left = {one.name for one in documents(sdk.run(Query(sdk.document("top"), all_descendants=True)))}
    assert left == set(kept)
    assert ids(sdk.run(sdk.query())) == ["top"]


def test_recursiveDelete_of_a_root_collection_spares_the_others(sdk):
    tree(sdk, "c/a", "c/a/c/b")
    sdk.commit(create(sdk.document("a"), {}), create(f"{sdk.root}/{sdk.collection_id}!/a", {}))
    deleted = recursive_delete(sdk, below_collection(sdk, sdk.root, sdk.collection_id))
    assert sorted(deleted) == sorted(sdk.document(id) for id in ("a", "top/c/a", "top/c/a/c/b"))
    assert ids(sdk.run(Query(sdk.root, f"{sdk.collection_id}!"))) == ["a"]


def test_recursiveDelete_of_a_document_deletes_all_below_and_then_itself(sdk):
    gone = tree(sdk, "c/a", "c/a/c/b", "d/missing/x/y")
    sdk.commit(create(sdk.document("top"), {}), create(sdk.document("top!"), {}), create(f"{sdk.document('topx')}/c/a", {}))
    deleted = recursive_delete(sdk, Query(sdk.document("top"), all_descendants=True))
    assert sorted(deleted) == sorted(gone)
    assert [status for status, _ in send(sdk, [delete(sdk.document("top"))])] == [OK]
    assert ids(sdk.run(sdk.query())) == ["top!"]
    (answer,) = sdk.get(f"{sdk.document('topx')}/c/a")
    assert answer.HasField("found")

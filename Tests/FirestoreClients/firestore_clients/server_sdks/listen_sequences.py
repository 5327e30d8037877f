"""`onSnapshot` and `addSnapshotListener`: one target a stream, resumed by its token."""

import pytest

from ..values import Value
from .query import DESCENDING
from .sdk import documents, fields, typed
from .watch import Ended, Watch
from .writes import change, create, delete, replace


def test_a_query_is_heard_first_whole_and_then_change_by_change(sdk, is_emulator):
    sdk.commit(create(sdk.document("a"), {"n": 1}), create(sdk.document("b"), {"n": 2}))
    with Watch(sdk, sdk.query().where("n", ">", 0)) as watch:
        assert watch.snapshot().ids == ["a", "b"]
        sdk.commit(create(sdk.document("c"), {"n": 3}))
        added = watch.snapshot()
        assert added.ids == ["a", "b", "c"]
        sdk.commit(change(sdk.document("b"), {"n": 5}, ["n"]))
        changed = watch.snapshot()
        assert fields(changed.documents[sdk.document("b")]) == typed(n=5)
        sdk.commit(change(sdk.document("a"), {"n": 0}, ["n"]))
        left = watch.snapshot()
        assert left.ids == ["b", "c"]
        sdk.commit(delete(sdk.document("c")))
        assert watch.snapshot().ids == ["b"]
        # The emulator sends all again for each commit.
        if not is_emulator:
            assert [one.sent_ids for one in (added, changed, left)] == [["c"], ["b"], ["a"]]
            assert not any(one.was_reset for one in (added, changed, left))


def test_a_snapshot_is_what_a_query_says_at_its_time(sdk):
    sdk.commit(create(sdk.document("a"), {"n": 1}))
    with Watch(sdk, sdk.query()) as watch:
        watch.snapshot()
        answer = sdk.commit(create(sdk.document("b"), {"n": 1}), delete(sdk.document("a")))
        snapshot = watch.snapshot()
    assert snapshot.documents == {one.name: one for one in documents(sdk.run(sdk.query()))}
    assert snapshot.time >= answer.commit_time.ToNanoseconds()


def test_a_commit_is_heard_in_one_snapshot(sdk):
    with Watch(sdk, sdk.query()) as watch:
        assert watch.snapshot().ids == []
        sdk.commit(*(create(sdk.document(f"{number:02}"), {}) for number in range(50)))
        assert len(watch.snapshot().ids) == 50


@pytest.mark.emulator_differs("it sends all again for a commit that changes no result")
def test_a_commit_that_changes_no_result_is_not_heard(sdk):
    sdk.commit(create(sdk.document("a"), {"n": 1}))
    with Watch(sdk, sdk.query().where("n", ">", 0)) as watch:
        watch.snapshot()
        sdk.commit(create(sdk.document("x"), {"n": -1}))
        sdk.commit(replace(sdk.document("a"), {"n": 1}))
        sdk.commit(create(sdk.document("b"), {"n": 1}))
        assert watch.snapshot().sent_ids == ["b"]


def test_what_falls_out_of_a_limit_is_removed_and_what_moves_up_is_added(sdk):
    sdk.commit(*(create(sdk.document(id), {"n": n}) for n, id in enumerate("abc")))
    with Watch(sdk, sdk.query().order_by("n").limit(2)) as watch:
        assert watch.snapshot().ids == ["a", "b"]
        sdk.commit(create(sdk.document("first"), {"n": -1}))
        assert watch.snapshot().ids == ["a", "first"]
        sdk.commit(delete(sdk.document("a")))
        assert watch.snapshot().ids == ["b", "first"]


def test_a_limit_to_last_is_heard_turned_round(sdk):
    sdk.commit(*(create(sdk.document(id), {"n": n}) for n, id in enumerate("abc")))
    with Watch(sdk, sdk.query().order_by("n").limit_to_last(2)) as watch:
        assert watch.snapshot().ids == ["b", "c"]
        sdk.commit(create(sdk.document("last"), {"n": 9}))
        assert watch.snapshot().ids == ["c", "last"]


def test_a_document_is_heard_when_made_changed_and_deleted(sdk):
    name = sdk.document("a")
    with Watch(sdk, name) as watch:
        first = watch.snapshot()
        assert (first.ids, first.sent) == ([], [name])
        sdk.commit(create(name, {"n": 1}))
        assert [fields(one) for one in watch.snapshot().documents.values()] == [typed(n=1)]
        sdk.commit(change(name, {"n": 2}, ["n"]))
        assert [fields(one) for one in watch.snapshot().documents.values()] == [typed(n=2)]
        sdk.commit(delete(name))
        gone = watch.snapshot()
        assert (gone.ids, gone.sent) == ([], [name])


@pytest.mark.emulator_differs("it resets every resumed target")
def test_a_resumed_query_gets_only_what_differs(sdk):
    sdk.commit(*(create(sdk.document(id), {"n": 1}) for id in "abcdef"))
    query = sdk.query().where("n", ">", 0)
    with Watch(sdk, query) as watch:
        assert len(watch.snapshot().ids) == 6
        watch.cut()
    b, c = (change(sdk.document(id), {"n": n}, ["n"]) for id, n in (("b", 2), ("c", 0)))
    sdk.commit(delete(sdk.document("a")), b, c)
    sdk.commit(create(sdk.document("g"), {"n": 1}))
    with Watch(sdk, query, watch) as resumed:
        snapshot = resumed.snapshot()
    assert not snapshot.was_reset and snapshot.sent_ids == ["a", "b", "c", "g"]
    assert snapshot.documents == {one.name: one for one in documents(sdk.run(query))}


def test_a_resumed_query_ends_with_what_a_query_says(sdk):
    sdk.commit(*(create(sdk.document(id), {"n": 1}) for id in "abcdef"))
    query = sdk.query().order_by("n", DESCENDING).limit(3)
    with Watch(sdk, query) as watch:
        assert watch.snapshot().ids == ["d", "e", "f"]
        watch.cut()
    sdk.commit(delete(sdk.document("f")), change(sdk.document("a"), {"n": 2}, ["n"]))
    with Watch(sdk, query, watch) as resumed:
        assert resumed.snapshot().ids == ["a", "d", "e"]
        sdk.commit(delete(sdk.document("e")))
        assert resumed.snapshot().ids == ["a", "c", "d"]


@pytest.mark.emulator_differs("it resets every resumed target")
def test_a_resumed_document_that_is_deleted_meanwhile_is_removed(sdk):
    name = sdk.document("a")
    sdk.commit(create(name, {"n": 1}))
    with Watch(sdk, name) as watch:
        assert watch.snapshot().ids == ["a"]
        watch.cut()
    sdk.commit(delete(name))
    with Watch(sdk, name, watch) as resumed:
        snapshot = resumed.snapshot()
    assert (snapshot.ids, snapshot.sent, snapshot.was_reset) == ([], [name], False)


def test_a_token_of_another_server_is_answered_with_everything(sdk):
    sdk.commit(create(sdk.document("a"), {"n": 1}))
    with Watch(sdk, sdk.query(), token=b"made elsewhere") as watch:
        snapshot = watch.snapshot()
    assert snapshot.was_reset and snapshot.ids == ["a"]


def test_unsubscribing_ends_the_stream_without_an_error(sdk):
    with Watch(sdk, sdk.query()) as watch:
        watch.snapshot()
        assert watch.unsubscribe() == "OK"


def test_listeners_of_one_client_are_apart(sdk):
    with Watch(sdk, sdk.query()) as all_of_them, Watch(sdk, sdk.document("a")) as one:
        assert all_of_them.snapshot().ids == [] == one.snapshot().ids
        sdk.commit(create(sdk.document("b"), {}))
        assert all_of_them.snapshot().ids == ["b"]
        sdk.commit(create(sdk.document("a"), {}))
        assert all_of_them.snapshot().ids == ["a", "b"]
        assert one.snapshot().ids == ["a"]


def test_a_wrong_query_removes_its_target_with_INVALID_ARGUMENT(sdk):
    # A code that is retried would keep the SDK trying.
    with Watch(sdk, sdk.query().where("n", "==", Value())) as watch:
        with pytest.raises(Ended, match="INVALID_ARGUMENT"):
            watch.snapshot()


def test_a_terminated_client_frees_its_streams_for_the_next_one(sdk):
    with Watch(sdk, sdk.query()) as watch:
        watch.snapshot()
        sdk.close()
    after = type(sdk)(sdk.address)
    after.commit(create(after.document("a"), {}))
    with Watch(after, after.query()) as again:
        assert again.snapshot().ids == ["a"]
    after.close()

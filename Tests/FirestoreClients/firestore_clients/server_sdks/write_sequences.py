"""Commits of single writes and of batches."""

from .sdk import code, documents, fields, typed
from .writes import NOW, change, create, delete, increment, merge, remove, replace, union



def held(sdk, name):
    """Returns the document, or None, as `get()` does."""
    (answer,) = sdk.get(name)
    assert answer.HasField("read_time")
    return answer.found if answer.HasField("found") else None


def test_create_makes_a_document_once(sdk):
    name = sdk.document("a")
    made = sdk.commit(create(name, {"n": 1}))
    assert len(made.write_results) == 1
    read = held(sdk, name)
    assert fields(read) == typed(n=1)
    assert read.create_time == read.update_time == made.write_results[0].update_time
    assert code(sdk.commit, create(name, {"n": 2})) == "ALREADY_EXISTS"
    assert fields(held(sdk, name)) == typed(n=1)


def test_set_replaces_a_document_and_keeps_its_create_time(sdk):
    name = sdk.document("a")
    made = sdk.commit(replace(name, {"n": 1, "old": True})).write_results[0].update_time
    sdk.commit(replace(name, {"n": 1.0}))
    read = held(sdk, name)
    assert fields(read) == typed(n=1.0)
    assert read.create_time == made != read.update_time


def test_set_of_transforms_alone_replaces_a_document_by_them(sdk):
    name = sdk.document("a")
    sdk.commit(replace(name, {"old": 1}))
    sdk.commit(replace(name, {}, n=increment(2)))
    assert fields(held(sdk, name)) == typed(n=2)


def test_merge_sets_the_leaves_and_deletes_what_is_only_in_the_mask(sdk):
    name = sdk.document("a")
    sdk.commit(replace(name, {"m": {"kept": 1, "set": 1, "deleted": 1}, "other": 1}))
    sdk.commit(merge(name, {"m": {"set": 2}, "a.b": "dot"}, ["m.set", "m.deleted", "`a.b`"]))
    assert fields(held(sdk, name)) == typed(m={"kept": 1, "set": 2}, other=1) | typed(**{"a.b": "dot"})


def test_merge_makes_a_missing_document(sdk):
    name = sdk.document("a")
    sdk.commit(merge(name, {"n": 1}, ["n"], seen=NOW))
    assert held(sdk, name).fields.keys() == {"n", "seen"}


def test_merge_of_nothing_keeps_the_fields_and_makes_an_empty_document(sdk):
    there, missing = sdk.document("there"), sdk.document("missing")
    sdk.commit(replace(there, {"n": 1}))
    sdk.commit(merge(there, {}, []), merge(missing, {}, []))
    assert fields(held(sdk, there)) == typed(n=1)
    assert fields(held(sdk, missing)) == {}


def test_update_changes_the_fields_of_its_mask(sdk):
    name = sdk.document("a")
    sdk.commit(replace(name, {"m": {"x": 1, "y": 1}, "deleted": 1, "kept": 1}))
    sdk.commit(change(name, {"m": {"x": 2}}, ["deleted", "m.x"]))
    assert fields(held(sdk, name)) == typed(m={"x": 2, "y": 1}, kept=1)


def test_update_of_a_missing_document_is_NOT_FOUND(sdk):
    assert code(sdk.commit, change(sdk.document("a"), {"n": 1}, ["n"])) == "NOT_FOUND"
    assert held(sdk, sdk.document("a")) is None


def test_update_of_transforms_alone_has_an_empty_mask_and_keeps_the_other_fields(sdk):
    name = sdk.document("a")
    sdk.commit(replace(name, {"n": 1, "kept": "x"}))
    answer = sdk.commit(change(name, {}, [], n=increment(1)))
    assert answer.write_results[0].transform_results == list(typed(n=2).values())
    assert fields(held(sdk, name)) == typed(n=2, kept="x")


def test_update_with_a_last_update_time_fails_after_another_write(sdk):
    name = sdk.document("a")
    first = sdk.commit(replace(name, {"n": 1})).write_results[0].update_time
    second = sdk.commit(change(name, {"n": 2}, ["n"], first)).write_results[0].update_time
    assert code(sdk.commit, change(name, {"n": 3}, ["n"], first)) == "FAILED_PRECONDITION"
    assert code(sdk.commit, delete(name, update_time=first)) == "FAILED_PRECONDITION"
    assert fields(held(sdk, name)) == typed(n=2)
    sdk.commit(delete(name, update_time=second))
    assert held(sdk, name) is None


def test_transforms_answer_in_their_order(sdk):
    name = sdk.document("a")
    sdk.commit(replace(name, {"i": 1, "d": 1, "tags": ["a", "b"], "gone": [1, 2, 1]}))
    answer = sdk.commit(change(
        name, {"set": True}, ["set"], i=increment(2), d=increment(0.5), tags=union("b", "c"), gone=remove(1), at=NOW))
    read, results = held(sdk, name), answer.write_results[0].transform_results
    assert fields(read) == typed(i=3, d=1.5, tags=["a", "b", "c"], gone=[2], set=True, at=read.fields["at"])
    assert list(results) == list(typed(i=3, d=1.5, tags=None, gone=None, at=read.fields["at"]).values())
    assert abs(read.fields["at"].timestamp_value.ToMilliseconds() - read.update_time.ToMilliseconds()) < 10_000


def test_delete_succeeds_without_a_document_unless_one_must_exist(sdk):
    name = sdk.document("a")
    sdk.commit(delete(name))
    assert code(sdk.commit, delete(name, exists=True)) == "NOT_FOUND"
    sdk.commit(create(name, {}))
    answer = sdk.commit(delete(name, exists=True))
    # Where a result has no time the SDKs take the commit's.
    assert len(answer.write_results) == 1 and answer.HasField("commit_time")
    assert held(sdk, name) is None


def test_a_batch_is_applied_in_order_at_one_time(sdk):
    a, b, c = map(sdk.document, "abc")
    answer = sdk.commit(
        create(a, {"n": 1}), replace(b, {"n": 1}), change(a, {"n": 2}, ["n"]), delete(b), merge(c, {"n": 3}, ["n"]))
    assert len(answer.write_results) == 5
    assert answer.write_results[0].update_time == answer.write_results[4].update_time == answer.commit_time
    assert [fields(one.found) if one.HasField("found") else None for one in sorted(
        sdk.get(a, b, c), key=lambda one: one.found.name or one.missing)] == [typed(n=2), None, typed(n=3)]


def test_a_batch_with_one_failing_write_changes_nothing(sdk):
    a, b = map(sdk.document, "ab")
    assert code(sdk.commit, create(a, {}), change(b, {"n": 1}, ["n"])) == "NOT_FOUND"
    assert held(sdk, a) is None


def test_a_batch_may_have_more_than_500_writes(sdk):
    answer = sdk.commit(*(replace(sdk.document(f"{number:03}"), {"n": number}) for number in range(501)))
    assert len(answer.write_results) == 501
    assert len(documents(sdk.run(sdk.query()))) == 501


def test_an_empty_batch_succeeds(sdk, is_emulator):
    answer = sdk.commit()
    assert not answer.write_results
    # The emulator leaves the time out.
    assert answer.HasField("commit_time") or is_emulator


def test_a_write_that_changes_nothing_keeps_the_update_time(sdk):
    name = sdk.document("a")
    first = sdk.commit(replace(name, {"n": 1})).write_results[0].update_time
    again = sdk.commit(replace(name, {"n": 1}))
    assert again.write_results[0].update_time == first == held(sdk, name).update_time
    assert again.commit_time.ToNanoseconds() > first.ToNanoseconds()


def test_databases_of_one_project_are_apart(sdk):
    other = type(sdk)(sdk.address, "second")
    other.collection_id = sdk.collection_id
    name = f"{other.root}/{sdk.collection_id}/a"
    sdk.commit(replace(sdk.document("a"), {"n": 1}))
    assert held(other, name) is None
    other.commit(replace(name, {"n": 2}))
    assert fields(held(sdk, sdk.document("a"))) == typed(n=1)
    assert [fields(one) for one in documents(other.run(other.query()))] == [typed(n=2)]
    other.close()

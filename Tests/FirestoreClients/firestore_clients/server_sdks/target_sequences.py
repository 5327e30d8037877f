"""Targets that are removed, heard once, or resumed with a count: the API has them, today's Node and Java SDKs send none."""

import pytest

from .watch import SNAPSHOT_SECONDS, Change, Watch
from .writes import create, delete


def next_of(watch, kind):
    """Returns the next answer of this kind; none before it may be a document or another target's."""
    answer = watch.answers.get(timeout=SNAPSHOT_SECONDS)
    assert answer.WhichOneof("response_type") == kind, answer
    return getattr(answer, kind)


def removal(watch):
    change = next_of(watch, "target_change")
    return change.target_change_type == Change.REMOVE and list(change.target_ids) == [1] and not change.HasField("cause")


def test_a_removed_target_is_confirmed_and_hears_nothing_more(sdk):
    with Watch(sdk, sdk.query()) as watch:
        watch.snapshot()
        watch.ask(remove_target=1)
        assert removal(watch)
        sdk.commit(create(sdk.document("a"), {}))
        watch.ask(add_target={**watch.place(sdk.document("a")), "target_id": 2})
        assert next_of(watch, "target_change").target_change_type == Change.ADD
        assert list(next_of(watch, "document_change").target_ids) == [2]


@pytest.mark.emulator_differs("it takes no notice of once, and hears on")
def test_a_target_of_once_is_removed_after_its_first_snapshot(sdk):
    sdk.commit(create(sdk.document("a"), {}))
    with Watch(sdk, sdk.query(), once=True) as watch:
        assert watch.snapshot().ids == ["a"]
        assert removal(watch)


@pytest.mark.emulator_differs("it takes no notice of expected_count, and sends everything")
def test_a_resumed_target_with_another_count_is_told_the_right_one(sdk):
    sdk.commit(*(create(sdk.document(id), {}) for id in "abc"))
    with Watch(sdk, sdk.query()) as watch:
        watch.snapshot()
        watch.cut()
    sdk.commit(delete(sdk.document("a")))
    with Watch(sdk, sdk.query(), watch, expected_count={"value": 7}) as resumed:
        assert next_of(resumed, "target_change").target_change_type == Change.ADD
        assert next_of(resumed, "document_delete").document == sdk.document("a")
        counted = next_of(resumed, "filter")
        assert (counted.target_id, counted.count) == (1, 2)

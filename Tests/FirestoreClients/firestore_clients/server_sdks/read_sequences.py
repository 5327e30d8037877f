"""Reads of named documents, lists, and aggregations."""

import pytest

from .sdk import documents, fields, typed
from .writes import create, delete, replace

MANY = 320
COUNT = {"count": {}}


def total(path):
    return {"sum": {"field": {"field_path": path}}}


def average(path):
    return {"avg": {"field": {"field_path": path}}}


def test_getAll_answers_each_document_once_with_its_read_time(sdk):
    names = [sdk.document(id) for id in "abcd"]
    sdk.commit(*(create(name, {"n": 1}) for name in names[::2]))
    answers = sdk.get(*names)
    assert sorted(one.found.name for one in answers if one.HasField("found")) == names[::2]
    assert sorted(one.missing for one in answers if not one.HasField("found")) == names[1::2]
    for one in answers:
        assert one.HasField("read_time") and not one.transaction
        assert not one.HasField("found") or one.found.HasField("create_time") and one.found.HasField("update_time")


def test_getAll_with_a_field_mask_answers_those_fields(sdk):
    name = sdk.document("a")
    sdk.commit(create(name, {"m": {"x": 1, "y": 2}, "n": 1, "a.b": 3}))
    (answer,) = sdk.get(name, mask={"field_paths": ["m.x", "`a.b`", "missing"]})
    assert fields(answer.found) == typed(m={"x": 1}) | typed(**{"a.b": 3})
    (answer,) = sdk.get(name, mask={"field_paths": []})
    assert fields(answer.found) == {} and answer.found.HasField("update_time")


def test_listDocuments_has_names_alone_and_those_of_missing_parents(sdk):
    sdk.commit(*(create(sdk.document(id), {"n": 1}) for id in ("a", "b/c/d", "e", "e/c/d")))
    listed = sdk.pages(
        "ListDocuments", "documents", parent=sdk.root, collection_id=sdk.collection_id, show_missing=True,
        mask={"field_paths": []})
    assert [one.name for one in listed] == [sdk.document(id) for id in "abe"]
    assert [one.HasField("create_time") for one in listed] == [True, False, True]


@pytest.mark.emulator_differs("it takes no notice of the mask when it shows missing documents")
def test_listDocuments_gives_no_fields_for_an_empty_mask(sdk):
    sdk.commit(create(sdk.document("a"), {"n": 1}))
    (listed,) = sdk.pages(
        "ListDocuments", "documents", parent=sdk.root, collection_id=sdk.collection_id, show_missing=True,
        mask={"field_paths": []})
    assert fields(listed) == {}


def test_listDocuments_follows_pages_to_the_end(sdk):
    names = [sdk.document(f"{number:03}") for number in range(MANY)]
    sdk.commit(*(create(name, {}) for name in names))
    listed = sdk.pages(
        "ListDocuments", "documents", parent=sdk.root, collection_id=sdk.collection_id, show_missing=True,
        mask={"field_paths": []})
    assert [one.name for one in listed] == names


def test_listCollections_follows_pages_below_a_missing_document(sdk):
    wanted = [f"c{number:03}" for number in range(MANY)]
    sdk.commit(*(create(f"{sdk.document('missing')}/{id}/a", {}) for id in wanted))
    assert sdk.pages("ListCollectionIds", "collection_ids", parent=sdk.document("missing")) == wanted


def test_listCollections_of_the_root_has_those_with_documents(sdk):
    assert sdk.collection_id not in sdk.pages("ListCollectionIds", "collection_ids", parent=sdk.root)
    sdk.commit(create(sdk.document("a"), {}))
    assert sdk.collection_id in sdk.pages("ListCollectionIds", "collection_ids", parent=sdk.root)
    sdk.commit(delete(sdk.document("a")))
    assert sdk.collection_id not in sdk.pages("ListCollectionIds", "collection_ids", parent=sdk.root)


def test_count_sum_and_average_come_by_the_aliases_asked_for(sdk):
    sdk.commit(*(replace(sdk.document(str(n)), {"n": n}) for n in (1, 2, 4)))
    (answer,) = sdk.aggregate(sdk.query(), [COUNT, total("n"), average("n")])
    assert dict(answer.result.aggregate_fields) == typed(aggregate_0=3, aggregate_1=7, aggregate_2=7 / 3)
    assert answer.HasField("read_time") and not answer.transaction


def test_aggregations_of_nothing_are_0_and_null(sdk):
    (answer,) = sdk.aggregate(sdk.query(), [COUNT, total("n"), average("n")])
    assert dict(answer.result.aggregate_fields) == typed(aggregate_0=0, aggregate_1=0, aggregate_2=None)


def test_count_obeys_filter_cursor_and_limit(sdk):
    sdk.commit(*(replace(sdk.document(str(n)), {"n": n}) for n in range(10)))
    query = sdk.query().where("n", ">", 1).order_by("n").start_after(3)
    (answer,) = sdk.aggregate(query, [COUNT])
    assert dict(answer.result.aggregate_fields) == typed(aggregate_0=6)
    (answer,) = sdk.aggregate(query.limit(4), [COUNT])
    assert dict(answer.result.aggregate_fields) == typed(aggregate_0=4)


@pytest.mark.emulator_differs("it ignores explain_options")
def test_explain_without_analyze_answers_the_plan_and_no_results(sdk):
    sdk.commit(*(replace(sdk.document(str(n)), {"n": n}) for n in range(3)))
    answers = sdk.run(sdk.query().where("n", ">", 0), explain_options={"analyze": False})
    assert not documents(answers)
    (metrics,) = [one.explain_metrics for one in answers if one.HasField("explain_metrics")]
    assert metrics.plan_summary.indexes_used and not metrics.HasField("execution_stats")


@pytest.mark.emulator_differs("it ignores explain_options")
def test_explain_with_analyze_answers_results_and_statistics(sdk):
    sdk.commit(*(replace(sdk.document(str(n)), {"n": n}) for n in range(3)))
    answers = sdk.run(sdk.query().where("n", ">", 0), explain_options={"analyze": True})
    assert len(documents(answers)) == 2
    assert [one.HasField("explain_metrics") for one in answers] == [False] * (len(answers) - 1) + [True]
    stats = answers[-1].explain_metrics.execution_stats
    assert (stats.results_returned, stats.read_operations) == (2, 2) and stats.HasField("execution_duration")
    assert {"documents_scanned", "index_entries_scanned"} <= stats.debug_stats.keys()


@pytest.mark.emulator_differs("it ignores explain_options")
def test_explain_of_an_aggregation_answers_the_plan_and_statistics(sdk):
    sdk.commit(*(replace(sdk.document(str(n)), {"n": n}) for n in range(3)))
    planned = sdk.aggregate(sdk.query(), [COUNT], explain_options={"analyze": False})
    assert not any(one.HasField("result") for one in planned) and planned[-1].explain_metrics.HasField("plan_summary")
    analyzed = sdk.aggregate(sdk.query(), [COUNT], explain_options={"analyze": True})
    assert [dict(one.result.aggregate_fields) for one in analyzed if one.HasField("result")] == [typed(aggregate_0=3)]
    assert analyzed[-1].explain_metrics.execution_stats.read_operations == 1

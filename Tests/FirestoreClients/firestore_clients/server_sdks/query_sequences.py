"""Queries: filters, orders, cursors, projections, collection groups, partitions and vectors."""

import pytest

from ..api import message
from ..values import Reference, Vector
from .query import DESCENDING, NAME, Composite, Filter, Query
from .sdk import documents, fields, ids, typed
from .writes import create, delete, replace


def fill(sdk, **documents):
    sdk.commit(*(create(sdk.document(id), values) for id, values in documents.items()))


def cities(sdk):
    fill(sdk, a={"n": 1, "tags": ["x", "y"]}, b={"n": 2, "tags": ["y"]}, c={"n": 2, "z": None}, d={"n": 3, "z": float("nan")},
         e={"m": {"n": 1}})


def test_a_query_without_results_answers_a_read_time(sdk):
    (answer,) = sdk.run(sdk.query().where("n", "==", 1))
    assert answer.HasField("read_time") and not answer.HasField("document") and answer.done


def test_every_result_has_a_read_time_and_the_last_answer_is_done(sdk):
    cities(sdk)
    answers = sdk.run(sdk.query())
    assert all(one.HasField("read_time") for one in answers)
    assert [one.done for one in answers] == [False] * (len(answers) - 1) + [True]
    assert all(one.create_time == one.update_time for one in documents(answers)) and len(documents(answers)) == 5


@pytest.mark.parametrize("operator, operand, found", [
    ("==", 2, "bc"), ("!=", 2, "ad"), ("<", 2, "a"), (">=", 2, "bcd"), ("in", [1, 3], "ad"), ("not-in", [1, 3], "bc")])
def test_a_filter_compares_a_field(sdk, operator, operand, found):
    cities(sdk)
    assert ids(sdk.run(sdk.query().where("n", operator, operand))) == list(found)


@pytest.mark.parametrize("operator, operand, found", [
    ("==", None, "c"), ("!=", None, "d"), ("==", float("nan"), "d"), ("!=", float("nan"), "")])
def test_null_and_NaN_are_unary_filters(sdk, operator, operand, found):
    cities(sdk)
    assert ids(sdk.run(sdk.query().where("z", operator, operand))) == list(found)


def test_array_filters_find_elements(sdk):
    cities(sdk)
    assert ids(sdk.run(sdk.query().where("tags", "array-contains", "y"))) == ["a", "b"]
    assert ids(sdk.run(sdk.query().where("tags", "array-contains-any", ["x", "q"]))) == ["a"]


def test_filters_join_by_and_and_or(sdk):
    cities(sdk)
    either = (Filter("n", "==", 3), Composite((Filter("n", "==", 2), Filter("tags", "array-contains", "y"))))
    assert ids(sdk.run(sdk.query().where_any(*either))) == ["b", "d"]
    assert ids(sdk.run(sdk.query().where("n", ">", 1).where("n", "<", 3))) == ["b", "c"]
    assert ids(sdk.run(sdk.query().where("n", "<", 3).where("tags", "array-contains", "x"))) == ["a"]
    assert ids(sdk.run(sdk.query().where("n", ">", 1).where_any(*either))) == ["b", "d"]


def test_a_document_id_is_filtered_as_a_reference(sdk):
    cities(sdk)
    names = [Reference(sdk.document(id)) for id in "bdx"]
    assert ids(sdk.run(sdk.query().where(NAME, "in", names))) == ["b", "d"]
    assert ids(sdk.run(sdk.query().where(NAME, ">", names[0]))) == ["c", "d", "e"]
    assert ids(sdk.run(sdk.query().where(NAME, "==", names[0]))) == ["b"]


def test_a_cursor_of_values_may_have_fewer_than_the_orders(sdk):
    fill(sdk, a={"n": 1, "m": 1}, b={"n": 2, "m": 1}, c={"n": 2, "m": 2}, d={"n": 3, "m": 1})
    query = sdk.query().order_by("n").order_by("m", DESCENDING)
    assert ids(sdk.run(query.start_at(2))) == ["c", "b", "d"]
    assert ids(sdk.run(query.start_after(2))) == ["d"]
    assert ids(sdk.run(query.start_after(2, 2))) == ["b", "d"]
    assert ids(sdk.run(query.end_at(2))) == ["a", "c", "b"]
    assert ids(sdk.run(query.end_before(2, 1))) == ["a", "c"]


@pytest.mark.parametrize("shape", ["name", "field", "inequality", "descending"])
def test_pages_that_start_after_a_document_have_each_document_once(sdk, shape):
    fill(sdk, **{f"{number:02}": {"n": number // 4} for number in range(11)})
    query = {
        "name": sdk.query(), "field": sdk.query().order_by("n"), "inequality": sdk.query().where("n", ">=", 0),
        "descending": sdk.query().order_by("n", DESCENDING)}[shape]
    seen, page = [], documents(sdk.run(query.limit(3)))
    while page:
        seen += page
        page = documents(sdk.run(query.limit(3).start_after_document(page[-1])))
    assert [one.name for one in seen] == [one.name for one in documents(sdk.run(query))]
    assert len(seen) == 11


def test_limitToLast_turns_orders_and_cursors_round(sdk):
    fill(sdk, **{f"{number:02}": {"n": number // 2} for number in range(10)})
    query = sdk.query().order_by("n")
    assert ids(sdk.run(query.limit_to_last(3)))[::-1] == ["07", "08", "09"]
    held = {one.name.rpartition("/")[2]: one for one in documents(sdk.run(query))}
    before = query.end_before_document(held["07"]).limit_to_last(2)
    assert ids(sdk.run(before))[::-1] == ["05", "06"]
    between = query.start_at(1).end_at(2).limit_to_last(3)
    assert ids(sdk.run(between))[::-1] == ["03", "04", "05"]


@pytest.mark.emulator_differs("it answers no query by name descending alone")
def test_limitToLast_by_the_name_alone_turns_it_round(sdk):
    cities(sdk)
    assert ids(sdk.run(sdk.query().order_by(NAME).limit_to_last(2)))[::-1] == ["d", "e"]


def test_an_offset_passes_over_results(sdk):
    cities(sdk)
    assert ids(sdk.run(sdk.query().order_by("n").offset(2).limit(1))) == ["c"]
    assert ids(sdk.run(sdk.query().offset(9))) == []


@pytest.mark.emulator_differs("it says 0 where a limit follows")
def test_the_first_result_behind_an_offset_says_how_many_were_passed_over(sdk):
    cities(sdk)
    answers = sdk.run(sdk.query().order_by("n").offset(2).limit(1))
    assert answers[0].skipped_results == sum(one.skipped_results for one in answers) == 2


def test_a_projection_has_its_fields_alone(sdk):
    fill(sdk, a={"m": {"x": 1, "y": 2}, "n": 1}, b={"n": 2})
    found = documents(sdk.run(sdk.query().select("m.x", "missing")))
    assert [fields(one) for one in found] == [typed(m={"x": 1}), {}]
    assert all(one.HasField("create_time") and one.HasField("update_time") for one in found)


def test_an_empty_projection_asks_for_the_name_and_has_no_fields(sdk):
    cities(sdk)
    found = documents(sdk.run(sdk.query().select()))
    assert len(found) == 5 and not any(fields(one) for one in found)


def test_a_collection_group_has_the_collections_of_that_id_at_any_depth(sdk):
    group = f"group-{sdk.collection_id}"
    paths = [f"{sdk.root}/{group}/1", f"{sdk.document('a')}/{group}/2", f"{sdk.document('a')}/x/y/{group}/3"]
    sdk.commit(*(create(path, {"n": 1}) for path in paths), create(f"{sdk.document('a')}/{group}x/4", {"n": 1}))
    query = Query(sdk.root, group, all_descendants=True)
    assert sorted(ids(sdk.run(query))) == ["1", "2", "3"]
    assert sorted(ids(sdk.run(query.where("n", "==", 1)))) == ["1", "2", "3"]
    found = ids(sdk.run(query.order_by(NAME)))
    middle = next(path for path in paths if path.endswith(found[1]))
    assert ids(sdk.run(query.order_by(NAME).start_at(Reference(middle)))) == found[1:]
    assert ids(sdk.run(query.order_by(NAME).end_before(Reference(middle)))) == found[:1]


def test_a_query_whose_stream_broke_goes_on_behind_its_last_document_at_that_time(sdk):
    fill(sdk, **{f"{number:03}": {"n": number} for number in range(200)})
    query = sdk.query().order_by("n")
    stream = sdk.stream("RunQuery", message("RunQueryRequest")(parent=query.parent, structured_query=query.message()))
    first = [next(stream) for _ in range(50)]
    stream.cancel()
    sdk.commit(delete(sdk.document("100")), create(sdk.document("new"), {"n": 150}), replace(sdk.document("120"), {"n": -1}))
    last = next(one for one in reversed(first) if one.HasField("document"))
    rest = sdk.run(query.start_after_document(last.document), read_time=last.read_time)
    assert ids(first) + ids(rest) == [f"{number:03}" for number in range(200)]
    assert all(one.read_time == last.read_time for one in rest)


@pytest.mark.emulator_differs("PartitionQuery is UNIMPLEMENTED")
def test_the_queries_of_partitions_cover_a_collection_group_once(sdk):
    group, wanted = f"group-{sdk.collection_id}", set()
    for parent in range(4):
        names = [f"{sdk.document(str(parent))}/{group}/{number:03}" for number in range(300)]
        sdk.commit(*(create(name, {}) for name in names))
        wanted.update(names)
    query = Query(sdk.root, group, all_descendants=True).order_by(NAME)
    cursors = sdk.pages(
        "PartitionQuery", "partitions", parent=sdk.root, structured_query=query.message(), partition_count=4)
    assert 1 <= len(cursors) <= 4 and all(len(one.values) == 1 for one in cursors)
    bounds = sorted(cursors, key=lambda one: one.values[0].reference_value.split("/"))
    found = []
    for begin, end in zip([None, *bounds], [*bounds, None]):
        part = query.start_at(*begin.values) if begin else query
        found += documents(sdk.run(part.end_before(*end.values) if end else part))
    assert {one.name for one in found} == wanted and len(found) == len(wanted)


@pytest.mark.parametrize("measure, found", [(1, ["a", "b", "d"]), (2, ["d", "a", "b"]), (3, ["d", "b", "a"])])
def test_findNearest_orders_by_distance(sdk, measure, found):
    fill(sdk, a={"v": Vector([1.0, 1.5]), "n": 1}, b={"v": Vector([1.0, 2.0]), "n": 1}, c={"v": [1.0, 1.0], "n": 1},
         d={"v": Vector([3.0, 3.0]), "n": 1}, e={"v": Vector([1.0, 1.0]), "n": 2})
    query = sdk.query().where("n", "==", 1).find_nearest(
        vector_field={"field_path": "v"}, query_vector=nearest_to([1.0, 1.0]), distance_measure=measure, limit={"value": 10},
        distance_result_field="distance")
    answers = sdk.run(query)
    assert ids(answers) == found
    distances = [one.fields["distance"].double_value for one in documents(answers)]
    assert distances == sorted(distances, reverse=measure == 3) and len(set(distances)) == 3


def test_findNearest_obeys_threshold_and_limit(sdk):
    fill(sdk, **{str(number): {"v": Vector([float(number), 0.0])} for number in range(6)})
    options = {"vector_field": {"field_path": "v"}, "query_vector": nearest_to([0.0, 0.0]), "distance_measure": 1}
    near = sdk.query().find_nearest(**options, limit={"value": 10}, distance_threshold={"value": 2.0})
    assert ids(sdk.run(near)) == ["0", "1", "2"]
    assert ids(sdk.run(sdk.query().find_nearest(**options, limit={"value": 2}))) == ["0", "1"]


def nearest_to(elements):
    return typed(v=Vector(elements))["v"]

"""Random queries and aggregations."""

from typing import TYPE_CHECKING, Any

from .api import message, root
from .values import Reference, Vector, value

if TYPE_CHECKING:
    from .operations import Operations

Query = message("StructuredQuery")
PATHS = ["a", "b", "m", "m.x", "v", "list", "`odd name`", "__name__"]
UNARY = ["IS_NAN", "IS_NULL", "IS_NOT_NAN", "IS_NOT_NULL"]
COMPARISONS = ["LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "EQUAL", "EQUAL", "NOT_EQUAL"]
LISTS = ["IN", "NOT_IN", "ARRAY_CONTAINS_ANY"]
ROOT_COLLECTIONS = ["c", "d"]


def structured_query(by: "Operations", finds_nearest: bool = True) -> tuple[str, Any]:
    """Returns the parent and the query; most are valid, and some are not."""
    random, query = by.random, Query()
    parent = add_source(by, query)
    if random.random() < 0.6:
        query.where.CopyFrom(a_filter(by))
    if finds_nearest and random.random() < 0.06:
        add_nearest(by, query)
        return parent, query
    for path in random.sample(PATHS, random.choice([0, 0, 1, 1, 2])):
        query.order_by.add(field={"field_path": path}, direction=random.choice([0, 1, 2]))
    if [order.field.field_path for order in query.order_by] == ["__name__"] and query.order_by[0].direction == 2:
        by.traits.add("by name descending")
    add_cursors(by, query)
    if random.random() < 0.2:
        query.offset = random.choice([0, 1, 3, 100, -1] if random.random() < 0.1 else [1, 2, 5])
    if random.random() < 0.4:
        query.limit.value = random.choice([0, 1, 2, 5, 5, 100])
    if random.random() < 0.2:
        query.select.SetInParent()
        for path in random.sample(PATHS, random.randrange(3)):
            query.select.fields.add(field_path=path)
    return parent, query


def add_source(by: "Operations", query: Any) -> str:
    chance = by.random.random()
    if chance < 0.7:
        getattr(query, "from_").add(collection_id=by.random.choice(ROOT_COLLECTIONS))
        return root()
    if chance < 0.85:
        getattr(query, "from_").add(collection_id="s")
        return f"{root()}/{by.random.choice(['c/d1', 'c/nowhere', 'd/d2'])}"
    by.traits.add("collection group")
    getattr(query, "from_").add(collection_id="s", all_descendants=True)
    return root()


def a_filter(by: "Operations", depth: int = 0) -> Any:
    random = by.random
    if depth < 2 and random.random() < 0.35:
        inner = [a_filter(by, depth + 1) for _ in range(random.randint(1, 3))]
        operator = random.choice(["AND", "AND", "OR"])
        return Query.Filter(composite_filter={"op": operator, "filters": inner})
    path = random.choice(PATHS)
    if path != "__name__" and random.random() < 0.15:
        return Query.Filter(unary_filter={"op": random.choice(UNARY), "field": {"field_path": path}})
    operator = random.choice(COMPARISONS * 3 + LISTS + ["ARRAY_CONTAINS"])
    operand = operand_of(by, path)
    if operator in LISTS:
        operand = value([one for one in (operand_of(by, path) for _ in range(random.randint(1, 4)))
                         if not one.HasField("array_value")])
        if random.random() < 0.03:
            operand = value([number for number in range(31)])
    return Query.Filter(field_filter={"op": operator, "field": {"field_path": path}, "value": operand})


def operand_of(by: "Operations", path: str) -> Any:
    return value(Reference(by.name())) if path == "__name__" else by.value(1)


def add_cursors(by: "Operations", query: Any) -> None:
    for name in ("start_at", "end_at"):
        if by.random.random() > 0.15:
            continue
        cursor = getattr(query, name)
        cursor.before = by.random.random() < 0.5
        orders = [order.field.field_path for order in query.order_by]
        count = by.random.randint(0, len(orders)) + (by.random.random() < 0.05)
        paths = (orders + ["a"])[:count]
        cursor.values.extend(operand_of(by, path) for path in paths)
        if not paths:
            # Without values it is no cursor (§6). Google's emulator lets some of them leave out all documents.
            cursor.before = name == "start_at"


def add_nearest(by: "Operations", query: Any) -> None:
    random, nearest = by.random, query.find_nearest
    nearest.vector_field.field_path = "v"
    nearest.query_vector.CopyFrom(value(Vector([float(random.randrange(4)), float(random.randrange(4))])))
    nearest.distance_measure = random.choice([1, 2, 3, 1, 2, 3, 0])
    nearest.limit.value = random.choice([1, 3, 1000, 1001])
    if random.random() < 0.5:
        nearest.distance_result_field = random.choice(["distance", "a"])
    if random.random() < 0.3:
        nearest.distance_threshold.value = random.choice([0.0, 0.5, 2.0])
    by.traits.add("nearest")


def aggregation(by: "Operations") -> list[Any]:
    random, made = by.random, []
    Aggregation = message("StructuredAggregationQuery").Aggregation
    for number in range(random.choice([1, 1, 2, 3, 5])):
        path = random.choice(["a", "b", "m.x", "`odd name`"])
        kind = random.choice(["count", "count", "sum", "avg"])
        one = Aggregation(alias=f"r{number}" if random.random() < 0.7 else "")
        getattr(one, kind).SetInParent()
        if kind != "count":
            getattr(one, kind).field.field_path = path
        elif random.random() < 0.3:
            one.count.up_to.value = random.choice([0, 1, 3, 100])
        made.append(one)
    return made

"""Queries, made into messages as both server SDKs make them."""

from dataclasses import dataclass, replace
from typing import Any

from ..api import message
from ..values import Reference, value

StructuredQuery = message("StructuredQuery")
OPERATORS = {
    "<": 1, "<=": 2, ">": 3, ">=": 4, "==": 5, "!=": 6, "array-contains": 7, "in": 8, "array-contains-any": 9, "not-in": 10}
INEQUALITIES = {"<", "<=", ">", ">=", "!=", "not-in"}
UNARY = {("==", "null"): 3, ("!=", "null"): 5, ("==", "nan"): 2, ("!=", "nan"): 4}
ASCENDING, DESCENDING = 1, 2
NAME = "__name__"


@dataclass(frozen=True)
class Filter:
    """A comparison of one field. Those with null and NaN become unary ones."""

    path: str
    operator: str
    operand: Any

    def message(self) -> dict[str, Any]:
        field = {"field_path": self.path}
        kind = "null" if self.operand is None else "nan" if self.operand != self.operand else ""
        if operator := UNARY.get((self.operator, kind)):
            return {"unary_filter": {"field": field, "op": operator}}
        return {"field_filter": {"field": field, "op": OPERATORS[self.operator], "value": value(self.operand)}}

    def inequalities(self) -> set[str]:
        return {self.path} if self.operator in INEQUALITIES else set()


@dataclass(frozen=True)
class Composite:
    """Filters joined by AND or OR; one alone is sent as it is."""

    filters: tuple[Any, ...]
    operator: str = "AND"

    def message(self) -> dict[str, Any]:
        if len(self.filters) == 1:
            return self.filters[0].message()
        inner = [one.message() for one in self.filters]
        return {"composite_filter": {"op": {"AND": 1, "OR": 2}[self.operator], "filters": inner}}

    def inequalities(self) -> set[str]:
        return {path for one in self.filters for path in one.inequalities()}


@dataclass(frozen=True)
class Cursor:
    values: tuple[Any, ...]
    before: bool

    def message(self) -> dict[str, Any]:
        return {"values": [value(one) for one in self.values], "before": self.before}

    def turned(self) -> "Cursor":
        return replace(self, before=not self.before)


@dataclass(frozen=True)
class Query:
    """A query as an application builds it. `is_last` is limitToLast's; without a collection id it is kindless."""

    parent: str
    collection_id: str = ""
    all_descendants: bool = False
    filters: tuple[Any, ...] = ()
    orders: tuple[tuple[str, int], ...] = ()
    start: Cursor | None = None
    end: Cursor | None = None
    count: int | None = None
    is_last: bool = False
    passed_over: int = 0
    paths: tuple[str, ...] | None = None
    nearest: Any = None

    def where(self, path: str, operator: str, operand: Any) -> "Query":
        return replace(self, filters=(*self.filters, Filter(path, operator, operand)))

    def where_any(self, *filters: Any) -> "Query":
        return replace(self, filters=(*self.filters, Composite(filters, "OR")))

    def order_by(self, path: str, direction: int = ASCENDING) -> "Query":
        return replace(self, orders=(*self.orders, (path, direction)))

    def limit(self, count: int) -> "Query":
        return replace(self, count=count, is_last=False)

    def limit_to_last(self, count: int) -> "Query":
        return replace(self, count=count, is_last=True)

    def offset(self, count: int) -> "Query":
        return replace(self, passed_over=count)

    def select(self, *paths: str) -> "Query":
        """Returns the query for these fields; for none it asks for the name alone."""
        return replace(self, paths=paths or (NAME,))

    def find_nearest(self, **options: Any) -> "Query":
        return replace(self, nearest=options)

    def start_at(self, *values: Any) -> "Query":
        return replace(self, start=Cursor(values, True))

    def start_after(self, *values: Any) -> "Query":
        return replace(self, start=Cursor(values, False))

    def end_before(self, *values: Any) -> "Query":
        return replace(self, end=Cursor(values, True))

    def end_at(self, *values: Any) -> "Query":
        return replace(self, end=Cursor(values, False))

    def at(self, document: Any) -> tuple["Query", tuple[Any, ...]]:
        """Returns the query with the orders that a cursor at a document implies, and that cursor's values.

        The implied orders are the fields of inequalities, and the name at the end.
        """
        held = {path for path, _ in self.orders}
        direction = self.orders[-1][1] if self.orders else ASCENDING
        implied = sorted(Composite(self.filters).inequalities() - held - {NAME}) if self.filters else []
        orders = (*self.orders, *((path, direction) for path in implied))
        if NAME not in held:
            orders = (*orders, (NAME, direction))
        values = tuple(Reference(document.name) if path == NAME else document.fields[path] for path, _ in orders)
        return replace(self, orders=orders), values

    def start_after_document(self, document: Any) -> "Query":
        query, values = self.at(document)
        return query.start_after(*values)

    def end_before_document(self, document: Any) -> "Query":
        query, values = self.at(document)
        return query.end_before(*values)

    def message(self) -> Any:
        query = self.turned() if self.is_last else self
        selector = {"collection_id": self.collection_id, "all_descendants": self.all_descendants}
        result = StructuredQuery(from_=[selector], offset=self.passed_over)
        if self.filters:
            result.where.MergeFrom(StructuredQuery.Filter(**Composite(self.filters).message()))
        for path, direction in query.orders:
            result.order_by.add(field={"field_path": path}, direction=direction)
        for field, cursor in (("start_at", query.start), ("end_at", query.end)):
            if cursor:
                getattr(result, field).MergeFrom(message("Cursor")(**cursor.message()))
        if self.count is not None:
            result.limit.value = self.count
        if self.paths is not None:
            result.select.MergeFrom(StructuredQuery.Projection(fields=[{"field_path": path} for path in self.paths]))
        if self.nearest:
            result.find_nearest.MergeFrom(StructuredQuery.FindNearest(**self.nearest))
        return result

    def turned(self) -> "Query":
        """Returns the query for the last results: orders and cursors turned round. The caller turns the results."""
        orders = tuple((path, DESCENDING if direction == ASCENDING else ASCENDING) for path, direction in self.orders)
        start, end = self.end and self.end.turned(), self.start and self.start.turned()
        return replace(self, orders=orders, start=start, end=end)

"""Random operations: a method of the service and its request, from a seed."""

import math
import random
from typing import Any, NamedTuple

from google.protobuf.timestamp_pb2 import Timestamp
from google.type.latlng_pb2 import LatLng

from .api import message, root
from .queries import aggregation, structured_query
from .values import Reference, Vector, Write, deletion, update, value

DATABASE = root().removesuffix("/documents")
COLLECTIONS = ["c", "d", "c/d1/s", "c/nowhere/s", "d/d2/s"]
IDS = [f"d{number}" for number in range(8)] + ["Z", "é", "😀", "_", "a b", "10"]
FIELDS = ["a", "b", "m", "m.x", "m.y.z", "`odd name`", "v", "list"]
NUMBERS = [
    0, 1, 2, -1, 5, 1.0, 1.5, -0.0, 0.0, 2**53, 2**53 + 1, float(2**53), 2**63 - 1, -(2**63), float(2**63), math.inf,
    -math.inf, math.nan, 5e-324, 1e300]
TEXTS = ["", "a", "b", "aa", "é", "\ufffd", "😀", "a\x00b", "x" * 40]


class Operation(NamedTuple):
    """A call, the documents that it may write, and the kinds of traits that declared differences ask for."""

    method: str
    request: Any
    documents: list[str]
    traits: frozenset[str]


class Operations:
    """The sequence of operations of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.traits: set[str] = set()
        self.kinds = [
            (self.commit, 30), (self.query, 28), (self.aggregate, 10), (self.batch_get, 6), (self.batch_write, 5),
            (self.get, 5), (self.list_documents, 6), (self.list_collections, 2), (self.create, 3), (self.patch, 3),
            (self.delete, 2)]

    def next(self) -> Operation:
        self.traits = set()
        make = self.random.choices([kind for kind, _ in self.kinds], [weight for _, weight in self.kinds])[0]
        method, request, documents = make()
        return Operation(method, request, documents, frozenset(self.traits))

    # Values

    def name(self) -> str:
        return f"{root()}/{self.random.choice(COLLECTIONS)}/{self.random.choice(IDS)}"

    def value(self, depth: int = 0) -> Any:
        kind = self.random.randrange(14 if depth < 3 else 10)
        pick = self.random.choice
        if kind < 4:
            return value(pick(NUMBERS))
        if kind < 6:
            return value(pick(TEXTS))
        if kind < 10:
            return value(pick([
                None, True, False, Timestamp(seconds=pick([0, 1, -1, 10**9]), nanos=pick([0, 1000, 999_999_999])),
                pick([b"", b"\x00", b"\xff\x00", b"abc"]), Reference(self.name()), LatLng(latitude=pick([0, 90, -1.5]),
                longitude=pick([0, -180, 7.25])), Vector(pick([[1.0], [1.0, 2.0], [2.0, 0.0], [0.0, 0.0]]))]))
        if kind < 12:
            elements = [self.value(depth + 1) for _ in range(self.random.randrange(4))]
            return value([one for one in elements if not one.HasField("array_value")])
        return value({self.random.choice(["x", "y", "a", "odd name"]): self.value(depth + 1)
                      for _ in range(self.random.randrange(3))})

    def fields(self) -> dict[str, Any]:
        names = self.random.sample(["a", "b", "m", "odd name", "v", "list"], self.random.randrange(6))
        made = {name: self.value() for name in names}
        if "v" in made and self.random.random() < 0.7:
            made["v"] = value(Vector([float(self.random.randrange(4)), float(self.random.randrange(4))]))
        if "m" in made and self.random.random() < 0.7:
            made["m"] = value({"x": self.value(1), "y": value({"z": self.value(2)})})
        return made

    # Writes

    def write(self) -> Any:
        name, chance = self.name(), self.random.random()
        if chance < 0.15:
            write = deletion(name)
        elif chance < 0.25:
            write = Write(transform={"document": name, "field_transforms": self.transforms()})
        else:
            mask = self.random.sample(FIELDS, self.random.randrange(4)) if self.random.random() < 0.5 else None
            write = update(name, self.fields(), mask)
            if self.random.random() < 0.3:
                write.update_transforms.extend(self.transforms())
        self.add_precondition(write)
        return write

    def add_precondition(self, write: Any) -> None:
        chance = self.random.random()
        if chance < 0.1:
            write.current_document.exists = self.random.random() < 0.7
        elif chance < 0.12:
            write.current_document.update_time.CopyFrom(Timestamp(seconds=1, nanos=self.random.choice([0, 1000, 1])))

    def transforms(self) -> list[Any]:
        return [self.transform() for _ in range(self.random.randint(1, 3))]

    def transform(self) -> Any:
        field = self.random.choice(["a", "b", "m.x", "m.y.z", "list", "`odd name`"])
        kind = self.random.choice([
            "increment", "maximum", "minimum", "append_missing_elements", "remove_all_from_array", "set_to_server_value"])
        transform = message("DocumentTransform").FieldTransform(field_path=field)
        if kind == "set_to_server_value":
            self.traits.add("server time")
            transform.set_to_server_value = 1
        elif kind in ("append_missing_elements", "remove_all_from_array"):
            elements = [self.value(2) for _ in range(self.random.randrange(4))]
            if any(one.HasField("array_value") or "__type__" in one.map_value.fields for one in elements):
                self.traits.add("array in a transform")
            getattr(transform, kind).SetInParent()
            getattr(transform, kind).values.extend(elements)
        else:
            operand = value(self.random.choice(NUMBERS + ["text"] if self.random.random() < 0.05 else NUMBERS))
            getattr(transform, kind).CopyFrom(operand)
        return transform

    def commit(self) -> tuple[str, Any, list[str]]:
        writes = [self.write() for _ in range(self.random.choice([0] + [1] * 12 + [2, 3, 4]))]
        return "Commit", message("CommitRequest")(database=DATABASE, writes=writes), list(map(target, writes))

    def batch_write(self) -> tuple[str, Any, list[str]]:
        writes = [self.write() for _ in range(self.random.randint(1, 5))]
        # Each write has a time of its own. Two in one millisecond would be equal on the emulator alone.
        while sum(map(has_server_time, writes)) > 1:
            writes.pop()
        return "BatchWrite", message("BatchWriteRequest")(database=DATABASE, writes=writes), list(map(target, writes))

    def create(self) -> tuple[str, Any, list[str]]:
        collection, id = self.random.choice(["c", "d"]), self.random.choice(IDS + [".", "__x__", "x/y"])
        request = message("CreateDocumentRequest")(parent=root(), collection_id=collection, document_id=id)
        request.document.CopyFrom(update("", self.fields()).update)
        return "CreateDocument", request, [f"{root()}/{collection}/{id}"] if id in IDS else []

    def patch(self) -> tuple[str, Any, list[str]]:
        write = update(self.name(), self.fields(), self.random.sample(FIELDS, self.random.randint(1, 3)))
        self.add_precondition(write)
        request = message("UpdateDocumentRequest")(document=write.update, update_mask=write.update_mask)
        if write.HasField("current_document"):
            request.current_document.CopyFrom(write.current_document)
        return "UpdateDocument", request, [write.update.name]

    def delete(self) -> tuple[str, Any, list[str]]:
        name = self.name()
        return "DeleteDocument", message("DeleteDocumentRequest")(name=name), [name]

    # Reads

    def mask(self, request: Any) -> None:
        if self.random.random() < 0.4:
            request.mask.SetInParent()
            request.mask.field_paths.extend(self.random.sample(FIELDS + ["__name__"], self.random.randrange(3)))

    def get(self) -> tuple[str, Any, list[str]]:
        request = message("GetDocumentRequest")(name=self.name())
        self.mask(request)
        return "GetDocument", request, []

    def batch_get(self) -> tuple[str, Any, list[str]]:
        names = [self.name() for _ in range(self.random.randint(0, 6))]
        request = message("BatchGetDocumentsRequest")(database=DATABASE, documents=names)
        self.mask(request)
        return "BatchGetDocuments", request, []

    def list_documents(self) -> tuple[str, Any, list[str]]:
        parent, _, collection = f"{root()}/{self.random.choice(COLLECTIONS)}".rpartition("/")
        request = message("ListDocumentsRequest")(
            parent=parent, collection_id=collection, page_size=self.random.choice([0, 1, 2, 5, 20]))
        if self.random.random() < 0.4:
            request.show_missing = True
        elif self.random.random() < 0.4:
            request.order_by = self.random.choice(["a", "a desc", "a desc, __name__ desc", "b, a", "a foo", "m.x"])
        self.mask(request)
        return "ListDocuments", request, []

    def list_collections(self) -> tuple[str, Any, list[str]]:
        parent = self.random.choice([root(), f"{root()}/c/nowhere", f"{root()}/c/d1", f"{root()}/d/d2"])
        return "ListCollectionIds", message("ListCollectionIdsRequest")(parent=parent), []

    def query(self) -> tuple[str, Any, list[str]]:
        parent, query = structured_query(self)
        return "RunQuery", message("RunQueryRequest")(parent=parent, structured_query=query), []

    def aggregate(self) -> tuple[str, Any, list[str]]:
        parent, query = structured_query(self, finds_nearest=False)
        request = message("RunAggregationQueryRequest")(
            parent=parent, structured_aggregation_query={"aggregations": aggregation(self)})
        request.structured_aggregation_query.structured_query.CopyFrom(query)
        return "RunAggregationQuery", request, []


def has_server_time(write: Any) -> bool:
    transforms = [*write.update_transforms, *write.transform.field_transforms]
    return any(one.set_to_server_value for one in transforms)


def target(write: Any) -> str:
    """Returns the name of the document that a write changes."""
    return write.update.name or write.delete or write.transform.document

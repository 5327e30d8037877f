"""Hostile messages: bytes for a method, most of them made from a valid request."""

import random
from typing import Any

from .api import BIDIRECTIONAL, STREAMING, UNARY, message, root
from .operations import Operations

METHODS = [*UNARY, *STREAMING, *BIDIRECTIONAL, "ExecutePipeline", "Nothing"]
MIB = 1 << 20
NAMES = [
    "", "/", "projects", "projects//databases//documents", root(), root() + "/", root() + "//", root() + "/c", root() + "/c//d",
    root() + "/./..", root() + "/__x__/d", root() + "/c/__id__", root() + "/c/" + "x" * 1501, root() + "/c/d" * 101,
    "projects/pushgate/databases/(default)/documents/devices/x", "projects/p/databases/d", "\x00", "projects/\x00/databases/é",
    root("../..", "../.."), root() + "/c/%2e%2e", root() + "/" + "a/" * 20_000, "x" * MIB]


def hostile(by: random.Random, valid: Operations) -> tuple[str, bytes]:
    """Returns a method's name and the bytes of a message."""
    kind = by.choice([noise, damaged, damaged, wrong_name, deep, huge, wrong_query, wrong_query, wrong_token])
    return kind(by, valid)


def noise(by: random.Random, _: Operations) -> tuple[str, bytes]:
    return by.choice(METHODS), by.randbytes(by.choice([0, 1, 2, 10, 100, 10_000]))


def damaged(by: random.Random, valid: Operations) -> tuple[str, bytes]:
    """Cuts, flips, repeats or inserts bytes."""
    operation = valid.next()
    data = bytearray(operation.request.SerializeToString())
    for _ in range(by.randint(1, 4)):
        place = by.randrange(len(data) + 1)
        match by.randrange(4):
            case 0:
                del data[place:]
            case 1 if place < len(data):
                data[place] ^= 1 << by.randrange(8)
            case 2:
                data[place:place] = data[place:place + by.randrange(50)]
            case _:
                data[place:place] = by.randbytes(by.randint(1, 8))
    return by.choice([operation.method] * 5 + METHODS), bytes(data)


def wrong_name(by: random.Random, _: Operations) -> tuple[str, bytes]:
    name, database = by.choice(NAMES), root().removesuffix("/documents")
    requests = [
        ("GetDocument", message("GetDocumentRequest")(name=name)),
        ("DeleteDocument", message("DeleteDocumentRequest")(name=name)),
        ("ListDocuments", message("ListDocumentsRequest")(parent=name, collection_id=by.choice(["c", "", "a/b", "__x__"]))),
        ("CreateDocument", message("CreateDocumentRequest")(parent=name, collection_id="c")),
        ("Commit", message("CommitRequest")(database=database, writes=[{"update": {"name": name}}])),
        ("Commit", message("CommitRequest")(database=name, writes=[{"delete": root() + "/c/d"}])),
        ("BatchGetDocuments", message("BatchGetDocumentsRequest")(database=database, documents=[name])),
        ("BeginTransaction", message("BeginTransactionRequest")(database=name)),
        ("ListCollectionIds", message("ListCollectionIdsRequest")(parent=name)),
        ("RunQuery", message("RunQueryRequest")(parent=name, structured_query={"from_": [{"collection_id": "c"}]})),
        ("Listen", message("ListenRequest")(database=database, add_target={"documents": {"documents": [name]}}))]
    method, request = by.choice(requests)
    return method, request.SerializeToString()


def deep(by: random.Random, _: Operations) -> tuple[str, bytes]:
    """Nests maps, arrays and filters, by hand: the library refuses to."""
    depth = by.choice([19, 20, 21, 22, 99, 101, 1_000, 20_000])
    kind = by.choice(["map", "array", "filter"])
    inner = b"\x10\x01"
    for _ in range(depth):
        if kind == "map":
            # Value{map_value{fields{key "a", value}}}
            inner = field(6, field(1, field(1, b"a") + field(2, inner)))
        elif kind == "array":
            inner = field(9, field(1, inner))
        else:
            # Filter{composite_filter{op AND, filters}}
            inner = field(1, b"\x08\x01" + field(2, inner))
        if len(inner) > 4 * MIB:
            break
    if kind == "filter":
        query = field(2, field(2, b"c")) + field(3, inner)
        return "RunQuery", field(1, root().encode()) + field(2, query)
    document = field(1, f"{root()}/c/deep".encode()) + field(2, field(1, b"a") + field(2, inner))
    return "Commit", field(1, root().removesuffix("/documents").encode()) + field(2, field(1, document))


def field(number: int, content: bytes) -> bytes:
    """Returns a field with a length."""
    length, size = len(content), b""
    while length > 127:
        size += bytes([length & 127 | 128])
        length >>= 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + content


def huge(by: random.Random, _: Operations) -> tuple[str, bytes]:
    request = message("CommitRequest")(database=root().removesuffix("/documents"))
    document = request.writes.add().update
    document.name = f"{root()}/c/huge"
    match by.randrange(5):
        case 0:
            document.fields["a"].string_value = "x" * by.choice([1_048_487, 1_048_488, MIB, 3 * MIB])
        case 1:
            for number in range(by.choice([1_000, 20_000])):
                document.fields[f"f{number}"].integer_value = number
        case 2:
            document.fields["x" * by.choice([1_500, 1_501, MIB])].null_value = 0
        case 3:
            document.fields["v"].array_value.values.extend(
                message("Value")(double_value=1) for _ in range(by.choice([2_049, 50_000])))
        case _ if by.random() < 0.05:
            document.fields["a"].bytes_value = b"x" * by.choice([9 * MIB, 11 * MIB])
        case _:
            transform = request.writes[0].update_transforms.add(field_path="a." * by.choice([1, 200]) + "a")
            transform.append_missing_elements.values.extend(message("Value")(integer_value=n) for n in range(2_000))
    return "Commit", request.SerializeToString()


def wrong_query(by: random.Random, valid: Operations) -> tuple[str, bytes]:
    """Breaks a query in a place where it parses still."""
    method, request, _ = valid.query()
    query = request.structured_query
    match by.randrange(8):
        case 0:
            query.start_at.values.extend(valid.value() for _ in range(by.randint(1, 50)))
        case 1:
            query.order_by.add(field={"field_path": by.choice(["", ".", "a..b", "`", "`a", "a`b", "__x__", "\x00", "." * 9_999])})
        case 2:
            query.where.Clear()
            query.where.field_filter.op = by.choice([0, 4, 11, 99, -1])
        case 3:
            query.limit.value = query.offset = by.choice([-1, -(2**31), 2**31 - 1])
        case 4:
            inner = [{"unary_filter": {"op": by.randrange(9), "field": {"field_path": "a"}}} for _ in range(by.choice([2, 31, 2_000]))]
            query.where.CopyFrom(type(query.where)(composite_filter={"op": by.choice([0, 1, 2, 7]), "filters": inner}))
        case 5:
            # Normalised, so many disjunctions that their number has no bound.
            either = {"composite_filter": {"op": 2, "filters": [
                {"field_filter": {"op": 5, "field": {"field_path": "a"}, "value": {"integer_value": n}}} for n in range(10)]}}
            query.where.CopyFrom(type(query.where)(composite_filter={"op": 1, "filters": [either] * 30}))
        case 6:
            query.find_nearest.vector_field.field_path = by.choice(["", "v", "a..b"])
            query.find_nearest.limit.value = by.choice([0, -1, 1_001])
            query.find_nearest.query_vector.CopyFrom(valid.value())
        case _:
            request.parent = by.choice(NAMES)
    return method, request.SerializeToString()


def wrong_token(by: random.Random, valid: Operations) -> tuple[str, bytes]:
    token, database = by.randbytes(by.choice([0, 1, 8, 16, 64, 100_000])), root().removesuffix("/documents")
    moment = {"seconds": by.choice([-(2**62), 0, 2**62, 10**10]), "nanos": by.choice([-1, 0, 1, 2**31 - 1])}
    query = valid.query()[1]
    timed = message("RunQueryRequest")(parent=query.parent, structured_query=query.structured_query, read_time=moment)
    held = message("RunQueryRequest")(parent=query.parent, structured_query=query.structured_query, transaction=token)
    target = {"query": {"parent": root(), "structured_query": query.structured_query}, "resume_token": token, "target_id": -1}
    requests: list[tuple[str, Any]] = [
        ("Commit", message("CommitRequest")(database=database, transaction=token)),
        ("Rollback", message("RollbackRequest")(database=database, transaction=token)),
        ("RunQuery", timed), ("RunQuery", held),
        ("ListDocuments", message("ListDocumentsRequest")(
            parent=root(), collection_id="c", page_token=token.hex(), page_size=by.choice([-1, 1, 2**31 - 1]))),
        ("ListCollectionIds", message("ListCollectionIdsRequest")(parent=root(), page_token=token.hex())),
        ("Write", message("WriteRequest")(database=database, stream_id=token.hex(), stream_token=token)),
        ("Listen", message("ListenRequest")(database=database, add_target=target)),
        ("Listen", message("ListenRequest")(database=database, remove_target=by.choice([0, -1, 2**31 - 1])))]
    method, request = by.choice(requests)
    return method, request.SerializeToString()

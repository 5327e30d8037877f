"""Typed values, documents and writes as messages."""

from typing import Any

from google.cloud.firestore_v1 import types
from google.protobuf.timestamp_pb2 import Timestamp
from google.type.latlng_pb2 import LatLng

Value = types.Value.pb()
Document = types.Document.pb()
Write = types.Write.pb()
NULL = Value(null_value=0)


class Reference(str):
    """The full name of a document."""


class Vector(list):
    """Doubles that are stored as a vector."""


def value(of: Any) -> Any:
    """Returns the message of a Python value; messages stay."""
    match of:
        case Value():
            return of
        case None:
            return NULL
        case bool():
            return Value(boolean_value=of)
        case int():
            return Value(integer_value=of)
        case float():
            return Value(double_value=of)
        case Reference():
            return Value(reference_value=of)
        case str():
            return Value(string_value=of)
        case bytes():
            return Value(bytes_value=of)
        case Timestamp():
            return Value(timestamp_value=of)
        case LatLng():
            return Value(geo_point_value=of)
        case Vector():
            return value({"__type__": "__vector__", "value": list(of)})
        case list():
            result = Value()
            result.array_value.SetInParent()
            result.array_value.values.extend(value(one) for one in of)
            return result
        case dict():
            result = Value()
            result.map_value.SetInParent()
            fill(result.map_value.fields, of)
            return result
    raise TypeError(f"{of!r} is no value of Firestore")


def fill(fields: Any, of: dict[str, Any]) -> None:
    for name, one in of.items():
        fields[name].CopyFrom(value(one))


def document(name: str, fields: dict[str, Any]) -> Any:
    result = Document(name=name)
    fill(result.fields, fields)
    return result


def update(name: str, fields: dict[str, Any], mask: list[str] | None = None) -> Any:
    write = Write(update=document(name, fields))
    if mask is not None:
        write.update_mask.SetInParent()
        write.update_mask.field_paths.extend(mask)
    return write


def deletion(name: str) -> Any:
    return Write(delete=name)

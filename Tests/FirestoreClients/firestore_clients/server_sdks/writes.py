"""Writes as both server SDKs make them: their masks, preconditions and transforms."""

from typing import Any

from ..values import deletion, update, value

NOW = {"set_to_server_value": 1}


def increment(by: int | float) -> dict[str, Any]:
    return {"increment": value(by)}


def union(*elements: Any) -> dict[str, Any]:
    return {"append_missing_elements": value(list(elements)).array_value}


def remove(*elements: Any) -> dict[str, Any]:
    return {"remove_all_from_array": value(list(elements)).array_value}


def create(name: str, values: dict[str, Any], **transforms: Any) -> Any:
    """`create()`: no mask, and the document must not exist."""
    return transformed(update(name, values), transforms, {"exists": False})


def replace(name: str, values: dict[str, Any], **transforms: Any) -> Any:
    """`set()`: neither mask nor precondition."""
    return transformed(update(name, values), transforms)


def merge(name: str, values: dict[str, Any], mask: list[str], **transforms: Any) -> Any:
    """`set()` that merges: the mask has the leaves, or the fields asked for, without those of transforms."""
    return transformed(update(name, values, mask), transforms)


def change(name: str, values: dict[str, Any], mask: list[str], update_time: Any = None, **transforms: Any) -> Any:
    """`update()`: a mask, also for transforms alone, and the document must exist, or be of this time."""
    precondition = {"update_time": update_time} if update_time else {"exists": True}
    return transformed(update(name, values, mask), transforms, precondition)


def delete(name: str, **precondition: Any) -> Any:
    """`delete()`: no precondition unless one is given."""
    return transformed(deletion(name), {}, precondition)


def transformed(write: Any, transforms: dict[str, Any], precondition: dict[str, Any] | None = None) -> Any:
    for path, transform in transforms.items():
        write.update_transforms.add(field_path=path, **transform)
    if precondition:
        write.current_document.MergeFrom(type(write.current_document)(**precondition))
    return write

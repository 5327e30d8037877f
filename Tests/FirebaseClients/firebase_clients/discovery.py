"""FCM's own description of its API, from google-api-python-client. The schema tests make their requests from it."""

import json
import re
from pathlib import Path
from typing import Any, Callable, Iterator

import googleapiclient

from .served import made_up_token

DOCUMENT = json.loads((Path(googleapiclient.__file__).parent / "discovery_cache/documents/fcm.v1.json").read_text())

TARGETS = ("fid", "token", "topic", "condition")

# Values for fields that do not accept any value of their type, by path or by name.
VALUES = {
    "fid": "f" * 22, "token": made_up_token(), "topic": "news", "condition": "'news' in topics || 'sports' in topics",
    "name": "projects/p/messages/1", "image": "https://example.com/image.png", "link": "https://example.com/",
    "color": "#aabbcc", "restrictedPackageName": "com.example.app", "analyticsLabel": "a-label",
    "data": {"key": "value", "snake_case": "1", "camelCase": "2"}, "apns.headers": {"apns-priority": "10"},
    "apns.payload": {"aps": {"badge": 1, "sound": "default"}, "snake_case": {"camelCase": [1, None, 0.5]}},
    "apns.liveActivityToken": "00" * 64, "webpush.headers": {"TTL": "60"},
    "webpush.notification": {"title": "W", "requireInteraction": True, "snake_case": {"camelCase": [1, None, 0.5]}},
}
FORMATS = {"google-duration": "3.5s", "google-datetime": "2026-01-02T03:04:05.678Z", "int32": 1, "float": 0.5}

# Fields that need another field beside them.
COMPANIONS = {
    "apns.liveActivityToken": {"payload": {"aps": {"timestamp": 1, "event": "update", "content-state": {"score": 1}}}},
}

Spelling = Callable[[str], str]


def camel(name: str) -> str:
    return name


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def schema(name: str) -> dict[str, Any]:
    return DOCUMENT["schemas"][name]


def fields(name: str = "Message", path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields every field below a schema with a value, and an enumeration with each of its values."""
    for field, kind in schema(name).get("properties", {}).items():
        here = (*path, field)
        if "$ref" in kind and "properties" in schema(kind["$ref"]):
            yield from fields(kind["$ref"], here)
        else:
            yield from ((here, value) for value in values(here, kind))


def values(path: tuple[str, ...], kind: dict[str, Any]) -> list[Any]:
    if "enum" in kind:
        return kind["enum"]
    if kind.get("type") == "array":
        return [values(path, kind["items"]) * 2]
    named = next((VALUES[key] for key in (".".join(path), path[-1]) if key in VALUES), None)
    if named is not None:
        return [named]
    if kind.get("format") in FORMATS:
        return [FORMATS[kind["format"]]]
    return [{"boolean": True, "string": "text"}.get(kind.get("type"), {})]


def message(path: tuple[str, ...], value: Any, spelled: Spelling) -> dict[str, Any]:
    """Returns a message with the one field, a target, and the fields that are documented as required."""
    whole = {} if path[0] in TARGETS else {"token": VALUES["token"]}
    insert(whole, "Message", path, value, spelled)
    return whole


def insert(
    into: dict[str, Any], name: str, path: tuple[str, ...], value: Any, spelled: Spelling, done: tuple[str, ...] = (),
) -> None:
    """Inserts a value into a message of the schema `name`; `done` is the path to it, `path` the path below it."""
    done = (*done, path[0])
    for field, other in COMPANIONS.get(".".join(done), {}).items():
        into[spelled(field)] = other
    if len(path) == 1:
        into[spelled(path[0])] = value
    else:
        child = schema(name)["properties"][path[0]]["$ref"]
        node = into.setdefault(spelled(path[0]), required(child, done, spelled))
        insert(node, child, path[1:], value, spelled, done)


def required(name: str, path: tuple[str, ...], spelled: Spelling) -> dict[str, Any]:
    needed: dict[str, Any] = {}
    for field, kind in schema(name).get("properties", {}).items():
        if kind.get("description", "").startswith("Required."):
            needed[spelled(field)] = {} if "$ref" in kind else values((*path, field), kind)[0]
    return needed


def everything(spelled: Spelling, android: str) -> dict[str, Any]:
    """Returns a message with all fields, one of the targets, and one of `android` and `androidV2`."""
    whole: dict[str, Any] = {"token": VALUES["token"]}
    for path, value in fields():
        if path[0] not in TARGETS and (path[0] == android or not path[0].startswith("android")):
            insert(whole, "Message", path, value, spelled)
    whole["apns"][spelled("payload")] = VALUES["apns.payload"]
    return whole


def parameters() -> Iterator[tuple[str, str, str]]:
    """Yields every method's own query parameters: the method's id, the parameter and its type."""
    pending = [DOCUMENT]
    while pending:
        resource = pending.pop()
        pending += resource.get("resources", {}).values()
        for method in resource.get("methods", {}).values():
            for name, kind in method.get("parameters", {}).items():
                if kind["location"] == "query":
                    yield method["id"], name, kind["type"]

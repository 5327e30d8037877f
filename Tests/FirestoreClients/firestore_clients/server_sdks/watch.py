"""A Listen stream of one target, kept as the server SDKs keep it. Node's and Java's send and take the same messages."""

import queue
import threading
from typing import Any, NamedTuple

import grpc

from ..api import message
from .query import Query
from .sdk import SDK

TARGET_ID = 1
SNAPSHOT_SECONDS = 120
Change = message("TargetChange").TargetChangeType


class Snapshot(NamedTuple):
    """The documents that an application sees, and the names of which the server sent something for it."""

    documents: dict[str, Any]
    sent: list[str]
    was_reset: bool
    time: int

    @property
    def ids(self) -> list[str]:
        return sorted(name.rpartition("/")[2] for name in self.documents)

    @property
    def sent_ids(self) -> list[str]:
        return sorted(name.rpartition("/")[2] for name in self.sent)


class Ended(Exception):
    """The end of a stream: its code, or the code with which the target was removed."""


class Watch:
    """A listener. A new one continues another's with its documents and its token, as after a lost connection."""

    def __init__(self, sdk: SDK, target: Any, earlier: "Watch | None" = None, token: bytes = b"", **options: Any) -> None:
        self.database = sdk.database
        self.documents: dict[str, Any] = dict(earlier.documents) if earlier else {}
        self.token, self.time = (earlier.token, earlier.time) if earlier else (token, 0)
        self.is_current = self.was_reset = self.is_added = self.has_snapshot = False
        self.sent: list[str] = []
        self.answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.ask(add_target={**self.place(target), "target_id": TARGET_ID, "resume_token": self.token, **options})
        self.call = sdk.both_ways("Listen", iter(self.requests.get, None))
        threading.Thread(target=self.receive, daemon=True).start()

    def ask(self, **request: Any) -> None:
        self.requests.put(message("ListenRequest")(database=self.database, **request))

    @staticmethod
    def place(target: Query | str) -> dict[str, Any]:
        if isinstance(target, Query):
            return {"query": {"parent": target.parent, "structured_query": target.message()}}
        return {"documents": {"documents": [target]}}

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.cut()

    def cut(self) -> None:
        """Breaks the stream, as a lost connection does."""
        self.requests.put(None)
        self.call.cancel()

    def unsubscribe(self) -> str:
        """Ends the stream from the client's side, as the SDKs do without removing the target. Returns its status."""
        self.requests.put(None)
        while not isinstance(answer := self.answers.get(timeout=SNAPSHOT_SECONDS), Ended):
            pass
        return str(answer)

    def receive(self) -> None:
        try:
            for answer in self.call:
                self.answers.put(answer)
            self.answers.put(Ended("OK"))
        except grpc.RpcError as error:
            self.answers.put(Ended(error.code().name))

    def snapshot(self, seconds: float = SNAPSHOT_SECONDS) -> Snapshot:
        """Waits for the next snapshot of which an application hears: the first one, or one with changes."""
        while True:
            answer = self.answers.get(timeout=seconds)
            if isinstance(answer, Ended):
                raise answer
            if (snapshot := self.take(answer)) and (not self.has_snapshot or snapshot.sent):
                self.has_snapshot = True
                return snapshot

    def take(self, answer: Any) -> Snapshot | None:
        match answer.WhichOneof("response_type"):
            case "target_change":
                return self.take_target_change(answer.target_change)
            case "document_change":
                self.take_document(answer.document_change)
            case "document_delete":
                self.remove(answer.document_delete.document)
            case "document_remove":
                self.remove(answer.document_remove.document)
            case "filter":
                assert answer.filter.count == len(self.documents), "the existence filter counts other documents"
        return None

    def take_document(self, change: Any) -> None:
        assert self.is_added, "a document came before the target was added"
        if TARGET_ID in change.target_ids:
            self.documents[change.document.name] = change.document
            self.sent.append(change.document.name)
        elif TARGET_ID in change.removed_target_ids:
            self.remove(change.document.name)

    def remove(self, name: str) -> None:
        self.documents.pop(name, None)
        self.sent.append(name)

    def take_target_change(self, change: Any) -> Snapshot | None:
        kind, ids = change.target_change_type, list(change.target_ids)
        if kind == Change.ADD:
            assert ids == [TARGET_ID], f"the server added the targets {ids}"
            self.is_added = True
        elif kind == Change.REMOVE:
            raise Ended(next(one.name for one in grpc.StatusCode if one.value[0] == (change.cause.code or 13)))
        elif kind == Change.RESET:
            # The SDKs forget the token with the documents.
            self.documents, self.token, self.is_current, self.was_reset = {}, b"", False, True
        elif kind == Change.CURRENT:
            self.is_current = True
        elif not ids and change.HasField("read_time") and self.is_current:
            return self.push(change)
        return None

    def push(self, change: Any) -> Snapshot:
        moment = change.read_time.ToNanoseconds()
        assert moment >= self.time, "the time of a snapshot went back"
        assert change.resume_token, "a snapshot has no token"
        result = Snapshot(dict(self.documents), self.sent, self.was_reset, moment)
        self.time, self.token, self.sent, self.was_reset = moment, change.resume_token, [], False
        return result

"""A Listen stream with one target that is resumed after each cut, and the rules that its messages must keep."""

import queue
import time
from collections.abc import Callable
from typing import Any

import grpc

from .api import GRPC, message, root
from .gateway import Failure

DATABASE = root().removesuffix("/documents")
Target, Change = message("Target"), message("TargetChange").TargetChangeType
Response = message("ListenResponse")


class Listener:
    """The documents that a target has, as a client of Google's keeps them."""

    def __init__(self, address: str, number: int, target: Any, check: Callable[[dict[str, Any]], str | None]) -> None:
        self.address, self.id, self.target, self.check = address, number + 1, target, check
        self.documents: dict[str, Any] = {}
        self.snapshot: dict[str, Any] = {}
        self.token, self.time = b"", 0
        self.is_current = False
        self.snapshots = self.resumed = self.resets = self.mismatches = self.changes = 0
        self.call: Any = None
        self.awaits_removal = False

    def work(self) -> None:
        """Listens until the stream ends."""
        api, requests = GRPC(self.address), queue.SimpleQueue[Any]()
        requests.put(self.request())
        self.is_current = self.awaits_removal = False
        self.call = api.both_ways("Listen", iter(requests.get, None))
        try:
            for answer in self.call:
                self.take(answer, requests)
        except grpc.RpcError as error:
            if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                raise Failure(f"listener {self.id}: {error.code().name} {error.details()}") from None
            self.resumed += 1
            time.sleep(0.01)
        finally:
            requests.put(None)
            api.close()
            # Changes behind the last snapshot are not known to be whole; the token is of that snapshot.
            self.documents = dict(self.snapshot)

    def request(self) -> Any:
        target = Target()
        target.CopyFrom(self.target)
        target.target_id = self.id
        if self.token:
            target.resume_token = self.token
            target.expected_count.value = len(self.snapshot)
        return message("ListenRequest")(database=DATABASE, add_target=target)

    def cut(self) -> None:
        if self.call:
            self.call.cancel()

    def take(self, answer: Any, requests: Any) -> None:
        if self.awaits_removal:
            # All up to the removal belongs to the target as it was before.
            self.awaits_removal = answer.target_change.target_change_type != Change.REMOVE
            return
        match answer.WhichOneof("response_type"):
            case "target_change":
                self.take_target_change(answer.target_change)
            case "document_change":
                self.take_document(answer.document_change)
            case "document_delete":
                self.documents.pop(answer.document_delete.document, None)
            case "document_remove":
                self.documents.pop(answer.document_remove.document, None)
            case "filter":
                if answer.filter.count != len(self.documents):
                    self.begin_again(requests)

    def begin_again(self, requests: Any) -> None:
        """Asks for everything, as clients do when the count is not theirs."""
        self.mismatches += 1
        self.token, self.documents, self.snapshot, self.is_current = b"", {}, {}, False
        self.awaits_removal = True
        requests.put(message("ListenRequest")(database=DATABASE, remove_target=self.id))
        requests.put(self.request())

    def take_document(self, change: Any) -> None:
        name, ids, removed = change.document.name, list(change.target_ids), list(change.removed_target_ids)
        if self.id in removed:
            self.documents.pop(name, None)
        elif self.id in ids:
            held = self.documents.get(name)
            if held is not None and held.update_time == change.document.update_time:
                raise Failure(f"listener {self.id} got the same change of {name} again")
            self.documents[name] = change.document
            self.changes += 1
        else:
            raise Failure(f"listener {self.id} got a change for {ids} and {removed}")

    def take_target_change(self, change: Any) -> None:
        kind, ids = change.target_change_type, list(change.target_ids)
        if kind == Change.REMOVE and change.cause.code:
            raise Failure(f"listener {self.id} was removed: {change.cause}")
        if kind == Change.RESET:
            self.resets += 1
            self.documents, self.is_current = {}, False
        elif kind == Change.CURRENT:
            self.is_current = True
        elif kind == Change.NO_CHANGE and not ids and change.HasField("read_time") and self.is_current:
            self.take_snapshot(change)

    def take_snapshot(self, change: Any) -> None:
        moment = change.read_time.ToNanoseconds()
        if moment < self.time:
            raise Failure(f"listener {self.id}: the time of a snapshot went back from {self.time} to {moment}")
        if fault := self.check(self.documents):
            raise Failure(f"listener {self.id}: {fault}")
        if not change.resume_token:
            raise Failure(f"listener {self.id}: a snapshot has no token")
        self.time, self.token, self.snapshot = moment, change.resume_token, dict(self.documents)
        self.snapshots += 1

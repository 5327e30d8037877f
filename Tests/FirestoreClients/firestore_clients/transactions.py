"""Transactions without a client library, over any of the two interfaces."""

import random
import time
from collections.abc import Callable
from typing import Any

from .api import CallError, message, root

DATABASE = root().removesuffix("/documents")
# The answers after which nobody knows if a commit took place.
LOST = ("UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED", "UNKNOWN")


class Transactions:
    """A client that tries transactions until they succeed, and counts aborted attempts and repeated commits."""

    # The seconds for which a commit is repeated, as generated clients do.
    PATIENCE = 20

    def __init__(self, api: Any) -> None:
        self.api, self.aborted, self.repeated = api, 0, 0

    def run(self, names: list[str], writes: Callable[[dict[str, Any]], list[Any]]) -> Any:
        """Reads the documents, commits what `writes` makes of them, and returns the answer.

        Throws `CallError` for all but ABORTED, so that the caller learns of lost answers.
        """
        earlier = b""
        while True:
            try:
                earlier = self.begin(earlier)
                documents = self.read(names, earlier)
                commit = message("CommitRequest")(database=DATABASE, writes=writes(documents), transaction=earlier)
                return self.commit(commit)
            except CallError as error:
                if error.code != "ABORTED":
                    raise
                self.aborted += 1
                time.sleep(random.uniform(0, 0.002))

    def commit(self, request: Any) -> Any:
        """Commits, and repeats the same commit while its answer is lost."""
        end = time.monotonic() + self.PATIENCE
        while True:
            try:
                return self.api.call("Commit", request)
            except CallError as error:
                if error.code != "UNAVAILABLE" or time.monotonic() > end:
                    raise
                self.repeated += 1
                time.sleep(0.05)

    def begin(self, earlier: bytes) -> bytes:
        request = message("BeginTransactionRequest")(database=DATABASE)
        request.options.read_write.retry_transaction = earlier
        return self.api.call("BeginTransaction", request).transaction

    def read(self, names: list[str], transaction: bytes) -> dict[str, Any]:
        """Returns the documents that exist, by their names."""
        request = message("BatchGetDocumentsRequest")(database=DATABASE, documents=names, transaction=transaction)
        answers = self.api.call("BatchGetDocuments", request)
        return {one.found.name: one.found for one in answers if one.HasField("found")}

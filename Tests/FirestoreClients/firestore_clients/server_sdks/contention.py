"""Transactions that are tried again, and clients that contend for one document."""

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..api import CallError
from .sdk import RETRIED, SDK
from .writes import create, replace

ATTEMPTS = 5
# The SDKs wait ten times as long.
FIRST_SECONDS, FACTOR = 0.1, 1.5
CLIENTS, ADDITIONS = 4, 10


def run_transaction(begin: Callable[[bytes], Any], work: Callable[[Any], Any]) -> Any:
    """Makes up to five attempts. Each begins with the id of the one before, which is rolled back first."""
    earlier, wait = b"", FIRST_SECONDS
    for number in range(ATTEMPTS):
        transaction = begin(earlier)
        try:
            return work(transaction)
        except CallError as error:
            transaction.rollback()
            if error.code not in RETRIED or number == ATTEMPTS - 1:
                raise
        earlier = transaction.id
        time.sleep(wait * random.uniform(0.5, 1.5))
        wait *= FACTOR


def count_together(sdk: SDK, transaction: Any) -> int:
    """Lets four clients add 40 ones to a document by transactions of this type, and returns what it has then."""
    name = sdk.document("counter")
    sdk.commit(create(name, {"n": 0}))

    def work(_: int) -> None:
        client = type(sdk)(sdk.address)
        for _ in range(ADDITIONS):
            run_transaction(lambda earlier: transaction(client, earlier=earlier), lambda one: add(one, name))
        client.close()

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(work, range(CLIENTS)))
    return number(sdk.get(name))


def add(transaction: Any, name: str) -> None:
    transaction.commit(replace(name, {"n": number(transaction.get(name)) + 1}))


def number(answers: list[Any]) -> int:
    return next(one.found.fields["n"].integer_value for one in answers if one.HasField("found"))

"""Transactions of Java's SDK, which begin with a call of their own and await their rollbacks."""

import pytest

from .server_sdks.contention import count_together
from .server_sdks.sdk import Java, code, fields, ids, typed
from .server_sdks.writes import change, create, delete, increment, replace

pytestmark = pytest.mark.parametrize("sdk", [Java], indirect=True, ids=["Java"])
COUNT = [{"count": {}}]
READ_WRITE, READ_ONLY = {"read_write": {}}, {"read_only": {}}


class Transaction:
    """One attempt: a call begins it, and all others carry its id."""

    def __init__(self, sdk, options=READ_WRITE, earlier=b""):
        self.sdk = sdk
        options = {"read_write": {"retry_transaction": earlier}} if earlier else options
        self.id = sdk.send("BeginTransaction", options=options).transaction
        assert self.id

    def read(self, send, *arguments):
        answers = send(*arguments, transaction=self.id)
        assert not any(one.transaction for one in answers)
        return answers

    def get(self, *names):
        return self.read(self.sdk.get, *names)

    def run(self, query):
        return self.read(self.sdk.run, query)

    def count(self, query):
        (answer,) = self.read(self.sdk.aggregate, query, COUNT)
        return dict(answer.result.aggregate_fields)

    def commit(self, *writes):
        """Commits also without a write."""
        return self.sdk.commit(*writes, transaction=self.id)

    def rollback(self):
        self.sdk.send("Rollback", transaction=self.id)


def held(answers):
    """Returns the fields of the one document that was asked for, or None."""
    (answer,) = answers
    assert answer.HasField("read_time")
    return fields(answer.found) if answer.HasField("found") else None


def test_a_transaction_begins_reads_and_then_commits(sdk):
    a, b = sdk.document("a"), sdk.document("b")
    sdk.commit(create(a, {"n": 1}))
    transaction = Transaction(sdk)
    assert held(transaction.get(a)) == typed(n=1)
    assert held(transaction.get(b)) is None
    assert ids(transaction.run(sdk.query())) == ["a"]
    assert transaction.count(sdk.query()) == typed(aggregate_0=1)
    answer = transaction.commit(change(a, {"n": 2}, ["n"]), create(b, {}))
    assert len(answer.write_results) == 2 and answer.HasField("commit_time")
    assert held(sdk.get(a)) == typed(n=2) and held(sdk.get(b)) == {}


def test_a_transaction_of_writes_alone_begins_as_well(sdk):
    Transaction(sdk).commit(create(sdk.document("a"), {"n": 1}))
    assert held(sdk.get(sdk.document("a"))) == typed(n=1)


def test_a_transaction_that_does_nothing_commits(sdk):
    assert not Transaction(sdk).commit().write_results


@pytest.mark.emulator_differs("it locks what was read, so that the other write waits and is ABORTED")
def test_an_aborted_transaction_is_rolled_back_and_succeeds_in_its_second_attempt(sdk):
    name = sdk.document("a")
    sdk.commit(create(name, {"n": 1}))
    first = Transaction(sdk)
    first.get(name)
    sdk.commit(change(name, {"n": 10}, ["n"]))
    assert code(first.commit, change(name, {"n": 2}, ["n"])) == "ABORTED"
    first.rollback()
    second = Transaction(sdk, earlier=first.id)
    assert second.id != first.id
    assert held(second.get(name)) == typed(n=10)
    second.commit(change(name, {}, [], n=increment(1)))
    assert held(sdk.get(name)) == typed(n=11)


@pytest.mark.emulator_differs("it locks what was read, so that the other write waits and is ABORTED")
def test_a_missing_document_that_was_read_and_then_made_aborts_the_transaction(sdk):
    name = sdk.document("a")
    transaction = Transaction(sdk)
    assert held(transaction.get(name)) is None
    sdk.commit(create(name, {"n": 1}))
    assert code(transaction.commit, replace(name, {"n": 2})) == "ABORTED"
    assert held(sdk.get(name)) == typed(n=1)


@pytest.mark.emulator_differs("it locks what was read, so that the other write waits and is ABORTED")
def test_an_aggregation_whose_result_changed_aborts_the_transaction(sdk):
    transaction = Transaction(sdk)
    assert transaction.count(sdk.query()) == typed(aggregate_0=0)
    sdk.commit(create(sdk.document("a"), {}))
    assert code(transaction.commit, create(sdk.document("b"), {})) == "ABORTED"
    assert ids(sdk.run(sdk.query())) == ["a"]


def test_a_rolled_back_transaction_writes_nothing_and_cannot_be_used(sdk):
    name = sdk.document("a")
    sdk.commit(create(name, {"n": 1}))
    transaction = Transaction(sdk)
    transaction.get(name)
    transaction.rollback()
    assert code(transaction.commit, change(name, {"n": 2}, ["n"])) == "INVALID_ARGUMENT"
    assert held(sdk.get(name)) == typed(n=1)


def test_rolling_back_what_is_over_succeeds(sdk):
    transaction = Transaction(sdk)
    assert code(transaction.commit, change(sdk.document("a"), {"n": 1}, ["n"])) == "NOT_FOUND"
    assert code(transaction.rollback) == code(transaction.rollback) == "OK"


def test_a_read_only_transaction_sees_one_moment_and_commits_nothing(sdk, is_emulator):
    name = sdk.document("a")
    sdk.commit(create(name, {"n": 1}))
    transaction = Transaction(sdk, READ_ONLY)
    assert held(transaction.get(name)) == typed(n=1)
    # A lock of the emulator's would hold up the write.
    if not is_emulator:
        sdk.commit(change(name, {"n": 2}, ["n"]), create(sdk.document("b"), {}))
    assert ids(transaction.run(sdk.query())) == ["a"]
    assert held(transaction.get(name)) == typed(n=1)
    assert not transaction.commit().write_results


def test_a_read_only_transaction_of_a_time_is_nothing_but_reads_at_that_time(sdk):
    name = sdk.document("a")
    first = sdk.commit(create(name, {"n": 1})).commit_time
    sdk.commit(change(name, {"n": 2}, ["n"]), create(sdk.document("b"), {"n": 2}))
    assert held(sdk.get(name, read_time=first)) == typed(n=1)
    assert ids(sdk.run(sdk.query(), read_time=first)) == ["a"]
    sdk.commit(delete(name))
    assert held(sdk.get(name, read_time=first)) == typed(n=1)


def test_a_read_only_transaction_may_begin_at_a_time(sdk):
    name = sdk.document("a")
    first = sdk.commit(create(name, {"n": 1})).commit_time
    sdk.commit(change(name, {"n": 2}, ["n"]))
    transaction = Transaction(sdk, {"read_only": {"read_time": first}})
    assert held(transaction.get(name)) == typed(n=1)
    assert not transaction.commit().write_results


@pytest.mark.emulator_lacks("with its locks four clients do half a transaction in a second")
def test_contending_transactions_succeed_within_five_attempts(sdk):
    assert count_together(sdk, Transaction) == 40

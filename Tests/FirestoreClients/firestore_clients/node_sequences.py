"""Transactions of Node's SDK, which begin in their first read, and its silent listeners."""

import time

import pytest

from .server_sdks.contention import count_together
from .server_sdks.sdk import Node, code, documents, fields, ids, typed
from .server_sdks.watch import Watch
from .server_sdks.writes import change, create, delete, increment

pytestmark = pytest.mark.parametrize("sdk", [Node], indirect=True, ids=["Node"])
READ_WRITE, READ_ONLY = {"read_write": {}}, {"read_only": {}}
COUNT = [{"count": {}}]


class Transaction:
    """One attempt: the first read begins it, the others carry its id."""

    def __init__(self, sdk, options=READ_WRITE, earlier=b""):
        self.sdk, self.id = sdk, b""
        self.options = {"read_write": {"retry_transaction": earlier}} if earlier else options

    def read(self, send, *arguments):
        if self.id:
            return send(*arguments, transaction=self.id)
        answers = send(*arguments, new_transaction=self.options)
        self.id = answers[0].transaction
        assert self.id, "the first answer has no transaction"
        assert not any(one.transaction for one in answers[1:])
        return answers

    def get(self, *names):
        return self.read(self.sdk.get, *names)

    def run(self, query):
        return self.read(self.sdk.run, query)

    def commit(self, *writes):
        """Without a read the commit names no transaction."""
        return self.sdk.commit(*writes, transaction=self.id)

    def rollback(self):
        """Sends nothing if no read began the transaction."""
        return self.id and self.sdk.send_without_waiting("Rollback", transaction=self.id)


def found(answers):
    return [one.found for one in answers if one.HasField("found")]


def only_transaction(answer):
    """Returns whether the answer has a transaction and nothing else."""
    return [field.name for field, _ in answer.ListFields()] == ["transaction"]


def test_the_first_answer_of_a_get_has_the_transaction_alone(sdk):
    sdk.commit(create(sdk.document("a"), {"n": 1}))
    answers = sdk.get(sdk.document("a"), sdk.document("b"), new_transaction=READ_WRITE)
    assert only_transaction(answers[0])
    assert [one.found.name or one.missing for one in answers[1:]] == [sdk.document("a"), sdk.document("b")]
    assert all(one.HasField("read_time") for one in answers[1:])


def test_the_first_answer_of_a_query_has_the_transaction_alone(sdk):
    sdk.commit(create(sdk.document("a"), {"n": 1}))
    answers = sdk.run(sdk.query(), new_transaction=READ_WRITE)
    assert only_transaction(answers[0]) and ids(answers[1:]) == ["a"]


def test_a_query_without_results_begins_a_transaction(sdk):
    answers = sdk.run(sdk.query(), new_transaction=READ_WRITE)
    assert only_transaction(answers[0]) and not documents(answers)
    assert any(one.HasField("read_time") for one in answers[1:])


def test_an_aggregation_begins_a_transaction(sdk):
    answers = sdk.aggregate(sdk.query(), COUNT, new_transaction=READ_WRITE)
    assert answers[0].transaction and not any(one.transaction for one in answers[1:])
    results = [dict(one.result.aggregate_fields) for one in answers if one.HasField("result")]
    assert results == [typed(aggregate_0=0)]
    sdk.commit(create(sdk.document("a"), {}), transaction=answers[0].transaction)


def test_a_transaction_reads_and_then_commits(sdk):
    sdk.commit(create(sdk.document("a"), {"n": 1}))
    transaction = Transaction(sdk)
    (read,) = found(transaction.get(sdk.document("a")))
    assert ids(transaction.run(sdk.query())) == ["a"]
    transaction.commit(change(sdk.document("a"), {"n": 2}, ["n"]), create(sdk.document("b"), fields(read)))
    assert [fields(one) for one in documents(sdk.run(sdk.query()))] == [typed(n=2), typed(n=1)]


def test_a_transaction_of_writes_alone_commits_without_an_id(sdk):
    transaction = Transaction(sdk)
    transaction.commit(create(sdk.document("a"), {"n": 1}))
    assert ids(sdk.run(sdk.query())) == ["a"]


@pytest.mark.emulator_differs("it locks what was read, so that the other write waits and is ABORTED")
def test_an_aborted_transaction_succeeds_in_its_second_attempt(sdk):
    name = sdk.document("a")
    sdk.commit(create(name, {"n": 1}))
    first = Transaction(sdk)
    first.get(name)
    sdk.commit(change(name, {"n": 10}, ["n"]))
    assert code(first.commit, change(name, {"n": 2}, ["n"])) == "ABORTED"
    rolled_back = first.rollback()
    second = Transaction(sdk, earlier=first.id)
    (read,) = found(second.get(name))
    assert fields(read) == typed(n=10) and second.id != first.id
    second.commit(change(name, {}, [], n=increment(1)))
    assert fields(found(sdk.get(name))[0]) == typed(n=11)
    rolled_back.result(20)


@pytest.mark.emulator_differs("it locks what was read, so that the other write waits and is ABORTED")
def test_a_query_whose_result_changed_aborts_the_transaction(sdk):
    transaction = Transaction(sdk)
    assert documents(transaction.run(sdk.query())) == []
    sdk.commit(create(sdk.document("a"), {}))
    assert code(transaction.commit, create(sdk.document("b"), {})) == "ABORTED"
    assert ids(sdk.run(sdk.query())) == ["a"]


@pytest.mark.emulator_differs("it locks what was read, so that the other write waits and is ABORTED")
def test_a_rollback_that_nobody_awaits_leaves_no_write_and_no_lock(sdk):
    name = sdk.document("a")
    sdk.commit(create(name, {"n": 1}))
    abandoned, thrown = Transaction(sdk), Transaction(sdk)
    abandoned.get(name)
    thrown.get(name)
    rolled_back = thrown.rollback()
    begun = time.monotonic()
    sdk.commit(change(name, {"n": 2}, ["n"]))
    assert time.monotonic() - begun < 1
    rolled_back.result(20)
    assert code(thrown.commit, change(name, {"n": 3}, ["n"])) == "INVALID_ARGUMENT"
    assert fields(found(sdk.get(name))[0]) == typed(n=2)


def test_a_failed_precondition_ends_a_transaction_with_its_code(sdk):
    name = sdk.document("a")
    transaction = Transaction(sdk)
    transaction.get(name)
    assert code(transaction.commit, change(name, {"n": 1}, ["n"])) == "NOT_FOUND"
    transaction.rollback().result(20)
    sdk.commit(create(name, {}))
    again = Transaction(sdk)
    again.get(name)
    assert code(again.commit, create(name, {})) == "ALREADY_EXISTS"
    again.rollback().result(20)


def test_a_read_only_transaction_sees_one_moment_and_ends_without_a_call(sdk, is_emulator):
    name = sdk.document("a")
    sdk.commit(create(name, {"n": 1}))
    transaction = Transaction(sdk, READ_ONLY)
    assert fields(found(transaction.get(name))[0]) == typed(n=1)
    # A lock of the emulator's would hold up the write.
    if not is_emulator:
        sdk.commit(change(name, {"n": 2}, ["n"]), create(sdk.document("b"), {}))
    assert ids(transaction.run(sdk.query())) == ["a"]
    assert fields(found(transaction.get(name))[0]) == typed(n=1)


def test_a_read_only_transaction_of_a_time_is_nothing_but_reads_at_that_time(sdk):
    name = sdk.document("a")
    first = sdk.commit(create(name, {"n": 1})).commit_time
    sdk.commit(change(name, {"n": 2}, ["n"]), create(sdk.document("b"), {"n": 2}))
    assert fields(found(sdk.get(name, read_time=first))[0]) == typed(n=1)
    assert ids(sdk.run(sdk.query(), read_time=first)) == ["a"]
    (counted,) = sdk.aggregate(sdk.query(), COUNT, read_time=first)
    assert dict(counted.result.aggregate_fields) == typed(aggregate_0=1)
    sdk.commit(delete(name))
    assert fields(found(sdk.get(name, read_time=first))[0]) == typed(n=1)


@pytest.mark.emulator_lacks("with its locks four clients do half a transaction in a second")
def test_contending_transactions_succeed_within_five_attempts(sdk):
    assert count_together(sdk, Transaction) == 40


@pytest.mark.slow
@pytest.mark.emulator_lacks("it is silent for good, and Node opens another stream after 120 s")
def test_a_silent_listener_gets_a_new_time_and_token_within_45_seconds(sdk):
    with Watch(sdk, sdk.query()) as watch:
        watch.snapshot()
        time_before, token_before = watch.time, watch.token
        answer = watch.answers.get(timeout=46)
        assert watch.take(answer).sent == []
        assert watch.time > time_before and watch.token != token_before

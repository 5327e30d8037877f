"""The codes on which the SDKs decide if a call is sent again."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from ..api import DEADLINE_SECONDS, message
from .query import NAME
from .sdk import code, documents
from .writes import create, increment, merge, replace

MEBIBYTE = 1024**2


@pytest.mark.emulator_differs("it takes 4 MiB, and answers RESOURCE_EXHAUSTED, which is retried for a minute")
def test_a_request_of_9_MiB_passes_and_one_of_11_MiB_is_INVALID_ARGUMENT(sdk):
    def batch(size):
        return [replace(sdk.document(f"{number:02}"), {"text": "x" * 1_000_000}) for number in range(size)]
    assert len(sdk.commit(*batch(9)).write_results) == 9
    assert code(sdk.commit, *batch(12)) == "INVALID_ARGUMENT"
    assert len(documents(sdk.run(sdk.query().select()))) == 9


def test_a_document_over_the_limit_is_not_retried(sdk):
    assert code(sdk.commit, replace(sdk.document("a"), {"text": "x" * MEBIBYTE})) == "INVALID_ARGUMENT"


def test_a_wrong_query_is_INVALID_ARGUMENT(sdk):
    assert code(sdk.run, sdk.query().limit(-1)) == "INVALID_ARGUMENT"
    assert code(sdk.run, sdk.query().where("n", "in", [])) == "INVALID_ARGUMENT"
    assert code(sdk.run, sdk.query().order_by("n").start_at(1, 2)) == "INVALID_ARGUMENT"
    assert code(sdk.run, sdk.query().where(NAME, ">", "a text")) == "INVALID_ARGUMENT"


def test_an_unknown_transaction_is_not_retried(sdk):
    assert code(sdk.commit, transaction=b"unknown") == "INVALID_ARGUMENT"
    assert code(sdk.get, sdk.document("a"), transaction=b"unknown") == "INVALID_ARGUMENT"


def test_an_ended_transaction_is_not_retried(sdk):
    transaction = sdk.send("BeginTransaction", options={"read_write": {}}).transaction
    sdk.commit(create(sdk.document("a"), {}), transaction=transaction)
    assert code(sdk.commit, create(sdk.document("b"), {}), transaction=transaction) == "INVALID_ARGUMENT"


def test_blind_writes_of_one_document_are_never_aborted(sdk):
    name = sdk.document("a")
    writes = [merge(name, {}, [], n=increment(1)) for _ in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda write: code(sdk.commit, write), writes)) == {"OK"}
    (answer,) = sdk.get(name)
    assert answer.found.fields["n"].integer_value == 200


def test_an_unknown_method_is_UNIMPLEMENTED(sdk):
    call = sdk.channel.unary_unary("/google.firestore.v1.Firestore/Unknown", bytes, bytes)
    assert code(call, b"", timeout=DEADLINE_SECONDS, metadata=sdk.metadata("Unknown")) == "UNIMPLEMENTED"


@pytest.mark.emulator_differs("it answers UNKNOWN")
def test_pipelines_are_UNIMPLEMENTED(sdk):
    assert code(pipeline, sdk) == "UNIMPLEMENTED"


def pipeline(sdk):
    request = message("ExecutePipelineRequest")(database=sdk.database)
    call = sdk.channel.unary_stream("/google.firestore.v1.Firestore/ExecutePipeline", type(request).SerializeToString, bytes)
    return list(call(request, timeout=DEADLINE_SECONDS, metadata=sdk.metadata("ExecutePipeline", request)))

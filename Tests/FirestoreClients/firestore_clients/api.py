"""Firestore's calls without a client library: the messages as they are, over gRPC and over REST."""

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlencode

import grpc
from google.cloud.firestore_v1 import types
from google.protobuf import empty_pb2, json_format
from google.rpc import status_pb2

PROJECT = "demo-test"
SERVICE = "/google.firestore.v1.Firestore/"
CHANNEL = [
    ("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1), ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 500),
]
# As Google's own clients send them; their emulator takes the database of a stream from the second.
METADATA = (
    ("authorization", "Bearer owner"), ("google-cloud-resource-prefix", f"projects/{PROJECT}/databases/(default)"))


def message(name: str) -> Any:
    return getattr(types, name).pb()


# The methods with one request: the type of the answer, or of the answers if there are several.
UNARY = {
    "GetDocument": "Document", "ListDocuments": "ListDocumentsResponse", "CreateDocument": "Document",
    "UpdateDocument": "Document", "DeleteDocument": None, "BeginTransaction": "BeginTransactionResponse",
    "Commit": "CommitResponse", "Rollback": None, "ListCollectionIds": "ListCollectionIdsResponse",
    "BatchWrite": "BatchWriteResponse", "PartitionQuery": "PartitionQueryResponse",
}
STREAMING = {
    "BatchGetDocuments": "BatchGetDocumentsResponse", "RunQuery": "RunQueryResponse",
    "RunAggregationQuery": "RunAggregationQueryResponse",
}
BIDIRECTIONAL = {"Listen": "ListenResponse", "Write": "WriteResponse"}
# The names of the methods in URLs.
ACTIONS = {"BatchGetDocuments": "batchGet"}
DEADLINE_SECONDS = 300


class CallError(Exception):
    """A status that is not OK."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


class GRPC:
    """Calls over one gRPC connection."""

    kind = "gRPC"

    def __init__(self, address: str, options: Any = CHANNEL) -> None:
        self.channel = grpc.insecure_channel(address, options=options)

    def metadata(self, method: str, request: Any = None) -> Any:
        """Returns the headers of a call. A stream both ways begins before its first request."""
        return METADATA

    def call(self, method: str, request: Any, timeout: float = DEADLINE_SECONDS) -> Any:
        """Returns the answer, or the list of the answers. Throws `CallError`."""
        try:
            if method in STREAMING:
                return list(self.stream(method, request, timeout))
            answer = self.channel.unary_unary(
                SERVICE + method, type(request).SerializeToString, answer_type(method).FromString)
            return answer(request, timeout=timeout, metadata=self.metadata(method, request))
        except grpc.RpcError as error:
            raise CallError(error.code().name, error.details() or "") from None

    def stream(self, method: str, request: Any, timeout: float = DEADLINE_SECONDS) -> Any:
        """Returns the iterator of the answers, which can be cancelled."""
        begin = self.channel.unary_stream(
            SERVICE + method, type(request).SerializeToString, message(STREAMING[method]).FromString)
        return begin(request, timeout=timeout, metadata=self.metadata(method, request))

    def both_ways(self, method: str, requests: Iterator[Any], timeout: float | None = None) -> Any:
        begin = self.channel.stream_stream(
            SERVICE + method, lambda one: one.SerializeToString(), message(BIDIRECTIONAL[method]).FromString)
        return begin(requests, timeout=timeout, metadata=self.metadata(method))

    def close(self) -> None:
        self.channel.close()


class REST:
    """The same calls over HTTP/1.1 and JSON, with a connection for each thread."""

    kind = "REST"

    def __init__(self, address: str, ignores_unknown: bool = False) -> None:
        """`ignores_unknown` accepts fields of answers that the published messages do not have."""
        self.address, self.ignores_unknown, self.local = address, ignores_unknown, threading.local()

    def call(self, method: str, request: Any, timeout: float = DEADLINE_SECONDS) -> Any:
        verb, path, body = url(method, request)
        status, text = self.send(verb, path, None if body is None else json.dumps(body), timeout)
        if status != 200:
            raise rest_error(status, text)
        if method in STREAMING:
            return [json_format.ParseDict(one, message(STREAMING[method])(), self.ignores_unknown) for one in json.loads(text)]
        return json_format.Parse(text, answer_type(method)(), self.ignores_unknown)

    def send(self, verb: str, path: str, body: str | None, timeout: float) -> tuple[int, str]:
        """Sends on the thread's connection. Any failure of it is UNAVAILABLE, and the next call opens another."""
        if (connection := getattr(self.local, "connection", None)) is None:
            connection = self.local.connection = HTTPConnection(self.address, timeout=timeout)
        try:
            connection.request(verb, path, body, {"Content-Type": "application/json", "Authorization": "Bearer owner"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except Exception as error:
            self.close()
            raise CallError("UNAVAILABLE", f"{type(error).__name__}: {error}") from None

    def close(self) -> None:
        if connection := getattr(self.local, "connection", None):
            connection.close()
        self.local.connection = None


def url(method: str, request: Any) -> tuple[str, str, Any]:
    """Returns the HTTP method, the path with its parameters, and the body of a request."""
    body = json_format.MessageToDict(request)
    if method in ("GetDocument", "DeleteDocument"):
        name = body.pop("name")
        return ("GET" if method == "GetDocument" else "DELETE"), path(name) + parameters(body), None
    if method == "ListDocuments":
        parent, collection = body.pop("parent"), body.pop("collectionId", "")
        return "GET", path(f"{parent}/{collection}") + parameters(body), None
    if method == "CreateDocument":
        document = body.pop("document", {})
        return "POST", path(f"{body.pop('parent')}/{body.pop('collectionId')}") + parameters(body), document
    if method == "UpdateDocument":
        document = body.pop("document")
        return "PATCH", path(document.pop("name")) + parameters(body), document
    name = body.pop("parent", None) or body.pop("database") + "/documents"
    return "POST", f"{path(name)}:{ACTIONS.get(method, method[0].lower() + method[1:])}", body


def path(name: str) -> str:
    return "/v1/" + "/".join(quote(segment, safe="()") for segment in name.split("/"))


def parameters(body: dict[str, Any]) -> str:
    """Returns the rest of a message as the parameters of a URL."""
    pairs: list[tuple[str, str]] = []
    for name, value in body.items():
        inner = {f"{name}.{key}": one for key, one in value.items()} if isinstance(value, dict) else {name: value}
        for key, one in inner.items():
            pairs += [(key, text(element)) for element in (one if isinstance(one, list) else [one])]
    return "?" + urlencode(pairs, quote_via=quote) if pairs else ""


def text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def rest_error(status: int, text: str) -> CallError:
    try:
        error = json.loads(text)
        error = (error[0] if isinstance(error, list) else error)["error"]
        return CallError(error["status"], error["message"])
    except (ValueError, KeyError, IndexError, TypeError):
        return CallError(f"HTTP {status}", text[:200])


def answer_type(method: str) -> Any:
    return message(UNARY[method]) if UNARY[method] else empty_pb2.Empty


def root(project: str = PROJECT, database: str = "(default)") -> str:
    """Returns the name of a database's documents."""
    return f"projects/{project}/databases/{database}/documents"


def code_name(status: status_pb2.Status) -> str:
    return next((code.name for code in grpc.StatusCode if code.value[0] == status.code), str(status.code))

"""A server SDK as a server sees it: one gRPC connection with that SDK's headers and messages."""

import uuid
from typing import Any
from urllib.parse import quote

import grpc

from ..api import CHANNEL, DEADLINE_SECONDS, GRPC, SERVICE, CallError, message, root
from ..values import value
from .query import Query

# The field that `x-goog-request-params` names, if it is not `database`.
ROUTED_BY_PARENT = {"RunQuery", "RunAggregationQuery", "ListDocuments", "ListCollectionIds", "PartitionQuery"}
# After these an SDK begins a transaction again, also if the commit's answer was one of them.
RETRIED = {
    "ABORTED", "CANCELLED", "UNKNOWN", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "UNAUTHENTICATED",
    "RESOURCE_EXHAUSTED"}
# The shortest wait before a new attempt is also the time that an attempt to connect has.
PATIENT = [option for option in CHANNEL if option[0] != "grpc.min_reconnect_backoff_ms"]


class SDK(GRPC):
    """The calls of one client. Each instance has a root collection of its own, so that sequences do not meet."""

    name: str
    # The value of `x-goog-api-client`. Only the SDK's own version is meant; those of its parts are examples.
    agent: str
    # What a list of documents or collections asks for; 0 leaves it to the server.
    page_size: int

    def __init__(self, address: str, database: str = "(default)") -> None:
        super().__init__(address, PATIENT)
        self.address = address
        self.root = root(database=database)
        self.database = self.root.removesuffix("/documents")
        self.collection_id = f"{self.name.lower()}-{uuid.uuid4().hex[:12]}"
        self.collection = f"{self.root}/{self.collection_id}"

    def metadata(self, method: str, request: Any = None) -> Any:
        field = "parent" if method in ROUTED_BY_PARENT else "database"
        return (
            ("authorization", "Bearer owner"), ("x-goog-api-client", self.agent),
            ("google-cloud-resource-prefix", self.database),
            ("x-goog-request-params", f"{field}={quote(getattr(request, field, self.database), safe='()')}"))

    def send(self, method: str, **fields: Any) -> Any:
        """Sends a request with these fields, to the connection's database unless they name a parent."""
        place = {} if "parent" in fields else {"database": self.database}
        return self.call(method, message(f"{method}Request")(**place, **fields))

    def send_without_waiting(self, method: str, **fields: Any) -> Any:
        """Returns the call, whose answer nobody awaits."""
        request = message(f"{method}Request")(database=self.database, **fields)
        begin = self.channel.unary_unary(
            SERVICE + method, type(request).SerializeToString, bytes)
        return begin.future(request, timeout=DEADLINE_SECONDS, metadata=self.metadata(method, request))

    def commit(self, *writes: Any, **fields: Any) -> Any:
        return self.send("Commit", writes=writes, **fields)

    def get(self, *names: str, **fields: Any) -> list[Any]:
        return self.send("BatchGetDocuments", documents=names, **fields)

    def run(self, query: Query, **fields: Any) -> list[Any]:
        return self.send("RunQuery", parent=query.parent, structured_query=query.message(), **fields)

    def aggregate(self, query: Query, aggregations: list[Any], **fields: Any) -> list[Any]:
        named = [{"alias": f"aggregate_{number}", **one} for number, one in enumerate(aggregations)]
        request = {"structured_query": query.message(), "aggregations": named}
        return self.send("RunAggregationQuery", parent=query.parent, structured_aggregation_query=request, **fields)

    def document(self, id: str) -> str:
        return f"{self.collection}/{id}"

    def query(self, **options: Any) -> Query:
        """Returns the query of everything in the connection's collection."""
        return Query(self.root, self.collection_id, **options)

    def pages(self, method: str, results: str, **fields: Any) -> list[Any]:
        """Follows the pages of a list to its end."""
        found, token = [], ""
        while True:
            if self.page_size:
                fields["page_size"] = self.page_size
            answer = self.send(method, page_token=token, **fields)
            found += getattr(answer, results)
            if not (token := answer.next_page_token):
                return found


class Node(SDK):
    """@google-cloud/firestore 8.3, as firebase-admin loads it."""

    name = "Node"
    agent = "gl-node/22.11.0 grpc/1.14.1 gax/5.0.6 gapic/8.3.0 gccl/8.3.0 fire/13.6.0"
    page_size = 2**16 - 1


class Java(SDK):
    """google-cloud-firestore 3.42, as firebase-admin for Java loads it."""

    name = "Java"
    agent = "gl-java/17.0.17 gapic/3.42.0 gax/2.80.0 grpc/1.82.1 gccl/3.42.0"
    page_size = 0


def documents(answers: list[Any]) -> list[Any]:
    """Returns the documents of a query's answers."""
    return [one.document for one in answers if one.HasField("document")]


def ids(answers: list[Any]) -> list[str]:
    return [one.name.rpartition("/")[2] for one in documents(answers)]


def fields(document: Any) -> dict[str, Any]:
    return dict(document.fields)


def typed(**values: Any) -> dict[str, Any]:
    """Returns the fields that `fields` gives for a document of these values: 1 and 1.0 differ."""
    return {name: value(one) for name, one in values.items()}


def code(call: Any, *arguments: Any, **options: Any) -> str:
    """Returns the code with which a call fails, or OK."""
    try:
        call(*arguments, **options)
    except CallError as error:
        return error.code
    except grpc.RpcError as error:
        return error.code().name
    return "OK"

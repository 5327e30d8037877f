"""Answers in a form in which those of two servers can be compared, and the differences that are declared."""

import re
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from .api import CallError, code_name
from .operations import Operation, target

DAY = 86_400


class Answer(NamedTuple):
    """The outcome of a call: a code, and what it brought."""

    code: str
    content: Any
    text: str = ""


class Clock:
    """The names of a server's times: the number of the operation that first showed each of them."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}

    def name(self, moment: Any, number: int) -> str:
        return self.names.setdefault(moment.ToNanoseconds(), f"time of operation {number}")


class Comparable:
    """The answers of one server, without what must differ: read times, tokens, and the values of its times."""

    def __init__(self) -> None:
        self.clock, self.number = Clock(), 0

    def answer(self, operation: Operation, outcome: Any, number: int) -> Answer:
        self.number = number
        if isinstance(outcome, CallError):
            return Answer(outcome.code, None, outcome.text)
        return Answer("OK", getattr(self, operation.method, self.document)(outcome, operation))

    def document(self, document: Any, _: Any = None) -> Any:
        if not hasattr(document, "fields"):
            return None
        if not document.HasField("create_time"):
            # It is missing, and shown for the documents below it (§9).
            return document.name
        times = [self.clock.name(getattr(document, name), self.number) if document.HasField(name) else None
                 for name in ("create_time", "update_time")]
        return document.name, *times, {name: self.value(one) for name, one in sorted(document.fields.items())}

    def value(self, value: Any) -> Any:
        """Returns the type and the content. Doubles are their bits, so that −0.0 and NaN compare as they should."""
        kind = value.WhichOneof("value_type")
        content = getattr(value, kind) if kind else None
        match kind:
            case "double_value":
                return kind, "NaN" if content != content else struct.pack(">d", content).hex() + f" ({content})"
            case "timestamp_value":
                return kind, self.moment(content)
            case "geo_point_value":
                return kind, content.latitude, content.longitude
            case "array_value":
                return kind, [self.value(one) for one in content.values]
            case "map_value":
                return kind, {name: self.value(one) for name, one in sorted(content.fields.items())}
        return kind, content

    def moment(self, moment: Any) -> Any:
        """Returns the time, or only that it is of the server's clock."""
        return "now" if abs(moment.seconds - time.time()) < DAY else (moment.seconds, moment.nanos)

    def write_result(self, result: Any) -> Any:
        moment = self.clock.name(result.update_time, self.number) if result.HasField("update_time") else None
        return moment, [self.value(one) for one in result.transform_results]

    def Commit(self, answer: Any, operation: Operation) -> Any:
        """Returns the results without the times of deletes whose document is written again in the same commit (§5)."""
        results = [self.write_result(one) for one in answer.write_results]
        writes = operation.request.writes
        for index, write in enumerate(writes[:len(results)]):
            if write.delete and any(target(later) == write.delete for later in writes[index + 1:]):
                results[index] = None
        return results

    def BatchWrite(self, answer: Any, _: Any) -> Any:
        return [code_name(one) for one in answer.status], [self.write_result(one) for one in answer.write_results]

    def BatchGetDocuments(self, answers: list[Any], _: Any) -> Any:
        return sorted(repr(self.document(one.found) if one.HasField("found") else one.missing) for one in answers)

    def ListDocuments(self, answer: Any, _: Any) -> Any:
        return [self.document(one) for one in answer.documents], bool(answer.next_page_token)

    def ListCollectionIds(self, answer: Any, _: Any) -> Any:
        return list(answer.collection_ids), bool(answer.next_page_token)

    def RunQuery(self, answers: list[Any], _: Any) -> Any:
        documents = [self.document(one.document) for one in answers if one.HasField("document")]
        return documents, sum(one.skipped_results for one in answers)

    def RunAggregationQuery(self, answers: list[Any], _: Any) -> Any:
        return [{name: self.value(one) for name, one in sorted(answer.result.aggregate_fields.items())}
                for answer in answers]


class Declared(NamedTuple):
    """A difference that the contract declares: its section, and the answers that it explains."""

    section: str
    words: str
    explains: Callable[[Operation, Answer, Answer], bool]


# The operation, Google's answer, ours. None explains an answer of ours that is INTERNAL or UNKNOWN.
DECLARED = [
    Declared("3", "a time in a query is cut to microseconds, as those of documents are", lambda operation, theirs, ours:
             operation.method == "RunQuery" and theirs.code == ours.code == "OK" and differ_by_cut_times(operation, theirs, ours)),
    Declared("4", "an operand that no document can have is refused", lambda operation, theirs, ours:
             operation.method.startswith("Run") and "vector value in an array" in ours.text and theirs.code == "OK"),
    Declared("5", "an array or a vector as an element of a transform is refused", lambda operation, theirs, ours:
             "array in a transform" in operation.traits and ours.code == "INVALID_ARGUMENT" and theirs.code != ours.code),
    Declared("5", "a write whose transform restores what it has replaced changes nothing", lambda operation, theirs, ours:
             theirs.code == ours.code == "OK" and any(restores(write) for write in getattr(operation.request, "writes", []))
             and without_times(theirs) == without_times(ours)),
    Declared("6", "a query by name descending alone is answered", lambda operation, theirs, ours:
             "by name descending" in operation.traits and theirs.code != "OK" and ours.code == "OK"),
    Declared("6", "the first result says how many were passed over", lambda operation, theirs, ours:
             operation.method == "RunQuery" and theirs.code == ours.code == "OK" and theirs.content[0] == ours.content[0]
             and ours.content[1] <= operation.request.structured_query.offset),
    Declared("6", "a collection group is ordered and filtered as any query is", lambda operation, theirs, ours:
             "collection group" in operation.traits and "collection group" in theirs.text and ours.code == "OK"),
    Declared("6", "a name may be equal where others are not", lambda operation, theirs, ours:
             "Equality on key is not allowed" in theirs.text and ours.code == "OK"),
    Declared("8", "no aggregation needs an index over a name and then a field", lambda operation, theirs, ours:
             operation.method == "RunAggregationQuery" and "after __name__" in theirs.text and ours.code == "OK"),
    Declared("9", "the last page has no token when it is just full", lambda operation, theirs, ours:
             operation.method == "ListDocuments" and theirs.code == ours.code == "OK"
             and theirs.content[0] == ours.content[0] and is_full_without_token(operation, ours)),
    Declared("9", "a list that shows missing documents has the fields of its mask", lambda operation, theirs, ours:
             operation.method == "ListDocuments" and operation.request.show_missing and operation.request.HasField("mask")
             and theirs.code == ours.code == "OK" and without_fields(theirs) == without_fields(ours)
             and (theirs.content[1] == ours.content[1] or is_full_without_token(operation, ours))),
    Declared("14", "−0.0 keeps its sign over REST", lambda operation, theirs, ours:
             "REST" in operation.traits and without_sign(theirs) == without_sign(ours)),
    Declared("14", "a time in a URL is read as it is", lambda operation, theirs, ours:
             "REST" in operation.traits and operation.method == "UpdateDocument"
             and operation.request.current_document.HasField("update_time")),
    Declared("15", "no fault of a client is INTERNAL or UNKNOWN", lambda operation, theirs, ours:
             theirs.code in ("INTERNAL", "UNKNOWN", "HTTP 500") and ours.code == "INVALID_ARGUMENT"),
]


def differ_by_cut_times(operation: Operation, theirs: Answer, ours: Answer) -> bool:
    """Returns whether each document that only one answer has contains a time to which one of the query is cut, and the
    others are the same, in the same order."""
    times = re.findall(r"timestamp_value \{\s*(?:seconds: (-?\d+)\s*)?nanos: (\d+)", str(operation.request))
    cut = [repr(("timestamp_value", (int(seconds or 0), int(nanos) // 1_000 * 1_000)))
           for seconds, nanos in times if int(nanos) % 1_000]
    texts = [[repr(one) for one in answer.content[0]] for answer in (theirs, ours)]
    both = set(texts[0]) & set(texts[1])
    return (theirs.content[1] == ours.content[1]
            and [one for one in texts[0] if one in both] == [one for one in texts[1] if one in both]
            and all(any(time in one for time in cut) for one in (set(texts[0]) ^ set(texts[1]))))


def restores(write: Any) -> bool:
    """Returns whether a transform makes a map again of a field that the write sets to another value. Google gives the
    document a new time then, even if it is as before, which it does in no other case."""
    set_paths = [path for path in write.update_mask.field_paths
                 if path in write.update.fields and not write.update.fields[path].HasField("map_value")]
    return any(one.field_path.startswith(path + ".") for one in write.update_transforms for path in set_paths)


def without_times(answer: Answer) -> str:
    return re.sub(r"'time of operation \d+'", "", repr(answer[:2]))


def without_sign(answer: Answer) -> str:
    return repr(answer[:2]).replace("8000000000000000 (-0.0)", "0000000000000000 (0.0)")


def without_fields(answer: Answer) -> list[Any]:
    """Returns the documents of a list without their fields."""
    return [one if isinstance(one, str) else one[:3] for one in answer.content[0]]


def is_full_without_token(operation: Operation, ours: Answer) -> bool:
    return not ours.content[1] and len(ours.content[0]) == operation.request.page_size


def declared(operation: Operation, theirs: Answer, ours: Answer) -> Declared | None:
    if ours.code in ("INTERNAL", "UNKNOWN", "UNAVAILABLE", "DEADLINE_EXCEEDED"):
        return None
    return next((one for one in DECLARED if one.explains(operation, theirs, ours)), None)

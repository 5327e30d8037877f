"""The records of changes and flushes, as recorder.c writes them."""

import enum
import json
import struct
import time
from pathlib import Path
from typing import Any, NamedTuple

# The kind, the process, the time in ns, the inode, two values, and the lengths of the two pieces of data that follow.
HEADER = struct.Struct("<IIQQqqII")


class Kind(enum.IntEnum):
    BEGIN = 1
    CREATE = 2
    WRITE = 3
    RESIZE = 4
    GROW = 5
    MAKE_FOLDER = 6
    RENAME = 7
    UNLINK = 8
    REMOVE_FOLDER = 9
    LINK = 10
    MAKE_LINK = 11
    CHANGE_MODE = 12
    FLUSH = 13
    FLUSHED = 14
    # An event that the driver has seen, as JSON.
    MARK = 20
    UNKNOWN = 99


class Record(NamedTuple):
    kind: Kind
    process: int = 0
    # The wall clock's time in nanoseconds.
    time: int = 0
    inode: int = 0
    value: int = 0
    other: int = 0
    first: bytes = b""
    second: bytes = b""

    @property
    def mark(self) -> dict[str, Any]:
        return json.loads(self.first)


def mark(event: dict[str, Any]) -> bytes:
    """Returns the bytes of a record of an event."""
    content = json.dumps(event).encode()
    return HEADER.pack(Kind.MARK, 0, time.time_ns(), 0, 0, 0, len(content), 0) + content


def read_records(file: Path) -> list[Record]:
    content, position, records = memoryview(file.read_bytes()), 0, []
    while position < len(content):
        kind, process, moment, inode, value, other, first, second = HEADER.unpack_from(content, position)
        begin = position + HEADER.size
        middle, position = begin + first, begin + first + second
        pieces = bytes(content[begin:middle]), bytes(content[middle:position])
        records.append(Record(Kind(kind), process, moment, inode, value, other, *pieces))
    return records

"""Files, folders and links of a disk, each with its flushed state and the later changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from .survival import Survival


class Change(Protocol):
    """A change of a file's contents."""

    def apply(self, content: bytearray) -> None: ...

    def survive(self, content: bytearray, cache: bytearray, survival: Survival) -> None:
        """Changes contents on the disk as far as the change survives. The cache has the contents after the change."""


class Write(NamedTuple):
    offset: int
    data: bytes

    def apply(self, content: bytearray) -> None:
        grow(content, self.offset)
        content[self.offset:self.offset + len(self.data)] = self.data

    def survive(self, content: bytearray, cache: bytearray, survival: Survival) -> None:
        # A sector reaches the disk as it is in the cache, with earlier changes of its other bytes.
        for begin, end in survival.pieces(self.offset, self.offset + len(self.data)):
            grow(content, begin)
            piece = cache[begin:end]
            content[begin:begin + len(piece)] = piece


class Resize(NamedTuple):
    size: int

    def apply(self, content: bytearray) -> None:
        del content[self.size:]
        grow(content, self.size)

    def survive(self, content: bytearray, cache: bytearray, survival: Survival) -> None:
        if survival.keeps():
            self.apply(content)


class Grow(NamedTuple):
    size: int

    def apply(self, content: bytearray) -> None:
        grow(content, self.size)

    def survive(self, content: bytearray, cache: bytearray, survival: Survival) -> None:
        if survival.keeps():
            self.apply(content)


def grow(content: bytearray, size: int) -> None:
    content.extend(bytes(max(0, size - len(content))))


@dataclass(eq=False)
class Node:
    mode: int
    # The later modes, each with its number in the order of all changes.
    modes: list[tuple[int, int]] = field(default_factory=list, kw_only=True)

    def flush(self, before: int, with_mode: bool = True) -> None:
        """Makes all changes with lower numbers safe."""
        if with_mode:
            for number, mode in self.modes:
                if number < before:
                    self.mode = mode
            self.modes = [change for change in self.modes if change[0] >= before]

    def surviving_mode(self, survival: Survival) -> int:
        mode = self.mode
        for _, later in self.modes:
            if survival.keeps():
                mode = later
        return mode


@dataclass(eq=False)
class File(Node):
    content: bytearray = field(default_factory=bytearray)
    changes: list[tuple[int, Change]] = field(default_factory=list)

    def flush(self, before: int, with_mode: bool = True) -> None:
        super().flush(before, with_mode)
        for number, change in self.changes:
            if number < before:
                change.apply(self.content)
        self.changes = [change for change in self.changes if change[0] >= before]

    def surviving_content(self, survival: Survival) -> bytes:
        if not self.changes:
            return bytes(self.content)
        content, cache = bytearray(self.content), bytearray(self.content)
        for _, change in self.changes:
            change.apply(cache)
            change.survive(content, cache, survival)
        return bytes(content)


@dataclass(eq=False)
class Link(Node):
    target: str = ""


@dataclass(eq=False)
class Folder(Node):
    # The names on the disk, and the present ones.
    flushed: dict[str, Node] = field(default_factory=dict)
    present: dict[str, Node] = field(default_factory=dict)

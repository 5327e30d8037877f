"""A model of a disk that loses its power.

A flush (fsync(2)) makes the earlier changes of one file or folder safe: of a file its contents and its mode, of a
folder the names in it. A file's name is not safe with the file, nor are a folder's names with those of its parent.
POSIX promises no more; ext4 keeps more. Every other change is on the disk or not, in any order. Of a write, some
sectors can be there. A rename is one step, and needs the name that it changes.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from measure.tools import Failure

from .image import FolderImage
from .nodes import Change, File, Folder, Grow, Link, Node, Resize, Write
from .records import Kind, Record
from .survival import Survival

RENAME_EXCHANGE = 2

# Returns the names in a folder, in one of the states of the disk.
Names = Callable[[Folder], dict[str, Node]]


class Naming(NamedTuple):
    """A name that gets another file. A survivor needs the file that had it, unless any file may have had it."""

    folder: Folder
    name: str
    after: Node | None
    before: Node | None = None


class NameChange(NamedTuple):
    number: int
    namings: list[Naming]

    def touches(self, folder: Folder | None) -> bool:
        return folder is None or any(naming.folder is folder for naming in self.namings)

    def is_possible(self, names: Names) -> bool:
        return all(
            naming.before is None or names(naming.folder).get(naming.name) is naming.before for naming in self.namings)

    def apply(self, names: Names) -> None:
        for naming in self.namings:
            if naming.after is None:
                names(naming.folder).pop(naming.name, None)
            else:
                names(naming.folder)[naming.name] = naming.after


class Disk:
    def __init__(self, root: Path) -> None:
        """Reads the state of a folder, all of which is safe."""
        self.root, self.number = root, 0
        self.inodes: dict[int, Node] = {}
        self.names: list[NameChange] = []
        # The file or folder of each unfinished flush, and the number of its beginning.
        self.flushes: dict[tuple[int, int], tuple[Node | None, int, bool]] = {}
        self.top = self.read(root)
        assert isinstance(self.top, Folder)

    def read(self, path: Path) -> Node:
        status = path.lstat()
        mode, node = stat.S_IMODE(status.st_mode), self.inodes.get(status.st_ino)
        if node is None:
            if stat.S_ISDIR(status.st_mode):
                names = {name: self.read(path / name) for name in os.listdir(path)}
                node = Folder(mode, flushed=names, present=dict(names))
            elif stat.S_ISLNK(status.st_mode):
                node = Link(mode, target=os.readlink(path))
            else:
                node = File(mode, content=bytearray(path.read_bytes()))
            self.inodes[status.st_ino] = node
        return node

    # Changes

    def apply(self, record: Record) -> None:
        self.number += 1
        if change := CHANGES.get(record.kind):
            change(self, record)
        elif record.kind == Kind.UNKNOWN:
            raise Failure(f"the recorder saw a change that it does not know: {record.first.decode()}")

    def node(self, inode: int) -> Node:
        if inode not in self.inodes:
            raise Failure(f"the record has a change of the inode {inode}, and not its creation")
        return self.inodes[inode]

    def place(self, path: bytes) -> tuple[Folder, str]:
        """Returns the folder and the name of a path."""
        folder: Node = self.top
        *parents, name = Path(os.fsdecode(path)).relative_to(self.root).parts
        for parent in parents:
            assert isinstance(folder, Folder)
            folder = folder.present[parent]
        assert isinstance(folder, Folder)
        return folder, name

    def rename(self, *namings: Naming) -> None:
        change = NameChange(self.number, list(namings))
        change.apply(lambda folder: folder.present)
        self.names.append(change)

    def add(self, record: Record, node: Node) -> None:
        self.inodes[record.inode] = node
        # A temporary file (O_TMPFILE) has no name yet.
        if record.first:
            self.rename(Naming(*self.place(record.first), node))

    def change(self, record: Record, change: Change) -> None:
        node = self.node(record.inode)
        assert isinstance(node, File)
        node.changes.append((self.number, change))

    def change_mode(self, record: Record) -> None:
        self.node(record.inode).modes.append((self.number, record.value))

    def link(self, record: Record) -> None:
        self.rename(Naming(*self.place(record.first), self.node(record.inode)))

    def unlink(self, record: Record) -> None:
        folder, name = self.place(record.first)
        self.rename(Naming(folder, name, None, folder.present[name]))

    def move(self, record: Record) -> None:
        (source, old), (target, new) = self.place(record.first), self.place(record.second)
        node, other = source.present[old], target.present.get(new)
        if record.value & RENAME_EXCHANGE:
            self.rename(Naming(source, old, other, node), Naming(target, new, node, other))
        elif node is not other:
            self.rename(Naming(source, old, None, node), Naming(target, new, node))

    # Flushes

    def begin_flush(self, record: Record) -> None:
        node = self.node(record.inode) if record.inode else None
        self.flushes[record.process, record.value] = node, self.number, record.other == 0

    def end_flush(self, record: Record) -> None:
        node, before, with_mode = self.flushes.pop((record.process, record.value))
        for each in self.inodes.values() if node is None else [node]:
            each.flush(before, with_mode)
        if node is None or isinstance(node, Folder):
            self.flush_names(node, before)

    def flush_names(self, folder: Folder | None, before: int) -> None:
        """Makes the earlier changes of a folder's names safe, or those of all folders."""
        later = []
        for change in self.names:
            if change.number < before and change.touches(folder):
                change.apply(lambda folder: folder.flushed)
            else:
                later.append(change)
        self.names = later

    # States

    def after_cut(self, survival: Survival) -> FolderImage:
        """Returns the contents after a power cut."""
        names: dict[Folder, dict[str, Node]] = {}

        def of(folder: Folder) -> dict[str, Node]:
            return names.setdefault(folder, dict(folder.flushed))

        for change in self.names:
            if survival.keeps() and change.is_possible(of):
                change.apply(of)
        return FolderImage.of(
            self.top, of, lambda node: node.surviving_mode(survival), lambda file: file.surviving_content(survival))

    def present(self) -> FolderImage:
        """Returns the contents with all changes."""
        survival = Survival(random.Random(), chance=1)
        return FolderImage.of(
            self.top, lambda folder: folder.present, lambda node: node.surviving_mode(survival),
            lambda file: file.surviving_content(survival))


CHANGES: dict[Kind, Callable[[Disk, Record], None]] = {
    Kind.CREATE: lambda disk, record: disk.add(record, File(record.value)),
    Kind.MAKE_FOLDER: lambda disk, record: disk.add(record, Folder(record.value)),
    Kind.MAKE_LINK: lambda disk, record: disk.add(record, Link(0o777, target=os.fsdecode(record.second))),
    Kind.WRITE: lambda disk, record: disk.change(record, Write(record.value, record.first)),
    Kind.RESIZE: lambda disk, record: disk.change(record, Resize(record.value)),
    Kind.GROW: lambda disk, record: disk.change(record, Grow(record.value)),
    Kind.CHANGE_MODE: Disk.change_mode,
    Kind.LINK: Disk.link,
    Kind.UNLINK: Disk.unlink,
    Kind.REMOVE_FOLDER: Disk.unlink,
    Kind.RENAME: Disk.move,
    Kind.FLUSH: Disk.begin_flush,
    Kind.FLUSHED: Disk.end_flush,
}

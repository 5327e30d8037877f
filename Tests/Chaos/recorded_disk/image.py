"""The contents of a folder, to be written into another one or compared with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .nodes import File, Folder, Link, Node

# SQLite changes this file through memory, which the recorder does not see. It makes the file again at each start.
MAPPED = "-shm"


@dataclass
class FileImage:
    mode: int
    content: bytes

    def write(self, path: Path) -> None:
        path.write_bytes(self.content)
        path.chmod(self.mode)

    def differences(self, path: Path) -> Iterator[str]:
        if path.is_symlink() or not path.is_file():
            yield f"{path} is no file"
        elif path.lstat().st_mode & 0o7777 != self.mode:
            yield f"{path} has another mode than {self.mode:o}"
        elif not path.name.endswith(MAPPED) and path.read_bytes() != self.content:
            yield f"{path} has other contents"


@dataclass
class LinkImage:
    target: str

    def write(self, path: Path) -> None:
        path.symlink_to(self.target)

    def differences(self, path: Path) -> Iterator[str]:
        if not path.is_symlink() or os.readlink(path) != self.target:
            yield f"{path} is no link to {self.target}"


@dataclass
class FolderImage:
    mode: int
    entries: dict[str, FileImage | LinkImage | FolderImage]

    @staticmethod
    def of(
        folder: Folder, names: Callable[[Folder], dict[str, Node]], mode: Callable[[Node], int],
        content: Callable[[File], bytes],
    ) -> FolderImage:
        """Returns the state of a folder in which it has these names, modes and contents."""

        def image(node: Node) -> FileImage | LinkImage | FolderImage:
            match node:
                case Folder():
                    return FolderImage.of(node, names, mode, content)
                case Link():
                    return LinkImage(node.target)
                case File():
                    return FileImage(mode(node), content(node))
            raise TypeError(node)

        return FolderImage(mode(folder), {name: image(node) for name, node in names(folder).items()})

    def write(self, path: Path) -> None:
        path.mkdir()
        for name, entry in self.entries.items():
            entry.write(path / name)
        path.chmod(self.mode)

    def differences(self, path: Path) -> Iterator[str]:
        """Compares the image with a folder of a real disk."""
        if path.is_symlink() or not path.is_dir():
            yield f"{path} is no folder"
            return
        if path.lstat().st_mode & 0o7777 != self.mode:
            yield f"{path} has another mode than {self.mode:o}"
        for name in sorted(set(os.listdir(path)) ^ self.entries.keys()):
            yield f"{path / name} is in the record or on the disk alone"
        for name, entry in self.entries.items():
            if os.path.lexists(path / name):
                yield from entry.differences(path / name)

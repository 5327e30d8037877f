"""The promises of a gateway's answers, as the marks of a recording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Promises:
    # The completion ids of accepted triggers.
    triggers: set[str] = field(default_factory=set)
    # The registered installations and their tokens, by the folders of their agents.
    registrations: dict[str, list[str]] = field(default_factory=dict)
    # The stored notes, and those that are deleted.
    notes: set[int] = field(default_factory=set)
    deleted_notes: set[int] = field(default_factory=set)
    # The access token of the device that makes tasks, and the digests of its photos by their paths.
    device: str = ""
    photos: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(marks: Iterable[dict[str, Any]]) -> Promises:
        promises = Promises()
        for mark in marks:
            for name, value in mark.items():
                promises.add(name, value)
        return promises

    def add(self, name: str, value: Any) -> None:
        match name:
            case "trigger":
                self.triggers.add(value)
            case "registration":
                self.registrations.setdefault(value[0], []).append(value[1])
            case "note":
                self.notes.add(value)
            case "deletion":
                self.notes.discard(value)
            case "deleted":
                self.deleted_notes.add(value)
            case "device":
                self.device = value
            case "photo":
                self.photos[value[0]] = value[1]

    def without_files(self) -> Promises:
        """Returns the promises about documents."""
        return Promises(self.triggers, self.registrations, self.notes, self.deleted_notes)

    @property
    def count(self) -> int:
        registrations = sum(map(len, self.registrations.values()))
        return len(self.triggers) + registrations + len(self.notes) + len(self.deleted_notes) + len(self.photos)

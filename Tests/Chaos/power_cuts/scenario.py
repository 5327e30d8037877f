"""A program that is recorded, and the promises of its answers."""

import enum
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from chaos.phase import Notification
from recorded_disk.recording import Recording


class Outcome(enum.Enum):
    """A right state after a power cut."""

    # Everything is there.
    WHOLE = "whole"
    # The state is the one before the program, which had not ended.
    OLD = "old"
    # The next program refuses the state of a program that had not ended, and names the reason.
    REFUSED = "refused"


class Cut(NamedTuple):
    """The contents of a disk after a power cut, the marks before it, and its time in nanoseconds."""

    disk: Path
    marks: list[dict[str, Any]]
    time: int

    def earlier(self, arrivals: list[tuple[int, Notification]]) -> set[Notification]:
        """Returns the notifications that had arrived, of some with the milliseconds of their arrivals."""
        return {arrival for milliseconds, arrival in arrivals if milliseconds * 10**6 <= self.time}

    @property
    def is_done(self) -> bool:
        """Returns `True` if the verb had ended with 0."""
        return any("done" in mark for mark in self.marks)


class Scenario(Protocol):
    name: str

    def prepare(self, disk: Path) -> None:
        """Makes the contents that the disk has before the recording, all of which are safe."""

    def record(self, recording: Recording) -> None:
        """Runs the programs. The events that promise something are marked."""

    def check(self, cut: Cut) -> Outcome:
        """Checks the contents after a power cut. Raises `Loss` if a promise is not kept."""
        ...

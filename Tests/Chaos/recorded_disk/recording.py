"""Programs whose changes of a folder are recorded."""

import copy
import fcntl
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure.tools import ROOT, Failure

from .disk import Disk
from .image import FolderImage
from .records import Kind, Record, mark, read_records
from .survival import Survival

SOURCE = Path(__file__).resolve().with_name("recorder.c")
LIBRARY = ROOT / ".build" / "power-cuts" / "recorder.so"


def compile_recorder() -> None:
    if not shutil.which("cc"):
        raise Failure("a C compiler is missing: “make test-packages” installs it")
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    command = ["cc", "-std=gnu11", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread", "-o"]
    done = subprocess.run([*command, LIBRARY, SOURCE], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"cc failed:\n{done.stderr}")


class Recording:
    """A folder `disk` whose contents are safe at first, and the record of its changes."""

    def __init__(self, folder: Path) -> None:
        folder = folder.resolve()
        self.disk, self.file = folder / "disk", folder / "record"
        self.disk.mkdir(parents=True, exist_ok=True)
        self.before = Disk(self.disk)
        self.records: list[Record] = []

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a program that is recorded."""
        return {"LD_PRELOAD": str(LIBRARY), "RECORDED": str(self.disk), "RECORD": str(self.file)}

    def mark(self, **event: Any) -> None:
        with self.file.open("ab", buffering=0) as file:
            # The recorder writes its records under the same lock.
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(mark(event))

    def finish(self) -> None:
        """Reads the record, and checks that it leads to the present contents of the folder."""
        self.records = read_records(self.file)
        if not any(record.kind == Kind.BEGIN for record in self.records):
            raise Failure("the recorder was not loaded")
        state = copy.deepcopy(self.before)
        for record in self.records:
            state.apply(record)
        if differences := list(state.present().differences(self.disk)):
            raise Failure(f"the record lacks changes of {self.disk}: " + "; ".join(differences[:5]))

    def marks(self, moment: int) -> list[dict[str, Any]]:
        """Returns the events before a moment, which is a number of records."""
        return [record.mark for record in self.records[:moment] if record.kind == Kind.MARK]

    def cuts(
        self, moments: list[int], random_numbers: random.Random, with_flushes: bool = True
    ) -> Iterator[tuple[int, FolderImage]]:
        """Returns each moment with the contents of the disk after a power cut then, in the order of time.

        Without the flushes, every change of the recording may be lost.
        """
        state, number = copy.deepcopy(self.before), 0
        for moment in sorted(moments):
            for record in self.records[number:moment]:
                if with_flushes or record.kind not in (Kind.FLUSH, Kind.FLUSHED):
                    state.apply(record)
            number = moment
            yield moment, state.after_cut(Survival(random_numbers))

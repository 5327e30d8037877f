"""Counts of a gateway's work, from the library in counting/ and from the kernel."""

import contextlib
import mmap
import re
import struct
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from .tools import Failure

FIELDS = 4
QUIET_SECONDS = 0.003
LONGEST_WAIT_SECONDS = 0.5


class Counts(NamedTuple):
    allocations: float
    bytes: float
    statements: float
    documents: float
    switches: float

    def since(self, earlier: "Counts") -> "Counts":
        return Counts(*(now - then for now, then in zip(self, earlier)))

    def each(self, count: int) -> "Counts":
        return Counts(*(value / count for value in self))


class Counter:
    """A reader of the file that counting/ writes, and of the context switches of the process's threads."""

    def __init__(self, path: Path, process: int):
        with path.open("rb") as file:
            self.memory = mmap.mmap(file.fileno(), FIELDS * 8, prot=mmap.PROT_READ)
        self.process = process

    def library(self) -> tuple[int, ...]:
        return struct.unpack(f"<{FIELDS}Q", self.memory[: FIELDS * 8])

    def read(self) -> Counts:
        """Returns the counts after they have been stable for a while: work after an answer belongs to its request."""
        last, changed = self.library(), time.monotonic()
        deadline = changed + LONGEST_WAIT_SECONDS
        while time.monotonic() < min(deadline, changed + QUIET_SECONDS):
            time.sleep(QUIET_SECONDS / 6)
            if (now := self.library()) != last:
                last, changed = now, time.monotonic()
        return Counts(*last, self.switches())

    def switches(self) -> int:
        """Returns the voluntary context switches of all threads (proc(5))."""
        total = 0
        for status in Path(f"/proc/{self.process}/task").glob("*/status"):
            # A thread may end after it was listed.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if match := re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.MULTILINE):
                    total += int(match[1])
        return total


class SystemCalls(NamedTuple):
    """The system calls of one request: all, and those that wake another thread."""

    calls: float
    wakes: float


class Trace:
    """strace(1) on a running process, which slows the process down."""

    WAKE = re.compile(r'futex\(.*FUTEX_WAKE.* = [1-9]|write\(\d+, "\\1\\0\\0\\0\\0\\0\\0\\0", 8\)')

    def __init__(self, process: int, output: Path):
        self.process, self.output = process, output

    def __enter__(self) -> "Trace":
        command = ["strace", "-f", "-p", str(self.process), "-o", str(self.output)]
        self.tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.tracer.stderr
        words = self.tracer.stderr.readline()
        if "attached" not in words:
            self.tracer.kill()
            raise Failure(f"strace cannot follow the gateway: {words}")
        # strace attaches to the other threads after the first.
        time.sleep(0.3)
        return self

    def __exit__(self, *_: object) -> None:
        self.tracer.terminate()
        self.tracer.wait()

    def each(self, count: int) -> SystemCalls:
        lines = self.output.read_text(errors="replace").splitlines()
        # A call that is interrupted by another thread's line appears twice.
        calls = [line for line in lines if " resumed>" not in line and not re.match(r"\d+ (---|\+\+\+)", line)]
        wakes = sum(1 for line in lines if self.WAKE.search(line))
        return SystemCalls(len(calls) / count, wakes / count)

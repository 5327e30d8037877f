"""The lines of the gateway's log, and the injected faults that explain errors in it."""

import contextlib
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from .findings import Findings

# 2026-11-24T20:12:43+0000 error pushgate: lane=… [Messaging] pausing a lane; …
LINE = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}) (\w+) [^ ]+: (.*)$")
# The end of a fault's effects, in seconds after the fault.
AFTERMATH = 15

# The injected faults, and the errors that each explains. No other error is expected.
REFUSED_KEY, RENEWAL = "refused key", "renewal"
EXPLAINED = {
    REFUSED_KEY: "pausing a lane; the push service refuses its app",
    # A handshake between the replacements of the two files finds a key that does not match.
    RENEWAL: "failed to read a new TLS certificate; keeping the current one",
}


class GatewayLog:
    def __init__(self, path: Path, findings: Findings) -> None:
        self.path, self.findings = path, findings
        self.position = 0
        self.rest = ""
        self.lock = threading.Lock()
        # The times of each fault: since the epoch, as the log's lines have no other.
        self.faults: list[tuple[str, float, float]] = []
        # The number of lines for each message at `warning`.
        self.warnings: Counter[str] = Counter()

    @contextlib.contextmanager
    def explained(self, fault: str) -> Iterator[None]:
        """Explains the errors that a fault causes while the block runs and shortly afterwards."""
        began = time.time()
        with self.lock:
            self.faults.append((fault, began, float("inf")))
        try:
            yield
        finally:
            with self.lock:
                self.faults.remove((fault, began, float("inf")))
                self.faults.append((fault, began, time.time() + AFTERMATH))

    def read(self) -> None:
        """Reads the new lines. An unexplained error is a finding, and so are the last words of a crash."""
        with self.path.open(errors="replace") as file:
            file.seek(self.position)
            text = self.rest + file.read()
            self.position = file.tell()
        *lines, self.rest = text.split("\n")
        for line in lines:
            self.judge(line)

    def judge(self, line: str) -> None:
        match = LINE.match(line)
        if not match:
            if "Fatal error" in line or "Crash" in line:
                self.findings.add(f"the gateway's log has: {line}")
            return
        at, level, text = datetime.fromisoformat(match[1]).timestamp(), match[2], match[3]
        if level == "warning":
            self.warnings[text.rpartition("] ")[2]] += 1
        elif level in ("error", "critical") and not self.is_explained(at, text):
            self.findings.add(f"the gateway's log has: {line}")

    def is_explained(self, at: float, text: str) -> bool:
        # The log's times are in whole seconds.
        with self.lock:
            return any(EXPLAINED[fault] in text and began - 1 <= at <= end for fault, began, end in self.faults)

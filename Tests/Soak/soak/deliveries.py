"""The notifications that accepted requests owe, and those that arrived at the simulator."""

import itertools
import json
import re
import threading
import time

from measure.servers import Simulator, ask

from .findings import Findings

MARKER = re.compile(r"soak-\d+")
PAGE = 10_000
# The seconds in which a notification must arrive. The injected faults and the retries after them take less.
OVERDUE_SECONDS = 180

# A request's marker, with the token of a device that is registered during the whole run.
Key = tuple[str, str]
# The name of messages that replace each other, with the token of such a device.
Line = tuple[str, str]


class Deliveries:
    def __init__(self, simulator: Simulator, findings: Findings) -> None:
        self.simulator, self.findings = simulator, findings
        self.numbers = itertools.count()
        self.lock = threading.Lock()
        # The owed notifications, with the times at which their requests were accepted.
        self.owed: dict[Key, float] = {}
        # The notifications of each line, in the order in which their requests were accepted.
        self.lines: dict[Line, list[Key]] = {}
        # The arrived notifications since the last reset of the simulator. Some arrive before their request is answered.
        self.arrived: set[Key] = set()
        self.read = 0
        self.owed_count = 0
        self.forgotten = 0

    def marker(self) -> str:
        """Returns a text that a request carries into the payload of its notification. No two requests share one."""
        return f"soak-{next(self.numbers)}"

    def owe(self, marker: str, tokens: list[str], line: str | None = None) -> None:
        """Notes an accepted request for devices that are registered during the whole run.

        A newer notification of a line may replace the older ones, which then do not arrive.
        """
        with self.lock:
            self.owed_count += len(tokens)
            self.owed |= {(marker, token): time.monotonic() for token in tokens}
            if line:
                for token in tokens:
                    self.lines.setdefault((line, token), []).append((marker, token))

    def excuse(self, marker: str) -> None:
        """Notes that the gateway may have taken a notification back."""
        with self.lock:
            self.owed = {key: at for key, at in self.owed.items() if key[0] != marker}

    def has_arrived(self, marker: str, token: str) -> bool:
        with self.lock:
            return (marker, token) in self.arrived or (marker, token) not in self.owed

    def collect(self) -> None:
        """Reads the notifications that are new at the simulator. Overdue ones are findings."""
        with self.lock:
            while page := self.simulator_page():
                self.read += len(page)
                for item in page:
                    if item["status"] == 200:
                        markers = MARKER.findall(json.dumps(item["payload"]))
                        self.arrived |= {(marker, item["token"]) for marker in markers}
            self.settle(time.monotonic() - OVERDUE_SECONDS)

    def simulator_page(self) -> list[dict]:
        path = f"/notifications?limit={PAGE}&offset={self.read}&timeout=0"
        return ask(self.simulator.addresses["control"], "GET", path)["notifications"]

    def settle(self, overdue: float) -> None:
        for line, keys in self.lines.items():
            last = max((place for place, key in enumerate(keys) if key in self.arrived), default=-1)
            for key in keys[:last]:
                self.owed.pop(key, None)
            self.lines[line] = keys[last + 1:]
        self.owed = {key: at for key, at in self.owed.items() if key not in self.arrived}
        for key in [key for key, at in self.owed.items() if at < overdue]:
            del self.owed[key]
            self.findings.add(f"a notification was lost: {key[0]} for the device {key[1][:8]}…")

    def wait_for_all(self, seconds: float) -> bool:
        """Returns `True` as soon as nothing is owed, and `False` if the time is over before."""
        deadline = time.monotonic() + seconds
        while True:
            self.collect()
            if not self.owed:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.5)

    def conclude(self, seconds: float) -> None:
        """Waits for the rest. Every notification that is still missing is a finding."""
        if not self.wait_for_all(seconds):
            with self.lock:
                self.settle(time.monotonic())

    def forget(self) -> None:
        """Empties the simulator, which keeps all notifications in memory. Nothing may be owed or on its way."""
        with self.lock:
            self.forgotten += self.simulator.status()["accepted"]
            self.simulator.reset()
            self.arrived.clear()
            self.read = 0

    def delivered(self) -> int:
        """Returns the number of notifications that the simulator has accepted, duplicates included."""
        with self.lock:
            return self.forgotten + self.simulator.status()["accepted"]

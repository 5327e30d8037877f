"""A gateway under load whose disk loses its power."""

import time
from pathlib import Path

from recorded_disk.recording import Recording

from .examination import Examiner, Loss, Refusal
from .load import MarkedLoad
from .promises import Promises
from .scenario import Cut, Outcome

# The answers of the push service, in milliseconds, so that notifications are on the way at each moment.
LATENCIES = [1, 20, 200, 1000]
# The seconds of load before the gateway is stopped, and again after its next start: the least, the most, and for each
# moment. In the longest the database's log reaches the size at which it is copied to the database meanwhile.
LEAST, MOST, EACH = 1.5, 8, 0.1


class Serving:
    name = "serve"

    def __init__(self, examiner: Examiner, moments: int) -> None:
        self.examiner = examiner
        self.seconds = min(MOST, max(LEAST, EACH * moments))

    def prepare(self, disk: Path) -> None:
        """Begins on an empty disk: the data directory is new."""

    def record(self, recording: Recording) -> None:
        examiner = self.examiner
        self.load = MarkedLoad(recording.mark)
        examiner.simulator.script_connections({"times": None, "latency": {"ms": LATENCIES}})
        examiner.simulator.reset()
        for start in range(2):
            gateway = examiner.open(recording.disk / "data", recording.environment)
            if start == 0:
                self.load.prepare(gateway)
            with self.load.on(gateway):
                time.sleep(self.seconds)
            gateway.stop()
        examiner.simulator.drop_scripts()
        self.arrivals = examiner.timed_arrivals()

    def check(self, cut: Cut) -> Outcome:
        promises = Promises.of(cut.marks)
        if not promises.count:
            return Outcome.OLD
        try:
            self.examiner.examine(cut.disk / "data", promises, cut.earlier(self.arrivals), self.load)
        except Refusal as refusal:
            raise Loss(f"the gateway does not start: {refusal}") from refusal
        return Outcome.WHOLE

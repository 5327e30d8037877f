"""The load: a thread for each sequence of requests, at a steady rate, with pauses for all of them together."""

import contextlib
import threading
import time
from collections.abc import Iterator

from measure.devices import device_token
from measure.servers import Simulator

from .client import Client, Unexpected
from .deliveries import Deliveries
from .findings import Findings

# The numbers of each sequence's devices begin at a multiple of this one.
DEVICES_EACH = 1_000
# The longest wait for the end of the requests that are under way.
PAUSE_SECONDS = 60


class Sequence:
    """Requests in an endless order, which begins again after an unexpected answer."""

    # The seconds from one step to the next. A step is mostly one request.
    period = 1.0

    def __init__(self, number: int, client: Client, deliveries: Deliveries, simulator: Simulator) -> None:
        self.number, self.client, self.deliveries, self.simulator = number, client, deliveries, simulator

    def prepare(self) -> None:
        """Registers the devices that stay during the whole run."""

    def steps(self) -> Iterator[None]:
        raise NotImplementedError

    def token(self, device: int) -> str:
        return device_token(self.number * DEVICES_EACH + device)

    def invalidate(self, token: str) -> None:
        """Makes the push service answer once that the token is no longer valid."""
        self.simulator.script_token(token, {"status": 410, "reason": "Unregistered"})


class Load:
    def __init__(self, sequences: list[Sequence], findings: Findings) -> None:
        self.sequences, self.findings = sequences, findings
        self.may_run = threading.Event()
        self.is_over = threading.Event()
        # Each is held during a step of its sequence.
        self.steps = [threading.Lock() for _ in sequences]
        self.threads: list[threading.Thread] = []

    def start(self) -> None:
        for sequence in self.sequences:
            sequence.prepare()
        self.may_run.set()
        for sequence, step in zip(self.sequences, self.steps):
            self.threads.append(threading.Thread(target=self.repeat, args=(sequence, step)))
            self.threads[-1].start()

    def stop(self) -> None:
        self.is_over.set()
        self.may_run.set()
        for thread in self.threads:
            thread.join()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Sends no requests while the block runs."""
        self.may_run.clear()
        try:
            deadline = time.monotonic() + PAUSE_SECONDS
            for step in self.steps:
                if step.acquire(timeout=max(0, deadline - time.monotonic())):
                    step.release()
            yield
        finally:
            self.may_run.set()

    def repeat(self, sequence: Sequence, step: threading.Lock) -> None:
        steps, due = sequence.steps(), time.monotonic()
        while not self.is_over.wait(max(0, due - time.monotonic())):
            self.may_run.wait()
            with step:
                if not self.may_run.is_set():
                    continue
                try:
                    next(steps)
                except Unexpected:
                    steps = sequence.steps()
                except Exception as error:  # A missing member of an answer, for example.
                    self.findings.add(f"{type(sequence).__name__} failed: {error!r}")
                    steps = sequence.steps()
            # A step that took longer than the period is not made up for.
            due = max(due + sequence.period, time.monotonic())
        sequence.client.close_all()

"""Threads that work until a phase ends."""

import threading
from typing import Any

from .gateway import Failure


class Stop:
    """The end of a phase, and the faults that its threads found."""

    def __init__(self) -> None:
        self.event, self.faults = threading.Event(), list[str]()

    def fault(self, text: str) -> None:
        self.faults.append(text)
        self.event.set()

    def run(self, works: list[Any], meanwhile: Any) -> None:
        """Runs each of `works` on a thread of its own until `meanwhile` has returned."""
        threads = [threading.Thread(target=self.guard, args=(work,), daemon=True) for work in works]
        for thread in threads:
            thread.start()
        try:
            meanwhile()
        finally:
            self.event.set()
        for thread in threads:
            thread.join(120)
        if any(thread.is_alive() for thread in threads):
            self.fault("a client hung for two minutes after the end")
        if self.faults:
            raise Failure("\n".join(self.faults[:10]))

    def guard(self, work: Any) -> None:
        try:
            while not self.event.is_set():
                work()
        except Exception as error:
            self.fault(f"{type(error).__name__}: {error}")

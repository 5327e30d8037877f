"""The findings of a run, from all threads."""

import threading

# The findings that are kept as text; the others are only counted.
KEPT = 50


class Findings:
    def __init__(self) -> None:
        self.count = 0
        self.texts: list[str] = []
        self.is_closed = False
        self.lock = threading.Lock()

    def close(self, text: str) -> None:
        """Adds the finding that ends the run, before the others. Later ones only follow from it."""
        with self.lock:
            self.count += 1
            self.texts.insert(0, text)
            self.is_closed = True

    def add(self, text: str) -> None:
        with self.lock:
            if self.is_closed:
                return
            self.count += 1
            if len(self.texts) < KEPT:
                self.texts.append(text)

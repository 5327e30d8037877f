"""pywebpush, the library of Python, in the environment of the tests."""

import json
import subprocess
import sys
from pathlib import Path

from .tools import ROOT, Failure

PROGRAM = ROOT / "Benchmarks/pywebpush/encrypt.py"
FOLDER = ROOT / ".build/webpush-clients"


class PyWebPush:
    """The library, if it is installed or can be."""

    def __init__(self) -> None:
        self.python = FOLDER / "venv/bin/python"

    def __enter__(self) -> "PyWebPush":
        self.is_there = install()
        if not self.is_there:
            print("pywebpush is not measured: it is not installed, and PyPI cannot be reached.", flush=True)
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def encrypt(self, keys: Path, size: int, count: int) -> list[float]:
        """Returns the processor time of a message in microseconds; nothing without the library."""
        if not self.is_there:
            return []
        command = [self.python, PROGRAM, keys, size, count]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise Failure(f"pywebpush failed: {done.stderr}")
        figures = json.loads(done.stdout)
        if figures["errors"]:
            raise Failure(f"{figures['errors']} bodies of pywebpush have another length")
        return [figures["processor_seconds"] / figures["requests"] * 1e6]


def install() -> bool:
    """Installs the library as the tests do. Returns `False` if PyPI cannot be reached."""
    if subprocess.run([ROOT / "Tests/WebPushClients/run", "--install"], stdout=sys.stderr).returncode != 0:
        raise Failure("pywebpush could not be installed")
    return (FOLDER / "stamp").exists()

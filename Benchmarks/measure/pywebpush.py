"""pywebpush, the library of Python, in an environment of its own."""

import json
import subprocess
import sys
from pathlib import Path

from .tools import OUTPUT, Failure

CLIENT = Path(__file__).resolve().parents[1] / "pywebpush"
FOLDER = OUTPUT / "pywebpush"


class PyWebPush:
    """The library, if it is installed or can be."""

    def __init__(self) -> None:
        self.python = FOLDER / "bin/python"

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
        command = [self.python, CLIENT / "encrypt.py", keys, size, count]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise Failure(f"pywebpush failed: {done.stderr}")
        figures = json.loads(done.stdout)
        if figures["errors"]:
            raise Failure(f"{figures['errors']} bodies of pywebpush have another length")
        return [figures["processor_seconds"] / figures["requests"] * 1e6]


def install() -> bool:
    """Installs the library, unless the pinned versions are there. Returns `False` if that failed."""
    requirements = CLIENT / "requirements.txt"
    stamp, wanted = FOLDER / "installed.txt", sys.version + requirements.read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return True
    print(f"Installing pywebpush into {FOLDER.name} …", flush=True)
    commands = [
        [sys.executable, "-m", "venv", "--clear", FOLDER],
        [FOLDER / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "-r", requirements],
    ]
    if any(subprocess.run(list(map(str, command)), stdout=sys.stderr).returncode for command in commands):
        return False
    stamp.write_text(wanted)
    return True

"""Firestore's API of the gateway and of Google's emulator, by the same clients in one run."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from .report import print_table
from .tools import ROOT, Failure, Programs

TESTS = ROOT / "Tests/FirestoreClients"
sys.path.insert(0, str(TESTS))
CLIENTS = Path(__file__).resolve().parents[1] / "firestore"
PYTHON = ROOT / ".build/firestore-clients/venv/bin/python"
GO_PACKAGES = Path("/usr/share/gocode")
ROUNDS = 3
ROW_SECONDS = 300
ROWS = ["library", "one", "many", "queries", "listeners", "more-listeners", "contention", "load"]
# What the client in Go measures after a row of the one in Python.
GO_ROWS = {"many": "simple", "queries": "queries"}
# Google's emulator has an index by each field.
INDEX = {"firestore.indexes": "indexed/group"}
# The unit of each figure, and the aim: a factor of the emulator's, a bound, or both. The first factor below is required.
FIGURES: dict[str, tuple[str, float | None, float | None]] = {
    "start to first answer": ("ms", 1, 200), "memory at rest": ("MiB", 1, 45),
    "Python client: set": ("/s", 1, None), "Python client: get": ("/s", 1, None),
    "bare gRPC, 1 in flight: set": ("/s", 1, None), "bare gRPC, 1 in flight: get": ("/s", 1, None),
    "bare gRPC, 32 in flight: set": ("/s", 1, None), "bare gRPC, 32 in flight: get": ("/s", 1, None),
    "Go, 1 in flight: set": ("/s", 1, None), "Go, 1 in flight: get": ("/s", 1, None),
    "Go, 64 in flight: set": ("/s", 1, None), "Go, 64 in flight: get": ("/s", 1, None),
    "10,000 documents: first": ("ms", 2, 10), "10,000 documents: all": ("/s", 2, None),
    "100 of them by a filter": ("ms", 2, 5), "100 of as many, indexed": ("ms", 2, 5), "count of them": ("ms", 2, 10),
    "10 listeners, 100 documents: median": ("ms", 2, 10), "10 listeners, 100 documents: 99th": ("ms", 2, 30),
    "10 listeners, 2,000 documents: median": ("ms", 2, 10), "10 listeners, 2,000 documents: 99th": ("ms", 2, 30),
    "4 clients, one counter": ("/s", 20, 100), "import by BatchWrite of 500": ("/s", None, 20_000),
    "memory with 100,000 documents": ("MiB", 1, 100), "left after SIGKILL": ("", None, 100_000),
}


def measure_firestore(programs: Programs, folder: Path, rounds: int = ROUNDS) -> None:
    """Fails if a figure misses what is required; aims that are missed are only shown."""
    from firestore_clients.gateway import Gateway, Oracle

    if subprocess.run([str(TESTS / "run"), "--install"]).returncode or not PYTHON.exists():
        raise Failure("the clients cannot be installed; the output is above")
    reason = Oracle.missing()
    if reason:
        print(f"Google's emulator is not measured: {reason}.")
    go = compile_go(folder)
    sides: dict[str, list[dict[str, float]]] = {"ours": []} | ({} if reason else {"Google": []})
    for number in range(1, rounds + 1):
        for side, figures in sides.items():
            print(f"{side}, round {number} of {rounds} …", flush=True)
            place = folder / f"{side}-{number}"
            figures.append(measure(Gateway(programs.pushgate, place, INDEX) if side == "ours" else Oracle(place), go))
    if not show(sides):
        raise Failure("a figure is worse than required; it is marked above")


def measure(server: Any, go: Path | None) -> dict[str, float]:
    """Returns all figures of a new server without data."""
    started = time.monotonic()
    with server:
        figures = {"start to first answer": (time.monotonic() - started) * 1e3}
        time.sleep(2)
        figures["memory at rest"] = server.memory()["VmRSS"]
        for row in ROWS:
            figures |= client([str(PYTHON), str(CLIENTS / "client.py"), server.address, row])
            if go and row in GO_ROWS:
                figures |= client([str(go), server.address, GO_ROWS[row]])
        figures["memory with 100,000 documents"] = server.memory()["VmRSS"]
        server.kill()
        server.start()
        return figures | client([str(PYTHON), str(CLIENTS / "client.py"), server.address, "left"])


def client(command: list[str]) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": str(TESTS), "PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "*"}
    try:
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=ROW_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[-1]} did not end within {ROW_SECONDS} s") from None
    if result.returncode:
        raise Failure(f"{command[-1]} failed:\n{result.stderr[-2000:]}")
    return json.loads(result.stdout)


def compile_go(folder: Path) -> Path | None:
    """Compiles the client in Go with Debian's packages; `None` if it cannot be."""
    program = folder / "firestore-client"
    environment = os.environ | {
        "GO111MODULE": "off", "GOPATH": str(GO_PACKAGES), "GOFLAGS": "", "GOCACHE": str(ROOT / ".build/firestore-clients/go")}
    try:
        command = ["go", "build", "-o", str(program), str(CLIENTS / "client.go")]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    except FileNotFoundError:
        print("The client in Go is not run: there is no go here (Debian's golang-go and golang-google-cloud-dev).")
        return None
    if result.returncode:
        print(f"The client in Go is not run: it cannot be compiled.\n{result.stderr[-2000:]}")
        return None
    return program


def show(sides: dict[str, list[dict[str, float]]]) -> bool:
    """Prints the medians, and returns if all that is required is met."""
    rows, is_met = [["", "ours", "Google", "factor", "required", "aim"]], True
    for name, (unit, factor, aim) in FIGURES.items():
        values = {side: median(one[name] for one in rounds) for side, rounds in sides.items() if name in rounds[0]}
        if "ours" not in values:
            # The client in Go is not here, and its figures are missing: this is not a success.
            rows.append([name, "not measured", "", "", "" if factor is None else f"{factor} × MISSED", ""])
            is_met = False
            continue
        ours, theirs = values["ours"], values.get("Google")
        is_at_most = unit in ("ms", "MiB")
        ratio = None if theirs is None else (theirs / max(ours, 1e-9) if is_at_most else ours / max(theirs, 1e-9))
        is_enough = ratio is None or factor is None or ratio >= factor
        # Without a factor, the aim itself is required.
        is_enough &= factor is not None or aim is None or ours >= aim
        is_met &= is_enough
        reached = aim is None or (ours <= aim if is_at_most else ours >= aim)
        rows.append([
            name, f"{ours:,.1f} {unit}", "" if theirs is None else f"{theirs:,.1f} {unit}",
            "" if ratio is None else f"{ratio:.1f} ×",
            ("" if factor is None else f"{factor} ×") + ("" if is_enough else " MISSED"),
            "" if aim is None else f"{'≤' if is_at_most else '≥'} {aim:,.0f}: {'met' if reached else 'missed'}"])
    print()
    print_table(rows, right={1, 2, 3})
    return is_met

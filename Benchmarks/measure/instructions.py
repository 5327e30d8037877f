"""The number of instructions of a request below HTTP, counted by callgrind."""

import os
import re
import subprocess
from pathlib import Path
from statistics import median

from .report import print_table
from .tools import Failure, Programs, build, install

ROUNDS = 3
# The numbers of requests of the two runs. Their difference excludes the start.
FEW, MANY = 100, 600
REQUESTS = {
    "a registration, known": "registration-known", "a registration, new": "registration-new",
    "a trigger with one device": "trigger",
}
VALGRIND = ["valgrind", "--tool=callgrind", "--fair-sched=yes"]


def measure_instructions(_: Programs, folder: Path) -> None:
    install("valgrind", ["valgrind"])
    # valgrind 3.19 cannot always read the compiler's debug information, and stops.
    program = folder / "Parts"
    subprocess.run(["strip", "--strip-debug", "-o", str(program), str(build("Parts"))], check=True)
    rows = [["instructions, without HTTP and the push service", "median", "lowest–highest"]]
    for name, request in REQUESTS.items():
        print(f"{name} …", flush=True)
        counts = [each(program, request, folder) for _ in range(ROUNDS)]
        rows.append([name, f"{median(counts):,.0f}", f"{min(counts):,.0f}–{max(counts):,.0f}"])
    print()
    print_table(rows, right={1, 2})


def each(program: Path, request: str, folder: Path) -> float:
    many, few = (count(program, request, number, folder) for number in (MANY, FEW))
    return (many - few) / (MANY - FEW)


def count(program: Path, request: str, number: int, folder: Path) -> int:
    """Returns all instructions of a run with `number` requests."""
    command = [*VALGRIND, f"--callgrind-out-file={folder / 'callgrind'}", str(program), request, str(number)]
    # Fixed hashes, because otherwise each run has different collisions in its hash tables.
    environment = os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    found = re.search(r"refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or not found:
        raise Failure(f"valgrind could not run {program.name}: {done.stderr[-1000:]}")
    return int(found[1].replace(",", ""))

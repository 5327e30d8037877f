"""The sequences of both SDKs, as one run of pytest."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from ..gateway import Failure
from ..system_tests import Counts, count

FOLDER = Path(__file__).resolve().parent
CLIENTS = ("Node", "Java")
TEST_SECONDS = 400
ALL_SECONDS = 3600


def run_sequences(address: str, output: Path, *options: str) -> dict[str, Counts]:
    """Prints the failed sequences, and returns how many of each client passed. `options` are pytest's.

    A sequence that the server is not asked for fails, except on Google's emulator.
    """
    file, log = output / "sequences.json", output / "sequences.log"
    command = [
        sys.executable, "-m", "pytest", "-q", "-rxs", "--tb=short", f"--timeout={TEST_SECONDS}", "-p", "no:cacheprovider",
        "-o", "python_files=*_sequences.py", "-p", "firestore_clients.outcomes",
        "-p", "firestore_clients.server_sdks.fixtures", f"--address={address}", *options,
        str(FOLDER), *(str(FOLDER.parent / f"{client.lower()}_sequences.py") for client in CLIENTS)]
    with log.open("wb") as words:
        ended = subprocess.run(
            command, env=os.environ | {"PUSHGATE_OUTCOMES": str(file)}, stdout=words, stderr=words, timeout=ALL_SECONDS).returncode
    # 0: all passed; 1: some failed. With any other code some may not have run.
    if ended not in (0, 1):
        raise Failure(f"pytest ended the sequences with {ended}:\n{log.read_text()[-4000:]}")
    if "--emulator" in options:
        print(*(line for line in log.read_text().splitlines() if line.startswith(("XFAIL", "SKIPPED"))), sep="\n")
    return counts(json.loads(file.read_text()), is_strict="--emulator" not in options)


def counts(results: dict[str, dict[str, str]], is_strict: bool) -> dict[str, Counts]:
    for name, outcome in results["outcomes"].items():
        if outcome == "skipped" and is_strict:
            results["outcomes"][name] = "failed"
            results["texts"][name] = "It was not asked for."
    return {client: count({kind: of(client, ones) for kind, ones in results.items()}) for client in CLIENTS}


def of(client: str, outcomes: dict[str, str]) -> dict[str, str]:
    """Returns the entries of one client, whose name is a parameter of each test."""
    return {name: one for name, one in outcomes.items() if client in re.split(r"\W", name)}


def passed(counts: dict[str, Counts]) -> bool:
    """Prints a line for each client."""
    for client, (passed, failed) in counts.items():
        print(f"{client}: {passed} sequences of calls passed, {failed} failed; the SDK itself is not run", flush=True)
    return all(one.passed and not one.failed for one in counts.values())

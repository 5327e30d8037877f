"""The system tests of google-cloud-firestore, as a process with nothing but the emulator's variable."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from .api import GRPC, PROJECT, message, root
from .gateway import Failure
from .values import Vector, update

# The tests of the sync half that run on an emulator, and those among the rest that a gateway can pass.
EXPECTED = 127
EXPECTED_LIFTED = 43
TEST_SECONDS = 300
ALL_SECONDS = 7200


class Counts(NamedTuple):
    passed: int
    failed: int


def run_system_tests(folder: Path, address: str, output: Path, lifted: bool = False, only: str = "") -> Counts:
    """Prints the failed tests with the ends of their reports."""
    if not (folder / "test_system.py").exists():
        raise Failure(f"there is no {folder}/test_system.py; run Tests/FirestoreClients/run --install")
    file = output / ("lifted.json" if lifted else "outcomes.json")
    log = file.with_suffix(".log")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FIRESTORE", "GOOGLE"))}
    environment |= {
        "FIRESTORE_EMULATOR_HOST": address, "GCLOUD_PROJECT": PROJECT, "PUSHGATE_OUTCOMES": str(file),
        "PYTHONDONTWRITEBYTECODE": "1"} | ({"PUSHGATE_LIFTED": "1"} if lifted else {})
    if lifted:
        seed_vectors(address)
    command = [
        sys.executable, "-m", "pytest", "-q", f"--timeout={TEST_SECONDS}", "-p", "no:cacheprovider",
        "-p", "firestore_clients.outcomes", "test_system.py", *(["-k", only] if only else [])]
    with log.open("wb") as words:
        subprocess.run(command, cwd=folder, env=environment, stdout=words, stderr=words, timeout=ALL_SECONDS)
    if not file.exists():
        raise Failure(f"pytest ended without results:\n{log.read_text()[-4000:]}")
    return count(json.loads(file.read_text()))


def count(results: dict[str, dict[str, str]]) -> Counts:
    outcomes = list(results["outcomes"].values())
    for name, text in results["texts"].items():
        print(f"\nFAILED {name}\n{text}", flush=True)
    return Counts(outcomes.count("passed"), outcomes.count("failed"))


def seed_vectors(address: str) -> None:
    """Writes the documents that the tests of vector search expect."""
    documents = {"doc1": ([1.0, 2.0, 3.0], "red"), "doc2": ([2.0, 2.0, 3.0], "red"), "doc3": ([3.0, 4.0, 5.0], "yellow")}
    writes = [
        update(f"{root()}/vector_search/{id}", {"embedding": Vector(embedding), "color": color})
        for id, (embedding, color) in documents.items()]
    database = root().removesuffix("/documents")
    GRPC(address).call("Commit", message("CommitRequest")(database=database, writes=writes))

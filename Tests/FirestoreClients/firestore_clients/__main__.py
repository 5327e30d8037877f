"""Tests a gateway in emulator mode with unmodified Firestore clients: python-firestore's system tests, and Go's client.

Of Node's and Java's SDKs only the sequences of calls are sent.
"""

import argparse
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .gateway import Failure, add_gateway, new_gateway
from .programs import run_go
from .server_sdks.runner import passed, run_sequences
from .system_tests import EXPECTED, EXPECTED_LIFTED, Counts, run_system_tests


def main() -> int:
    options = read_options()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        with tempfile.TemporaryDirectory(prefix="pushgate-firestore-") as folder:
            return 0 if run(Path(folder), options) else 1
    except Failure as failure:
        print(f"Firestore clients: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/FirestoreClients/run", description=__doc__)
    add_gateway(parser)
    parser.add_argument("--system-tests", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--address", help="a server that runs already, as HOST:PORT, instead of a gateway")
    parser.add_argument("--only", default="", help="only the system tests that match pytest's -k; their number is not checked")
    return parser.parse_args()


def run(folder: Path, options: argparse.Namespace) -> bool:
    if options.address:
        return judge(options.address, folder, options)
    with new_gateway(options, folder / "gateway") as gateway:
        passed = judge(gateway.address, folder, options)
        if not gateway.is_running():
            raise Failure(f"the gateway ended during the tests:\n{gateway.words()}")
        if not passed:
            print(f"\nThe last lines of the gateway's log:\n{gateway.words()}")
        return passed


def judge(address: str, folder: Path, options: argparse.Namespace) -> bool:
    counts = attempt(
        lambda: run_system_tests(options.system_tests, address, folder, only=options.only), failed=Counts(0, 1))
    lifted = attempt(
        lambda: run_system_tests(options.system_tests, address, folder, lifted=True, only=options.only),
        failed=Counts(0, 1))
    go = None if options.only else attempt(lambda: run_go(address), failed=False)
    sequences = {} if options.only else attempt(
        lambda: run_sequences(address, folder, "-m", "not slow"), failed={"sequences": Counts(0, 1)})
    print(f"\npython-firestore: {counts.passed} passed, {counts.failed} failed; {EXPECTED} must pass")
    print(f"skipped on emulators: {lifted.passed} passed, {lifted.failed} failed; {EXPECTED_LIFTED} must pass")
    print(f"Go: {'skipped' if go is None else 'passed' if go else 'failed'}", flush=True)
    replayed = passed(sequences)
    expected = options.only or (counts.passed, lifted.passed) == (EXPECTED, EXPECTED_LIFTED)
    return bool(expected) and not counts.failed and not lifted.failed and go is not False and replayed


def attempt(part: Callable[[], Any], failed: Any) -> Any:
    """Runs a part of the tests. One that cannot be run to its end has failed, and keeps none of the others from running."""
    try:
        return part()
    except (Failure, subprocess.TimeoutExpired) as failure:
        print(f"FAILED {failure}", flush=True)
        return failed


if __name__ == "__main__":
    sys.exit(main())

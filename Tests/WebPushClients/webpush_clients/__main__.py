"""Tests Web Push with other people's programs, unmodified.

Senders from PyPI reach browsers through `pushgate webpush-service`, and judges from PyPI read what a gateway sends.
"""

import argparse
import signal
import sys
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Benchmarks"))

from measure.tools import Failure  # noqa: E402

from .judges import judge_tests  # noqa: E402
from .stage import sender_tests  # noqa: E402
from .test_changing_names import changing_name_tests  # noqa: E402
from .test_unifiedpush import unifiedpush_tests  # noqa: E402


def main() -> int:
    options = read_options()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        with tempfile.TemporaryDirectory(prefix="pushgate-webpush-") as folder, ExitStack() as stack:
            return run(Path(folder), stack, options)
    except Failure as failure:
        print(f"Web Push clients: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/WebPushClients/run", description=__doc__)
    parser.add_argument("--binary", type=Path, default=ROOT / ".build/release/pushgate")
    parser.add_argument("--names", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--store", choices=["sqlite", "postgresql"], default="sqlite", help="the store of the judged gateway (sqlite)")
    parser.add_argument("--messages", type=int, default=1000, help="the number of messages for the judges (1000)")
    parser.add_argument("--seed", type=int, default=1, help="other random messages (1)")
    parser.add_argument("--only", default="", help="only the tests whose names contain this")
    options = parser.parse_args()
    options.binary = options.binary.resolve()
    return options


def run(folder: Path, stack: ExitStack, options: argparse.Namespace) -> int:
    if not options.binary.exists():
        raise Failure(f"there is no {options.binary}; build it, or name another with --binary")
    suite = unittest.TestSuite()
    suite.addTests(sender_tests(folder, stack, options.binary, by_name=options.names))
    if options.names:
        suite.addTests(changing_name_tests(folder, stack, options.binary))
    else:
        suite.addTests(judge_tests(folder, stack, options))
        suite.addTests(unifiedpush_tests(folder, stack, options.binary))
    chosen = unittest.TestSuite(test for test in suite if options.only in str(test))
    result = unittest.TextTestRunner(verbosity=2).run(chosen)
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"\n{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not (result.testsRun or options.only) else 0


if __name__ == "__main__":
    sys.exit(main())

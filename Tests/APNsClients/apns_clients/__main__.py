"""Tests Live Activities with other people's senders, unmodified, against `pushgate apns-simulator`."""

import argparse
import os
import signal
import sys
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Benchmarks"))

from measure.tools import Failure  # noqa: E402

from . import test_aioapns, test_channels, test_kalyke  # noqa: E402
from .simulator import AppleSide  # noqa: E402


def main() -> int:
    options = read_options()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        with tempfile.TemporaryDirectory(prefix="pushgate-apns-") as folder, ExitStack() as stack:
            return run(Path(folder), stack, options)
    except Failure as failure:
        print(f"APNs clients: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/APNsClients/run", description=__doc__)
    parser.add_argument("--binary", type=Path, default=ROOT / ".build/release/pushgate")
    parser.add_argument(
        "--store", choices=["sqlite", "postgresql"], default="sqlite", help="no gateway takes part; for `make clients`")
    parser.add_argument("--only", default="", help="only the tests whose names contain this")
    options = parser.parse_args()
    options.binary = options.binary.resolve()
    return options


def run(folder: Path, stack: ExitStack, options: argparse.Namespace) -> int:
    if not options.binary.exists():
        raise Failure(f"there is no {options.binary}; build it, or name another with --binary")
    simulator = stack.enter_context(AppleSide(options.binary, folder / "simulator"))
    strict = stack.enter_context(AppleSide(options.binary, folder / "strict", "--strict"))
    limited = stack.enter_context(AppleSide(options.binary, folder / "limited", *test_channels.OPTIONS))
    # kalyke-apns trusts the authorities in the file that OpenSSL's variable names.
    authorities = folder / "authorities.pem"
    authorities.write_text("".join(Path(one.addresses["ca_file"]).read_text() for one in (simulator, strict)))
    os.environ["SSL_CERT_FILE"] = str(authorities)
    test_kalyke.KalykeTests.simulator, test_kalyke.KalykeTests.strict = simulator, strict
    test_aioapns.AioapnsTests.simulator = simulator
    test_channels.ChannelTests.simulator = limited
    loader, suite = unittest.defaultTestLoader, unittest.TestSuite()
    for module in (test_kalyke, test_aioapns, test_channels):
        for tests in loader.loadTestsFromModule(module):
            suite.addTests(test for test in tests if options.only in str(test))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"\n{result.testsRun - failed} passed, {failed} failed", flush=True)
    return 1 if failed or not (result.testsRun or options.only) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Tests a running gateway with two generations of unmodified firebase-admin, over each way to it.

Starts a gateway in emulator mode, and one that delivers to the APNs simulator, on free ports of loopback. For each
way a process of its own runs the tests, with the environment of a file of `pushgate init`.
"""

import argparse
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Benchmarks"))

from measure.postgresql import Databases  # noqa: E402
from measure.servers import Simulator  # noqa: E402
from measure.tools import Failure  # noqa: E402

from .gateway import RunningGateway  # noqa: E402
from .ways import Counts, Way, ways, ways_by_name  # noqa: E402


def main() -> int:
    options = read_options()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        with tempfile.TemporaryDirectory(prefix="pushgate-clients-") as folder, ExitStack() as stack:
            counts = run(Path(folder), stack, options)
    except Failure as failure:
        print(f"Firebase clients: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(f"\n{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped")
    # With --only, the selected ways may all be among those by the names, or none of them.
    return 1 if counts.failed or not (counts.passed or options.only) else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/FirebaseClients/run", description=__doc__)
    parser.add_argument("--binary", type=Path, default=ROOT / ".build/release/pushgate")
    parser.add_argument("--earlier", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument(
        "--store", choices=["sqlite", "postgresql"], default="sqlite", help="the store of the gateways (sqlite)")
    parser.add_argument("--names", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="only the ways whose names contain this")
    return parser.parse_args()


def run(folder: Path, stack: ExitStack, options: argparse.Namespace) -> Counts:
    binary = options.binary.resolve()
    if not binary.exists():
        raise Failure(f"there is no {options.binary}; build it, or name another with --binary")
    simulator = stack.enter_context(Simulator(binary, folder / "simulator"))
    databases = stack.enter_context(Databases(folder / "server")) if options.store == "postgresql" else None

    def gateway(name: str, simulator: Simulator | None = None, ports: dict[str, str] = {}) -> RunningGateway:
        store = databases.new() if databases else None
        return stack.enter_context(RunningGateway(binary, folder / name, simulator, ports, store))

    if options.names:
        # `by_name` starts this process, where these names lead to port 443 of this machine.
        chosen = ways_by_name(gateway("named", simulator, {"fcm.tls.port": "443"}), options.earlier)
    else:
        chosen = ways(gateway("emulator"), gateway("production", simulator), options.earlier)
    counts = Counts()
    for way in chosen:
        if options.only in way.name:
            counts += outcome(of=way)
    return counts


def outcome(of: Way) -> Counts:
    """Runs a way. One that cannot be run to its end counts as one failure, and keeps none of the others from running."""
    try:
        return of.run()
    except Failure as failure:
        print(f"FAILED {of.name}: {failure}", flush=True)
        return Counts(failed=1)


if __name__ == "__main__":
    sys.exit(main())

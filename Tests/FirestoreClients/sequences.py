"""Sends the sequences of calls of Google's server SDKs for Node and Java. The SDKs themselves are not run.

Without an address it starts a gateway, or Google's emulator, which must fail where the sequences say that it differs.
"""

import argparse
import sys
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

from firestore_clients.gateway import Failure, FirestoreServer, Oracle, add_gateway, new_gateway
from firestore_clients.server_sdks.runner import passed, run_sequences


def main() -> int:
    options = read_options()
    try:
        with tempfile.TemporaryDirectory(prefix="pushgate-sequences-") as folder:
            return 0 if run(Path(folder), options) else 1
    except Failure as failure:
        print(f"sequences: {failure}", file=sys.stderr)
        return 1


def run(folder: Path, options: argparse.Namespace) -> bool:
    if options.address:
        return judge(options.address, folder, options)
    with server(folder, options) as started:
        return judge(started.address, folder, options)


def server(folder: Path, options: argparse.Namespace) -> AbstractContextManager[FirestoreServer]:
    if not options.emulator:
        return new_gateway(options, folder / "gateway")
    if missing := Oracle.missing():
        raise Failure(missing)
    return Oracle(folder / "emulator")


def judge(address: str, folder: Path, options: argparse.Namespace) -> bool:
    emulator, only = ["--emulator"] if options.emulator else [], ["-k", options.only] if options.only else []
    counts = run_sequences(address, folder, *emulator, *only)
    return passed({client: one for client, one in counts.items() if any(one) or not only})


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/FirestoreClients/run sequences.py", description=__doc__)
    add_gateway(parser)
    parser.add_argument("--address", help="a server that runs already, as HOST:PORT")
    parser.add_argument("--emulator", action="store_true", help="the server is Google's emulator")
    parser.add_argument("--only", help="only the sequences that match pytest's -k")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

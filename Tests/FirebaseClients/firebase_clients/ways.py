"""The ways from an application to the gateway, each a process with an environment of its own."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measure.tools import Failure

from .gateway import RunningGateway

SHIM = ["FIREBASE_MESSAGING_EMULATOR_HOST"]
PROXY = ["HTTPS_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "GOOGLE_APPLICATION_CREDENTIALS"]
CREDENTIALS = ["GOOGLE_APPLICATION_CREDENTIALS"]
NAMES = [
    "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "HTTPLIB2_CA_CERTS", "GOOGLE_APPLICATION_CREDENTIALS"]

WAY_SECONDS = 3600


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


@dataclass
class Way:
    name: str
    gateway: RunningGateway
    # The variables of firebase.env, or firebase-proxy.env, that are set; no others are.
    variables: list[str]
    # Modules of this package, or of the connector's `tests`.
    tests: list[str]
    # Folders to import from before the virtual environment's.
    path: list[Path]
    # The number of tests that do not apply to this client or gateway; None if it depends on the machine.
    skips: int | None = 0
    # The major version of firebase-admin.
    generation: int = 7

    def run(self) -> Counts:
        print(f"\n{self.name}", flush=True)
        with tempfile.NamedTemporaryFile("r") as file:
            self.run_suite(file.name)
            text = file.read()
        if not text:
            raise Failure(f"the tests of “{self.name}” ended before they were counted")
        counts = Counts(**json.loads(text))
        if self.skips is not None and counts.skipped != self.skips:
            raise Failure(f"“{self.name}” skips {self.skips} tests, and has skipped {counts.skipped}")
        return counts

    def run_suite(self, counts: str) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "firebase_clients.suite", counts, str(self.generation)]
        try:
            subprocess.run(
                [*command, *self.tests], env=self.environment(), stdin=subprocess.DEVNULL, timeout=WAY_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure(f"the tests of “{self.name}” did not finish within {WAY_SECONDS} s") from None

    def environment(self) -> dict[str, str]:
        """Returns an environment without the machine's own variables, such as a proxy, CAs or credentials."""
        file = "firebase-proxy.env" if self.variables in (PROXY, NAMES) else "firebase.env"
        offered = self.gateway.variables(file)
        if missing := [name for name in self.variables if name not in offered]:
            raise Failure(f"{file} does not set {', '.join(missing)}")
        here = Path(__file__).resolve().parents[1]
        return {name: offered[name] for name in self.variables} | {
            "PATH": os.environ["PATH"], "HOME": str(self.gateway.directory), "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(map(str, [*self.path, here])), "FIREBASE_CLIENTS": self.gateway.description(),
        }


def ways(emulator: RunningGateway, production: RunningGateway, earlier: Path) -> list[Way]:
    connector = Path(__file__).resolve().parents[3] / "connectors/python"
    everywhere = ["test_sending", "test_topics"]
    emulated = [*everywhere, "test_vocabulary"]
    return [
        Way("the connector's own tests, firebase-admin 7", emulator, [], ["tests"], [connector], skips=1),
        Way("the connector's own tests, firebase-admin 6", emulator, [], [
            "tests.test_messaging", "tests.test_credentials"], [connector, earlier], skips=1, generation=6),
        Way("the schema, over HTTP", emulator, [], ["test_schema", "test_google_client", "test_files"], []),
        Way("firebase-admin 7 through the connector", emulator, SHIM, [
            "test_shim", *emulated, "test_errors", "test_scripts", "test_asynchronous", "test_examples"], [], skips=2),
        Way("firebase-admin 6 through the connector", emulator, SHIM, [
            "test_shim", *emulated, "test_asynchronous"], [earlier], skips=10, generation=6),
        Way("firebase-admin 7 through the proxy", emulator, PROXY, [
            "test_proxy", *emulated, "test_errors"], [], skips=2),
        Way("firebase-admin 6 through the proxy", emulator, PROXY, [
            "test_proxy", *everywhere], [earlier], skips=9, generation=6),
        Way("firebase-admin 7 through the connector, delivering", production, SHIM + CREDENTIALS, [
            "test_shim", *everywhere, "test_asynchronous", "test_delivery", "test_credentials", "test_examples"], [],
            skips=1),
        Way("firebase-admin 7 through the proxy, delivering", production, PROXY, ["test_proxy", "test_sending"], []),
    ]


def ways_by_name(gateway: RunningGateway, earlier: Path) -> list[Way]:
    """Returns the ways on a machine where Google's names lead to this gateway, which delivers."""
    tests = ["test_names", "test_sending", "test_topics", "test_asynchronous"]
    return [
        Way("firebase-admin 7 by the names", gateway, NAMES, tests, []),
        Way("firebase-admin 6 by the names", gateway, NAMES, tests, [earlier], skips=9, generation=6),
        Way("other languages by the names", gateway, NAMES, ["test_languages"], [], skips=None),
    ]

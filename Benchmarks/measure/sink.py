"""The stand-in for Apple that is never what limits, as a process."""

import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from .servers import ARRIVAL_SECONDS, Server
from .tools import Failure


class Sink(Server):
    """Takes the place of a simulator for a gateway, and for the programs beside it."""

    def __init__(self, program: Path, folder: Path, *options: str):
        """A folder that an earlier one has used has its certificates: it can come back, on the port `-p` says."""
        if not folder.exists():
            folder.mkdir()
            make_certificates(folder)
        self.options, self.output = options, folder / "output"
        self.credentials = {
            "ca_file": str(folder / "ca.pem"), "key_path": str(folder / "AuthKey_SINK123456.p8"),
            "key_id": "SINK123456", "team_id": "TEAM123456",
        }
        with self.output.open("wb") as output:
            command = [str(program), *options, str(folder / "certificate.pem"), str(folder / "key.pem")]
            super().__init__("sink", command, folder / "log", stdout=output)

    def __enter__(self):
        line = self.wait_until(lambda: self.output.read_text().partition("\n")[0], "print where it listens")
        ports = json.loads(line)
        self.port, self.control = ports["port"], ports["control"]
        self.addresses = self.credentials | {"apns": f"https://127.0.0.1:{self.port}"}
        return self

    def counts(self) -> dict[str, int]:
        with socket.create_connection(("127.0.0.1", self.control)) as connection:
            counts: dict[str, int] = json.loads(connection.makefile().readline())
        if counts["errors"]:
            raise Failure(f"the sink was sent what is no notification, or broken frames: {counts}")
        return counts

    def wait_for(self, count: int, distinct: int) -> float:
        """Until so many requests have come, with so many ids among them; tells when, as `time.perf_counter` does."""
        deadline = time.monotonic() + ARRIVAL_SECONDS
        while time.monotonic() < deadline:
            counts = self.counts()
            if counts["requests"] >= count:
                if (counts["requests"], counts["distinct"]) != (count, distinct):
                    raise Failure(f"the sink was to have {count} requests with {distinct} ids: {counts}")
                return time.perf_counter()
            time.sleep(0.002)
        raise Failure(f"of {count} notifications some did not arrive: {self.counts()}")


def make_certificates(folder: Path) -> None:
    """An authority, a certificate for loopback, and a key as Apple gives them out."""

    def openssl(*arguments: Any) -> None:
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", folder / "ca.key", "-out", folder / "ca.pem", "-days", 2, "-subj", "/CN=ca")
    openssl("req", *curve, "-keyout", folder / "key.pem", "-out", folder / "request", "-subj", "/CN=127.0.0.1")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    openssl(
        "x509", "-req", "-in", folder / "request", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
        "-CAcreateserial", "-out", folder / "certificate.pem", "-days", 2, "-extfile", folder / "names")
    openssl(
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out",
        folder / "AuthKey_SINK123456.p8")

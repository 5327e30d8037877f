"""The sink, a stand-in for push services that does not limit a measurement, as a process."""

import json
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .servers import ARRIVAL_SECONDS, Server
from .tools import Failure


class Sink(Server):
    """A replacement of the simulator for a gateway and the reference programs."""

    def __init__(self, program: Path, folder: Path, *options: str, hosts: Sequence[str] = ()):
        """Starts a sink, whose certificate is for loopback and for the hosts.

        A folder of an earlier sink has its certificates, so that it can return on the same port.
        """
        if not folder.exists():
            folder.mkdir()
            make_certificates(folder, hosts)
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
            raise Failure(f"the sink received invalid requests or frames: {counts}")
        return counts

    def wait_for(self, count: int, distinct: int) -> float:
        """Waits for `count` requests with `distinct` ids. Returns the time of `time.perf_counter`."""
        deadline = time.monotonic() + ARRIVAL_SECONDS
        while time.monotonic() < deadline:
            counts = self.counts()
            if counts["requests"] >= count:
                if (counts["requests"], counts["distinct"]) != (count, distinct):
                    raise Failure(f"the sink should have {count} requests with {distinct} ids, but has {counts}")
                return time.perf_counter()
            time.sleep(0.002)
        raise Failure(f"not all {count} notifications arrived: {self.counts()}")


def make_certificates(folder: Path, hosts: Sequence[str] = ()) -> None:
    """Creates a certificate authority, a certificate for loopback and the hosts, and a key in Apple's format."""

    def openssl(*arguments: Any) -> None:
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", folder / "ca.key", "-out", folder / "ca.pem", "-days", 2, "-subj", "/CN=ca")
    openssl("req", *curve, "-keyout", folder / "key.pem", "-out", folder / "request", "-subj", "/CN=127.0.0.1")
    (folder / "names").write_text(",".join(["subjectAltName=IP:127.0.0.1", *(f"DNS:{host}" for host in hosts)]))
    openssl(
        "x509", "-req", "-in", folder / "request", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
        "-CAcreateserial", "-out", folder / "certificate.pem", "-days", 2, "-extfile", folder / "names")
    openssl(
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out",
        folder / "AuthKey_SINK123456.p8")

"""A certificate authority, and the certificate of the gateway's HTTPS port, which is renewed during the run."""

import os
import ssl
import subprocess
from pathlib import Path

from measure.tools import Failure

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
NAMES = "subjectAltName=IP:127.0.0.1,DNS:localhost"


class Authority:
    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"
        self.ca = folder / "ca.pem"
        openssl(
            "req", "-x509", *KEY, "-keyout", folder / "ca.key", "-out", self.ca, "-days", "30", "-subj", "/CN=Soak CA",
            "-addext", "basicConstraints=critical,CA:true", "-addext", "keyUsage=critical,keyCertSign")
        (folder / "names").write_text(NAMES + "\n")
        self.renew()

    def renew(self) -> None:
        """Replaces the certificate and its key, one file after the other, as other tools do."""
        new = {path: path.with_suffix(".new") for path in (self.key, self.certificate)}
        request = self.folder / "request"
        openssl("req", "-new", *KEY, "-keyout", new[self.key], "-out", request, "-subj", "/CN=localhost")
        openssl(
            "x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.folder / "ca.key", "-CAcreateserial",
            "-days", "20", "-extfile", self.folder / "names", "-out", new[self.certificate])
        for path, replacement in new.items():
            os.replace(replacement, path)

    def bytes(self) -> bytes:
        """Returns the present certificate in DER."""
        return ssl.PEM_cert_to_DER_cert(self.certificate.read_text())

    def context(self) -> ssl.SSLContext:
        """Returns the context of clients that trust this authority alone."""
        return ssl.create_default_context(cafile=str(self.ca))


def openssl(*arguments: str | Path) -> None:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"openssl {arguments[0]} failed: {done.stderr}")

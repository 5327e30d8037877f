"""Programs that send, each a process that only its environment leads to the push service."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

from measure.servers import ARRIVAL_SECONDS, STOP_SECONDS
from measure.tools import Failure

from .keys import SenderKey


class Sender:
    def __init__(self, library: str, longest: int, proxies: dict[str, str], folder: Path) -> None:
        """Starts the program; `longest` is the greatest number of bytes of a message that the library sends."""
        self.name, self.longest = library, longest
        self.key, self.other = SenderKey.generate(), SenderKey.generate()
        here = Path(__file__).resolve().parents[1]
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(here), "PYTHONDONTWRITEBYTECODE": "1",
        } | proxies
        self.log = folder / f"{library}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", sys.executable, "-m", "webpush_clients.sending", library],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment,
                start_new_session=True)

    def __enter__(self) -> "Sender":
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.terminate()
        self.process.wait(STOP_SECONDS)

    def send(
        self, text: str | None, subscription: dict[str, Any], key: SenderKey | None = None, **order: Any
    ) -> dict[str, Any]:
        """Sends a message, and returns what the library has made of the answer."""
        order |= {"subscription": subscription, "text": text, "key": (key or self.key).private}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], ARRIVAL_SECONDS)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            raise Failure(f"{self.name} has no outcome:\n{self.log.read_text()[-4000:]}")
        return json.loads(line)


def environment(settings: dict[str, Any]) -> dict[str, str]:
    """Returns the variables that the service prints for a sender, and the one of Python's requests."""
    authority = {"SSL_CERT_FILE": settings["ca_file"], "REQUESTS_CA_BUNDLE": settings["ca_file"]}
    return authority | {"HTTPS_PROXY": settings["proxy"]}

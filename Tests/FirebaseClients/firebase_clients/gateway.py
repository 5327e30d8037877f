"""The gateway as a process on free ports, set up by `pushgate init` when the ports are known."""

import json
import os
import re
import subprocess
from pathlib import Path

from measure.servers import BUNDLE_ID, Server, Simulator, ask, one_app
from measure.tools import Failure

COMMAND_SECONDS = 300

# The lines of the banner, and the keys of their ports.
PORTS = {"address": "http.port", "over TLS": "fcm.tls.port", "proxy": "fcm.proxy.port"}


class RunningGateway(Server):
    """A gateway that delivers to the simulator, or is in emulator mode without one."""

    def __init__(
        self, pushgate: Path, directory: Path, simulator: Simulator | None = None, ports: dict[str, str] = {},
        store: str | None = None,
    ) -> None:
        """Starts the gateway; `ports` replace free ports by key, and `store` is the address of its database."""
        self.pushgate, self.directory, self.simulator = pushgate, directory, simulator
        self.settings = one_app(simulator.addresses) if simulator else {}
        if store:
            self.settings["PUSHGATE_STORE_URL"] = store
        self.banner = directory.with_suffix(".banner")
        command = [str(pushgate), "serve", *self.options(dict.fromkeys(PORTS.values(), "0") | ports), "--log-level", "warning"]
        with self.banner.open("wb") as banner:
            super().__init__(directory.name, command, directory.with_suffix(".log"), self.settings, stdout=banner)

    def __enter__(self) -> "RunningGateway":
        try:
            ports = self.wait_until(self.ports, "listen")
            self.url = f"http://127.0.0.1:{ports['http.port']}"
            ask(self.url, "GET", "/healthz")
            self.initialise(ports)
            self.admin_token = (self.directory / "admin-token").read_text().strip()
        except BaseException:
            self.stop()
            raise
        return self

    def options(self, ports: dict[str, str]) -> list[str]:
        settings = [option for key, port in ports.items() for option in ("--set", f"{key}={port}")]
        return ["--data-directory", str(self.directory), *settings]

    def ports(self) -> dict[str, str] | None:
        """Returns the banner's ports by key; `None` before the banner is printed."""
        text = self.banner.read_text()
        found = {key: re.search(rf"^  {line} .*?://[^ ]*:(\d+)\b", text, re.M) for line, key in PORTS.items()}
        return {key: match[1] for key, match in found.items() if match} if all(found.values()) else None

    def initialise(self, ports: dict[str, str]) -> None:
        command = [str(self.pushgate), "init", *self.options(ports)]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PUSHGATE_")}
        result = run(command, clean | self.settings)
        if result.returncode:
            raise Failure(f"pushgate init failed with {result.returncode}:\n{result.stdout}{result.stderr}")

    def variables(self, file: str) -> dict[str, str]:
        """Returns the variables that one of init's files sets."""
        script = 'set -a; . "$1"; env -0'
        command = ["bash", "--noprofile", "--norc", "-c", script, "bash", str(self.directory / file)]
        result = run(command, {"PATH": os.environ["PATH"]})
        if result.returncode or result.stderr:
            raise Failure(f"{file} cannot be sourced: {result.stderr}")
        return dict(line.split("=", 1) for line in result.stdout.split("\0") if line)

    def description(self) -> str:
        """Returns the description for the test processes."""
        return json.dumps({
            "url": self.url, "admin_token": self.admin_token, "directory": str(self.directory), "bundle_id": BUNDLE_ID,
            "simulator": self.simulator.addresses["control"] if self.simulator else None,
        })


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[0]} did not finish within {COMMAND_SECONDS} s") from None

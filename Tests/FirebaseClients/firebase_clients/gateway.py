"""The gateway as a process, set up by `pushgate init`, on ports chosen before so that what init writes is right."""

import json
import os
import socket
import subprocess
from pathlib import Path

from measure.servers import BUNDLE_ID, Server, Simulator, ask, one_app
from measure.tools import Failure


class RunningGateway(Server):
    """Delivers to the simulator, or without one is in emulator mode."""

    def __init__(self, pushgate: Path, directory: Path, simulator: Simulator | None = None) -> None:
        self.directory, self.simulator = directory, simulator
        http, tls, proxy = free_ports(3)
        self.arguments = [
            "--data-directory", str(directory), "--set", f"http.port={http}", "--set", f"fcm.tls.port={tls}",
            "--set", f"fcm.proxy.port={proxy}"]
        self.settings = one_app(simulator.addresses) if simulator else {}
        self.url = f"http://127.0.0.1:{http}"
        self.initialise(pushgate)
        command = [str(pushgate), "serve", *self.arguments, "--log-level", "warning"]
        super().__init__(directory.name, command, directory.with_suffix(".log"), self.settings)

    def __enter__(self) -> "RunningGateway":
        try:
            self.wait_until((self.directory / "address").exists, "listen")
            ask(self.url, "GET", "/healthz")
            self.admin_token = (self.directory / "admin-token").read_text().strip()
        except BaseException:
            self.stop()
            raise
        return self

    def initialise(self, pushgate: Path) -> None:
        command = [str(pushgate), "init", *self.arguments]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PUSHGATE_")}
        result = subprocess.run(command, env=clean | self.settings, capture_output=True, text=True)
        if result.returncode:
            raise Failure(f"pushgate init failed with {result.returncode}:\n{result.stdout}{result.stderr}")

    def variables(self, file: str) -> dict[str, str]:
        """What sourcing one of init's files sets."""
        script = 'set -a; . "$1"; env -0'
        result = subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", script, "bash", str(self.directory / file)],
            env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
        if result.returncode or result.stderr:
            raise Failure(f"{file} cannot be sourced: {result.stderr}")
        return dict(line.split("=", 1) for line in result.stdout.split("\0") if line)

    def description(self) -> str:
        """What the processes of tests know of it."""
        return json.dumps({
            "url": self.url, "admin_token": self.admin_token, "directory": str(self.directory), "bundle_id": BUNDLE_ID,
            "simulator": self.simulator.addresses["control"] if self.simulator else None,
        })


def free_ports(count: int) -> list[int]:
    """Free when asked; all held at once, so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports

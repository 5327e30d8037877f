"""The servers under test: the gateway in emulator mode, and Google's emulator to compare it with."""

import http.client
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Benchmarks"))

from measure.postgresql import Databases  # noqa: E402
from measure.servers import Server, request  # noqa: E402
from measure.tools import Failure  # noqa: E402

__all__ = ["ROOT", "Failure", "FirestoreServer", "Gateway", "Oracle", "add_gateway", "new_gateway"]

JAR = Path("/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar")


class FirestoreServer(Server):
    """A process that answers Firestore's API on one port of loopback, which stays the same after a restart."""

    name: str
    starts = 0

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.port = name, folder, free_port()
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        raise NotImplementedError

    def __enter__(self) -> "FirestoreServer":
        self.start()
        return self

    def start(self) -> None:
        """Starts the process, and waits for its first answer. Only the main thread may: the process ends with it."""
        self.starts += 1
        environment = {"PUSHGATE_DATA_MINIMUM_FREE_BYTES": "0"}
        Server.__init__(
            self, self.name, self.command(), self.folder / f"{self.starts}.log", environment)
        try:
            self.wait_until(self.is_ready, "answer")
        except BaseException:
            self.stop()
            raise

    def is_ready(self) -> bool:
        try:
            return request(f"http://{self.address}", "GET", "/", timeout=5).status == 200
        except (OSError, http.client.HTTPException):
            return False

    def kill(self) -> None:
        """Kills the process at once, as `kill -9` does."""
        self.process.kill()
        self.process.wait()

    def is_running(self) -> bool:
        return self.process.poll() is None

    def memory(self) -> dict[str, float]:
        """Returns the resident memory, its peak, and its part that is not file-backed, in MiB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        return {name: int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM", "RssAnon")}

    def clear(self, project: str, database: str = "(default)") -> None:
        path = f"/emulator/v1/projects/{project}/databases/{database}/documents"
        answer = request(f"http://{self.address}", "DELETE", path, timeout=300)
        if answer.status != 200:
            raise Failure(f"the {self.name} answered DELETE {path} with {answer.status}: {answer.text}")


class Gateway(FirestoreServer):
    """The gateway in emulator mode, with a data directory of its own."""

    def __init__(self, pushgate: Path, folder: Path, settings: dict[str, str] | None = None) -> None:
        super().__init__("gateway", folder)
        self.pushgate = pushgate
        self.settings = {"fcm.tls.port": "0", "fcm.proxy.port": "0"} | (settings or {})

    def command(self) -> list[str]:
        settings = [option for key, value in self.settings.items() for option in ("--set", f"{key}={value}")]
        return [
            str(self.pushgate), "serve", "--port", str(self.port), "--data-directory", str(self.folder / "data"),
            "--log-level", "warning", *settings]


class Oracle(FirestoreServer):
    """Google's emulator, which keeps its documents in memory."""

    def __init__(self, folder: Path, jar: Path = JAR) -> None:
        super().__init__("emulator of Google", folder)
        self.jar = jar

    @staticmethod
    def missing(jar: Path = JAR) -> str | None:
        """Returns the reason for which it cannot run here; `None` if it can."""
        if not shutil.which("java"):
            return "there is no java here"
        return None if jar.exists() else f"there is no {jar} here (Debian's google-cloud-cli-firestore-emulator)"

    def command(self) -> list[str]:
        start = ["com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start"]
        return ["java", "-cp", str(self.jar), *start, "--host=127.0.0.1", f"--port={self.port}"]


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def add_gateway(parser: Any) -> None:
    """Adds the options of ``new_gateway``."""
    parser.add_argument("--binary", type=Path, default=Path(os.environ.get("PUSHGATE", ROOT / ".build/release/pushgate")))
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the gateway; may be repeated")
    parser.add_argument(
        "--store", choices=["sqlite", "postgresql"], default="sqlite", help="the store of the gateway (sqlite)")


@contextmanager
def new_gateway(options: Any, folder: Path) -> Iterator["Gateway"]:
    settings = dict(setting.split("=", 1) for setting in options.set)
    with ExitStack() as stack:
        if options.store == "postgresql":
            settings["store.url"] = stack.enter_context(Databases(folder.with_name("server"))).new()
        yield stack.enter_context(Gateway(binary(options), folder, settings))


def binary(options: Any) -> Path:
    path = options.binary.resolve()
    if not path.exists():
        raise Failure(f"there is no {options.binary}; build it, or name another with --binary")
    return path

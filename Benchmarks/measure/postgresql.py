"""A PostgreSQL server in a folder of its own, with Debian's programs."""

import os
import socket
import subprocess
from pathlib import Path

from .tools import Failure

SECONDS = 300
# Nobody: the server refuses to run as root.
USER = 65534


def programs() -> Path:
    """Returns the folder of the newest version that is installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    if not folders:
        raise Failure("PostgreSQL is missing: “make test-packages” installs it")
    return folders[-1]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def as_ordinary_user(command: list[str]) -> list[str]:
    """Returns the command for a user other than root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", *command]


class Node:
    """One server, with its data in a folder."""

    def __init__(self, folder: Path, host: str = "127.0.0.1", port: int | None = None):
        self.folder, self.host, self.port = folder, host, port or free_port()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def run(self, program: str, *arguments: str) -> str:
        command = as_ordinary_user([str(programs() / program), *arguments])
        finished = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        if finished.returncode:
            raise Failure(f"{program} failed: {finished.stderr or finished.stdout}\n{self.words()}")
        return finished.stdout

    def make(self) -> None:
        self.folder.mkdir()
        if os.geteuid() == 0:
            os.chown(self.folder, USER, USER)

    def initialize(self) -> None:
        self.make()
        self.run(
            "initdb", "--pgdata", str(self.data), "--username", "postgres", "--auth", "trust", "--encoding", "UTF8",
            "--locale", "C", "--no-sync")

    def copy(self, primary: "Node") -> None:
        """Makes this node a standby of another one."""
        self.make()
        self.run(
            "pg_basebackup", "--pgdata", str(self.data), "--host", "127.0.0.1", "--port", str(primary.port),
            "--username", "postgres", "--write-recovery-conf", "--checkpoint", "fast", "--no-sync")
        (self.data / "postmaster.opts").unlink(missing_ok=True)

    def start(self, settings: dict[str, str] = {}) -> None:
        settings = {"listen_addresses": "127.0.0.1", "max_connections": "200"} | settings
        options = f"-p {self.port} -k {self.folder} " + " ".join(f"-c {name}={value}" for name, value in settings.items())
        # The output of a server that outlives pg_ctl must not keep its pipe open.
        self.run(
            "pg_ctl", "start", "--pgdata", str(self.data), "--wait", "--log", str(self.folder / "log"),
            "--options", options)

    def sql(self, text: str, database: str = "postgres") -> str:
        return self.run(
            "psql", "--host", self.host, "--port", str(self.port), "--username", "postgres", "--no-psqlrc",
            "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--command", text, database).strip()

    def url(self, database: str) -> str:
        return f"postgres://postgres@{self.host}:{self.port}/{database}"

    def stop(self, mode: str) -> None:
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "stop", "--pgdata", str(self.data), "--mode", mode)

    def kill(self) -> None:
        """Kills the server with SIGKILL, as if its machine had lost its power."""
        number = int((self.data / "postmaster.pid").read_text().split()[0])
        subprocess.run(["pkill", "-KILL", "-P", str(number)], check=False)
        os.kill(number, 9)

    def cut(self) -> int:
        """Ends all connections of clients."""
        return int(self.sql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() "
            "AND application_name NOT LIKE 'Patroni%'"))

    def words(self) -> str:
        log = self.folder / "log"
        return "\n".join(log.read_text(errors="replace").splitlines()[-5:]) if log.exists() else ""


class Databases:
    """A server with an empty database for each gateway of a test."""

    def __init__(self, folder: Path):
        self.node, self.count = Node(folder), 0

    def __enter__(self) -> "Databases":
        # The server's user passes through it.
        self.node.folder.parent.chmod(0o711)
        self.node.initialize()
        self.node.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.node.stop("immediate")

    def new(self) -> str:
        """Returns the address of a new database."""
        self.count += 1
        self.node.sql(f"CREATE DATABASE gateway{self.count}")
        return self.node.url(f"gateway{self.count}")

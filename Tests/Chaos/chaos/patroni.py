"""Three PostgreSQL servers that Patroni and etcd keep, each in a network namespace of its own."""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from measure.postgresql import Node, as_ordinary_user, free_port, programs
from measure.servers import Server, request
from measure.tools import Failure, install

# etcd's package may begin to run one as a service; this program runs its own on other ports.
PACKAGES = "patroni etcd-server python3-etcd iproute2"
NODES = 3
# The seconds after which a leader that etcd does not hear of is replaced; Patroni allows no fewer.
LEASE = 20
PATIENCE = 300
DATABASE_PORT, PATRONI_PORT = 5432, 8008


class Network:
    """A bridge of this machine, with a namespace for each node behind it."""

    def __init__(self) -> None:
        self.name = f"pgc{os.getpid() % 100_000}"
        self.prefix = f"10.213.{os.getpid() % 250}"
        self.address = f"{self.prefix}.1"

    def __enter__(self) -> "Network":
        try:
            ip("link", "add", self.name, "type", "bridge")
            ip("address", "add", f"{self.address}/24", "dev", self.name)
            ip("link", "set", self.name, "up")
            for number in range(NODES):
                self.add(number)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for number in range(NODES):
            with contextlib.suppress(Failure):
                self.end(number)
                ip("netns", "delete", self.space(number))
        with contextlib.suppress(Failure):
            ip("link", "delete", self.name)

    def add(self, number: int) -> None:
        space, link = self.space(number), self.link(number)
        ip("netns", "add", space)
        ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
        ip("link", "set", link, "master", self.name, "up")
        ip("-n", space, "address", "add", f"{self.host(number)}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            ip("-n", space, "link", "set", device, "up")

    def space(self, number: int) -> str:
        return f"{self.name}-{number}"

    def link(self, number: int) -> str:
        return f"{self.name}v{number}"

    def host(self, number: int) -> str:
        return f"{self.prefix}.{10 + number}"

    def connect(self, number: int, isConnected: bool) -> None:
        """Connects a node with everything else, or cuts it off."""
        ip("link", "set", self.link(number), "up" if isConnected else "down")

    def end(self, number: int) -> None:
        """Kills all processes of a node, as if its machine had lost its power."""
        for process in ip("netns", "pids", self.space(number)).split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)


def ip(*arguments: str) -> str:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Failure(f"ip {' '.join(arguments)} failed: {done.stderr.strip()}")
    return done.stdout


class Patroni:
    """The servers, of which Patroni makes one the primary and another one its synchronous standby."""

    def __init__(self, folder: Path):
        folder.mkdir(mode=0o755)
        self.folder = folder
        self.network = Network()
        self.nodes = [
            Node(folder / f"node-{number}", self.network.host(number), DATABASE_PORT) for number in range(NODES)]
        self.processes: dict[int, Server] = {}
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> "Patroni":
        install(PACKAGES, ["patroni", "etcd", "ip"])
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.network)
            self.etcd = stack.enter_context(self.started_etcd())
            for number, node in enumerate(self.nodes):
                node.make()
                self.write_configuration(number)
                self.start(number)
            self.wait_until_whole()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def started_etcd(self) -> Server:
        self.etcd_port = free_port()
        client, peer = f"http://{self.network.address}:{self.etcd_port}", f"http://127.0.0.1:{free_port()}"
        return Server("etcd", [
            "etcd", "--data-dir", str(self.folder / "etcd"), "--listen-client-urls", client, "--advertise-client-urls",
            client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster",
            f"default={peer}", "--log-level", "error"], self.folder / "etcd.log")

    def write_configuration(self, number: int) -> None:
        host, node = self.network.host(number), self.nodes[number]
        everyone = f"{self.network.prefix}.0/24"
        configuration = {
            "scope": "pushgate", "name": f"node-{number}",
            "restapi": {"listen": f"{host}:{PATRONI_PORT}", "connect_address": f"{host}:{PATRONI_PORT}"},
            "etcd3": {"hosts": [f"{self.network.address}:{self.etcd_port}"]},
            "bootstrap": {
                "dcs": {
                    "ttl": LEASE, "loop_wait": 2, "retry_timeout": 3, "synchronous_mode": True,
                    "postgresql": {"parameters": {"max_connections": 200}},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "no-sync"],
            },
            "postgresql": {
                "listen": f"{host}:{DATABASE_PORT}", "connect_address": f"{host}:{DATABASE_PORT}",
                "data_dir": str(node.data), "bin_dir": str(programs()),
                "pg_hba": [f"host all all {everyone} trust", f"host replication all {everyone} trust", "local all all trust"],
                # A spread checkpoint takes minutes.
                "basebackup": [{"checkpoint": "fast"}],
                "pgpass": str(node.folder / "pgpass"), "parameters": {"unix_socket_directories": str(node.folder)},
                "remove_data_directory_on_diverged_timelines": True, "remove_data_directory_on_rewind_failure": True,
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "postgres"}},
            },
        }
        # JSON is YAML.
        (node.folder / "patroni.yml").write_text(json.dumps(configuration))
        (node.folder / "patroni.yml").chmod(0o644)

    def start(self, number: int) -> None:
        node = self.nodes[number]
        command = ["ip", "netns", "exec", self.network.space(number)]
        command += as_ordinary_user(["patroni", str(node.folder / "patroni.yml")])
        self.processes[number] = Server("Patroni", command, node.folder / "patroni.log")

    # The state

    @property
    def url(self) -> str:
        hosts = ",".join(f"{node.host}:{node.port}" for node in self.nodes)
        return f"postgres://postgres@{hosts}/postgres?target_session_attrs=read-write&connect_timeout=3"

    def members(self) -> list[dict[str, Any]]:
        """Returns Patroni's view of the nodes, from any that answers."""
        for number in range(NODES):
            with contextlib.suppress(OSError, ValueError):
                answer = request(f"http://{self.network.host(number)}:{PATRONI_PORT}", "GET", "/cluster", timeout=2)
                return json.loads(answer.text)["members"]
        return []

    def leader(self) -> int | None:
        for member in self.members():
            if member["role"] == "leader" and member["state"] == "running":
                return int(member["name"].removeprefix("node-"))
        return None

    @property
    def primary(self) -> Node:
        return self.nodes[self.wait_for("a primary", self.leader_or_none)[0]]

    def leader_or_none(self) -> list[int]:
        leader = self.leader()
        return [] if leader is None else [leader]

    def wait_for(self, what: str, isReady: Any) -> Any:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if value := isReady():
                return value
            time.sleep(0.2)
        raise Failure(f"{what} is not there after {PATIENCE} s: {self.members()}\n{self.words()}")

    def wait_until_whole(self) -> None:
        """Waits until all nodes follow the primary, one of them synchronously."""

        def isWhole() -> bool:
            roles = [member["role"] for member in self.members() if member["state"] in ("running", "streaming")]
            return len(roles) == NODES and "leader" in roles and "sync_standby" in roles

        self.wait_for("a primary with two standbys", isWhole)

    def wait_for_another(self, old: int) -> None:
        self.wait_for("another primary", lambda: self.leader() not in (None, old))

    def words(self) -> str:
        return "\n".join(process.words(5) for process in self.processes.values())

    # Events

    def fail_over(self) -> None:
        """Kills all processes of the primary's machine, and starts them again after another one has taken its place."""
        old = self.wait_for("a primary", self.leader_or_none)[0]
        self.network.end(old)
        self.processes[old].process.wait()
        self.wait_for_another(old)
        (self.nodes[old].data / "postmaster.pid").unlink(missing_ok=True)
        self.start(old)
        self.wait_until_whole()

    def isolate(self) -> None:
        """Cuts the primary off from everything until another one has taken its place."""
        old = self.wait_for("a primary", self.leader_or_none)[0]
        self.network.connect(old, False)
        try:
            self.wait_for_another(old)
            time.sleep(2)
        finally:
            self.network.connect(old, True)
        self.wait_until_whole()

    def cut(self) -> int:
        """Ends all connections of the gateways."""
        return self.primary.cut()

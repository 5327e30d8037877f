"""Several gateways over one database, of which some are always dying."""

import contextlib
import http.client
import random
import re
import signal
import time
from pathlib import Path
from typing import Any

from measure.postgresql import free_port
from measure.servers import Answer, Gateway, ask, request
from measure.tools import Failure

from .balancer import Balancer
from .database import Database
from .load import Load
from .patroni import Patroni
from .phase import Phase

GATEWAYS = 3
LEASE = 3
# The longest time, in seconds, until a gateway that is paused is removed, and until it ends when it goes on.
END_SECONDS = 120
PAUSE = 0.05


class ClusterLoad(Load):
    """Requests by a load balancer, whose answers may be missing while a gateway or the database dies."""

    def client(self, gateway: Any) -> None:
        while not self.is_over.is_set():
            try:
                self.send(gateway, next(self.numbers))
            except (OSError, http.client.HTTPException):
                self.refused += 1
                time.sleep(PAUSE)
            except Failure as failure:
                return self.faults.append(failure)

    def is_accepted(self, answer: Answer) -> bool:
        if answer.status == 200:
            return True
        # 502 and 504 are the balancer's, about a gateway that has died.
        if answer.status not in (502, 503, 504):
            raise Failure(f"a request was answered with {answer.status}: {answer.text}")
        self.refused += 1
        time.sleep(PAUSE)
        return False


class Member:
    """A gateway of the cluster, on a port and a data directory that stay the same over its starts."""

    def __init__(self, cluster: "Cluster", number: int):
        self.cluster, self.number, self.port = cluster, number, free_port()
        self.sent = 0
        self.gateway: Gateway | None = None

    def start(self) -> None:
        data = self.cluster.folder / f"gateway-{self.number}"
        (data / "address").unlink(missing_ok=True)
        settings = {
            "PUSHGATE_STORE_URL": self.cluster.database.url, "PUSHGATE_STORE_LEASE": f"{LEASE}s",
            "PUSHGATE_STORE_CONNECTIONS": "4",
        }
        self.gateway = Gateway(
            self.cluster.pushgate, data, self.cluster.simulator.addresses, settings, port=self.port)
        self.gateway.__enter__()

    @property
    def process(self) -> Any:
        assert self.gateway
        return self.gateway.process

    def count(self) -> None:
        """Adds up what the gateway has sent. Call it before its end, with which its metrics are gone."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            text = request(f"http://127.0.0.1:{self.port}", "GET", "/metrics", timeout=5).text
            found = re.findall(r'^pushgate_notifications_total\{[^}]*outcome="accepted"[^}]*\} (\d+)', text, re.M)
            self.sent += sum(map(int, found))

    def kill(self) -> None:
        self.count()
        self.process.kill()
        self.process.wait()


class Cluster(Phase):
    def __init__(self, pushgate: Path, folder: Path, database: type[Database] | type[Patroni] = Database):
        super().__init__(pushgate, folder)
        self.folder, self.load = folder, ClusterLoad()
        self.database = database(folder / "database")
        self.members = [Member(self, number) for number in range(GATEWAYS)]
        self.stack = contextlib.ExitStack()
        self.fenced = 0
        # The number of notifications that arrived twice, by what was done meanwhile.
        self.duplicates: dict[str, int] = {}

    def __enter__(self) -> "Cluster":
        with contextlib.ExitStack() as stack:
            stack.callback(super().__exit__, None, None, None)
            super().__enter__()
            stack.enter_context(self.database)
            stack.callback(self.stop)
            for member in self.members:
                member.start()
            self.balancer = stack.enter_context(Balancer(self.folder, [member.port for member in self.members]))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stack.close()

    def stop(self) -> None:
        for member in self.members:
            if member.gateway and member.process.poll() is None:
                member.process.send_signal(signal.SIGCONT)
                member.process.kill()
                member.process.wait()

    # Events

    def kill(self) -> None:
        member = random.choice(self.members)
        member.kill()
        time.sleep(random.choice([0.2, 1.5 * LEASE]))
        member.start()

    def pause(self) -> None:
        """Stops a process until the others have removed it. It must notice that, and end."""
        member = random.choice(self.members)
        member.count()
        name = (self.folder / f"gateway-{member.number}" / "member").read_text().split()[0]
        member.process.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + END_SECONDS
        while self.database.primary.sql(f"SELECT count(*) FROM members WHERE name = '{name}'") != "0":
            if time.monotonic() > deadline:
                raise Failure(f"a gateway that is paused was not removed within {END_SECONDS} s")
            time.sleep(0.1)
        # Others take its work over, and send it.
        time.sleep(random.uniform(0, 3))
        member.process.send_signal(signal.SIGCONT)
        try:
            code = member.process.wait(END_SECONDS)
        except Exception as error:
            raise Failure(f"a gateway that was paused goes on: {error!r}\n{member.gateway.words()}") from error
        if code != 1 or "has taken over the work of this one" not in member.gateway.words(50):
            raise Failure(f"a gateway that was paused ended with {code}:\n{member.gateway.words()}")
        self.fenced += 1
        member.start()

    def blink(self) -> None:
        """Stops a process for less than its lease, which must not matter."""
        member = random.choice(self.members)
        member.process.send_signal(signal.SIGSTOP)
        time.sleep(LEASE / 4)
        member.process.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        for member in self.members:
            member.count()
            member.gateway.stop()
            member.start()

    def cut(self) -> None:
        for _ in range(20):
            self.database.cut()
            time.sleep(0.05)

    def fail_over(self) -> None:
        self.database.fail_over()

    def isolate(self) -> None:
        """Cuts the primary off from the gateways and from its standbys."""
        assert isinstance(self.database, Patroni)
        self.database.isolate()

    def check(self) -> None:
        for member in self.members:
            if member.process.poll() is not None:
                raise Failure(f"a gateway ended with {member.process.returncode}:\n{member.gateway.words()}")

    # Cycles

    def run(self, cycles: int) -> None:
        self.load.register_agents(self.balancer)
        events = [self.kill, self.pause, self.restart, self.cut, self.fail_over, self.blink]
        if isinstance(self.database, Patroni):
            events = [self.fail_over, self.isolate, self.pause]
        order: list[Any] = []
        for cycle in range(1, cycles + 1):
            if not order:
                order = random.sample(events, len(events))
            event = order.pop()
            name = event.__name__.replace("_", " ")
            self.misbehave()
            before, twice = len(self.load.accepted), self.twice()
            with self.load.on(self.balancer):
                time.sleep(random.uniform(0.5, 2))
                event()
                time.sleep(1)
            self.check()
            self.duplicates[name] = self.duplicates.get(name, 0) + self.twice() - twice
            print(f"cycle {cycle:2}: {name:9} {len(self.load.accepted) - before:5} triggers accepted", flush=True)

    def twice(self) -> int:
        return ask(self.control, "GET", "/status")["duplicates"]

    def conclude(self, patience: int) -> None:
        ask(self.control, "DELETE", "/connections")
        self.load.trigger_phones(self.balancer)
        self.gateway = self.members[0].gateway
        arrived = self.deliveries(patience)
        for member in self.members:
            member.count()
        self.report(arrived, is_ordered=False)
        total = sum(member.sent for member in self.members)
        shares = ", ".join(f"{member.sent / max(1, total):.0%}" for member in self.members)
        causes = ", ".join(f"{name} {count}" for name, count in self.duplicates.items() if count) or "none"
        print(f"sent by     {shares}\nfenced      {self.fenced:7,}\nduplicates by what was done: {causes}\n", flush=True)
        if min(member.sent for member in self.members) < total / 5:
            raise Failure("a gateway has sent less than a fifth")
        if not self.fenced:
            raise Failure("no stale lease was seen to be fenced")

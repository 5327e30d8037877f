"""A PostgreSQL server with a synchronous standby, which takes its place when the server is killed."""

import shutil
import time
from pathlib import Path

from measure.postgresql import SECONDS, Node
from measure.tools import Failure

# libpq takes the server that accepts changes.
OPTIONS = "target_session_attrs=read-write&connect_timeout=3"


class Database:
    """A primary and its standby, on two ports that stay the same."""

    def __init__(self, folder: Path):
        folder.mkdir(mode=0o755)
        self.folder, self.count = folder, 0
        self.primary, self.standby = self.new(), self.new()

    def new(self) -> Node:
        self.count += 1
        return Node(self.folder / f"node-{self.count}")

    def __enter__(self) -> "Database":
        try:
            self.primary.initialize()
            self.primary.start()
            self.attach()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        for node in (self.standby, self.primary):
            node.stop("immediate")

    @property
    def url(self) -> str:
        nodes = sorted((self.primary, self.standby), key=lambda node: node.port)
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        return f"postgres://postgres@{hosts}/postgres?{OPTIONS}"

    def attach(self) -> None:
        """Makes the standby, which has each commit before it is answered from now on."""
        self.standby.copy(self.primary)
        self.standby.start()
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.sql("SELECT pg_reload_conf()")
        deadline = time.monotonic() + SECONDS
        while self.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1":
            if time.monotonic() > deadline:
                raise Failure(f"the standby does not follow:\n{self.standby.words()}")
            time.sleep(0.1)

    def fail_over(self) -> None:
        """Kills the primary, lets the standby take its place, and makes a new standby in the place of the old primary."""
        old = self.primary
        old.kill()
        self.primary = self.standby
        self.primary.run("pg_ctl", "promote", "--pgdata", str(self.primary.data), "--wait")
        # Its settings are the old one's, which would make it wait for a standby.
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        self.primary.sql("SELECT pg_reload_conf()")
        shutil.rmtree(old.folder)
        self.standby = self.new()
        self.standby.port = old.port
        self.attach()

    def cut(self) -> int:
        """Ends all connections of the gateways."""
        return self.primary.cut()

"""Many devices of other agents, as rows in the database of a gateway that is not running.

A gateway would need minutes to register a million devices. So the rows of one registered device are copied with another
server, installation and token. To verify this, the rows of a second registered device must equal copies of the first;
otherwise nothing is measured.
"""

import contextlib
import hashlib
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from .bench import CWD
from .servers import Gateway, ask
from .tools import Failure

# The values that differ between two gateways or two times.
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


class StoredDevice(NamedTuple):
    secret: str
    server: str
    installation: str
    token: str

    @classmethod
    def number(cls, number: int) -> "StoredDevice":
        secret = f"secret-of-a-server-with-one-agent-{number:09}"
        server, token = (hashlib.sha256(text.encode()).hexdigest() for text in (secret, f"token {number}"))
        return cls(secret, server, str(uuid.UUID(int=number)), token)

    def register(self, gateway: Gateway) -> None:
        body = {
            "cwd": CWD, "installation_id": self.installation, "fcm_token": self.token,
            "agent_display_name": "Benchmark", "platform": "ios",
        }
        ask(gateway.url, "POST", "/registerSubscription", body, {"Authorization": f"Bearer {self.secret}"})


class StoredDevices:
    """Devices from number 0 on, in the data directory of a gateway that does not run."""

    REGISTERED = 2

    def __init__(self, start: Callable[[], Gateway], file: Path):
        self.start, self.file, self.count = start, file, 0

    def grow(self, count: int) -> None:
        """Adds devices until there are `count`."""
        if self.count < min(count, self.REGISTERED):
            self.register(min(count, self.REGISTERED))
        if self.count < count:
            self.copy(count)

    def register(self, count: int) -> None:
        with self.start() as gateway:
            for number in range(self.count, count):
                StoredDevice.number(number).register(gateway)
        self.count = count

    def copy(self, count: int) -> None:
        # In the order of the index of paths, so that each of its pages is visited once.
        devices = sorted(map(StoredDevice.number, range(self.count, count)), key=lambda device: device.server)
        with contextlib.closing(sqlite3.connect(self.file)) as database, database:
            database.execute("PRAGMA cache_size = -262144")
            rows = Template(database)
            rows.check()
            rows.insert(devices)
        self.count = count


class Template:
    """Returns the rows of device 0, the template of all others."""

    def __init__(self, database: sqlite3.Connection):
        self.database = database
        table = database.execute("PRAGMA table_info(documents)")
        # Generated columns are not in this list.
        self.columns = [name for _, name, *_ in table if name != "id"]
        self.names = ", ".join(self.columns)
        self.source = StoredDevice.number(0)
        database.execute(f"CREATE TEMPORARY TABLE template AS {self.select(self.source)}")
        # Numbers become texts here, and numbers again in the STRICT table.
        self.copies = f"SELECT {', '.join(map(self.replaced, self.columns))} FROM template"

    def select(self, device: StoredDevice) -> str:
        return f"SELECT {self.names} FROM documents WHERE instr(path, '{device.server}')"

    def replaced(self, column: str) -> str:
        for name in ("server", "installation", "token"):
            column = f"replace({column}, '{getattr(self.source, name)}', :{name})"
        return column

    def insert(self, devices: list[StoredDevice]) -> None:
        values = (device._asdict() for device in devices)
        self.database.executemany(f"INSERT INTO documents ({self.names}) {self.copies}", values)

    def check(self) -> None:
        device = StoredDevice.number(1)
        copied = self.timeless(self.database.execute(self.copies, device._asdict()))
        written = self.timeless(self.database.execute(self.select(device)))
        if not written or copied != written:
            raise Failure(f"copied rows are not what the gateway writes:\n{copied}\n{written}")

    def timeless(self, rows: Iterable[tuple]) -> list[list[str]]:
        return sorted(
            [TIME.sub("", str(value)) for name, value in zip(self.columns, row) if not name.endswith("_at")]
            for row in rows)

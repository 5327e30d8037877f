"""pgbench with the rows that requests of the gateway write."""

import re
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from .postgresql import Node, programs
from .tools import Failure

SECONDS = 2
# Parts of names that differ from request to request, and the SQL for them.
Names = dict[str, str]


class Row(NamedTuple):
    """A row of the table `documents`, without its times."""

    number: str
    parent: str
    document: str
    collection: str
    fields: str


class Entry(NamedTuple):
    """A row of the table `entries`."""

    number: str
    scope: str
    field: str
    key: str
    parent: str
    document: str


class Rows(NamedTuple):
    """What a request writes at one moment: documents and their entries."""

    documents: list[Row]
    entries: list[Entry]


class Recorder:
    """Reads from a gateway's database what it writes."""

    def __init__(self, node: Node, database: str):
        self.node, self.database = node, database
        self.last = self.now()

    def now(self) -> int:
        return int(self.node.sql("SELECT coalesce(max(updated_at), 0) FROM documents", self.database))

    def table(self, columns: str, rest: str) -> list[list[str]]:
        text = self.node.sql(
            f"SELECT array_to_string(ARRAY[{columns}], chr(31)) || chr(30) {rest}", self.database)
        return [line.strip("\n").split("\x1f") for line in text.split("\x1e") if line.strip("\n")]

    def rows(self) -> Rows:
        """Returns the rows that were written since the last call."""
        changed = f"(SELECT of_database, parent, document FROM documents WHERE updated_at > {self.last})"
        documents = self.table(
            "of_database::text, parent, document, collection, fields",
            f"FROM documents WHERE updated_at > {self.last}")
        entries = self.table(
            "of_database::text, scope, field, encode(key, 'hex'), parent, document",
            f"FROM entries WHERE (of_database, parent, document) IN {changed}")
        self.last = self.now()
        return Rows([Row(*row) for row in documents], [Entry(*row) for row in entries])


class Scripts:
    """Scripts of pgbench, and their rates."""

    def __init__(self, node: Node, database: str, folder: Path):
        self.node, self.database, self.folder = node, database, folder

    def rate(self, name: str, script: str, clients: int) -> float:
        """Returns the transactions, which are runs of the whole script, a second."""
        path = self.folder / f"{name}.sql"
        path.write_text(script)
        command = [
            str(programs() / "pgbench"), "--no-vacuum", "--client", str(clients), "--time", str(SECONDS), "--protocol",
            "prepared", "--file", str(path), "--host", "127.0.0.1", "--port", str(self.node.port), "--username",
            "postgres", self.database]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        found = re.search(r"tps = ([\d.]+) \(without", done.stdout)
        if done.returncode != 0 or not found:
            raise Failure(f"pgbench failed: {done.stderr}")
        return float(found[1])


def write(rows: Rows, names: Names, source: str = "", gone: list[Entry] = []) -> str:
    """Returns one statement, and so one transaction, that writes rows.

    `source` is a table of `FROM` whose columns the SQL for the names uses.
    """
    documents = ", ".join(
        f"({row.number}, {text(row.parent, names)}, {text(row.document, names)}, {text(row.collection, {})}, "
        f"{text(row.fields, {})})"
        for row in rows.documents)
    values = f"LATERAL (VALUES {documents}) AS new (of_database, parent, document, collection, fields)"
    upsert = (
        "INSERT INTO documents (of_database, parent, document, collection, fields, created_at, updated_at) "
        f"SELECT new.*, 1, 1 FROM {source + ', ' if source else ''}{values} ON CONFLICT (of_database, parent, document) "
        "DO UPDATE SET fields = excluded.fields, updated_at = excluded.updated_at")
    parts = []
    if rows.entries:
        entries = ", ".join(entry_values(entry, names) for entry in rows.entries)
        parts.append(
            "put AS (INSERT INTO entries (of_database, scope, field, key, parent, document) "
            f"VALUES {entries} ON CONFLICT DO NOTHING)")
    if gone:
        entries = ", ".join(entry_values(entry, names) for entry in gone)
        parts.append(
            "gone AS (DELETE FROM entries WHERE (of_database, scope, field, key, parent, document) "
            f"IN (VALUES {entries}))")
    return (f"WITH {', '.join(parts)} " if parts else "") + upsert + ";\n"


def entry_values(entry: Entry, names: Names) -> str:
    return (
        f"({entry.number}::bigint, {text(entry.scope, names)}, {text(entry.field, {})}, '\\x{entry.key}'::bytea, "
        f"{text(entry.parent, names)}, {text(entry.document, names)})")


def text(value: str, names: Names) -> str:
    """Returns the SQL for a text in which names are replaced."""
    for name, sql in names.items():
        if name in value:
            parts = [literal(part) for part in value.split(name)]
            return "(" + f" || {sql} || ".join(parts) + ")"
    return literal(value)


def literal(value: str) -> str:
    # A colon begins a variable of pgbench, also within quotes.
    quoted = value.replace("'", "''").replace("\\", "\\\\")
    return "E'" + quoted.replace(":", "\\x3a") + "'::text"


class BareRows:
    """The requests that are measured, as scripts."""

    # The expression for the id of a new message.
    MESSAGE = "md5(:m || 'm')"
    DRAWN = "\\set m random(0, 1000000000000)\n"

    def __init__(self, scripts: Scripts, samples: "Samples", known: int, devices: int, clients: int):
        self.scripts, self.clients, self.devices = scripts, clients, devices
        server, agent, phone = (
            next(row for row in samples.registration.documents if row.collection == collection)
            for collection in ("servers", "agents", "devices"))
        own = {server.document: "keys.server", agent.document: "keys.agent"}
        one = "(SELECT server, agent FROM keys WHERE n = :n) AS keys"
        new = "(SELECT md5(:n || 's') || md5(:n || 't') AS server, md5(:n || 'a') || md5(:n || 'b') AS agent) AS keys"
        drawn = f"\\set n random(0, {known - 1})\n"
        read = (
            f"SELECT fields FROM {one}, documents WHERE of_database = {server.number} AND ("
            f"parent = {text(server.parent, own)} AND document = keys.server "
            f"OR parent = {text(agent.parent, own)} AND document = keys.agent OR parent = {text(phone.parent, own)});\n")
        read_all = (
            f"SELECT fields FROM documents WHERE of_database = {server.number} AND parent = "
            f"{text(samples.devices, {})};\n")
        self.known_script = drawn + write(samples.registration, own, one)
        self.new_script = "\\set n random(0, 1000000000000)\n" + write(samples.registration, own, new)
        self.trigger_script = drawn + self.DRAWN + read + self.delivery(samples.trigger, own, one)
        self.multicast_script = self.DRAWN + read_all + self.delivery(samples.multicast, {}, "")

    def delivery(self, moments: tuple[Rows, Rows], names: Names, source: str) -> str:
        """Returns the transaction that accepts a message, and the one that settles it."""
        accepted, settled = moments
        names = names | {message_id(accepted): self.MESSAGE}
        gone = [entry for entry in accepted.entries if entry not in settled.entries]
        kept = [entry for entry in settled.entries if entry not in accepted.entries]
        return write(accepted, names, source) + write(Rows(settled.documents, kept), names, "", gone)

    def known(self) -> float:
        return self.scripts.rate("known", self.known_script, self.clients)

    def new(self) -> float:
        return self.scripts.rate("new", self.new_script, self.clients)

    def triggers(self) -> float:
        return self.scripts.rate("trigger", self.trigger_script, self.clients)

    def multicasts(self) -> float:
        """Returns the rate of notifications: one multicast after the other, as the gateway is asked."""
        return self.scripts.rate("multicast", self.multicast_script, 1) * self.devices


def message_id(rows: Rows) -> str:
    return next(row.document for row in rows.documents if row.parent == "messages")


class Samples(NamedTuple):
    """What a registration, a trigger and a multicast write; the last two when accepted, and when settled."""

    registration: Rows
    trigger: tuple[Rows, Rows]
    multicast: tuple[Rows, Rows]
    # The path of the collection with the multicast's devices, as in the column `parent`.
    devices: str

"""Registrations, triggers and multicasts on SQLite and on PostgreSQL, against pgbench with the same rows.

The notifications of a multicast cost more than its rows, so its reference is pgbench and then h2load, which sends as many
requests to the same sink.

Registrations are sent on 64 connections, and on 256, with which one gateway has as much work as it can do.
"""

import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from .agent import SECRET
from .bench import CONNECTIONS, CWD, KNOWN, REPLY, Bench
from .bare_rows import BareRows, Recorder, Rows as Written, Samples, Scripts
from .postgresql import Node
from .report import Comparison, Report, print_table, spread
from .servers import Gateway, ask
from .sink import Sink
from .tools import Failure, Programs
from .wire_references import WireReferences

DEVICES = 10_000
# Of the references, and of one gateway.
AIM, AIM_OF_TWO = 0.5, 1
MANY = 256
# The databases of the server: one for each number of gateways.
CLUSTERS = {1: "one", 2: "two", 3: "three"}
TABLES = ["documents", "entries", "changes", "databases"]


@dataclass
class Figures:
    """The requests of one round."""

    count: int
    rate: float
    p50: float
    p99: float
    # Processor seconds of the gateways, and of the database server.
    gateways: float
    server: float


class Subject:
    """Gateways over one store, with a load for each of them."""

    def __init__(self, name: str, benches: list[Bench], sink: Sink, server: "Server | None"):
        self.name, self.benches, self.sink, self.server = name, benches, sink, server
        self.next = KNOWN

    def known(self, connections: int = CONNECTIONS) -> Figures:
        return self.spread(
            lambda bench, options: bench.register(CWD, **options), connections, m=KNOWN // len(self.benches))

    def new(self, connections: int = CONNECTIONS) -> Figures:
        first, self.next = self.next, self.next + 1_000_000
        return self.spread(lambda bench, options: bench.register(CWD, **options), connections, first)

    def triggers(self) -> Figures:
        body = {"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY, "completion_id": "{uuid}"}
        before = self.sink.counts()

        def trigger(bench: Bench, options: dict[str, float]) -> dict[str, float]:
            return bench.load("POST", "/triggerReplyFinished", body=body, x='"sent":1', **options)

        figures = self.spread(trigger, CONNECTIONS, m=KNOWN // len(self.benches))
        self.sink.wait_for(before["requests"] + figures.count, before["distinct"] + figures.count)
        return figures

    def multicast(self) -> Figures:
        """Sends a trigger for many devices to each of the gateways at once."""
        before, count = self.sink.counts(), DEVICES * len(self.benches)
        with self.measured() as times, ThreadPoolExecutor(len(self.benches)) as pool:
            startedAt = time.perf_counter()
            answers = list(pool.map(trigger_all, self.benches))
            arrivedAt = self.sink.wait_for(before["requests"] + count, before["distinct"] + count)
        seconds = (max(answers) - startedAt) * 1e3
        return Figures(count, count / (arrivedAt - startedAt), seconds, seconds, *times)

    def spread(
        self, request: Callable[[Bench, dict[str, float]], dict[str, float]], connections: int, first: int = 0,
        **options: float
    ) -> Figures:
        """Sends requests to all gateways at once, each with its part of the connections and of the numbers."""
        count = len(self.benches)
        options = {"c": connections // count, "k": count} | options
        with self.measured() as times, ThreadPoolExecutor(count) as pool:
            parts = [
                pool.submit(request, bench, options | {"f": first + number})
                for number, bench in enumerate(self.benches)
            ]
            answers = [part.result() for part in parts]
        total = sum(answer["requests"] for answer in answers)
        return Figures(
            int(total), sum(answer["rate"] for answer in answers), max(answer["p50_ms"] for answer in answers),
            max(answer["p99_ms"] for answer in answers), *times)

    def measured(self) -> "ProcessorTimes":
        return ProcessorTimes([bench.gateway for bench in self.benches], self.server)


class ProcessorTimes:
    """The processor seconds of the gateways and of the server within a `with` block."""

    def __init__(self, gateways: list[Gateway], server: "Server | None"):
        self.gateways, self.server, self.times = gateways, server, [0.0, 0.0]

    def now(self) -> list[float]:
        return [
            sum(gateway.processor_time() for gateway in self.gateways),
            self.server.processor_time() if self.server else 0,
        ]

    def __enter__(self) -> list[float]:
        self.before = self.now()
        return self.times

    def __exit__(self, *_: object) -> None:
        self.times[:] = [after - before for after, before in zip(self.now(), self.before)]


def trigger_all(bench: Bench) -> float:
    """Triggers the agent with many devices. Returns the time of the answer."""
    answer = ask(
        bench.gateway.url, "POST", "/triggerReplyFinished",
        {"cwd": f"/srv/projects/{DEVICES}", "message_preview": REPLY},
        {"Authorization": f"Bearer {SECRET}", "Prefer": "respond-async"})
    if answer["attempted"] != DEVICES:
        raise Failure(f"a trigger was not for {DEVICES} devices: {answer}")
    return time.perf_counter()


class Server:
    """A PostgreSQL server with a database for each subject, and one for pgbench."""

    def __init__(self, folder: Path):
        self.node = Node(folder)

    def __enter__(self) -> "Server":
        self.node.initialize()
        self.node.start({"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all"})
        first = CLUSTERS[1]
        self.node.sql(f"CREATE DATABASE {first}")
        self.node.sql("CREATE EXTENSION pg_stat_statements", first)
        return self

    def __exit__(self, *_: object) -> None:
        self.node.stop("fast")

    def processor_time(self) -> float:
        """Returns the processor seconds of all its processes. Those that end in between are not counted."""
        parent = int((self.node.data / "postmaster.pid").read_text().split()[0])
        total = 0.0
        for entry in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = entry.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if parent in (int(fields[1]), int(entry.parent.name)):
                total += (int(fields[11]) + int(fields[12])) / 100
        return total

    def written(self, database: str) -> dict[str, int]:
        """Returns the rows that were inserted, changed or removed, by table."""
        # A session reports its counts when it has been idle for a while.
        time.sleep(1.5)
        text = self.node.sql("SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables", database)
        rows = [line.split("|") for line in text.splitlines()]
        return {name: sum(map(int, counts)) for name, *counts in rows if name in TABLES}

    def statements(self, database: str, count: int) -> list[list[str]]:
        """Returns the statements since the last reset: calls, microseconds and rows of each request, and the text."""
        text = self.node.sql(
            f"SELECT calls::float / {count}, total_exec_time * 1000 / {count}, rows::float / {count}, "
            "left(regexp_replace(query, '\\s+', ' ', 'g'), 90) FROM pg_stat_statements "
            f"JOIN pg_database ON oid = dbid WHERE datname = '{database}' ORDER BY total_exec_time DESC LIMIT 12", database)
        return [
            [f"{float(calls):.2f}", f"{float(us):.1f}", f"{float(rows):.2f}", query]
            for calls, us, rows, query in (line.split("|", 3) for line in text.splitlines())
        ]

    def forget_statements(self, database: str) -> None:
        self.node.sql("SELECT pg_stat_statements_reset()", database)


class Rounds:
    """One type of request, on all subjects and by the references."""

    def __init__(
        self, name: str, subjects: list[Subject], run: Callable[[Subject], Figures], **references: Callable[[], float]
    ):
        self.name, self.subjects, self.run, self.bare = name, subjects, run, references
        self.figures: dict[str, list[Figures]] = {subject.name: [] for subject in subjects}
        self.references: dict[str, list[float]] = {name: [] for name in references}

    def round(self, isWarming: bool) -> None:
        figures = {subject.name: self.run(subject) for subject in self.subjects}
        references = {name: run() for name, run in self.bare.items()}
        if isWarming:
            return
        for name, one in figures.items():
            self.figures[name].append(one)
        for name, rate in references.items():
            self.references[name].append(rate)

    def ratios(self, rates: list[float]) -> tuple[list[float], list[float]]:
        """Returns the ratios to pgbench, and to all references one after the other; none without references."""
        rows = self.references.get("pgbench", [])
        whole = [1 / sum(1 / rate for rate in round) for round in zip(*self.references.values())]
        return tuple([rate / other for rate, other in zip(rates, others)] for others in (rows, whole))

    def rows(self) -> list[list[str]]:
        one = [figures.rate for figures in self.figures["PostgreSQL"]]
        rows = []
        for name, rounds in self.figures.items():
            rates = [figures.rate for figures in rounds]
            rows_only, whole = self.ratios(rates)
            of_one = [rate / other for rate, other in zip(rates, one)]
            rows.append([
                f"{self.name}: {name}", f"{median(rates):,.0f}/s", spread(rows_only) if rows_only else "",
                spread(whole) if len(self.references) > 1 else "",
                verdict(whole, AIM) if whole and name == "PostgreSQL" else "", spread(of_one),
                verdict(of_one, AIM_OF_TWO) if name == "two gateways" else "",
                f"{median(figures.p50 for figures in rounds):.1f} ms", f"{median(figures.p99 for figures in rounds):.1f} ms",
                f"{median(figures.gateways / figures.count for figures in rounds) * 1e6:.0f} µs",
                f"{median(figures.server / figures.count for figures in rounds) * 1e6:.0f} µs",
            ])
        for name, rates in self.references.items():
            rows.append([f"{self.name}: {name}", f"{median(rates):,.0f}/s", *[""] * 9])
        return rows


def verdict(ratios: list[float], aim: float) -> str:
    return "met" if median(ratios) >= aim else "below"


def prepare(bench: Bench) -> None:
    bench.register(CWD, n=KNOWN, s=120)


def register_devices(bench: Bench) -> None:
    bench.register(f"/srv/projects/{DEVICES}", SECRET, n=DEVICES, s=120)


def samples(bench: Bench, sink: Sink, server: "Server", database: str) -> Samples:
    """Registers what the measurements need, and records what requests write."""
    prepare(bench)
    server.node.sql(
        "CREATE TABLE keys AS SELECT (row_number() OVER () - 1)::int AS n, split_part(parent, E'\\x01\\x01', 2) AS server, "
        "document AS agent FROM documents WHERE collection = 'agents'; ALTER TABLE keys ADD PRIMARY KEY (n)", database)
    recorder = Recorder(server.node, database)

    def delivery(request: Callable[[], object]) -> tuple[Written, Written]:
        # The push service answers only after the accepted message was looked at.
        sink.process.send_signal(signal.SIGSTOP)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(request)
            time.sleep(2)
            accepted = recorder.rows()
            sink.process.send_signal(signal.SIGCONT)
            answer.result()
        time.sleep(2)
        return accepted, recorder.rows()

    bench.register(CWD, n=1)
    registration = recorder.rows()
    trigger = delivery(lambda: bench.load(
        "POST", "/triggerReplyFinished", body={"cwd": CWD, "conversation_id": "{uuid}", "message_preview": REPLY}, n=1,
        c=1, s=60))
    register_devices(bench)
    devices = next(row.parent for row in recorder.rows().documents if row.collection == "devices")
    return Samples(registration, trigger, delivery(lambda: trigger_all(bench)), devices)


def measure_store(programs: Programs, folder: Path, rounds: int) -> None:
    # The server's user is nobody.
    folder.chmod(0o711)
    with ExitStack() as stack:
        sink = stack.enter_context(Sink(programs.sink, folder / "sink"))
        server = stack.enter_context(Server(folder / "server"))

        def gateway(name: str, database: str | None) -> Gateway:
            settings = {"PUSHGATE_STORE_URL": server.node.url(database)} if database else {}
            return Gateway(programs.pushgate, folder / name, sink.addresses, settings)

        def bench(gateway: Gateway) -> Bench:
            return Bench(programs, gateway, sink, folder, 2, Report({}))

        first, *others = CLUSTERS.values()
        with gateway("first", first) as one:
            recorded = samples(bench(one), sink, server, first)
        for other in (*others, "bare"):
            server.node.sql(f"CREATE DATABASE {other} TEMPLATE {first}")
        bare = BareRows(Scripts(server.node, "bare", folder), recorded, KNOWN, DEVICES, CONNECTIONS)

        def subject(name: str, count: int, database: str | None) -> Subject:
            benches = [
                bench(stack.enter_context(gateway(f"{database or 'sqlite'}-{number}", database)))
                for number in range(count)
            ]
            return Subject(name, benches, sink, server if database else None)

        subjects = [subject("SQLite", 1, None)]
        prepare(subjects[0].benches[0])
        register_devices(subjects[0].benches[0])
        names = ["PostgreSQL", "two gateways", "three gateways"]
        subjects += [subject(name, count, CLUSTERS[count]) for name, count in zip(names, CLUSTERS)]
        requests = WireReferences(subjects[0].benches[0], sink, folder / "requests", DEVICES)
        kinds = [
            Rounds("registration, known", subjects, Subject.known, pgbench=bare.known),
            Rounds("registration, new", subjects, Subject.new, pgbench=bare.new),
            Rounds("trigger", subjects, Subject.triggers, pgbench=bare.triggers),
            Rounds(
                f"notification of {DEVICES:,}", subjects, Subject.multicast, pgbench=bare.multicasts,
                h2load=lambda: requests.h2load(requests.STREAMS, 50_000)),
        ]
        counted = list(kinds)
        kinds += [
            Rounds(f"registration, {name}, {MANY} connections", subjects[1:], partial(run, connections=MANY))
            for name, run in [("known", Subject.known), ("new", Subject.new)]
        ]
        for number in range(rounds + 1):
            for kind in kinds:
                print(f"{kind.name}, round {number} of {rounds} …", flush=True)
                kind.round(isWarming=number == 0)
        costs = [cost(kind, subjects[1], server) for kind in counted]
    print()
    heads = [
        "", "rate", "of pgbench", "and h2load", f"≥ {AIM}", "of one gateway", f"≥ {AIM_OF_TWO}", "p50", "p99", "gateways",
        "server",
    ]
    print_table([heads, *(row for kind in kinds for row in kind.rows())], right={1, 7, 8, 9, 10})
    print("\nRows written a request")
    print_table([["", *TABLES], *([name, *rows] for name, rows, _ in costs)], right={1, 2, 3, 4})
    for name, _, statements in costs:
        print(f"\nStatements of a {name}")
        print_table([["calls", "µs", "rows", ""], *statements], right={0, 1, 2})


def cost(kind: Rounds, subject: Subject, server: Server) -> tuple[str, list[str], list[list[str]]]:
    """Runs one more round, and counts the rows and the statements of a request."""
    database = CLUSTERS[len(subject.benches)]
    before = server.written(database)
    server.forget_statements(database)
    figures = kind.run(subject)
    statements = server.statements(database, figures.count)
    after = server.written(database)
    return kind.name, [f"{(after[table] - before[table]) / figures.count:.2f}" for table in TABLES], statements

"""A run: the processes, the load and its disturbances, and the samples with their verdict."""

import http.client
import json
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from firestore_clients.gateway import free_port
from measure.access_token import service_account
from measure.polls import GameSite
from measure.servers import Gateway, Simulator
from measure.tools import Failure

from .certificates import Authority
from .client import Addresses, Client
from .cycle import LONGEST, Cycle
from .deliveries import Deliveries
from .findings import Findings
from .gateway_log import GatewayLog
from .interfaces import FCM, Firestore
from .load import Load, Sequence
from .operation import Connections, Operator
from .samples import LONG_RUN, MOST_GROWTH, Sample, print_heads, print_row, print_slopes, slopes, take_sample
from .systems import RUNS_KEY, SESSIONS_KEY, CodeAgents, Runs, Sessions
from .tasks_and_turns import TURNS_KEY, HumanTasks, Turns

SAMPLE_SECONDS, ROW_SECONDS = 5, 60
# The seconds in which all notifications must have arrived after the end of the load.
PATIENCE = 120
# The fewest cycles of a run, so that a short one has every disturbance twice.
FEWEST_CYCLES = 2

SETTINGS = {
    "BACKUPS_KEEP": "1",
    # Settled messages are deleted by the next sweep, which is every five minutes.
    "MESSAGES_RETENTION": "1m",
    "FCM_SEND_WAIT": "2s",
    "FIRESTORE_ENABLED": "true", "FIRESTORE_AUTOMATIC_INDEXES": Firestore.INDEXED,
    "FUNCTIONS_RUNS_ENABLED": "true", "FUNCTIONS_RUNS_API_KEYS": RUNS_KEY, "FUNCTIONS_RUNS_REMINDERS": "1s,2s",
    "FUNCTIONS_SESSIONS_ENABLED": "true", "FUNCTIONS_SESSIONS_MASTER_KEY": SESSIONS_KEY,
    # Every event that stops a session notifies, so that it can be counted.
    "FUNCTIONS_SESSIONS_COOL_DOWN": "0s",
    "FUNCTIONS_SESSIONS_NOTIFICATION_RETENTION": "1h", "FUNCTIONS_SESSIONS_EVENT_RETENTION": "1h",
    "FUNCTIONS_SESSIONS_SESSION_RETENTION": "1h", "FUNCTIONS_SESSIONS_DEVICE_RETENTION": "1h",
    "FUNCTIONS_HUMANTASKS_ENABLED": "true", "FUNCTIONS_HUMANTASKS_NEW_DEVICES_PER_HOUR_PER_ADDRESS": "0",
    "FUNCTIONS_HUMANTASKS_NEW_TASKS_PER_HOUR_PER_DEVICE": "0",
}


class Soak:
    def __init__(self, pushgate: Path, folder: Path, seconds: float) -> None:
        if not pushgate.exists():
            raise Failure(f"there is no {pushgate}; build it, or name another with --binary")
        self.pushgate, self.folder, self.seconds = pushgate, folder, seconds
        self.cycle_seconds = min(LONGEST, seconds / FEWEST_CYCLES)
        self.findings = Findings()
        self.samples: list[Sample] = []
        self.stack = ExitStack()

    # Only the main thread starts processes: they end with the thread that started them.
    def __enter__(self) -> "Soak":
        with ExitStack() as stack:
            self.authority = Authority(self.folder / "certificates")
            self.simulator = stack.enter_context(Simulator(self.pushgate, self.folder / "simulator"))
            self.site = self.start_site(stack)
            port = free_port()
            self.gateway = stack.enter_context(
                Gateway(self.pushgate, self.folder / "data", self.simulator.addresses, self.settings(port)))
            self.addresses = Addresses(self.gateway.url, f"https://127.0.0.1:{port}", self.authority.context())
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stack.close()

    def start_site(self, stack: ExitStack) -> GameSite | None:
        program = self.pushgate.parent / "GameSiteServer"
        if not program.exists():
            print(f"turns are off, because there is no {program}; `make build-tests` makes it")
            return None
        return stack.enter_context(GameSite(program, self.folder / "site"))

    def settings(self, port: int) -> dict[str, str]:
        settings = SETTINGS | {
            "HTTP_TLS_CERTIFICATE": str(self.authority.certificate), "HTTP_TLS_KEY": str(self.authority.key),
            "HTTP_TLS_HOST": "127.0.0.1", "HTTP_TLS_PORT": str(port),
        }
        if self.site:
            settings |= {
                "FUNCTIONS_TURNS_ENABLED": "true", "FUNCTIONS_TURNS_API_KEYS": TURNS_KEY,
                "FUNCTIONS_TURNS_SITE": self.site.url, "FUNCTIONS_TURNS_INTERVAL": "2s",
                "FUNCTIONS_TURNS_NEW_PLAYERS_PER_HOUR_PER_ADDRESS": "0",
            }
        return {f"PUSHGATE_{name}": value for name, value in settings.items()}

    # ---- The run

    def run(self) -> dict[str, Any]:
        self.log = GatewayLog(self.gateway.log, self.findings)
        self.deliveries = Deliveries(self.simulator, self.findings)
        admin_token = (self.gateway.directory / "admin-token").read_text().strip()
        load = Load(self.sequences(admin_token), self.findings)
        cycle = Cycle(
            self.cycle_seconds, self.gateway, self.simulator, self.authority, self.addresses, admin_token, load,
            self.deliveries, self.log, self.findings, self.pushgate)
        load.start()
        cycle.start()
        try:
            self.watch()
        finally:
            cycle.stop()
            load.stop()
        if not self.findings.is_closed:
            self.conclude()
        return self.report()

    def sequences(self, admin_token: str) -> list[Sequence]:
        def make(kind: type, number: int) -> Any:
            return kind(number, Client(self.addresses, self.findings), self.deliveries, self.simulator)

        account = json.loads(service_account(self.pushgate, self.gateway).read_text())
        kinds: list[type] = [CodeAgents, Runs, Sessions, HumanTasks, Firestore, Connections]
        sequences = [make(kind, number) for number, kind in enumerate(kinds)]
        sequences += [make(FCM, 10).attach(account), make(Operator, 11).attach(admin_token)]
        return sequences + ([make(Turns, 12).attach(self.site)] if self.site else [])

    def watch(self) -> None:
        """Takes the samples and prints the table. It ends early if the gateway does."""
        print_heads()
        began, row = time.monotonic(), ROW_SECONDS
        for number in range(1, int(self.seconds // SAMPLE_SECONDS) + 1):
            if self.has_ended_within(began + number * SAMPLE_SECONDS - time.monotonic()):
                return self.findings.close(
                    f"the gateway ended with {self.gateway.process.returncode}:\n{self.gateway.words()}")
            try:
                self.samples.append(self.sample(time.monotonic() - began))
            except (OSError, http.client.HTTPException) as error:
                # The next turn of the loop finds out if the gateway has ended.
                self.findings.add(f"{time.strftime('%H:%M:%S')} a sample failed: {error!r}")
                continue
            if number * SAMPLE_SECONDS >= row:
                row += ROW_SECONDS
                print_row(self.samples[-1])

    def has_ended_within(self, seconds: float) -> bool:
        try:
            self.gateway.process.wait(max(0, seconds))
            return True
        except subprocess.TimeoutExpired:
            return False

    def sample(self, seconds: float) -> Sample:
        self.log.read()
        self.deliveries.collect()
        return take_sample(self.gateway, seconds, self.deliveries.delivered(), self.findings.count)

    def conclude(self) -> None:
        """Waits for the notifications that are owed, and stops the gateway."""
        self.deliveries.conclude(PATIENCE)
        self.gateway.stop()
        self.log.read()
        if self.gateway.process.returncode != 0:
            self.findings.add(f"the gateway did not stop with 0, but with {self.gateway.process.returncode}")

    # ---- The verdict

    def report(self) -> dict[str, Any]:
        is_long = self.seconds >= LONG_RUN
        found = {} if self.findings.is_closed else slopes(self.samples, self.cycle_seconds)
        if found:
            print_slopes(found, is_long)
        print(f"\n{self.deliveries.owed_count:,} notifications were owed and counted")
        for warning, count in self.log.warnings.most_common():
            print(f"{count} × at `warning`: {warning}")
        grown = [name for name, slope in found.items() if is_long and slope.growth >= MOST_GROWTH]
        passed = not self.findings.count and not grown
        for text in self.findings.texts:
            print(f"finding: {text}")
        print(f"\n{'passed' if passed else 'FAILED'}: {self.findings.count} findings, {len(grown)} figures that grow")
        return {
            "passed": passed, "minutes": self.seconds / 60, "findings": self.findings.texts,
            "findings_count": self.findings.count, "warnings": dict(self.log.warnings),
            "slopes": {name: slope._asdict() for name, slope in found.items()},
            "samples": [sample._asdict() for sample in self.samples],
        }

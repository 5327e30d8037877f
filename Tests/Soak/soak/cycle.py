"""The disturbances of a cycle: faults of the push service and the game site, reloads, renewals and backups."""

import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from measure.servers import Gateway, Simulator, ask, request

from .certificates import Authority
from .client import Addresses
from .deliveries import Deliveries
from .findings import Findings
from .gateway_log import REFUSED_KEY, RENEWAL, GatewayLog
from .load import Load
from .tasks_and_turns import Turns

# The seconds of a cycle in a long run: those between two sweeps of messages.
LONGEST = 300
# The length of a fault of the push service or the game site.
FAULT_SECONDS = 5
# The longest wait at the end of a cycle for the notifications that are owed.
QUIET_SECONDS = 30
# The seconds in which a new certificate must be in use.
RENEWAL_SECONDS = 5
# The seconds after a fault of the game site in which the gateway may still pause its requests.
SITE_SECONDS = 15

# The scripts for connections, in the order of the cycles.
CONNECTION_SCRIPTS = [
    {"times": None, "goaway": {"after": 150, "reason": "Shutdown", "leave_out_last": True}, "refuse_every": 23},
    {"times": None, "break": {"after": 200, "with": "reset"}},
    {"times": None, "goaway": {"after": 100}, "latency": {"p50_ms": 20, "p99_ms": 400, "max_ms": 2000}},
    {"times": None, "break": {"after": 200, "with": "close", "in_answer": True}},
]


class Cycle:
    def __init__(
        self, seconds: float, gateway: Gateway, simulator: Simulator, authority: Authority, addresses: Addresses,
        admin_token: str, load: Load, deliveries: Deliveries, log: GatewayLog, findings: Findings, pushgate: Path,
    ) -> None:
        self.seconds = seconds
        self.gateway, self.simulator, self.authority, self.addresses = gateway, simulator, authority, addresses
        self.admin, self.load, self.deliveries, self.log = admin_token, load, deliveries, log
        self.findings, self.pushgate = findings, pushgate
        self.turns = next((each for each in load.sequences if isinstance(each, Turns)), None)
        self.number = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.repeat)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.is_over.set()
        self.thread.join()
        self.simulator.drop_scripts()

    @property
    def disturbances(self) -> list[Callable[[], None]]:
        """Returns the disturbances in the order of a cycle. The last ones leave time to send what is owed."""
        return [
            self.change_connections, self.be_unavailable, self.reload, self.refuse_key, self.renew, self.be_slow,
            self.back_up, self.disturb_site, self.back_up_to_file, self.rest,
        ]

    def repeat(self) -> None:
        began = time.monotonic()
        while True:
            disturbances = self.disturbances
            for index, disturb in enumerate(disturbances):
                due = began + (self.number + (index + 0.5) / len(disturbances)) * self.seconds
                if self.is_over.wait(max(0, due - time.monotonic())):
                    return
                self.attempt(disturb)
            self.number += 1

    def attempt(self, disturb: Callable[[], None]) -> None:
        try:
            disturb()
        except Exception as error:
            if not self.is_over.is_set():
                self.findings.add(f"{time.strftime('%H:%M:%S')} the disturbance {disturb.__name__} failed: {error}")

    # ---- The push service

    def change_connections(self) -> None:
        """Gives new connections another script. Each ends after a while, so that the next script is taken too."""
        self.simulator.script_connections(CONNECTION_SCRIPTS[self.number % len(CONNECTION_SCRIPTS)])

    def be_unavailable(self) -> None:
        self.answer_all({"status": 503, "reason": "ServiceUnavailable", "retry_after": 1})

    def refuse_key(self) -> None:
        with self.log.explained(REFUSED_KEY):
            self.answer_all({"status": 403, "reason": "InvalidProviderToken"})
        # In every other cycle the held-up messages are sent at once.
        if self.number % 2:
            self.reload()

    def be_slow(self) -> None:
        self.answer_all({"status": 200, "delay_ms": 1_500})

    def answer_all(self, step: dict) -> None:
        ask(self.simulator.addresses["control"], "PUT", "/answers", {"token": None, "times": None} | step)
        self.is_over.wait(FAULT_SECONDS)
        ask(self.simulator.addresses["control"], "DELETE", "/answers")

    # ---- The game site

    def disturb_site(self) -> None:
        if not self.turns:
            return
        self.turns.disturb(True)
        self.is_over.wait(FAULT_SECONDS)
        self.turns.disturb(False)
        self.is_over.wait(SITE_SECONDS)
        self.turns.is_disturbed.clear()
        self.turns.forget_requests()

    # ---- The gateway's operator

    def reload(self) -> None:
        self.gateway.process.send_signal(signal.SIGHUP)

    def renew(self) -> None:
        with self.log.explained(RENEWAL):
            self.authority.renew()
            deadline = time.monotonic() + RENEWAL_SECONDS
            while self.served_certificate() != self.authority.bytes():
                if time.monotonic() > deadline:
                    return self.findings.add(f"a new certificate was not in use after {RENEWAL_SECONDS} s")
                time.sleep(0.5)

    def served_certificate(self) -> bytes | None:
        address = urlsplit(self.addresses.secure)
        with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
            with self.addresses.context.wrap_socket(connection, server_hostname="127.0.0.1") as secure:
                return secure.getpeercert(binary_form=True)

    def back_up(self) -> None:
        answer = request(self.gateway.url, "POST", "/v1/backups", None, {"Authorization": f"Bearer {self.admin}"}, 120)
        if answer.status // 100 != 2:
            self.findings.add(f"POST /v1/backups was answered {answer.status}: {answer.text}")

    def back_up_to_file(self) -> None:
        file = self.gateway.directory.with_name("soak.backup")
        command = [str(self.pushgate), "backup", str(file), "--data-directory", str(self.gateway.directory)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            self.findings.add(f"pushgate backup failed: {done.stderr}")
        file.unlink(missing_ok=True)

    # ---- The end of a cycle

    def rest(self) -> None:
        """Pauses the load until nothing is owed, and empties the simulator."""
        with self.load.paused():
            if self.deliveries.wait_for_all(QUIET_SECONDS):
                self.deliveries.forget()

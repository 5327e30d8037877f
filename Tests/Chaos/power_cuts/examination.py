"""The examination of a data directory after a power cut."""

import http.client
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from chaos.load import Load
from chaos.phase import Notification, Phase
from measure.servers import UNLIMITED, Gateway, one_app
from measure.tools import Failure

from .documents import SETTINGS, list_notes, photo_digest
from .promises import Promises

# The longest time for a verb, and for the delivery of what was pending, in seconds.
VERB_SECONDS, DELIVERY_SECONDS = 60, 15
# The exit code of a gateway that does not start on its data directory.
REFUSAL = 1
EXAMPLES = 3


class Loss(Exception):
    """A promise that is not kept after a power cut."""


class Refusal(Exception):
    """The words with which a gateway refuses a data directory."""


class Examiner(Phase):
    """A simulator, and gateways that start on data directories and must keep what was promised."""

    def __init__(self, pushgate: Path, folder: Path) -> None:
        super().__init__(pushgate, folder)
        self.folder = folder

    def open(self, data: Path, variables: dict[str, str] = {}) -> Gateway:
        """Starts a gateway, and returns it when it listens."""
        (data / "address").unlink(missing_ok=True)
        self.gateway = Gateway(
            self.pushgate, data, self.simulator.addresses, SETTINGS | variables, log=self.folder / "gateway.log")
        return self.gateway.__enter__()

    def run(self, *arguments: str | Path, variables: dict[str, str] = {}) -> "subprocess.CompletedProcess[str]":
        """Runs a verb to its end."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PUSHGATE_")}
        environment = clean | UNLIMITED | one_app(self.simulator.addresses) | SETTINGS | variables
        command = [self.pushgate, *arguments]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=VERB_SECONDS, env=environment)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"“{arguments[0]}” did not end within {VERB_SECONDS} s") from error

    def succeed(self, *arguments: str | Path) -> str:
        """Runs a verb, and returns its output. Another exit code than 0 is a loss."""
        done = self.run(*arguments)
        if done.returncode != 0:
            raise Loss(f"“{arguments[0]}” ended with {done.returncode}: {done.stderr or done.stdout}")
        return done.stdout

    # The examination

    def examine(self, data: Path, promises: Promises, arrived: set[Notification], load: Load) -> None:
        """Starts a gateway on a data directory and checks that it keeps the promises.

        Raises `Loss` if it does not, and `Refusal` if it ends at its start.

        - arrived: The notifications that arrived before the power cut.
        """
        self.simulator.reset()
        gateway = self.start_on(data)
        try:
            expect_none(lost_documents(gateway, promises) + lost_photos(gateway, promises))
            # The triggers that look for registrations would replace the ones that are pending.
            expect_none(self.lost_notifications(promises, arrived, load))
            expect_none(lost_registrations(gateway, promises, load))
            self.succeed("doctor", "--offline", "--data-directory", data)
        except (OSError, http.client.HTTPException, ValueError, Failure) as failure:
            raise Loss(f"{failure}\n{gateway.words()}") from failure
        finally:
            gateway.stop()
        backup = self.folder / "examined.backup"
        backup.unlink(missing_ok=True)
        self.succeed("backup", backup, "--data-directory", data)
        self.succeed("restore", backup, "--check")

    def start_on(self, data: Path) -> Gateway:
        try:
            return self.open(data)
        except Failure as failure:
            assert self.gateway
            if self.gateway.process.returncode == REFUSAL:
                raise Refusal(self.gateway.words()) from failure
            raise Loss(str(failure)) from failure

    def lost_notifications(self, promises: Promises, arrived: set[Notification], load: Load) -> list[str]:
        """Waits for the notifications of all triggers, and returns those that are lost."""
        self.load = load
        load.accepted = promises.triggers
        deadline = time.monotonic() + DELIVERY_SECONDS
        while missing := self.missing({each: [] for each in arrived | self.new_arrivals()}):
            if time.monotonic() > deadline:
                return [some("notifications", missing)]
            time.sleep(0.1)
        return []

    def new_arrivals(self) -> set[Notification]:
        return {arrival for _, arrival in self.timed_arrivals()}

    def timed_arrivals(self) -> list[tuple[int, Notification]]:
        """Returns the notifications that arrived at the simulator, with the milliseconds of the wall clock."""
        return [
            (item["received_at"], (item["payload"]["completion_id"], item["token"]))
            for item in self.received() if item["status"] == 200]


def expect_none(losses: list[str]) -> None:
    if losses:
        raise Loss("; ".join(losses))


def lost_documents(gateway: Gateway, promises: Promises) -> list[str]:
    notes = list_notes(gateway)
    losses = []
    if missing := promises.notes - notes:
        losses.append(some("notes", missing))
    if back := promises.deleted_notes & notes:
        losses.append(some("deletions of notes", back))
    return losses


def lost_photos(gateway: Gateway, promises: Promises) -> list[str]:
    missing = {
        path for path, digest in promises.photos.items() if photo_digest(gateway, promises.device, path) != digest}
    return [some("photos", missing)] if missing else []


def lost_registrations(gateway: Gateway, promises: Promises, load: Load) -> list[str]:
    missing = {cwd for cwd, tokens in promises.registrations.items() if devices(gateway, load, cwd) < len(tokens)}
    return [some("registrations of agents", missing)] if missing else []


def devices(gateway: Gateway, load: Load, cwd: str) -> int:
    """Returns the number of devices that a trigger of an agent is for; 0 if there is no such agent."""
    answer = load.post(gateway, "/triggerReplyFinished", {"cwd": cwd, "message_preview": "Is it there?"})
    if answer.status not in (200, 404):
        raise Failure(f"a trigger was answered {answer.status}: {answer.text}")
    return json.loads(answer.text).get("attempted", 0)


def some(what: str, items: Any) -> str:
    return f"{len(items)} {what}, for example {sorted(items)[:EXAMPLES]}"

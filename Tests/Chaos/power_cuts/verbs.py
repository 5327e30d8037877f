"""Verbs of the command line during which, or after which, the disk loses its power.

After exit code 0 the result of a verb is on the disk. Before, the state is the old one, or the whole new one, or one
that the next program refuses with the verb's name: a gateway never starts on a part of the data.
"""

import json
import re
import shutil
from pathlib import Path

from chaos.phase import Notification
from measure.tools import Failure
from recorded_disk.recording import Recording

from .examination import Loss, Refusal
from .scenario import Cut, Outcome
from .stock import Stock

# The names of files without data: the lock of a directory, and a file that is being written, before its rename.
DATALESS = re.compile(r"lock|.*\.new-[0-9]+-[0-9a-f]+")


class Verb:
    name: str

    def __init__(self, stock: Stock) -> None:
        self.stock, self.examiner = stock, stock.examiner
        # The notifications that arrived during the recording, with their milliseconds.
        self.arrivals: list[tuple[int, Notification]] = []

    def prepare(self, disk: Path) -> None:
        self.stock.copy_data(disk)

    def arguments(self, disk: Path) -> list[str | Path]:
        raise NotImplementedError

    def record(self, recording: Recording) -> None:
        done = self.examiner.run(*self.arguments(recording.disk), variables=recording.environment)
        if done.returncode != 0:
            raise Failure(f"{self.name} ended with {done.returncode}: {done.stderr}")
        recording.mark(done=self.name)

    def check(self, cut: Cut) -> Outcome:
        raise NotImplementedError

    def examine(self, data: Path, cut: Cut, with_files: bool = True) -> None:
        """Checks a data directory on which the gateway must start, with everything."""
        try:
            self.examine_or_refuse(data, cut, with_files)
        except Refusal as refusal:
            raise Loss(f"the gateway does not start: {refusal}") from refusal

    def examine_or_refuse(self, data: Path, cut: Cut, with_files: bool) -> None:
        promises = self.stock.promises if with_files else self.stock.promises.without_files()
        arrived = self.stock.arrived | cut.earlier(self.arrivals)
        self.examiner.examine(data, promises, arrived, self.stock.load)


# Verbs that make a data directory


class Making(Verb):
    """A verb that makes a data directory from a file."""

    with_files = True

    @property
    def word(self) -> str:
        """The word by which a refusal names the verb."""
        return self.name.partition(" ")[0]

    def check(self, cut: Cut) -> Outcome:
        data = cut.disk / "data"
        if not cut.is_done and is_old(data):
            if not is_empty(data):
                self.repeat(cut)
            return Outcome.OLD
        try:
            self.examine_or_refuse(data, cut, self.with_files)
            return Outcome.WHOLE
        except Refusal as refusal:
            if cut.is_done or self.word not in str(refusal):
                raise Loss(f"the gateway does not start: {refusal}") from refusal
            self.check_refused(data, cut)
            return Outcome.REFUSED

    def check_refused(self, data: Path, cut: Cut) -> None:
        """Checks that the doctor names the verb too, and that the verb can be repeated."""
        done = self.examiner.run("doctor", "--offline", "--data-directory", data)
        if done.returncode == 0 or self.word not in done.stdout + done.stderr:
            raise Loss(f"the doctor does not name an unfinished {self.word}, and ends with {done.returncode}")
        self.repeat(cut)

    def repeat(self, cut: Cut) -> None:
        self.examiner.succeed(*self.arguments(cut.disk))
        self.examine(cut.disk / "data", cut, self.with_files)


class Restore(Making):
    name = "restore"

    def prepare(self, disk: Path) -> None:
        shutil.copy(self.stock.backup, disk / "a.backup")

    def arguments(self, disk: Path) -> list[str | Path]:
        return ["restore", disk / "a.backup", "--data-directory", disk / "data"]


class RestoreInto(Restore):
    """A restore to an empty directory."""

    name = "restore into"

    def prepare(self, disk: Path) -> None:
        super().prepare(disk)
        (disk / "data").mkdir(mode=0o700)


class Import(Making):
    name = "import"
    with_files = False

    def prepare(self, disk: Path) -> None:
        shutil.copy(self.stock.export, disk / "an.export")

    def arguments(self, disk: Path) -> list[str | Path]:
        return ["import", disk / "an.export", "--data-directory", disk / "data"]


# Verbs that make a file


class Saving(Verb):
    """A verb that makes a file from a data directory."""

    # The verb that makes a data directory from the file.
    reader: str

    def check(self, cut: Cut) -> Outcome:
        self.examine(cut.disk / "data", cut)
        file = cut.disk / "file"
        if not file.exists():
            if cut.is_done:
                raise Loss("the file is missing")
            return Outcome.OLD
        done = self.examiner.run(self.reader, file, "--check")
        if done.returncode == 0:
            self.check_contents(file, cut)
            return Outcome.WHOLE
        if cut.is_done or not done.stderr:
            raise Loss(f"“{self.reader} --check” of the file ended with {done.returncode}: {done.stderr}")
        return Outcome.REFUSED

    def check_contents(self, file: Path, cut: Cut) -> None:
        copy = cut.disk / "copy"
        self.examiner.succeed(self.reader, file, "--data-directory", copy)
        self.examine(copy, cut, with_files=self.reader == "restore")


class Export(Saving):
    name, reader = "export", "import"

    def arguments(self, disk: Path) -> list[str | Path]:
        return ["export", disk / "file", "--data-directory", disk / "data"]


class Backup(Saving):
    name, reader = "backup", "restore"

    def arguments(self, disk: Path) -> list[str | Path]:
        return ["backup", disk / "file", "--data-directory", disk / "data"]


class BackupBeside(Backup):
    """A backup by a running gateway."""

    name = "backup beside"

    def record(self, recording: Recording) -> None:
        self.examiner.simulator.reset()
        gateway = self.examiner.open(recording.disk / "data", recording.environment)
        super().record(recording)
        gateway.stop()
        self.arrivals = self.examiner.timed_arrivals()


# Verbs that change a data directory


class Init(Verb):
    """A verb that adds a service account."""

    name = "init"

    def arguments(self, disk: Path) -> list[str | Path]:
        return ["init", "--data-directory", disk / "data"]

    def check(self, cut: Cut) -> Outcome:
        data = cut.disk / "data"
        before, after = self.stock.accounts(self.stock.data), self.stock.accounts(data)
        if lost := before - after:
            raise Loss(f"service accounts are missing: {lost}")
        files = {key_id(file) for file in data.glob("service-account*.json")}
        if cut.is_done and len(after - before) != 1 or files - after:
            raise Loss(f"of the service accounts {files} only {after} are known")
        if cut.is_done and len(files) != len(before) + 1:
            raise Loss(f"there are files of {len(files)} service accounts, and not of {len(before) + 1}")
        self.examine(data, cut)
        self.examiner.succeed(*self.arguments(cut.disk))
        return Outcome.WHOLE if after != before else Outcome.OLD


class Revocation(Verb):
    name = "accounts revoke"

    @property
    def account(self) -> str:
        """The account that is revoked."""
        return min(self.stock.accounts(self.stock.data))

    def arguments(self, disk: Path) -> list[str | Path]:
        return ["accounts", "revoke", self.account, "--data-directory", disk / "data"]

    def check(self, cut: Cut) -> Outcome:
        data = cut.disk / "data"
        others, after = self.stock.accounts(self.stock.data) - {self.account}, self.stock.accounts(data)
        if not others <= after:
            raise Loss(f"service accounts are missing: {others - after}")
        if cut.is_done and self.account in after:
            raise Loss("the revoked account is valid again")
        self.examine(data, cut)
        return Outcome.OLD if self.account in after else Outcome.WHOLE


VERBS = [Restore, RestoreInto, Import, Export, Backup, BackupBeside, Init, Revocation]


def key_id(file: Path) -> str:
    """Returns the id of the key in the file of a service account."""
    try:
        return json.loads(file.read_bytes())["private_key_id"]
    except (ValueError, KeyError) as error:
        raise Loss(f"{file.name} has no key: {error!r}") from error


def is_old(folder: Path) -> bool:
    """Returns `True` if no file with data has its name yet."""
    return not folder.exists() or all(DATALESS.fullmatch(file.name) for file in folder.iterdir())


def is_empty(folder: Path) -> bool:
    return not folder.exists() or not any(folder.iterdir())

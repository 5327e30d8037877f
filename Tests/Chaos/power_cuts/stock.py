"""A data directory with everything in it, and the files that verbs made from it."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from chaos.phase import Notification

from .examination import Examiner
from .load import MarkedLoad
from .promises import Promises

SECONDS = 0.7
# The time of an answer of the push service, so that some notifications wait when the gateway is killed.
LATENCY = 3000


class Stock:
    def __init__(self, examiner: Examiner, folder: Path) -> None:
        folder.mkdir()
        self.examiner, self.data = examiner, folder / "data"
        self.backup, self.export = folder / "a.backup", folder / "an.export"
        self.marks: list[dict[str, Any]] = []
        self.load = MarkedLoad(lambda **event: self.marks.append(event))
        self.arrived: set[Notification] = set()

    def make(self) -> None:
        examiner = self.examiner
        examiner.simulator.script_connections({"times": None, "latency": {"ms": [1, LATENCY]}})
        examiner.simulator.reset()
        gateway = examiner.open(self.data)
        self.load.prepare(gateway)
        with self.load.on(gateway):
            time.sleep(SECONDS)
            self.load.kill(gateway)
        (self.data / "address").unlink()
        examiner.simulator.drop_scripts()
        self.arrived = examiner.new_arrivals()
        for _ in range(2):
            examiner.succeed("init", "--data-directory", self.data)
        examiner.succeed("backup", self.backup, "--data-directory", self.data)
        examiner.succeed("export", self.export, "--data-directory", self.data)

    @property
    def promises(self) -> Promises:
        return Promises.of(self.marks)

    def copy_data(self, disk: Path) -> None:
        shutil.copytree(self.data, disk / "data")

    def accounts(self, data: Path) -> set[str]:
        """Returns the key ids of the service accounts of a data directory."""
        return {account["key_id"] for account in json.loads(
            self.examiner.succeed("accounts", "list", "--json", "--data-directory", data))}

"""Tests of the power cuts of a small program in place of a gateway."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from measure.tools import Failure
from recorded_disk.recording import Recording

from . import runs
from .cutting import share
from .examination import Loss
from .promises import Promises
from .runs import Run
from .scenario import Cut, Outcome

# Replaces the contents of a file, as a gateway does, or without its flushes.
PROGRAM = """
import os, sys
flush = os.fsync if sys.argv[1] == "careful" else lambda file: None
file = os.open("new", os.O_WRONLY | os.O_CREAT)
os.write(file, b"new" * 1000)
flush(file)
os.rename("new", "file")
flush(os.open(".", os.O_RDONLY))
"""


class Replacement:
    """A scenario in which a file is replaced."""

    name = "a replacement"

    def __init__(self, manner: str, sees: bool = True) -> None:
        self.manner, self.sees = manner, sees

    def prepare(self, disk: Path) -> None:
        (disk / "file").write_bytes(b"old")

    def record(self, recording: Recording) -> None:
        environment = os.environ | recording.environment
        subprocess.run(
            [sys.executable, "-c", PROGRAM, self.manner], cwd=recording.disk, env=environment, check=True, timeout=30)
        recording.mark(done=self.name)

    def check(self, cut: Cut) -> Outcome:
        content = (cut.disk / "file").read_bytes()
        if self.sees and content != b"new" * 1000 and (cut.is_done or content != b"old"):
            raise Loss(f"the file has {len(content)} bytes")
        return Outcome.OLD if content == b"old" else Outcome.WHOLE


class RunTests(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        kept = mock.patch.multiple(runs, ROOT=self.folder, KEPT=self.folder / "kept")
        kept.start()
        self.addCleanup(kept.stop)

    def run_scenario(self, *arguments: str | bool) -> tuple[Run, str]:
        run, output = Run(Replacement(*arguments), self.folder, seed=1), io.StringIO()
        with contextlib.redirect_stdout(output):
            run.run(60)
        return run, output.getvalue()

    def test_careful_program_loses_nothing(self) -> None:
        run, output = self.run_scenario("careful")
        self.assertEqual(run.losses, 0)
        self.assertEqual(run.outcomes.total(), 60)
        self.assertGreater(min(run.outcomes[Outcome.OLD], run.outcomes[Outcome.WHOLE]), 5)
        self.assertNotIn("kept", output)

    def test_careless_program_is_found_out_and_its_disk_is_kept(self) -> None:
        run, output = self.run_scenario("careless")
        self.assertGreater(run.losses, 10)
        self.assertIn("a replacement: lost after", output)
        self.assertIn("at the end", output)
        self.assertIn("file", os.listdir(next((self.folder / "kept").iterdir())))

    def test_check_that_sees_nothing_is_a_failure(self) -> None:
        with self.assertRaisesRegex(Failure, "prove nothing"):
            self.run_scenario("careful", False)

    # Their parts

    def test_every_scenario_has_moments_and_the_first_has_the_rest(self) -> None:
        names = ["serve", *"abcdefgh"]
        self.assertEqual(share(300, names), dict.fromkeys("abcdefgh", 30) | {"serve": 60})
        self.assertEqual(share(20, names), dict.fromkeys("abcdefgh", 2) | {"serve": 4})
        self.assertEqual(share(1, names), dict.fromkeys("abcdefgh", 1) | {"serve": 1})
        self.assertEqual(share(20, ["serve"]), {"serve": 20})
        self.assertEqual(share(21, ["a", "b"]), {"a": 11, "b": 10})

    def test_note_is_promised_until_its_deletion_begins(self) -> None:
        marks = [{"note": 1}, {"note": 2}, {"deletion": 2}]
        self.assertEqual((Promises.of(marks).notes, Promises.of(marks).deleted_notes), ({1}, set()))
        self.assertEqual(Promises.of([*marks, {"deleted": 2}]).deleted_notes, {2})

    def test_notification_counts_for_the_power_cuts_after_its_arrival(self) -> None:
        arrivals = [(1000, ("run-1", "a")), (1001, ("run-2", "a"))]
        self.assertEqual(Cut(self.folder, [], 1000 * 10**6).earlier(arrivals), {("run-1", "a")})
        self.assertEqual(Cut(self.folder, [], 999 * 10**6).earlier(arrivals), set())

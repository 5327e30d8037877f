"""Tests of the recorder, with Python as the program that is recorded."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from measure.tools import Failure

from .recording import Recording
from .records import Kind


class RecorderTests(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "disk").mkdir()
        (self.folder / "disk" / "old").write_bytes(b"old")
        self.recording = Recording(self.folder)

    def run_recorded(self, program: str) -> list[Kind]:
        """Runs lines of Python in the folder, and returns the kinds of the changes and flushes."""
        environment = os.environ | self.recording.environment | {"PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", "import os\n" + textwrap.dedent(program)]
        subprocess.run(command, cwd=self.recording.disk, env=environment, check=True, timeout=30)
        self.recording.finish()
        return [record.kind for record in self.recording.records if record.kind != Kind.BEGIN]

    def test_contents_are_recorded(self) -> None:
        kinds = self.run_recorded("""
            file = os.open("new", os.O_RDWR | os.O_CREAT, 0o600)
            os.write(file, b"0123456789")
            os.pwrite(file, b"abc", 5)
            os.writev(file, [b"x", b"yz"])
            os.pwritev(file, [b"1", b"23"], 700)
            os.ftruncate(file, 650)
            os.posix_fallocate(file, 0, 2000)
            os.truncate("new", 1999)
            old = os.open("old", os.O_RDONLY)
            os.copy_file_range(old, file, 2, 0, 1990)
            os.lseek(file, 100_000, 0)
            os.sendfile(file, old, 0, 3)
            os.close(os.open("old", os.O_WRONLY | os.O_APPEND))
            os.write(os.open("old", os.O_WRONLY | os.O_APPEND), b"er")
            os.open("new", os.O_WRONLY | os.O_TRUNC)
            os.write(file, b"!")
        """)
        write, resize = Kind.WRITE, Kind.RESIZE
        self.assertEqual(kinds, [
            Kind.CREATE, write, write, write, write, resize, Kind.GROW, resize, write, write, write, resize, write])

    def test_names_and_modes_are_recorded(self) -> None:
        kinds = self.run_recorded("""
            os.mkdir("folder")
            folder = os.open("folder", os.O_RDONLY)
            os.close(os.open("new", os.O_WRONLY | os.O_CREAT, 0o640, dir_fd=folder))
            os.rename("old", "older", dst_dir_fd=folder)
            os.link("folder/older", "old")
            os.symlink("folder/older", "link")
            os.unlink("older", dir_fd=folder)
            os.chmod("folder/new", 0o644)
            os.fchmod(folder, 0o711)
            os.replace("folder/new", "old")
            os.rmdir("folder")
        """)
        self.assertEqual(kinds, [
            Kind.MAKE_FOLDER, Kind.CREATE, Kind.RENAME, Kind.LINK, Kind.MAKE_LINK, Kind.UNLINK, Kind.CHANGE_MODE,
            Kind.CHANGE_MODE, Kind.RENAME, Kind.REMOVE_FOLDER])

    def test_temporary_file_gets_its_name_by_a_link(self) -> None:
        kinds = self.run_recorded("""
            file = os.open(".", os.O_RDWR | os.O_TMPFILE, 0o600)
            os.write(file, b"new")
            os.link(f"/proc/self/fd/{file}", "new", src_dir_fd=0, follow_symlinks=True)
        """)
        self.assertEqual(kinds, [Kind.CREATE, Kind.WRITE, Kind.LINK])

    def test_flush_has_a_begin_and_an_end(self) -> None:
        kinds = self.run_recorded("""
            for flush in (os.fsync, os.fdatasync):
                flush(os.open("old", os.O_RDONLY))
            os.fsync(os.open(".", os.O_RDONLY))
        """)
        self.assertEqual(kinds, [Kind.FLUSH, Kind.FLUSHED] * 3)
        flushes = [record for record in self.recording.records if record.kind == Kind.FLUSH]
        self.assertEqual([flush.other for flush in flushes], [0, 1, 0])

    def test_changes_elsewhere_and_failed_ones_are_not_recorded(self) -> None:
        kinds = self.run_recorded("""
            os.write(os.open("../elsewhere", os.O_WRONLY | os.O_CREAT), b"x")
            os.write(1, b"")
            for call in (lambda: os.mkdir("old"), lambda: os.unlink("missing"), lambda: os.rename("missing", "old")):
                try:
                    call()
                except OSError:
                    pass
        """)
        self.assertEqual(kinds, [])

    def test_processes_share_a_record(self) -> None:
        environment = os.environ | self.recording.environment | {"PYTHONDONTWRITEBYTECODE": "1"}
        program = """
import os, sys
for _ in range(200):
    os.write(os.open(sys.argv[1], os.O_CREAT | os.O_APPEND | os.O_WRONLY), b"x")
"""
        processes = [
            subprocess.Popen([sys.executable, "-c", program, name], cwd=self.recording.disk, env=environment)
            for name in ("one", "two")]
        for number in range(200):
            self.recording.mark(number=number)
        for process in processes:
            self.assertEqual(process.wait(30), 0)
        self.recording.finish()
        marks = self.recording.marks(len(self.recording.records))
        self.assertEqual([mark["number"] for mark in marks], list(range(200)))

    def test_missing_change_is_noticed(self) -> None:
        with self.assertRaisesRegex(Failure, "lacks changes.*old has other contents"):
            self.run_recorded("""
                import mmap
                with open("old", "r+b") as file:
                    mmap.mmap(file.fileno(), 3)[:] = b"new"
            """)

    def test_program_without_the_recorder_is_noticed(self) -> None:
        self.recording.mark(number=1)
        with self.assertRaisesRegex(Failure, "not loaded"):
            self.recording.finish()

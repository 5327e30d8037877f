"""Tests of the model of a disk."""

import random
import tempfile
import unittest
from pathlib import Path

from measure.tools import Failure

from .disk import RENAME_EXCHANGE, Disk
from .image import FileImage, FolderImage, LinkImage
from .records import Kind, Record
from .survival import SECTOR, Survival

# The number of power cuts after the same changes, which show each outcome with a chance of at least one in 10**9.
CUTS = 300


class DiskTests(unittest.TestCase):
    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = Path(self.temporary.name).resolve() / "disk"
        self.root.mkdir()
        (self.root / "old").write_bytes(b"old")
        (self.root / "folder").mkdir()
        self.disk = Disk(self.root)
        self.inode = (self.root / "old").stat().st_ino
        self.folder, self.top = (self.root / "folder").stat().st_ino, self.root.stat().st_ino
        self.flushes = 0

    def apply(self, kind: Kind, inode: int = 0, value: int = 0, *paths: str) -> None:
        first, second = [str(self.root / path).encode() for path in paths] + [b""] * (2 - len(paths))
        self.disk.apply(Record(kind, inode=inode, value=value, first=first, second=second))

    def create(self, inode: int, name: str) -> None:
        self.apply(Kind.CREATE, inode, 0o600, name)

    def write(self, inode: int, offset: int, data: bytes) -> None:
        self.disk.apply(Record(Kind.WRITE, inode=inode, value=offset, first=data))

    def begin_flush(self, inode: int, is_data: bool = False) -> int:
        self.flushes += 1
        self.disk.apply(Record(Kind.FLUSH, inode=inode, value=self.flushes, other=is_data))
        return self.flushes

    def end_flush(self, number: int) -> None:
        self.disk.apply(Record(Kind.FLUSHED, value=number))

    def flush(self, inode: int) -> None:
        self.end_flush(self.begin_flush(inode))

    def cuts(self, chance: float | None = None) -> list[FolderImage]:
        return [self.disk.after_cut(Survival(random.Random(seed), chance)) for seed in range(CUTS)]

    def contents(self, name: str) -> set[bytes | None]:
        """Returns all contents that a file has after power cuts; `None` if it is not there."""
        files = [image.entries.get(name) for image in self.cuts(0.5)]
        return {file.content if isinstance(file, FileImage) else None for file in files}

    def names(self) -> set[str]:
        """Returns the names in the folder after power cuts, one text for each state."""
        return {" ".join(sorted(image.entries)) for image in self.cuts(0.5)}

    # Contents

    def test_state_at_the_beginning_survives(self) -> None:
        self.assertEqual(self.contents("old"), {b"old"})
        self.assertEqual(self.names(), {"folder old"})

    def test_write_without_flush_is_there_or_not(self) -> None:
        self.write(self.inode, 0, b"new")
        self.assertEqual(self.contents("old"), {b"old", b"new"})

    def test_flushed_write_survives(self) -> None:
        self.write(self.inode, 0, b"new")
        self.flush(self.inode)
        self.assertEqual(self.contents("old"), {b"new"})

    def test_flush_that_has_not_ended_promises_nothing(self) -> None:
        self.write(self.inode, 0, b"new")
        self.begin_flush(self.inode)
        self.assertEqual(self.contents("old"), {b"old", b"new"})

    def test_write_during_a_flush_is_not_part_of_it(self) -> None:
        self.write(self.inode, 0, b"one")
        flush = self.begin_flush(self.inode)
        self.write(self.inode, 0, b"two")
        self.end_flush(flush)
        self.assertEqual(self.contents("old"), {b"one", b"two"})

    def test_flush_of_another_file_promises_nothing(self) -> None:
        self.create(1, "other")
        self.write(self.inode, 0, b"new")
        self.flush(1)
        self.assertEqual(self.contents("old"), {b"old", b"new"})

    def test_flush_of_all_files_is_one_of_each(self) -> None:
        self.create(1, "other")
        self.write(1, 0, b"new")
        self.flush(0)
        self.assertEqual(self.contents("other"), {b"new"})

    def test_writes_are_lost_in_any_order(self) -> None:
        self.write(self.inode, 0, b"a".ljust(SECTOR))
        self.write(self.inode, SECTOR, b"b")
        firsts = {(content[:1], content[SECTOR:]) for content in self.contents("old")}
        self.assertEqual(firsts, {(b"o", b""), (b"a", b""), (b"o", b"b"), (b"a", b"b")})

    def test_write_is_torn_at_sectors_alone(self) -> None:
        self.write(self.inode, 0, b"x" * 3 * SECTOR)
        contents = self.contents("old")
        torn = b"old".ljust(SECTOR, b"\0") + b"x" * SECTOR + bytes(SECTOR)
        self.assertIn(torn[:2 * SECTOR], contents)
        for content in contents:
            sectors = {content[begin:begin + SECTOR].rstrip(b"\0") for begin in range(0, len(content), SECTOR)}
            self.assertLessEqual(sectors, {b"old", b"x" * SECTOR, b""})

    def test_sector_has_the_earlier_changes_of_its_other_bytes(self) -> None:
        self.write(self.inode, 0, b"1")
        self.write(self.inode, 1, b"2")
        self.assertEqual(self.contents("old"), {b"old", b"1ld", b"12d"})

    def test_size_without_flush_is_the_old_or_the_new_one(self) -> None:
        self.apply(Kind.RESIZE, self.inode, 1)
        self.assertEqual(self.contents("old"), {b"old", b"o"})
        self.apply(Kind.GROW, self.inode, 2)
        self.assertEqual(self.contents("old"), {b"old", b"o", b"o\0"})

    def test_mode_is_flushed_with_the_file_and_not_with_its_data(self) -> None:
        self.create(1, "other")
        self.flush(self.top)
        self.apply(Kind.CHANGE_MODE, 1, 0o644)
        self.end_flush(self.begin_flush(1, is_data=True))
        self.assertEqual({image.entries["other"].mode for image in self.cuts(0.5)}, {0o600, 0o644})
        self.flush(1)
        self.assertEqual({image.entries["other"].mode for image in self.cuts(0.5)}, {0o644})

    # Names

    def test_name_is_not_flushed_with_the_file(self) -> None:
        self.create(1, "new")
        self.write(1, 0, b"new")
        self.flush(1)
        self.assertEqual(self.contents("new"), {None, b"new"})

    def test_contents_are_not_flushed_with_the_name(self) -> None:
        self.create(1, "new")
        self.write(1, 0, b"new")
        self.flush(self.top)
        self.assertEqual(self.contents("new"), {b"", b"new"})

    def test_file_is_safe_after_both_flushes(self) -> None:
        self.create(1, "new")
        self.write(1, 0, b"new")
        self.flush(1)
        self.flush(self.top)
        self.assertEqual(self.contents("new"), {b"new"})

    def test_new_folder_is_not_flushed_with_its_own_names(self) -> None:
        self.apply(Kind.MAKE_FOLDER, 1, 0o700, "new")
        self.create(2, "new/file")
        self.flush(1)
        self.assertEqual(self.names(), {"folder old", "folder new old"})
        self.flush(self.top)
        self.assertEqual({tuple(image.entries["new"].entries) for image in self.cuts()}, {("file",)})

    def test_unlinked_file_is_back_until_the_flush_of_its_folder(self) -> None:
        self.apply(Kind.UNLINK, 0, 0, "old")
        self.assertEqual(self.contents("old"), {b"old", None})
        self.flush(self.top)
        self.assertEqual(self.contents("old"), {None})

    def test_rename_is_one_step(self) -> None:
        self.create(1, "new")
        self.write(1, 0, b"new")
        self.flush(1)
        self.flush(self.top)
        self.apply(Kind.RENAME, 0, 0, "new", "old")
        self.assertEqual(self.names(), {"folder new old", "folder old"})
        self.assertEqual(self.contents("old"), {b"old", b"new"})
        self.flush(self.top)
        self.assertEqual(self.names(), {"folder old"})
        self.assertEqual(self.contents("old"), {b"new"})

    def test_rename_does_not_flush_the_contents(self) -> None:
        self.create(1, "new")
        self.write(1, 0, b"new")
        self.apply(Kind.RENAME, 0, 0, "new", "old")
        self.flush(self.top)
        self.assertEqual(self.contents("old"), {b"", b"new"})

    def test_exchange_is_one_step(self) -> None:
        self.create(1, "new")
        self.write(1, 0, b"new")
        self.flush(0)
        self.apply(Kind.RENAME, 0, RENAME_EXCHANGE, "new", "old")
        pairs = {(image.entries["old"].content, image.entries["new"].content) for image in self.cuts(0.5)}
        self.assertEqual(pairs, {(b"old", b"new"), (b"new", b"old")})

    def test_rename_without_its_source_is_lost(self) -> None:
        self.create(1, "new")
        self.flush(1)
        self.apply(Kind.RENAME, 0, 0, "new", "newer")
        self.assertEqual(self.names(), {"folder old", "folder new old", "folder newer old"})

    def test_rename_between_folders_is_safe_after_the_flush_of_one(self) -> None:
        self.apply(Kind.RENAME, 0, 0, "old", "folder/old")
        self.assertEqual(self.names(), {"folder old", "folder"})
        self.flush(self.folder)
        self.assertEqual(self.names(), {"folder"})

    def test_file_without_a_name_gets_one_by_a_link(self) -> None:
        self.disk.apply(Record(Kind.CREATE, inode=1, value=0o600))
        self.write(1, 0, b"new")
        self.flush(1)
        self.assertEqual(self.names(), {"folder old"})
        self.apply(Kind.LINK, 1, 0, "new")
        self.assertEqual(self.contents("new"), {None, b"new"})

    def test_inode_that_is_used_again_is_another_file(self) -> None:
        self.apply(Kind.UNLINK, 0, 0, "old")
        self.create(self.inode, "new")
        self.write(self.inode, 0, b"new")
        self.flush(self.inode)
        self.assertEqual(self.contents("old"), {b"old", None})

    # The present state

    def test_present_state_is_that_of_the_real_folder(self) -> None:
        self.apply(Kind.RENAME, 0, 0, "old", "folder/new")
        self.write(self.inode, 3, b"er")
        self.disk.apply(Record(Kind.MAKE_LINK, inode=1, first=str(self.root / "link").encode(), second=b"folder"))
        self.assertEqual(len(list(self.disk.present().differences(self.root))), 3)
        (self.root / "old").rename(self.root / "folder" / "new")
        self.assertEqual(len(list(self.disk.present().differences(self.root))), 2)
        (self.root / "folder" / "new").write_bytes(b"older")
        (self.root / "link").symlink_to("folder")
        self.assertEqual(list(self.disk.present().differences(self.root)), [])

    def test_written_image_is_the_same_state(self) -> None:
        self.disk.apply(Record(Kind.MAKE_LINK, inode=1, first=str(self.root / "link").encode(), second=b"folder"))
        image = self.disk.present()
        self.assertIsInstance(image.entries["link"], LinkImage)
        copy = self.root.with_name("copy")
        image.write(copy)
        self.assertEqual(list(image.differences(copy)), [])

    def test_change_of_an_unknown_file_is_a_failure(self) -> None:
        with self.assertRaises(Failure):
            self.write(12345, 0, b"x")
        with self.assertRaises(Failure):
            self.disk.apply(Record(Kind.UNKNOWN, first=b"fallocate"))

    # Chances

    def test_chances_of_0_and_1_lose_all_and_nothing(self) -> None:
        self.create(1, "new")
        self.write(self.inode, 0, b"x" * 3 * SECTOR)
        for image in self.cuts(0):
            self.assertEqual(image.entries.keys(), {"old", "folder"})
            self.assertEqual(image.entries["old"].content, b"old")
        for image in self.cuts(1):
            self.assertEqual(image.entries.keys(), {"old", "folder", "new"})
            self.assertEqual(image.entries["old"].content, b"x" * 3 * SECTOR)

"""A small file system in memory that can be filled. For Linux only, like the other modules."""

import contextlib
import ctypes
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

from measure.tools import Failure

# From <sched.h>; Python has names for them from 3.12 on.
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000


def see_own_mounts() -> None:
    """Makes this process's mounts visible only to it and its children. They disappear with the last of these processes.

    Root may do so. Other users may as root of their own user namespace (user_namespaces(7)), where that is allowed.
    """
    user, group = os.getuid(), os.getgid()
    if not unshare(CLONE_NEWNS):
        if not unshare(CLONE_NEWNS | CLONE_NEWUSER):
            raise Failure(f"this user may make no mount namespace: {os.strerror(ctypes.get_errno())}")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    run("mount", "--make-rprivate", "/")


def unshare(flags: int) -> bool:
    return ctypes.CDLL(None, use_errno=True).unshare(flags) == 0


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} failed: {done.stderr.strip()}")


class SmallDisk:
    def __init__(self, folder: Path, mebibytes: int) -> None:
        self.folder, self.size = folder, f"size={mebibytes}m"
        self.filler = folder / "filler"
        self.is_enough = threading.Event()
        self.thread: threading.Thread | None = None

    def __enter__(self) -> "SmallDisk":
        self.folder.mkdir(parents=True)
        run("mount", "-t", "tmpfs", "-o", f"{self.size},mode=0700", "tmpfs", str(self.folder))
        return self

    def __exit__(self, *_: Any) -> None:
        self.free()
        # A lazy unmount works at once, even if a process still has a file open there.
        run("umount", "--lazy", str(self.folder))

    def fill(self) -> None:
        """Takes all free space, and all that becomes free, until ``stop_filling`` or ``free``."""
        self.is_enough.clear()
        self.write()
        self.thread = threading.Thread(target=self.keep_full)
        self.thread.start()

    def fill_all_but(self, mebibytes: int) -> None:
        """Takes space once, until only the given number of MiB is left."""
        with self.filler.open("ab", buffering=0) as file:
            while self.free_bytes() > mebibytes << 20:
                file.write(bytes(1 << 20))

    def free_bytes(self) -> int:
        return shutil.disk_usage(self.folder).free

    def stop_filling(self) -> None:
        """Stops taking space, and keeps the space taken so far."""
        self.is_enough.set()
        if self.thread:
            self.thread.join()

    def free(self) -> None:
        self.stop_filling()
        self.filler.unlink(missing_ok=True)

    def keep_full(self) -> None:
        while not self.is_enough.wait(0.01):
            self.write()

    def write(self) -> None:
        with self.filler.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                with contextlib.suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass

"""What measuring needs: packages, the release build, and the C programs of this folder."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / ".build-release"
OUTPUT = SCRATCH / "bench"

PACKAGES = "gcc libc6-dev libcurl4-openssl-dev libsqlite3-dev libssl-dev pkg-config nghttp2-client openssl strace"
COMMANDS = ["cc", "h2load", "openssl", "strace"]
LIBRARIES = {"load": [], "bare-curl": ["-lcurl"], "bare-sqlite": ["-lsqlite3"], "sink": ["-lnghttp2", "-lssl", "-lcrypto"]}
# Loaded into a program in the place of what it would call.
PRELOADED = {"counting": ["-shared", "-fPIC", "-ldl"]}


class Failure(Exception):
    """Why there is nothing to report, in words for whoever asked."""


class Programs(NamedTuple):
    pushgate: Path
    load: Path
    bare_curl: Path
    bare_sqlite: Path
    sink: Path
    counting: Path


def prepare() -> Programs:
    if not Path("/proc/self/status").exists():
        raise Failure("this needs Linux: epoll for the load, /proc for the memory")
    install()
    pushgate = build("pushgate")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    return Programs(pushgate, *(compile_program(name, flags) for name, flags in (LIBRARIES | PRELOADED).items()))


def install(packages: str = PACKAGES, commands: list[str] = COMMANDS) -> None:
    """As the Makefile does, with what is needed here beside what pushgate links with."""
    run(["make", "--no-print-directory", "-C", str(ROOT), "packages", f"DEBIAN_PACKAGES={packages}"])
    for command in commands:
        if not shutil.which(command):
            raise Failure(f"{command} is not on the PATH; install it (Debian's names: {packages})")


def build(product: str) -> Path:
    """Release, and in a folder of its own: figures of a debug build would say nothing."""
    swift = os.environ.get("SWIFT", "swift")
    command = [swift, "build", "--package-path", str(ROOT), "--scratch-path", str(SCRATCH)]
    command += ["--configuration", "release", "--product", product]
    print("Building the release configuration into .build-release; the first time takes minutes.", flush=True)
    # Package.swift: what is built for measurements alone.
    environment = os.environ | {"PUSHGATE_BENCHMARKS": "1"}
    run(command, environment)
    folder = subprocess.run([*command, "--show-bin-path"], check=True, capture_output=True, text=True, env=environment).stdout.strip()
    if Path(folder).name != "release":
        raise Failure(f"{folder} does not hold a release build, and no other is measured")
    return Path(folder) / product


def compile_program(name: str, flags: list[str]) -> Path:
    target = OUTPUT / name
    source = Path(__file__).resolve().parents[1] / name / "main.c"
    run(["cc", "-std=gnu11", "-O2", "-Wall", "-o", str(target), str(source), *flags])
    return target


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    if subprocess.run(command, env=environment).returncode != 0:
        raise Failure(f"{command[0]} failed; its own words are above")

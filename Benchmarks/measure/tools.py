"""The requirements of a measurement: packages, the release build, and the C programs of this folder."""

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
LIBRARIES = {
    "load": [], "bare-curl": ["-lcurl"], "bare-sqlite": ["-lsqlite3"], "bare-webpush": ["-lcrypto"],
    "sink": ["-lnghttp2", "-lssl", "-lcrypto"],
}
# The library that is preloaded into a program.
PRELOADED = {"counting": ["-shared", "-fPIC", "-ldl"]}


class Failure(Exception):
    """An error that ends the measurement, as a sentence for the user."""


class Programs(NamedTuple):
    pushgate: Path
    load: Path
    bare_curl: Path
    bare_sqlite: Path
    bare_webpush: Path
    sink: Path
    counting: Path


def prepare(built: Path | None) -> Programs:
    if not Path("/proc/self/status").exists():
        raise Failure("measurements need Linux, for epoll and /proc")
    install()
    pushgate = found(built / "pushgate") if built else build("pushgate")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    return Programs(pushgate, *(compile_program(name, flags) for name, flags in (LIBRARIES | PRELOADED).items()))


def found(program: Path) -> Path:
    if not program.is_file():
        raise Failure(f"there is no {program}; build it first, or leave out --built")
    return released(program.resolve())


def released(program: Path) -> Path:
    """Returns a program of a release build, because figures of a debug build are meaningless."""
    if program.parent.name != "release":
        raise Failure(f"{program} is not of a release build, which a measurement needs")
    return program


def install(packages: str = PACKAGES, commands: list[str] = COMMANDS) -> None:
    """Installs packages as the Makefile does: the libraries of pushgate, and the programs used here."""
    run(["make", "--no-print-directory", "-C", str(ROOT), "packages", f"DEBIAN_PACKAGES={packages}"])
    for command in commands:
        if not shutil.which(command):
            raise Failure(f"{command} is not on the PATH; install it (Debian's names: {packages})")


def build(product: str) -> Path:
    """Builds the release configuration in a folder of its own.

    It is built without debug information, which takes time and changes no instruction, and without what tests need.
    """
    swift = os.environ.get("SWIFT", "swift")
    command = [swift, "build", "--package-path", str(ROOT), "--scratch-path", str(SCRATCH)]
    command += ["--configuration", "release", "-debug-info-format", "none", "--product", product]
    print("Building the release configuration into .build-release; the first time takes minutes.", flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PUSHGATE_TESTABLE"}
    run(command, environment)
    shown = subprocess.run(
        [*command, "--show-bin-path"], check=True, capture_output=True, text=True, env=environment).stdout
    return released(Path(shown.strip()) / product)


def compile_program(name: str, flags: list[str]) -> Path:
    target = OUTPUT / name
    source = Path(__file__).resolve().parents[1] / name / "main.c"
    run(["cc", "-std=gnu11", "-O2", "-Wall", "-o", str(target), str(source), *flags])
    return target


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    if subprocess.run(command, env=environment).returncode != 0:
        raise Failure(f"{command[0]} failed; its output is above")

"""Programs in other languages, which get the emulator's variable and print a line for each step that was right."""

import os
import shutil
import subprocess
from pathlib import Path

from .api import PROJECT
from .gateway import ROOT, Failure

PROGRAMS = Path(__file__).resolve().parents[1] / "languages"
GO_PACKAGES = Path("/usr/share/gocode")
GO_CLIENT = GO_PACKAGES / "src/cloud.google.com/go/firestore"
PROGRAM_SECONDS = 2400
GO_STEPS = 8


def run_go(address: str) -> bool | None:
    """Runs Go's client as Debian has it. Returns `None` if it cannot be run here."""
    if not shutil.which("go") or not GO_CLIENT.exists():
        print("Go skipped: it needs Debian's golang-go and golang-google-cloud-dev.", flush=True)
        return None
    environment = {
        "GO111MODULE": "off", "GOPATH": str(GO_PACKAGES), "GOFLAGS": "", "GOCACHE": str(ROOT / ".build/firestore-clients/go"),
        "FIRESTORE_EMULATOR_HOST": address, "GCLOUD_PROJECT": PROJECT}
    try:
        result = subprocess.run(
            ["go", "run", str(PROGRAMS / "client.go")], env=os.environ | environment, capture_output=True, text=True,
            timeout=PROGRAM_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"the program in Go did not end within {PROGRAM_SECONDS} s: {error.stdout!r}") from None
    steps = [line for line in result.stdout.splitlines() if line.startswith("ok ")]
    print(result.stdout, end="", flush=True)
    if result.returncode or len(steps) != GO_STEPS:
        print(f"FAILED Go, after {len(steps)} of {GO_STEPS} steps:\n{result.stderr}", flush=True)
        return False
    return True

"""Fills the disk of the gateway's data for a while."""

import math
import random
import time

from measure.servers import START_SECONDS, Gateway, request
from measure.tools import Failure

from .load import PATIENCE
from .phase import Phase
from .small_disk import SmallDisk

# Space for some 40,000 triggers with the database's log. A smaller disk would give 503 before it is filled, which
# is a fault.
MEBIBYTES = 256
# Seconds until triggers must be refused. The log accepts triggers for a while after the disk is full.
FILLED_SECONDS = 300
# Seconds after which triggers must be accepted again on a disk with free space.
RECOVERY_SECONDS = 20
# The number of refusals to wait for.
REFUSALS = 20
# The log text of a gateway that runs without having written its address.
UNFINDABLE = "failed to record the address; the command line needs --server to find this gateway"
# A gateway that delivers has Firestore's interface only with this setting.
SETTINGS = {"PUSHGATE_FIRESTORE_ENABLED": "true"}
DOCUMENTS = "projects/chaos/databases/(default)/documents"
# A number of lines above any log's length: the line may come before many others.
EVERYTHING = 10**6


def fill_again_and_again(phase: Phase, disk: SmallDisk, cycles: int) -> None:
    gateway = phase.launch(SETTINGS).__enter__()
    phase.load.register_agents(gateway)
    for cycle in range(1, cycles + 1):
        phase.misbehave()
        refused = phase.load.refused
        with phase.load.on(gateway):
            time.sleep(random.uniform(0.3, 1))
            fill(phase, disk, gateway)
            seconds = free(phase, disk)
            time.sleep(random.uniform(0.3, 1))
            fill(phase, disk, gateway)
            # In every other cycle, the space that the killed gateway leaves is enough for the next start.
            if cycle % 2 == 0:
                disk.stop_filling()
            phase.load.kill(gateway)
        survivor = start_on_full_disk(phase)
        gateway = survived(phase, disk, survivor) if survivor else started_with_room(phase, disk)
        print(
            f"disk {cycle:2}: {phase.load.refused - refused:5} requests refused, recovered in {seconds:.2f} s; "
            f"killed; the next start {'succeeded' if survivor else 'reported the full disk'}", flush=True)
    phase.load.kill(gateway)


def fill(phase: Phase, disk: SmallDisk, gateway: Gateway) -> None:
    phase.load.refusals_until = math.inf
    disk.fill()
    wait_for_refusals(phase)
    expect_refused_commit(gateway)
    time.sleep(random.uniform(0, 1))


def wait_for_refusals(phase: Phase) -> None:
    refused = phase.load.refused
    phase.load.wait_until(
        lambda: phase.load.refused >= refused + REFUSALS, FILLED_SECONDS, "too few refusals on a full disk")


def expect_refused_commit(gateway: Gateway) -> None:
    """Commits a document over Firestore's interface until it is refused. The database's log may accept some commits."""
    fields = {"text": {"stringValue": "x" * 100_000}}
    body = {"writes": [{"update": {"name": f"{DOCUMENTS}/notes/full", "fields": fields}}]}
    deadline = time.monotonic() + FILLED_SECONDS
    while (answer := request(gateway.url, "POST", f"/v1/{DOCUMENTS}:commit", body, timeout=PATIENCE)).status == 200:
        if time.monotonic() > deadline:
            raise Failure("no commit of Firestore's interface was refused on a full disk")
    # Its clients repeat a commit after any other code for a full disk.
    if answer.status != 400 or "FAILED_PRECONDITION" not in answer.text:
        raise Failure(f"a commit on a full disk was answered with {answer.status}: {answer.text}")


def free(phase: Phase, disk: SmallDisk) -> float:
    """Frees the disk, waits until triggers are accepted again, and returns the seconds until then."""
    disk.free()
    accepted = len(phase.load.accepted)
    phase.load.refusals_until = time.monotonic() + RECOVERY_SECONDS
    return phase.load.wait_until(
        lambda: len(phase.load.accepted) > accepted, RECOVERY_SECONDS, "no trigger accepted on the freed disk")


def survived(phase: Phase, disk: SmallDisk, gateway: Gateway) -> Gateway:
    """Checks that a gateway started on a full disk refuses triggers, and accepts them on a freed one."""
    with phase.load.on(gateway):
        wait_for_refusals(phase)
        expect_refused_commit(gateway)
        free(phase, disk)
    return gateway


def started_with_room(phase: Phase, disk: SmallDisk) -> Gateway:
    disk.free()
    phase.load.refusals_until = 0
    return phase.launch(SETTINGS).__enter__()


def start_on_full_disk(phase: Phase) -> Gateway | None:
    """Returns a listening gateway, or `None` if it has no address file or ended, and logged that the disk is full."""
    gateway = phase.launch(SETTINGS)
    deadline = time.monotonic() + START_SECONDS
    while gateway.process.poll() is None and UNFINDABLE not in gateway.words(EVERYTHING):
        if gateway.noted_address():
            return gateway.__enter__()
        if time.monotonic() > deadline:
            raise Failure(f"the gateway that was started on a full disk neither listens nor ends:\n{gateway.words()}")
        time.sleep(0.02)
    gateway.process.kill()
    gateway.process.wait()
    if "disk is full" not in gateway.words(EVERYTHING) and "the disk full?" not in gateway.words(EVERYTHING):
        raise Failure(f"the gateway that was started on a full disk did not report it. Its log:\n{gateway.words()}")
    return None

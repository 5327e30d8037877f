"""Keeps the disk of the gateway's data nearly full for a while: new data is refused, and the rest goes on."""

import math
import time

from measure.tools import Failure

from .full_disk import free, wait_for_refusals
from .phase import Phase
from .small_disk import SmallDisk

# The MiB that must stay free, and the MiB that are left, which exceed the reserve for the database's log.
BOUND, LEFT = 96, 80
# The installation of a device that unregisters in the meantime.
PHONE = "a-phone-that-goes"
# The seconds after the first refusal from which no trigger is accepted. The free space is read once a second.
SETTLED_SECONDS = 4


def stay_above_the_bound(phase: Phase, disk: SmallDisk) -> None:
    gateway = phase.launch({"PUSHGATE_DATA_MINIMUM_FREE_BYTES": str(BOUND << 20)}).__enter__()
    phase.load.register_agents(gateway)
    phase.load.register(gateway, "/srv/projects/left", PHONE, "f" * 64)
    with phase.load.on(gateway):
        time.sleep(0.5)
        phase.load.refusals_until = math.inf
        disk.fill_all_but(LEFT)
        wait_for_refusals(phase)
        time.sleep(SETTLED_SECONDS)
        accepted, room = len(phase.load.accepted), disk.free_bytes()
        wait_for_refusals(phase)
        if len(phase.load.accepted) > accepted:
            raise Failure("a trigger was accepted on a nearly full disk")
        if phase.load.unregister(gateway, PHONE) != 1:
            raise Failure("a device could not unregister on a nearly full disk")
        seconds = free(phase, disk)
    gateway.stop()
    phase.load.refusals_until = 0
    print(
        f"nearly full: {phase.load.refused:5} requests refused with {room >> 20} MiB free, 1 phone unregistered, "
        f"recovered in {seconds:.2f} s", flush=True)

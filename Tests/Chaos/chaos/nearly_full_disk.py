"""The disk of the gateway's data is nearly full for a while: nothing new is accepted, and the rest goes on."""

import math
import time

from measure.tools import Failure

from .full_disk import free, wait_for_refusals
from .phase import Phase
from .small_disk import SmallDisk

# What must stay free, and what is left of the disk: more than the database's log needs, which has room of its own.
BOUND, LEFT = 96, 80
# A phone that unregisters meanwhile.
PHONE = "a-phone-that-goes"
# The room is looked at once a second; so long after the first refusal nothing is accepted any more.
SETTLED_SECONDS = 1.5


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
            raise Failure("a trigger was accepted though the disk is nearly full")
        if phase.load.unregister(gateway, PHONE) != 1:
            raise Failure("a phone could not unregister while the disk is nearly full")
        seconds = free(phase, disk)
    gateway.stop()
    phase.load.refusals_until = 0
    print(
        f"nearly full: {phase.load.refused:5} requests refused with {room >> 20} MiB free, a phone unregistered; "
        f"accepted again after {seconds:.2f} s", flush=True)

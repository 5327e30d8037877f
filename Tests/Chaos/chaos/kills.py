"""Kills the gateway at random moments."""

import random
import time

from .phase import Phase


def kill_again_and_again(phase: Phase, cycles: int) -> None:
    gateway = phase.start()
    phase.load.register_agents(gateway)
    gateway.stop()
    for cycle in range(1, cycles + 1):
        phase.misbehave()
        before = len(phase.load.accepted)
        gateway = phase.start()
        with phase.load.on(gateway):
            time.sleep(random.uniform(0.3, 2.5))
            phase.load.kill(gateway)
        print(f"cycle {cycle:2}: {len(phase.load.accepted) - before:5} triggers accepted before the kill", flush=True)

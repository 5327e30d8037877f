"""Kills an author's relay, and the gateway that sends through it, at random moments."""

import random
import time

from .relay_phase import RelayPhase

# The longest time until the next process starts on the data of one that was killed.
DOWN_SECONDS = 1.0


def kill_relays_and_senders(phase: RelayPhase, cycles: int) -> None:
    phase.start_relay()
    gateway = phase.start()
    phase.load.register_agents(gateway)
    gateway.stop()
    kinds = []
    for cycle in range(1, cycles + 1):
        if not kinds:
            kinds = [kill_sender, kill_relay, kill_both]
            random.shuffle(kinds)
        before = len(phase.load.accepted)
        phase.misbehave()
        words = kinds.pop()(phase)
        print(f"cycle {cycle:2}: {len(phase.load.accepted) - before:5} triggers accepted; {words}", flush=True)


def kill_sender(phase: RelayPhase) -> str:
    gateway = phase.start()
    with phase.load.on(gateway):
        wait(0.3, 2.5)
        phase.kill_sender(gateway)
    return "the gateway was killed"


def kill_relay(phase: RelayPhase) -> str:
    """Kills the relay under load again and again, and the gateway in the end."""
    gateway, count = phase.start(), random.randint(1, 3)
    with phase.load.on(gateway):
        for _ in range(count):
            wait(0.3, 1.5)
            phase.kill_relay()
            wait(0, DOWN_SECONDS)
            phase.start_relay()
        wait(0.3, 1.5)
        phase.kill_sender(gateway)
    return f"the relay was killed {count} times, then the gateway"


def kill_both(phase: RelayPhase) -> str:
    gateway = phase.start()
    with phase.load.on(gateway):
        wait(0.3, 2.5)
        phase.kill_relay()
        phase.kill_sender(gateway)
    phase.start_relay()
    return "both were killed"


def wait(least: float, most: float) -> None:
    time.sleep(random.uniform(least, most))

"""Kills the gateway at random moments."""

import random
import signal
import time
from typing import Any

from measure.servers import ARRIVAL_SECONDS, BUNDLE_ID
from measure.tools import Failure

from .outages import Outage, OutagePhase

# A notification that Apple's side answered so many seconds before a kill must not be sent again (docs/messaging.md).
SETTLED_SECONDS = 1.0
# The longest time until a held lane goes on: two waits of it, 5 s and 10 s, on a slow machine.
RESUMED_SECONDS = 60
# The log's text about one of Apple's lanes that is held up.
HELD = f"lane=apns/{BUNDLE_ID}/"


def kill_again_and_again(phase: OutagePhase, cycles: int) -> None:
    gateway = phase.start()
    phase.load.register_agents(gateway)
    gateway.stop()
    kinds: list[Any] = []
    for cycle in range(1, cycles + 1):
        if not kinds:
            kinds = [kill_among_faults, kill_after_answers, *phase.outages()]
            random.shuffle(kinds)
        kind = kinds.pop()
        before = len(phase.load.accepted)
        words = kill_in_outage(phase, kind) if isinstance(kind, Outage) else kind(phase)
        print(f"cycle {cycle:2}: {len(phase.load.accepted) - before:5} triggers accepted; {words}", flush=True)


def kill_among_faults(phase: OutagePhase) -> str:
    phase.misbehave()
    gateway = phase.start()
    with phase.load.on(gateway):
        time.sleep(random.uniform(0.3, 2.5))
        phase.load.kill(gateway)
    return "connections broke before the kill"


def kill_after_answers(phase: OutagePhase) -> str:
    """Kills a gateway none of whose answers is lost, and checks that the next one does not repeat what was answered."""
    phase.behave_gently()
    began = now()
    gateway = phase.start()
    with phase.load.on(gateway):
        time.sleep(random.uniform(2, 2 + SETTLED_SECONDS))
        killed = now()
        phase.load.kill(gateway)
    gateway = phase.start()
    with phase.load.on(gateway):
        wait_until_accepted(phase)
        time.sleep(random.uniform(0.3, 1))
        phase.load.kill(gateway)
    settled = killed - round(SETTLED_SECONDS * 1000)
    number = expect_no_copies(phase.received(), began, settled, killed)
    return f"{number} notifications had been answered {SETTLED_SECONDS} s before the kill, and none was sent again"


def expect_no_copies(notifications: list[dict[str, Any]], began: int, settled: int, killed: int) -> int:
    """Returns how many were accepted before a moment. A copy of one of them after the kill is a failure."""
    accepted = [item for item in notifications if item["status"] == 200]
    before = {item["apns_id"]: item["received_at"] for item in accepted if began <= item["received_at"] < settled}
    copies = [item for item in accepted if item["received_at"] > killed and item["apns_id"] in before]
    if copies:
        seconds = max(killed - before[item["apns_id"]] for item in copies) / 1000
        raise Failure(
            f"{len(copies)} of {len(before)} notifications that were accepted before the kill arrived again after it, "
            f"one that was accepted {seconds:.1f} s before it, for example: {copies[0]}")
    return len(before)


def kill_in_outage(phase: OutagePhase, outage: Outage) -> str:
    """Kills a gateway in an outage, and ends that under the next one, which must then deliver what is left.

    It is told by SIGHUP, or finds out by itself, under load in both cases.
    """
    phase.behave_gently()
    gateway = phase.start()
    with phase.load.on(gateway):
        time.sleep(random.uniform(0.3, 1))
        outage.begin()
        time.sleep(random.uniform(0.3, 1))
        phase.load.kill(gateway)
    accepted = phase.simulator.status()["accepted"]
    gateway = phase.start()
    with phase.load.on(gateway):
        phase.load.wait_until(
            lambda: HELD in gateway.log.read_text(errors="replace"), ARRIVAL_SECONDS,
            "no lane was held up in an outage")
        time.sleep(random.uniform(0.3, 1))
        if phase.simulator.status()["accepted"] != accepted:
            raise Failure(f"notifications were accepted although Apple's side was {outage.name}")
        outage.end()
        # Either the next attempt finds it ended, or the gateway is told.
        if random.random() < 0.5:
            gateway.process.send_signal(signal.SIGHUP)
        seconds = phase.load.wait_until(
            lambda accepted=phase.simulator.status()["accepted"]: phase.simulator.status()["accepted"] > accepted,
            RESUMED_SECONDS, "although the outage is over, no notification arrived under load")
        time.sleep(random.uniform(0.3, 1))
        phase.load.kill(gateway)
    return f"Apple's side {outage.name}, killed, delivered {seconds:.1f} s after the end of that"


def wait_until_accepted(phase: OutagePhase) -> float:
    accepted = phase.simulator.status()["accepted"]
    return phase.load.wait_until(
        lambda: phase.simulator.status()["accepted"] > accepted, ARRIVAL_SECONDS, "no notification arrived")


def now() -> int:
    return time.time_ns() // 1_000_000

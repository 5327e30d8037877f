"""A simulator, successive gateways on the same data, their load, and the count of lost notifications."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure.servers import Gateway, Simulator, ask
from measure.tools import Failure

from .load import Load, Trigger

# The completion id of a trigger, and the token of a device.
Notification = tuple[str, str]
# The ids under which notifications arrived, in the order of their first arrivals.
Arrivals = dict[Notification, list[str]]

# The scripts of each cycle's connections, in their order; all later connections follow the last one.
CONNECTIONS: list[dict[str, Any]] = [
    {"goaway": {"after": 40, "leave_out_last": True}},
    {"break": {"after": 60, "with": "reset"}},
    {"stall_after": 80},
    {"break": {"after": 30, "with": "close", "in_answer": True}},
    {"stall_handshake": True},
    {"refuse_every": 7, "stream_limits": [{"after": 20, "limit": 1}, {"after": 40, "limit": 1000}]},
    {"times": None, "goaway": {"after": 150, "reason": "Shutdown", "leave_out_last": True}, "refuse_every": 23},
]


class Phase:
    def __init__(self, pushgate: Path, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.pushgate, self.data = pushgate, folder / "data"
        self.load = Load()
        self.gateway: Gateway | None = None
        self.simulator = Simulator(pushgate, folder / "simulator")

    def __enter__(self) -> "Phase":
        self.simulator.__enter__()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.gateway:
            self.gateway.process.kill()
            self.gateway.process.wait()
        self.simulator.stop()

    def start(self) -> Gateway:
        """Starts a gateway on the data of the previous one, and returns it when it listens."""
        return self.launch().__enter__()

    def launch(self, settings: dict[str, str] = {}) -> Gateway:
        """Starts a gateway without a wait for its listener. Removes the stale address of a killed gateway first."""
        (self.data / "address").unlink(missing_ok=True)
        self.gateway = Gateway(self.pushgate, self.data, self.apns, settings)
        return self.gateway

    @property
    def apns(self) -> dict[str, str]:
        """The addresses of the simulator for a gateway."""
        return self.simulator.addresses

    def misbehave(self) -> None:
        first = CONNECTIONS[:-1]
        random.shuffle(first)
        ask(self.control, "PUT", "/connections", {"connections": first + CONNECTIONS[-1:]})

    def conclude(self, patience: int) -> None:
        """Starts a last gateway without chaos to deliver the rest. A lost notification is a failure."""
        ask(self.control, "DELETE", "/connections")
        gateway = self.start()
        self.load.trigger_phones(gateway)
        arrived = self.deliveries(patience)
        gateway.stop()
        self.report(arrived)

    @property
    def control(self) -> str:
        return self.simulator.addresses["control"]

    def wanted(self) -> set[Notification]:
        """Returns each accepted trigger with each of its tokens."""
        return {(run, token) for run in self.load.accepted for token in self.load.triggers[run].tokens}

    def deliveries(self, patience: int) -> Arrivals:
        """Returns the ids under which each notification arrived, when none is missing or the time is over."""
        deadline = time.monotonic() + patience
        while True:
            arrived: Arrivals = {}
            for notification, id in self.arrivals():
                arrived.setdefault(notification, []).append(id)
            if not self.missing(arrived) or time.monotonic() > deadline:
                return arrived
            time.sleep(2)

    def arrivals(self) -> Iterator[tuple[Notification, str]]:
        """Returns the accepted notifications with their ids, those of a device in the order in which they arrived."""
        for item in self.received():
            if item["status"] == 200:
                yield (item["payload"]["completion_id"], item["token"]), item["apns_id"]

    def missing(self, arrived: Arrivals) -> set[Notification]:
        """Returns the notifications that did not arrive, and that none which arrived may have replaced."""
        lines: dict[tuple[str, str], list[Trigger]] = {}
        for run, token in arrived:
            trigger = self.load.triggers[run]
            lines.setdefault((trigger.agent, token), []).append(trigger)
        missing = set()
        for run, token in self.wanted() - arrived.keys():
            trigger = self.load.triggers[run]
            if all(other.precedes(trigger) for other in lines.get((trigger.agent, token), [])):
                missing.add((run, token))
        return missing

    def overtaken(self, arrived: Arrivals) -> list[tuple[Notification, Notification]]:
        """Returns the notifications that arrived for the first time after one that had replaced them, with that one."""
        overtaken, newest = [], {}
        # The keys are in the order of their first arrivals.
        for run, token in arrived:
            trigger = self.load.triggers[run]
            line = trigger.agent, token
            if line in newest and trigger.precedes(self.load.triggers[newest[line]]):
                overtaken.append(((run, token), (newest[line], token)))
            elif line not in newest or self.load.triggers[newest[line]].began < trigger.began:
                newest[line] = run
        return overtaken

    def received(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        while page := ask(
            self.control, "GET", f"/notifications?limit=10000&offset={len(items)}&timeout=0",
        )["notifications"]:
            items += page
        return items

    def report(self, arrived: Arrivals, is_ordered: bool = True) -> None:
        """Prints the counts.

        A notification is lost if it did not arrive and no newer one of its agent did. With `is_ordered`, none may arrive
        after one that has replaced it: several gateways send at the same time, and keep no order of what is in flight.
        """
        want = self.wanted()
        lost = self.missing(arrived)
        overtaken = self.overtaken(arrived)
        renamed = sum(len(set(ids)) > 1 for ids in arrived.values())
        print(
            f"\naccepted    {len(self.load.accepted):7,} triggers, {len(want):,} notifications; "
            f"{len(self.load.phones):,} registrations"
            f"\nrefused     {self.load.refused:7,} with 503"
            f"\ndelivered   {len(want & arrived.keys()):7,}"
            f"\nsuperseded  {len(want - arrived.keys() - lost):7,}"
            f"\nlost        {len(lost):7,}"
            f"\novertaken   {len(overtaken):7,}"
            f"\nduplicates  {sum(map(len, arrived.values())) - len(arrived):7,}, with another id: {renamed}"
            f"\nconnections {ask(self.control, 'GET', '/status')['connections_opened']:7,}\n", flush=True)
        if lost:
            words = self.gateway.words() if self.gateway else ""
            raise Failure(f"lost, for example: {sorted(lost)[:3]}\nThe gateway's log ends with:\n{words}")
        if overtaken and is_ordered:
            raise Failure(f"an older notification arrived after a newer one, for example: {overtaken[:3]}")
        if renamed or not want:
            raise Failure("a notification arrived under two ids" if want else "no trigger was accepted")

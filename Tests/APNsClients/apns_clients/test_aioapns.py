"""`aioapns`, which sends over connections that it keeps."""

import asyncio
import ssl
import time
import unittest
from typing import Any

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

from .simulator import TOPIC, AppleSide, end, start, update

SECONDS = int(time.time())
TOKEN = "81" * 80
# As many as fit into the first window of a connection.
UPDATES = 500


def client(simulator: AppleSide) -> APNs:
    """Returns the library's client, with the simulator's address in place of Apple's."""

    class Protocol(APNsProductionClientProtocol):
        APNS_SERVER = "127.0.0.1"
        APNS_PORT = int(simulator.addresses["apns"].rpartition(":")[2])

    made = APNs(
        key=simulator.key, key_id=simulator.addresses["key_id"], team_id=simulator.addresses["team_id"], topic=TOPIC,
        ssl_context=ssl.create_default_context(cafile=simulator.addresses["ca_file"]), max_connections=1,
        err_func=ignore)
    made.pool.protocol_class = Protocol
    return made


async def ignore(*_: Any) -> None:
    """Takes the refusals that the tests expect, which the library would log."""


class AioapnsTests(unittest.IsolatedAsyncioTestCase):
    simulator: AppleSide

    async def asyncSetUp(self) -> None:
        self.simulator.ask("DELETE", "/answers")
        self.simulator.reset()
        self.client = client(self.simulator)

    async def asyncTearDown(self) -> None:
        self.client.pool.close()

    async def send(self, payload: dict[str, Any], priority: int = 5, token: str = TOKEN) -> Any:
        return await self.client.send_notification(
            NotificationRequest(
                device_token=token, message=payload, priority=priority, time_to_live=3600,
                push_type=PushType.LIVEACTIVITY))

    async def test_a_card_starts_changes_and_ends(self) -> None:
        for payload, priority in [(start(SECONDS), 10), (update(SECONDS + 1, 1), 5), (end(SECONDS + 2), 10)]:
            self.assertTrue((await self.send(payload, priority)).is_successful)
        received = self.simulator.received(token=TOKEN, wait_for=3)
        self.assertEqual([one["payload"]["aps"]["event"] for one in received], ["start", "update", "end"])
        self.assertEqual([one["headers"]["apns-priority"] for one in received], ["10", "5", "10"])
        self.assertEqual({one["headers"]["apns-push-type"] for one in received}, {"liveactivity"})
        self.assertNotIn("deviations", received[0])

    async def test_updates_that_are_sent_at_once_arrive_in_order(self) -> None:
        self.assertTrue((await self.send(start(SECONDS), 10)).is_successful)
        results = await asyncio.gather(*(self.send(update(SECONDS, step)) for step in range(UPDATES)))
        self.assertTrue(all(result.is_successful for result in results))
        received = self.simulator.received(token=TOKEN, wait_for=UPDATES + 1)
        steps = [one["payload"]["aps"]["content-state"]["step"] for one in received[1:]]
        self.assertEqual(steps, list(range(UPDATES)))

    async def test_refusals_are_its_results(self) -> None:
        large = {"aps": {"event": "update", "timestamp": SECONDS, "content-state": {"text": "x" * 4096}}}
        for payload, token, expected in [
            (update(SECONDS, 1), "no-token", ("400", "BadDeviceToken")), (large, TOKEN, ("413", "PayloadTooLarge")),
        ]:
            result = await self.send(payload, token=token)
            self.assertEqual((result.status, result.description), expected)
        self.simulator.script_token(TOKEN, {"status": 410, "reason": "Unregistered", "timestamp": 1_795_297_650_276})
        result = await self.send(end(SECONDS))
        self.assertEqual((result.status, result.description), ("410", "Unregistered"))
        self.assertEqual(result.timestamp, 1_795_297_650_276)
        self.assertTrue((await self.send(end(SECONDS))).is_successful)

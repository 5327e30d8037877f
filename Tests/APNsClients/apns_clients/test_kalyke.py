"""`kalyke-apns` and its client for Live Activities."""

import unittest
from datetime import datetime, timedelta
from typing import Any

from kalyke import (
    ApnsPriority, LiveActivityApnsConfig, LiveActivityClient, LiveActivityEvent, LiveActivityPayload, exceptions)

from .simulator import TOPIC, AppleSide, end, start, update

NOW = datetime.now()
SECONDS = int(NOW.timestamp())
# The tokens of Live Activities are longer than those of devices.
TOKEN = "80" * 80
NORMAL = LiveActivityApnsConfig(topic=TOPIC, priority=ApnsPriority.BASED_ON_POWER)
URGENT = LiveActivityApnsConfig(topic=TOPIC, priority=ApnsPriority.IMMEDIATELY)


def client(simulator: AppleSide) -> LiveActivityClient:
    """Returns the library's client, with the simulator's address in place of Apple's."""

    class Client(LiveActivityClient):
        @property
        def _base_url(self) -> str:
            return simulator.addresses["apns"]

    return Client(
        use_sandbox=True, team_id=simulator.addresses["team_id"], auth_key_id=simulator.addresses["key_id"],
        auth_key_filepath=simulator.addresses["key_path"])


class KalykeTests(unittest.IsolatedAsyncioTestCase):
    simulator: AppleSide
    strict: AppleSide

    def setUp(self) -> None:
        self.simulator.ask("DELETE", "/answers")
        self.simulator.reset()

    async def send(self, payload: Any, config: LiveActivityApnsConfig = NORMAL, token: str = TOKEN) -> str:
        return await client(self.simulator).send_message(device_token=token, payload=payload, apns_config=config)

    async def test_a_card_starts_changes_and_ends(self) -> None:
        content = {"step": 1, "text": "Läuft"}
        changes = [
            (start(SECONDS), URGENT),
            (LiveActivityPayload(timestamp=NOW, content_state=content, stale_date=NOW + timedelta(minutes=15)), NORMAL),
            (LiveActivityPayload(
                timestamp=NOW, event=LiveActivityEvent.END, content_state=content,
                dismissal_date=NOW + timedelta(minutes=15)), URGENT),
        ]
        ids = [await self.send(payload, config) for payload, config in changes]
        received = self.simulator.received(token=TOKEN, wait_for=3)
        self.assertEqual([one["status"] for one in received], [200] * 3)
        self.assertEqual([one["apns_id"] for one in received], ids)
        self.assertEqual([one["payload"]["aps"]["event"] for one in received], ["start", "update", "end"])
        self.assertEqual([one["headers"]["apns-priority"] for one in received], ["10", "5", "10"])
        self.assertEqual({one["headers"]["apns-topic"] for one in received}, {TOPIC})
        self.assertEqual({one["headers"]["apns-push-type"] for one in received}, {"liveactivity"})
        self.assertEqual(received[1]["payload"]["aps"]["content-state"], content)
        self.assertEqual(received[1]["payload"]["aps"]["stale-date"], SECONDS + 900)
        self.assertEqual(received[2]["payload"]["aps"]["dismissal-date"], SECONDS + 900)

    async def test_its_own_payload_of_a_start_has_no_attributes(self) -> None:
        # Apple answers 200, and the phone shows nothing.
        payload = LiveActivityPayload(
            timestamp=NOW, event=LiveActivityEvent.START, content_state={}, attributes_type="Run", attributes={})
        await self.send(payload)
        aps = self.simulator.received(token=TOKEN, wait_for=1)[0]["payload"]["aps"]
        self.assertEqual(aps["event"], "start")
        self.assertNotIn("attributes", aps)

    async def test_its_provider_token_deviates_as_apple_tolerates(self) -> None:
        await self.send(update(SECONDS, 1))
        self.assertEqual(self.simulator.received(token=TOKEN)[0]["deviations"], ["iat_string"])
        with self.assertRaises(exceptions.InvalidProviderToken):
            await client(self.strict).send_message(device_token=TOKEN, payload=update(SECONDS, 1), apns_config=NORMAL)

    async def test_refusals_are_its_exceptions(self) -> None:
        large = {"aps": {"event": "update", "timestamp": SECONDS, "content-state": {"text": "x" * 4096}}}
        for payload, token, kind in [
            (update(SECONDS, 1), "no-token", exceptions.BadDeviceToken), (large, TOKEN, exceptions.PayloadTooLarge),
        ]:
            with self.subTest(kind=kind.__name__), self.assertRaises(kind):
                await self.send(payload, token=token)
        for status, reason in [
            (410, "Unregistered"), (410, "ExpiredToken"), (429, "TooManyRequests"), (403, "ExpiredProviderToken"),
            (400, "DeviceTokenNotForTopic"), (503, "ServiceUnavailable"), (500, "InternalServerError"),
        ]:
            self.simulator.script_token(TOKEN, {"status": status, "reason": reason})
            with self.subTest(reason=reason), self.assertRaises(getattr(exceptions, reason)):
                await self.send(end(SECONDS))
        # A dead token of a card is answered 200, as at Apple: no answer tells of it.
        await self.send(end(SECONDS))

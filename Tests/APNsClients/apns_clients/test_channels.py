"""Broadcast channels by an HTTP/2 client that knows nothing of APNs, as Apple's own examples use curl."""

import ssl
import time
import unittest
from typing import Any

import httpx2

from .simulator import BUNDLE_ID, AppleSide, end, start, update

SECONDS = int(time.time())
MANAGED = f"/1/apps/{BUNDLE_ID}/channels"
LISTED = f"/1/apps/{BUNDLE_ID}/all-channels"
PUBLISHED = f"/4/broadcasts/apps/{BUNDLE_ID}"
LIMIT = 5
OPTIONS = ("--channel-limit", str(LIMIT))


class ChannelTests(unittest.TestCase):
    simulator: AppleSide

    def setUp(self) -> None:
        self.simulator.ask("DELETE", "/answers")
        self.simulator.reset()
        context = ssl.create_default_context(cafile=self.simulator.addresses["ca_file"])
        self.client = httpx2.Client(http1=False, http2=True, verify=context, trust_env=False)
        self.addCleanup(self.client.close)
        self.addCleanup(self.delete_all)

    def request(self, host: str, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        fields = {"authorization": self.simulator.authorization}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.request(method, self.simulator.addresses[host] + path, json=body, headers=fields)

    def create(self, policy: Any = 1, kind: Any = "LiveActivity") -> httpx2.Response:
        return self.request("channels", "POST", MANAGED, {"message-storage-policy": policy, "push-type": kind})

    def made(self, policy: int = 1) -> str:
        answer = self.create(policy)
        self.assertEqual(answer.status_code, 201)
        return answer.headers["apns-channel-id"]

    def publish(self, channel: str | None, body: Any = None, **changes: str | None) -> tuple[int, str | None]:
        headers: dict[str, str | None] = {
            "apns_channel_id": channel, "apns_push_type": "liveactivity", "apns_priority": "5", "apns_expiration": "0"}
        given = {name: value for name, value in (headers | changes).items() if value is not None}
        return verdict(self.request("apns", "POST", PUBLISHED, body or update(SECONDS, 1), **given))

    def delete_all(self) -> None:
        for channel in self.request("channels", "GET", LISTED).json()["channels"]:
            self.request("channels", "DELETE", MANAGED, apns_channel_id=channel)

    def test_the_life_of_a_channel(self) -> None:
        channel = self.made()
        read = self.request("channels", "GET", MANAGED, apns_channel_id=channel)
        self.assertEqual(read.json(), {"message-storage-policy": 1, "push-type": "LiveActivity"})
        self.assertEqual(self.request("channels", "GET", LISTED).json(), {"channels": [channel]})
        later = str(SECONDS + 3600)
        self.assertEqual(self.publish(channel, apns_expiration=later), (200, None))
        self.assertEqual(self.publish(channel, end(SECONDS + 1), apns_expiration=later), (200, None))
        received = self.simulator.received(wait_for=2)
        self.assertEqual([one["channel"] for one in received], [channel] * 2)
        self.assertEqual(self.simulator.channels()[0]["stored"]["payload"], end(SECONDS + 1))
        self.assertEqual(
            self.request("channels", "DELETE", MANAGED, apns_channel_id=channel).status_code, 204)
        self.assertEqual(self.publish(channel), (410, "ChannelNotRegistered"))
        self.assertNotEqual(self.made(), channel)

    def test_each_error_of_publishing(self) -> None:
        channel = self.made(policy=0)
        large = {"aps": {"event": "update", "timestamp": SECONDS, "content-state": {"text": "x" * 5120}}}
        for expected, answer in [
            ((400, "MissingChannelId"), self.publish(None)),
            ((400, "BadChannelId"), self.publish("dGVzdA==")),
            ((400, "MissingPushType"), self.publish(channel, apns_push_type=None)),
            ((400, "InvalidPushType"), self.publish(channel, apns_push_type="alert")),
            ((400, "BadExpirationDate"), self.publish(channel, apns_expiration=None)),
            ((400, "BadExpirationDate"), self.publish(channel, apns_expiration=str(SECONDS + 60))),
            ((400, "BadPriority"), self.publish(channel, apns_priority="1")),
            ((400, "PayloadEmpty"), self.publish(channel, start(SECONDS, channel))),
            ((413, "PayloadTooLarge"), self.publish(channel, large)),
            ((200, None), self.publish(channel)),
        ]:
            with self.subTest(expected=expected):
                self.assertEqual(answer, expected)

    def test_each_error_of_the_management(self) -> None:
        self.assertEqual(verdict(self.create(kind=None)), (400, "MissingPushType"))
        self.assertEqual(verdict(self.create(kind="liveactivity")), (400, "InvalidPushType"))
        self.assertEqual(verdict(self.create(policy=2)), (400, "PayloadEmpty"))
        foreign = self.request("channels", "GET", "/1/apps/com.example.other/channels", apns_channel_id=self.made())
        self.assertEqual(verdict(foreign), (400, "TopicMismatch"))
        for _ in range(LIMIT - 1):
            self.made()
        self.assertEqual(verdict(self.create()), (400, "CannotCreateChannelConfig"))
        self.assertEqual(len(self.simulator.channels()), LIMIT)


def verdict(answer: httpx2.Response) -> tuple[int, str | None]:
    """Returns the status, and the reason of a refusal."""
    return answer.status_code, answer.json()["reason"] if answer.status_code >= 400 else None

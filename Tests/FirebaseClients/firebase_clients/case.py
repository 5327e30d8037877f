"""The base of the tests: the gateway, the default app as in unmodified code, and messages with ids of their own."""

import unittest
import uuid
from collections import Counter
from typing import Any

import firebase_admin
from firebase_admin import messaging

from .served import Served


GENERATION = int(firebase_admin.__version__.partition(".")[0])


class ClientCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.served = Served()
        if not firebase_admin._apps:
            firebase_admin.initialize_app()

    def setUp(self) -> None:
        self.collapse_id = uuid.uuid4().hex

    def register(self, count: int) -> list[str]:
        needs_none = self.served.is_emulator
        return self.served.register(
            count, "" if needs_none else firebase_admin.get_app().credential.get_access_token().access_token)

    def content(self, **fields: Any) -> dict[str, Any]:
        """Returns message fields that identify this test's notifications."""
        return {
            "notification": messaging.Notification("A title", "A body, über alles"),
            "data": {"run": self.collapse_id, "snake_case": "1", "camelCase": "2"},
            "apns": messaging.APNSConfig(headers={"apns-collapse-id": self.collapse_id}),
        } | fields

    def message(self, **fields: Any) -> messaging.Message:
        return messaging.Message(**self.content(**fields))

    def assert_arrived(self, tokens: list[str], **fields: Any) -> None:
        """Checks that the message arrived at each token once, as sent, and at no other."""
        arrivals = self.served.arrivals(self.collapse_id, len(tokens))
        got, wanted = Counter(arrival.phone for arrival in arrivals), Counter(map(self.served.phone, tokens))
        surplus = f"for example {list(got - wanted)[:2]} and {list(wanted - got)[:2]}"
        self.assertEqual(((got - wanted).total(), (wanted - got).total()), (0, 0), f"too many and too few: {surplus}")
        content = self.content(**fields)
        for arrival in arrivals:
            self.assertEqual(
                (arrival.title, arrival.body, arrival.data),
                (content["notification"].title, content["notification"].body, content["data"]))

    def assert_nothing_else_arrives(self, token: str, tokens: list[str]) -> None:
        """Sends one more message to `token`, and checks that only it and the messages to `tokens` arrived."""
        messaging.send(self.message(token=token))
        self.assert_arrived([*tokens, token])

    def assert_all_sent(self, response: messaging.BatchResponse, count: int) -> None:
        self.assertEqual([r.exception for r in response.responses if not r.success], [])
        self.assertEqual(len({r.message_id for r in response.responses}), count, "each has an id of its own")
        for one in response.responses:
            self.assertRegex(one.message_id, r"^projects/[^/]+/messages/.+")

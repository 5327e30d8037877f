"""Each library sends to each owner of a subscription, through the push service."""

import re
import unittest
import uuid
from typing import Any
from urllib.parse import urlsplit

from .browsers import Holder
from .senders import Sender
from .service import PushService

# The status for a message that is signed with another key than the subscription's, as each service has it.
FORGED = {"google": 403, "mozilla": 401, "apple": 400, "microsoft": 403}


class Pair(unittest.TestCase):
    """A sender and the owner of a subscription."""

    def __init__(self, method: str, service: PushService, sender: Sender, holder: Holder) -> None:
        super().__init__(method)
        self.service, self.sender, self.holder = service, sender, holder

    def __str__(self) -> str:
        return f"{self.sender.name} to {self.holder.name}: {self._testMethodName}"

    def setUp(self) -> None:
        self.subscription = self.holder.subscribe(self.sender.key.public)
        self.endpoint = self.subscription["endpoint"]

    def send(self, text: str | None, **order: Any) -> dict[str, Any]:
        return self.sender.send(text, self.subscription, service=self.holder.service, **order)

    def marked(self, text: str) -> str:
        """Returns a text that no other test sends."""
        return f"{text} {uuid.uuid4()}"

    def assert_accepted(self, outcome: dict[str, Any]) -> None:
        self.assertEqual((outcome.get("status"), outcome.get("error")), (201, None), outcome)

    def assert_refused(self, outcome: dict[str, Any], status: int) -> None:
        """Checks that the library raises an error that has the status, and keeps its device."""
        self.assertIsNotNone(outcome.get("error"), outcome)
        self.assertRegex(outcome["text"], rf"\b{status}\b")
        self.assertEqual(outcome.get("status", status), status)
        self.assertTrue(outcome.get("active", True))

    def assert_only_arrives(self, *texts: str | None) -> None:
        """Sends one more message, and checks that it and these have arrived, and nothing else."""
        last = self.marked("the last one")
        self.assert_accepted(self.send(last))
        received = self.holder.received(len(texts) + 1)
        self.assertEqual(sorted(map(str, received)), sorted(map(str, [*texts, last])))


class SenderTests(Pair):
    """The tests that every library passes with every owner."""

    def test_each_message_is_decrypted_as_it_was_sent(self) -> None:
        texts = ["x", self.marked("The build has finished. ✓ 完了 🏁"), "é" * (self.sender.longest // 2)]
        for text in texts:
            self.assert_accepted(self.send(text))
            self.assertEqual(self.holder.received(1), [text])
        for message in self.service.messages(self.endpoint, delivery="acknowledged", wait_for=len(texts)):
            self.assertEqual(message["service"], self.holder.service)
            self.assertEqual(message["vapid"]["aud"], "https://" + urlsplit(self.endpoint).netloc)
            self.assertEqual(message["vapid"]["key"], self.sender.key.public)
            # None of the libraries has Microsoft's own header.
            expected = ["cache_policy_missing"] if self.holder.service == "microsoft" else None
            self.assertEqual(message.get("deviations"), expected)

    def test_a_message_that_is_signed_with_another_key_is_refused(self) -> None:
        self.assert_refused(self.send("forged", key=self.sender.other), FORGED[self.holder.service])
        self.assertIn("the VAPID key is", self.service.messages(self.endpoint)[-1]["cause"])
        self.assert_only_arrives()

    def test_a_message_after_the_end_of_the_subscription_is_gone(self) -> None:
        self.holder.unsubscribe()
        # A browser tells the service after the page.
        self.service.wait_until(self.is_ended, "end the subscription")
        self.assert_gone(self.send("too late"), 410)
        self.subscription = self.holder.subscribe(self.sender.key.public)
        self.assertNotEqual(self.subscription["endpoint"], self.endpoint)
        self.assert_only_arrives()

    def is_ended(self) -> bool:
        known = self.service.ask("GET", "/subscriptions")["subscriptions"]
        return any(one["ended"] for one in known if self.endpoint.endswith(one["token"]))

    def test_a_message_to_an_unknown_subscription_is_gone(self) -> None:
        unknown = self.subscription | {"endpoint": self.endpoint[:-8] + "AAAAAAAA"}
        self.assert_gone(self.sender.send("unknown", unknown, service=self.holder.service), 404)

    def assert_gone(self, outcome: dict[str, Any], status: int) -> None:
        match self.sender.name:
            case "webpush-rs":
                self.assertEqual(outcome, {"status": status})
            case "django-push-notifications":
                self.assertIsNone(outcome.get("error"))
                self.assertRegex(outcome["text"], rf"\b{status}\b")
                self.assertFalse(outcome["active"], "the device is switched off")
            case _:
                self.assert_refused(outcome, status)

    def test_scripted_errors_reach_the_caller(self) -> None:
        for status in (413, 429, 500, 503):
            with self.subTest(status):
                wait = {"retry_after": 30} if status in (429, 503) else {}
                self.service.script(self.endpoint, status=status, **wait)
                outcome = self.send(f"scripted {status}")
                if self.sender.name == "webpush-rs" and status == 413:
                    # It has an error of its own for this one.
                    self.assertIn("payload size", outcome["text"])
                else:
                    self.assert_refused(outcome, status)
                if wait and "retry_after" in outcome:
                    self.assertEqual(outcome["retry_after"], "30")
        self.assert_only_arrives()


class FieldTests(Pair):
    """The tests of what only some of the libraries can send."""

    def test_a_message_without_content_arrives_without_data(self) -> None:
        self.assert_accepted(self.send(None))
        self.assertEqual(self.holder.received(1), [None])

    def test_urgency_and_topic_are_received(self) -> None:
        text = self.marked("urgent")
        self.assert_accepted(self.send(text, headers={"Urgency": "high", "Topic": "build-42"}, ttl=3600))
        self.assertEqual(self.holder.received(1), [text])
        fields = self.service.messages(self.endpoint)[-1]["headers"]
        self.assertEqual((fields["urgency"], fields["topic"], fields["ttl"]), ("high", "build-42", "3600"))


class DjangoTests(Pair):
    """The call for all devices of a query."""

    def test_a_message_to_all_devices_arrives(self) -> None:
        text = self.marked("to all")
        self.assert_accepted(self.send(text, to_all=True))
        self.assertEqual(self.holder.received(1), [text])
        # The call has no lifetime: the message is delivered at once or never.
        self.assertEqual(self.service.messages(self.endpoint)[-1]["headers"]["ttl"], "0")


class RequestTests(Pair):
    """Requests that the services refuse, made by `pywebpush`."""

    def assert_cause(self, outcome: dict[str, Any], status: int, cause: str) -> None:
        self.assert_refused(outcome, status)
        self.assertRegex(self.service.messages(self.endpoint)[-1]["cause"], cause)
        self.assert_only_arrives()

    def refusal(self) -> int:
        """Returns the status for a token that is not valid."""
        return 401 if self.holder.service == "mozilla" else 403

    def test_the_encoding_of_the_draft_is_refused(self) -> None:
        outcome = self.send("draft", encoding="aesgcm")
        self.assert_cause(outcome, 400, "Content-Encoding is .aesgcm.; it takes aes128gcm")

    def test_a_token_for_another_origin_is_refused(self) -> None:
        outcome = self.send("elsewhere", claims={"aud": "https://push.example.com"})
        self.assert_cause(outcome, self.refusal(), re.escape("“https://push.example.com”"))

    def test_a_token_that_is_valid_for_two_days_is_refused(self) -> None:
        outcome = self.send("long", claims={"exp": 4_000_000_000})
        self.assert_cause(outcome, self.refusal(), "24 hours at most")

    def test_an_address_of_localhost_is_refused_by_apple_alone(self) -> None:
        text = self.marked("local")
        outcome = self.send(text, claims={"sub": "mailto:ops@localhost"})
        if self.holder.service == "apple":
            self.assert_cause(outcome, 403, "Apple requires the name of a public host")
        else:
            self.assert_accepted(outcome)
            self.assertEqual(self.holder.received(1), [text])

    def test_a_lifetime_of_a_year_is_refused_by_apple_and_google(self) -> None:
        text = self.marked("long-lived")
        outcome = self.send(text, ttl=365 * 86_400)
        if self.holder.service in ("apple", "google"):
            self.assert_cause(outcome, 400, "TTL is 31536000")
        else:
            self.assert_accepted(outcome)
            self.assertEqual(self.holder.received(1), [text])

    def test_a_topic_of_33_characters_is_refused(self) -> None:
        self.assert_cause(self.send("topic", headers={"Topic": "x" * 33}), 400, "1 to 32 characters")

    def test_a_message_of_3994_bytes_is_too_large(self) -> None:
        self.assert_cause(self.send("x" * 3994), 413, "more than 4096 bytes")


class AbsenceTests(Pair):
    """Messages to a browser that is not connected, for which the stand-in for Firefox closes its connection."""

    def test_messages_wait_and_a_topic_replaces_the_one_that_waits(self) -> None:
        texts = {name: self.marked(name) for name in ("first", "replaced", "replacement", "never")}
        self.holder.disconnect()
        self.service.wait_until(self.is_away, "notice that the browser is away")
        self.assert_accepted(self.send(texts["first"]))
        for name in ("replaced", "replacement"):
            self.assert_accepted(self.send(texts[name], headers={"Topic": "score"}))
        self.assert_accepted(self.send(texts["never"], ttl=0))
        self.holder.connect()
        self.assert_only_arrives(texts["first"], texts["replacement"])
        self.service.messages(self.endpoint, delivery="acknowledged", wait_for=3)
        deliveries = [message["delivery"] for message in self.service.messages(self.endpoint)]
        self.assertEqual(deliveries, ["acknowledged", "replaced", "acknowledged", "dropped", "acknowledged"])

    def is_away(self) -> bool:
        [browser] = [one for one in self.service.ask("GET", "/browsers")["browsers"] if one["id"] == self.holder.id]
        return not browser["connected"]

    def test_a_ping_is_answered(self) -> None:
        self.assertEqual(self.holder.ping(), {})

"""Every field of FCM's schema is accepted in the spellings of JSON and of the proto file. Emulator mode, plain HTTP."""

import unittest
import uuid
from typing import Any
from urllib.parse import quote

from .discovery import camel, everything, fields, message, parameters, snake
from .served import WAIT_SECONDS, Answer, Served, made_up_token, request

SEND = "/v1/projects/pushgate/messages:send"


class SchemaTests(unittest.TestCase):
    def setUp(self) -> None:
        self.served = Served()

    def send(self, body: dict[str, Any]) -> Answer:
        return request(self.served.url, "POST", SEND, body)

    def assert_accepted(self, what: str, body: dict[str, Any]) -> None:
        with self.subTest(what):
            answer = self.send(body)
            self.assertEqual(answer.status, 200, answer.body)
            self.assertRegex(answer.body["name"], "^projects/pushgate/messages/.+")

    def test_every_field_is_accepted_in_camel_case(self):
        found = list(fields())
        self.assertGreater(len(found), 100, "the document was read")
        for path, value in found:
            self.assert_accepted(
                f"{'.'.join(path)} = {value}", {"message": message(path, value, camel), "validateOnly": True})

    def test_every_field_is_accepted_in_snake_case(self):
        for path, value in fields():
            name = ".".join(map(snake, path))
            self.assert_accepted(
                f"{name} = {value}", {"message": message(path, value, snake), "validate_only": True})

    def test_a_dry_run_with_every_field_delivers_nothing(self):
        collapse_id = uuid.uuid4().hex
        answer = self.send({"message": marked(everything(camel, "android"), collapse_id), "validate_only": True})
        self.assertEqual(answer.status, 200, answer.body)
        arrived = self.arrival(marked({"token": made_up_token()}, collapse_id))
        self.assertNotIn("webpush", arrived)

    def test_both_spellings_of_a_message_arrive_as_the_same_message(self):
        for android in ("android", "androidV2"):
            with self.subTest(android):
                arrived = [self.arrival(marked(everything(spelled, android))) for spelled in (camel, snake)]
                for one in arrived:
                    del one["apns"]["headers"]["apns-collapse-id"]
                self.assertEqual(arrived[0], arrived[1])
                self.assertIn(android, arrived[0])

    def test_free_form_fields_arrive_unchanged(self):
        for spelled in (camel, snake):
            sent = marked(everything(spelled, "android"))
            arrived = self.arrival(sent)
            self.assertEqual(arrived["data"], sent["data"])
            for one, other in (("apns", "payload"), ("webpush", "notification"), ("webpush", "headers")):
                self.assertEqual(arrived[one][other], sent[one][other], f"{one}.{other}")

    def arrival(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sends a marked message, and returns the only message with its mark in the inbox."""
        answer = self.send({"message": message})
        self.assertEqual(answer.status, 200, answer.body)
        collapse_id = message["apns"]["headers"]["apns-collapse-id"]
        [item] = self.served.inbox(collapse_id=collapse_id, wait_for=1, timeout=WAIT_SECONDS)
        return item["message"]

    def test_an_unknown_field_is_refused_with_its_name(self):
        for path in ((), ("android",), ("android", "notification"), ("apns", "fcm_options"), ("webpush", "fcmOptions")):
            with self.subTest(path):
                body: dict[str, Any] = {"token": made_up_token()}
                node = body
                for name in path:
                    node = node.setdefault(name, {})
                node["notAField"] = "1"
                answer = self.send({"message": body, "validate_only": True})
                self.assertEqual((answer.status, answer.body["error"]["status"]), (400, "INVALID_ARGUMENT"))
                self.assertIn("notAField", str(answer.body["error"]["details"]))

    def test_every_query_parameter_is_accepted_in_both_spellings(self):
        found = list(parameters())
        self.assertGreaterEqual(len(found), 5, "the document was read")
        for method, name, kind in found:
            for spelled in (camel, snake):
                with self.subTest(f"{method} {spelled(name)}"):
                    self.assertEqual(self.call(method, spelled(name), kind).status, 200)

    def call(self, method: str, parameter: str, kind: str) -> Answer:
        topics = f"/v1/projects/pushgate/registrations/{quote(made_up_token(), safe='')}/topicSubscriptions"
        verb = method.rpartition(".")[2]
        http, path, body = {
            "create": ("POST", topics, {}), "list": ("GET", topics, None), "delete": ("DELETE", f"{topics}/news", None),
            "patch": ("PATCH", f"{topics}/news", {}),
        }[verb]
        value = {"boolean": "true", "integer": "10"}.get(kind, "news" if verb == "create" else "")
        return request(self.served.url, http, f"{path}?{parameter}={value}", body)


def marked(message: dict[str, Any], collapse_id: str = "") -> dict[str, Any]:
    """Returns the message with a collapse id, by which the inbox finds it."""
    apns = message.get("apns", {})
    headers = apns.get("headers", {}) | {"apns-collapse-id": collapse_id or uuid.uuid4().hex}
    return message | {"apns": apns | {"headers": headers}}

"""Answers of APNs as errors of the client. The gateway delivers to a simulator with scripted answers."""

from typing import Any

from firebase_admin import exceptions, messaging

from .case import ClientCase
from .served import request
from .test_errors import FCM_ERROR

APNS_ERROR = "type.googleapis.com/google.firebase.fcm.v1.ApnsError"


class DeliveryTests(ClientCase):
    def script(self, token: str, **step: Any) -> None:
        answer = request(self.served.simulator, "PUT", "/answers", {"token": self.served.phone(token), **step})
        self.assertEqual(answer.status, 200)

    def requests_for(self, token: str) -> int:
        path = f"/notifications?token={self.served.phone(token)}"
        return len(request(self.served.simulator, "GET", path).body["notifications"])

    def error_of(self, kind: type, **target: str) -> dict[str, Any]:
        with self.assertRaises(exceptions.FirebaseError) as raised:
            messaging.send(self.message(**target))
        self.assertIs(type(raised.exception), kind)
        return raised.exception.http_response.json()["error"]

    def test_a_410_unregisters_the_token_without_asking_apns_again(self):
        [token] = self.register(1)
        self.script(token, status=410, reason="Unregistered")
        error = self.error_of(messaging.UnregisteredError, token=token)
        self.assertIn({"@type": FCM_ERROR, "errorCode": "UNREGISTERED"}, error["details"])
        self.assertIn({"@type": APNS_ERROR, "statusCode": 410, "reason": "Unregistered"}, error["details"])
        self.error_of(messaging.UnregisteredError, token=token)
        self.assertEqual(self.requests_for(token), 1, "APNs is not asked again")

    def test_a_permanent_rejection_by_apns_is_an_invalid_argument(self):
        [token] = self.register(1)
        self.script(token, status=400, reason="BadCollapseId")
        error = self.error_of(exceptions.InvalidArgumentError, token=token)
        self.assertIn({"@type": APNS_ERROR, "statusCode": 400, "reason": "BadCollapseId"}, error["details"])

    def test_a_503_of_apns_is_accepted_and_the_message_arrives_once(self):
        [token] = self.register(1)
        self.script(token, status=503, reason="ServiceUnavailable")
        messaging.send(self.message(token=token))
        self.assert_arrived([token])
        self.assertEqual(self.requests_for(token), 2)

    def test_a_dry_run_sends_nothing_to_apns(self):
        [token] = self.register(1)
        messaging.send(self.message(token=token), dry_run=True)
        self.assertEqual(self.requests_for(token), 0)

    def test_a_multicast_fails_for_dead_tokens_and_arrives_at_the_others(self):
        tokens = self.register(10)
        for token in tokens[:3]:
            self.script(token, status=410, reason="Unregistered")
        response = messaging.send_each_for_multicast(messaging.MulticastMessage(tokens=tokens, **self.content()))
        self.assertEqual([type(one.exception) for one in response.responses[:3]], [messaging.UnregisteredError] * 3)
        self.assert_arrived(tokens[3:])

    def test_a_dead_token_is_removed_from_its_topics(self):
        tokens, topic = self.register(2), self.collapse_id
        messaging.subscribe_to_topic(tokens, topic)
        self.script(tokens[0], status=410, reason="Unregistered")
        self.error_of(messaging.UnregisteredError, token=tokens[0])
        messaging.send(self.message(topic=topic))
        self.assert_arrived(tokens[1:])
        self.assertEqual(self.requests_for(tokens[0]), 1)

    def test_a_token_of_another_sender_is_a_sender_id_mismatch(self):
        stranger = f"{'x' * 22}:APA91b{'x' * 134}"
        error = self.error_of(messaging.SenderIdMismatchError, token=stranger)
        self.assertIn({"@type": FCM_ERROR, "errorCode": "SENDER_ID_MISMATCH"}, error["details"])

    def test_a_text_that_is_no_token_is_an_invalid_argument(self):
        error = self.error_of(exceptions.InvalidArgumentError, token="not-a-token")
        self.assertEqual(error["message"], "The registration token is not a valid FCM registration token")

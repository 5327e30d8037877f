import asyncio
import os
import unittest

import firebase_admin
from firebase_admin import exceptions, messaging

from pushgate_firebase.address import VARIABLE

from .case import IS_SUBSCRIBED_BY_RESOURCE, ConnectorCase

SEND = "POST /v1/projects/pushgate/messages:send"
TOKENS = [f"fid{number}:APA91b{'x' * 10}" for number in range(3)]


class MessagingTests(ConnectorCase):
    def test_a_message_goes_to_the_gateway(self):
        name = messaging.send(messaging.Message(token="a", data={"k": "v"}), app=self.app())
        self.assertEqual(name, "projects/p/messages/a")
        self.assertEqual(self.gateway.paths(), [SEND])
        self.assertEqual(self.gateway.requests[0].json(), {"message": {"token": "a", "data": {"k": "v"}}})

    def test_a_dry_run_sends_validate_only(self):
        messaging.send(messaging.Message(token="a"), dry_run=True, app=self.app())
        self.assertIs(self.gateway.requests[0].json()["validate_only"], True)

    def test_500_messages_go_to_the_gateway_each_once(self):
        tokens = [f"t{number}" for number in range(500)]
        response = messaging.send_each_for_multicast(messaging.MulticastMessage(tokens=tokens), app=self.app())
        self.assertEqual([one.message_id for one in response.responses], [f"projects/p/messages/{t}" for t in tokens])
        sent = [request.json()["message"]["token"] for request in self.gateway.requests]
        self.assertEqual(sorted(sent), sorted(tokens))

    @unittest.skipUnless(hasattr(messaging, "send_each_async"), "this firebase-admin knows no asyncio")
    def test_messages_sent_asynchronously_go_to_the_gateway(self):
        app = self.app()

        async def send():
            await messaging.send_each_async([messaging.Message(token=t) for t in TOKENS], app=app)
            return await messaging.send_each_for_multicast_async(messaging.MulticastMessage(tokens=TOKENS), app=app)

        self.assertEqual(asyncio.run(send()).success_count, 3)
        self.assertEqual(self.gateway.paths(), [SEND] * 6)

    def test_the_gateways_errors_are_raised_as_googles(self):
        detail = {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": "UNREGISTERED"}
        error = {"code": 404, "message": "gone", "status": "NOT_FOUND", "details": [detail]}
        self.gateway.script = [(404, {"error": error})]
        with self.assertRaisesRegex(messaging.UnregisteredError, "gone"):
            messaging.send(messaging.Message(token="a"), app=self.app())

    def test_a_503_is_retried_as_at_google(self):
        self.gateway.script = [(503, {})]
        messaging.send(messaging.Message(token="a"), app=self.app())
        self.assertEqual(self.gateway.paths(), [SEND] * 2)

    def test_an_unreachable_gateway_is_an_error_without_fallback_to_google(self):
        self.gateway.stop()
        with self.assertRaisesRegex(exceptions.UnavailableError, f"port={self.gateway.server_port}"):
            messaging.send(messaging.Message(token="a"), app=self.app())

    def test_a_prefix_of_the_url_is_kept(self):
        self.set_variables(FIREBASE_MESSAGING_EMULATOR_HOST=f"http://{self.gateway.address}/fcm/")
        messaging.send(messaging.Message(token="a"), app=self.app())
        self.assertEqual(self.gateway.paths(), ["POST /fcm/v1/projects/pushgate/messages:send"])

    def test_the_variable_is_read_for_each_app(self):
        os.environ[VARIABLE] = "nowhere:port"
        with self.assertRaisesRegex(ValueError, VARIABLE):
            messaging.send(messaging.Message(token="a"), app=self.app())
        os.environ[VARIABLE] = self.gateway.address
        messaging.send(messaging.Message(token="a"), app=self.app())
        self.assertEqual(self.gateway.paths(), [SEND])

    def test_without_the_variable_a_service_is_unchanged(self):
        del os.environ[VARIABLE]
        app = self.app(_Anonymous(), projectId="p")
        service = messaging._get_messaging_service(app)
        self.assertNotIn("request", vars(service._client))
        self.assertIs(service._credential, app.credential.get_credential())

    @unittest.skipUnless(hasattr(messaging, "send_all"), "this firebase-admin has no send_all")
    def test_a_batch_does_not_go_to_google(self):
        self.gateway.script = [(404, {"error": {"code": 404, "message": "no batches", "status": "NOT_FOUND"}})]
        with self.assertWarns(DeprecationWarning), self.assertRaisesRegex(exceptions.NotFoundError, "no batches"):
            messaging.send_all([messaging.Message(token="a")], app=self.app())
        self.assertEqual(self.gateway.paths(), ["POST /batch"])


class TopicTests(ConnectorCase):
    @unittest.skipUnless(IS_SUBSCRIBED_BY_RESOURCE, "this firebase-admin knows batches only")
    def test_subscriptions_are_resources_since_7_7(self):
        app = self.app()
        response = messaging.subscribe_to_topic(TOKENS[:1], "news", app)
        self.assertEqual(response.success_count, 1)
        asyncio.run(messaging.unsubscribe_from_topic_async(TOKENS[0], "/topics/news", app))
        registration = f"/v1/projects/pushgate/registrations/{TOKENS[0].replace(':', '%3A')}/topicSubscriptions"
        self.assertEqual(
            self.gateway.paths(),
            [f"POST {registration}?topic_name=news", f"DELETE {registration}/news?allow_missing=true"])

    def test_subscriptions_in_batches_go_to_the_gateway(self):
        legacy = "_legacy" if IS_SUBSCRIBED_BY_RESOURCE else ""
        app = self.app()
        for verb in ("subscribe_to", "unsubscribe_from"):
            response = getattr(messaging, f"{verb}_topic{legacy}")(TOKENS, "news", app)
            self.assertEqual((response.success_count, response.failure_count), (3, 0))
        self.assertEqual(self.gateway.paths(), ["POST /iid/v1:batchAdd", "POST /iid/v1:batchRemove"])
        self.assertEqual(self.gateway.requests[0].json(), {"to": "/topics/news", "registration_tokens": TOKENS})


class _Anonymous(firebase_admin.credentials.Base):
    def __init__(self):
        from google.auth.credentials import AnonymousCredentials

        self.credential = AnonymousCredentials()

    def get_credential(self):
        return self.credential

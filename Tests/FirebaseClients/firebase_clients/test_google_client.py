"""Google's general client, made from the API's description, with methods that firebase-admin does not use."""

import unittest
import uuid

from google.auth.credentials import AnonymousCredentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from .served import WAIT_SECONDS, Served, made_up_token


class GoogleClientTests(unittest.TestCase):
    def setUp(self) -> None:
        self.served = Served()
        client = build(
            "fcm", "v1", credentials=AnonymousCredentials(), static_discovery=True,
            client_options={"api_endpoint": self.served.url})
        self.addCleanup(client.close)
        self.messages = client.projects().messages()
        self.subscriptions = client.projects().registrations().topicSubscriptions()
        self.registration = f"projects/pushgate/registrations/{made_up_token()}"
        self.topic = uuid.uuid4().hex

    def test_a_message_of_googles_general_client_arrives(self):
        message = {"token": made_up_token(), "apns": {"headers": {"apns-collapse-id": self.topic}}}
        sent = self.messages.send(parent="projects/pushgate", body={"message": message}).execute()
        self.assertTrue(sent["name"].startswith("projects/pushgate/messages/"))
        self.assertEqual(len(self.served.inbox(collapse_id=self.topic, wait_for=1, timeout=WAIT_SECONDS)), 1)

    def test_a_subscription_is_created_read_and_deleted_as_a_resource(self):
        name = f"{self.registration}/topicSubscriptions/{self.topic}"
        created = self.subscriptions.create(parent=self.registration, topicName=self.topic, body={}).execute()
        self.assertEqual((created["name"], created["topicName"]), (name, self.topic))
        self.assertIn("createTime", created)
        self.assertEqual(self.subscriptions.get(name=name).execute(), created)
        self.assert_refused(409, self.subscriptions.create(parent=self.registration, topicName=self.topic, body={}))
        self.assertEqual(self.subscriptions.delete(name=name).execute(), {})
        self.assert_refused(404, self.subscriptions.get(name=name))
        self.assert_refused(404, self.subscriptions.delete(name=name))
        self.assertEqual(self.subscriptions.delete(name=name, allowMissing=True).execute(), {})

    def test_a_patch_with_allow_missing_creates_a_subscription(self):
        name = f"{self.registration}/topicSubscriptions/{self.topic}"
        self.assertEqual(self.subscriptions.patch(name=name, allowMissing=True, body={}).execute()["name"], name)
        self.assertEqual(self.subscriptions.get(name=name).execute()["name"], name)

    def test_subscriptions_are_listed_page_by_page(self):
        topics = sorted(f"{self.topic}-{number}" for number in range(5))
        for topic in topics:
            self.subscriptions.create(parent=self.registration, topicName=topic, body={}).execute()
        page = self.subscriptions.list(parent=self.registration, pageSize=2)
        pages = []
        while page:
            answer = page.execute()
            pages.append([one["topicName"] for one in answer["topicSubscriptions"]])
            page = self.subscriptions.list_next(page, answer)
        self.assertEqual([len(one) for one in pages], [2, 2, 1])
        self.assertEqual(sorted(topic for one in pages for topic in one), topics)

    def assert_refused(self, status: int, call) -> None:
        with self.assertRaises(HttpError) as raised:
            call.execute()
        self.assertEqual(raised.exception.status_code, status)

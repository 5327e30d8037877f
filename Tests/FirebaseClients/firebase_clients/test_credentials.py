"""Credentials on a gateway that delivers: only the service account of `pushgate init` may send."""

import json
import os
from pathlib import Path

import firebase_admin
from firebase_admin import credentials, exceptions, messaging

from .case import ClientCase
from .served import request


class CredentialTests(ClientCase):
    def send(self, app: firebase_admin.App, token: str) -> str:
        try:
            return messaging.send(self.message(token=token), app=app)
        finally:
            firebase_admin.delete_app(app)

    def test_a_service_account_given_in_the_code_may_send(self):
        [token] = self.register(1)
        certificate = credentials.Certificate(os.environ["GOOGLE_APPLICATION_CREDENTIALS"])
        self.send(firebase_admin.initialize_app(certificate, name="certificate"), token)
        self.assert_arrived([token])

    def test_a_send_for_another_project_is_denied(self):
        [token] = self.register(1)
        app = firebase_admin.initialize_app(options={"projectId": "another"}, name="another")
        with self.assertRaises(exceptions.PermissionDeniedError) as raised:
            self.send(app, token)
        self.assertIs(type(raised.exception), exceptions.PermissionDeniedError)

    def test_a_send_without_credentials_is_unauthenticated(self):
        [token] = self.register(1)
        path = os.environ.pop("GOOGLE_APPLICATION_CREDENTIALS")
        self.addCleanup(os.environ.__setitem__, "GOOGLE_APPLICATION_CREDENTIALS", path)
        with self.assertRaises(exceptions.UnauthenticatedError) as raised:
            self.send(firebase_admin.initialize_app(name="nobody"), token)
        self.assertIs(type(raised.exception), exceptions.UnauthenticatedError)

    def test_every_request_without_a_token_of_the_gateway_is_401(self):
        project = json.loads(Path(os.environ["GOOGLE_APPLICATION_CREDENTIALS"]).read_text())["project_id"]
        topics = f"/v1/projects/{project}/registrations/a/topicSubscriptions"
        batch = {"to": "/topics/news", "registration_tokens": ["a"]}
        requests = [
            ("POST", f"/v1/projects/{project}/messages:send", {"message": {"topic": "news"}}),
            ("POST", f"{topics}?topic_name=news", {}), ("GET", topics, None), ("GET", f"{topics}/news", None),
            ("PATCH", f"{topics}/news?allow_missing=true", {}), ("DELETE", f"{topics}/news", None),
            ("POST", "/iid/v1:batchAdd", batch), ("POST", "/iid/v1:batchRemove", batch),
            ("POST", "/iid/v1:batchImport", {"application": "a", "sandbox": True, "apns_tokens": ["00" * 32]}),
            ("GET", "/iid/info/a", None),
        ]
        for method, path, body in requests:
            for headers in ({}, {"Authorization": "Bearer owner"}):
                with self.subTest(f"{method} {path}", headers=headers):
                    self.assertEqual(request(self.served.url, method, path, body, headers).status, 401)

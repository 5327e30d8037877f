import json
import os
import tempfile
import threading
from base64 import urlsafe_b64decode
from urllib.parse import parse_qs

import firebase_admin
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from firebase_admin import messaging

from .case import ConnectorCase

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def service_account(token_uri: str) -> dict:
    return {
        "type": "service_account", "project_id": "mine", "private_key_id": "1", "private_key": KEY, "client_id": "1",
        "client_email": "pushgate@mine.example.com", "token_uri": token_uri,
    }


class CredentialTests(ConnectorCase):
    def send(self, credential=None, **options):
        messaging.send(messaging.Message(token="a"), app=self.app(credential, **options))
        return self.gateway.requests[-1]

    def test_no_credentials_are_needed(self):
        self.assertEqual(self.send().authorization, "Bearer owner")

    def test_a_service_account_is_sent_to_its_token_uri_only(self):
        account = service_account(f"http://{self.gateway.address}/token")
        sent = self.send(firebase_admin.credentials.Certificate(account))
        self.assertEqual(
            self.gateway.paths(), ["POST /token", "POST /v1/projects/mine/messages:send"])
        self.assertEqual(sent.authorization, "Bearer minted")
        form = parse_qs(self.gateway.requests[0].body.decode())
        self.assertEqual(form["grant_type"], ["urn:ietf:params:oauth:grant-type:jwt-bearer"])
        claims = json.loads(urlsafe_b64decode(form["assertion"][0].split(".")[1] + "=="))
        self.assertEqual(claims["iss"], "pushgate@mine.example.com")
        # google-auth would send the token to iamcredentials.googleapis.com, in a thread of its own.
        self.assertEqual([t.name for t in threading.enumerate() if "Boundary" in type(t).__name__], [])

    def test_a_service_account_in_the_environment_is_used(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(service_account(f"http://{self.gateway.address}/token"), file)
            file.flush()
            os.environ["GOOGLE_APPLICATION_CREDENTIALS"] = file.name
            sent = self.send()
        self.assertEqual(sent.authorization, "Bearer minted")
        self.assertEqual(sent.path, "/v1/projects/mine/messages:send")

    def test_one_token_is_enough_for_a_multicast(self):
        account = service_account(f"http://{self.gateway.address}/token")
        app = self.app(firebase_admin.credentials.Certificate(account))
        messaging.send_each([messaging.Message(token="a")] * 50, app=app)
        self.assertEqual(self.gateway.paths().count("POST /token"), 1)

    def test_a_refused_token_is_replaced(self):
        account = service_account(f"http://{self.gateway.address}/token")
        app = self.app(firebase_admin.credentials.Certificate(account))
        messaging.send(messaging.Message(token="a"), app=app)
        self.gateway.script = [(401, {})]
        messaging.send(messaging.Message(token="a"), app=app)
        self.assertEqual(self.gateway.paths().count("POST /token"), 2)

    def test_a_google_token_never_reaches_the_gateway(self):
        account = service_account("https://oauth2.googleapis.com/token")
        sent = self.send(firebase_admin.credentials.Certificate(account))
        self.assertEqual(sent.authorization, "Bearer owner")
        self.assertEqual(sent.path, "/v1/projects/mine/messages:send")


class ProjectTests(ConnectorCase):
    def project(self, **options) -> str:
        messaging.send(messaging.Message(token="a"), app=self.app(None, **options))
        return self.gateway.requests[-1].path.split("/")[3]

    def test_the_default_project_is_pushgate(self):
        self.assertEqual(self.project(), "pushgate")

    def test_the_environment_sets_the_project(self):
        os.environ["GCLOUD_PROJECT"] = "older"
        self.assertEqual(self.project(), "older")
        os.environ["GOOGLE_CLOUD_PROJECT"] = "newer"
        self.assertEqual(self.project(), "newer")

    def test_the_apps_options_take_precedence(self):
        os.environ["GOOGLE_CLOUD_PROJECT"] = "environment"
        self.assertEqual(self.project(projectId="option"), "option")
        os.environ["FIREBASE_CONFIG"] = '{"projectId":"configuration"}'
        self.assertEqual(self.project(), "configuration")

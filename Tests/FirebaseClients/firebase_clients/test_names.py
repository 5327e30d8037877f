"""The way by the names: without connector and proxy, Google's names lead to the gateway's TLS listener at port 443."""

import os
import socket
import ssl
import sys
import unittest

import httpx
import requests

from .served import ARRIVAL_SECONDS

NAMES = [
    "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com", "oauth2.googleapis.com",
    "www.googleapis.com",
]


class NameTests(unittest.TestCase):
    def test_the_way_by_the_names_uses_neither_connector_nor_proxy(self):
        self.assertEqual([name for name in sys.modules if name.startswith("pushgate")], [])
        self.assertNotIn("HTTPS_PROXY", os.environ)

    def test_each_of_googles_names_leads_to_the_gateway(self):
        for name in NAMES:
            self.assertEqual(socket.gethostbyname(name), "127.0.0.1")
            answer = requests.get(f"https://{name}/healthz", timeout=ARRIVAL_SECONDS)
            self.assertEqual((answer.status_code, answer.json()), (200, {"status": "ok"}))

    def test_googles_name_leads_to_the_gateway_over_http_2(self):
        trusted = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
        with httpx.Client(http2=True, verify=trusted) as client:
            answer = client.get("https://fcm.googleapis.com/healthz", timeout=ARRIVAL_SECONDS)
        self.assertEqual((answer.http_version, answer.status_code), ("HTTP/2", 200))

    def test_the_gateway_is_not_trusted_without_its_ca(self):
        with self.assertRaises(requests.exceptions.SSLError):
            requests.get("https://fcm.googleapis.com/healthz", verify=requests.certs.where(), timeout=ARRIVAL_SECONDS)

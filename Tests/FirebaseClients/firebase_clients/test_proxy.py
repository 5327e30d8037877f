"""The way through the proxy: without connector, with Google's own addresses and the CA of `pushgate init`."""

import os
import ssl
import sys

import httpx
import requests
from firebase_admin import messaging

from .case import ClientCase
from .served import ARRIVAL_SECONDS


class ProxyTests(ClientCase):
    def test_the_way_through_the_proxy_uses_no_connector(self):
        self.assertEqual([name for name in sys.modules if name.startswith("pushgate")], [])
        self.assertEqual(messaging._get_messaging_service(None)._fcm_url.split("/")[2], "fcm.googleapis.com")

    def test_googles_names_lead_to_the_gateway(self):
        for name in ("fcm.googleapis.com", "iid.googleapis.com"):
            answer = requests.get(f"https://{name}/healthz", timeout=ARRIVAL_SECONDS)
            self.assertEqual((answer.status_code, answer.json()), (200, {"status": "ok"}))

    def test_googles_name_leads_to_the_gateway_over_http_2(self):
        trusted = ssl.create_default_context(cafile=os.environ["REQUESTS_CA_BUNDLE"])
        with httpx.Client(http2=True, proxy=os.environ["HTTPS_PROXY"], verify=trusted, trust_env=False) as client:
            answer = client.get("https://fcm.googleapis.com/healthz", timeout=ARRIVAL_SECONDS)
        self.assertEqual((answer.http_version, answer.status_code), ("HTTP/2", 200))

    def test_the_proxy_refuses_other_names(self):
        for name in ("example.com", "fcm.googleapis.com:444", "fcm.googleapis.com.example.com", "localhost"):
            with self.subTest(name), self.assertRaises(requests.exceptions.ProxyError):
                requests.get(f"https://{name}/", timeout=ARRIVAL_SECONDS)

    def test_the_gateway_is_not_trusted_without_its_ca(self):
        with self.assertRaises(requests.exceptions.SSLError):
            requests.get("https://fcm.googleapis.com/healthz", verify=requests.certs.where(), timeout=ARRIVAL_SECONDS)

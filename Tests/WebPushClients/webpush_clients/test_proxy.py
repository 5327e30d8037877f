"""The proxy under the services' names."""

import unittest

import requests

from .service import PushService

NAMES = ["fcm.googleapis.com", "jmt17.google.com", "updates.push.services.mozilla.com", "web.push.apple.com",
         "wns2-par02p.notify.windows.com"]
OTHERS = ["example.com", "www.google.com", "push.apple.com.example.com", "fcm.googleapis.com:444", "localhost"]
SECONDS = 120


class ProxyTests(unittest.TestCase):
    def __init__(self, method: str, service: PushService) -> None:
        super().__init__(method)
        self.service = service

    def get(self, name: str, authority: str) -> int:
        with requests.Session() as session:
            session.trust_env = False
            session.proxies = {"https": self.service.settings["proxy"]}
            return session.get(f"https://{name}/wpush/v2/none", verify=authority, timeout=SECONDS).status_code

    def test_each_services_name_leads_to_the_service(self) -> None:
        for name in NAMES:
            with self.subTest(name):
                self.assertEqual(self.get(name, self.service.settings["ca_file"]), 405)

    def test_other_names_and_ports_are_refused(self) -> None:
        for name in OTHERS:
            with self.subTest(name), self.assertRaises(requests.exceptions.ProxyError):
                self.get(name, self.service.settings["ca_file"])

    def test_the_service_is_not_trusted_without_its_authority(self) -> None:
        with self.assertRaises(requests.exceptions.SSLError):
            self.get(NAMES[0], requests.certs.where())

"""The files of `pushgate init`."""

import json
import stat
import unittest
from pathlib import Path

from .served import Served


class FileTests(unittest.TestCase):
    def setUp(self) -> None:
        self.served = Served()
        self.directory = Path(self.served.directory)

    def test_the_service_account_file_is_complete_for_every_client(self):
        account = json.loads((self.directory / "service-account.json").read_text())
        self.assertEqual(account["type"], "service_account")
        self.assertEqual(account["token_uri"], f"{self.served.url}/token")
        for field in ("project_id", "private_key_id", "client_email", "client_id"):
            self.assertTrue(account[field], field)
        self.assertTrue(account["private_key"].startswith("-----BEGIN PRIVATE KEY-----\n"))

    def test_the_service_account_file_is_readable_by_its_owner_only(self):
        mode = (self.directory / "service-account.json").stat().st_mode
        self.assertEqual(stat.S_IMODE(mode) & 0o077, 0)

    def test_the_ca_file_is_a_certificate_without_its_key(self):
        text = (self.directory / "ca.pem").read_text()
        self.assertIn("-----BEGIN CERTIFICATE-----", text)
        self.assertNotIn("PRIVATE KEY", text)

import os
import unittest
from unittest.mock import patch

from pushgate_firebase.address import VARIABLE, gateway_url, redirected


def read(value: str):
    with patch.dict(os.environ, {VARIABLE: value}):
        return gateway_url()


class AddressTests(unittest.TestCase):
    def test_a_host_and_port_are_plain_http(self):
        self.assertEqual(read("127.0.0.1:8080"), "http://127.0.0.1:8080")
        self.assertEqual(read("[::1]:8080"), "http://[::1]:8080")
        self.assertEqual(read(" gateway:80 "), "http://gateway:80")

    def test_a_url_is_taken_with_its_scheme_and_prefix(self):
        self.assertEqual(read("https://push.example.com"), "https://push.example.com")
        self.assertEqual(read("http://push.example.com:8080/fcm/"), "http://push.example.com:8080/fcm")

    def test_without_a_value_there_is_no_gateway(self):
        self.assertIsNone(read(""))
        self.assertIsNone(read("  "))

    def test_an_invalid_address_is_an_error_that_names_the_variable(self):
        for value in (":8080", "http://", "host:port", "host:99999", "ftp://host", "http://host/?a=b", "http://[::1"):
            with self.subTest(value), self.assertRaisesRegex(ValueError, VARIABLE):
                read(value)

    def test_only_googles_messaging_is_redirected(self):
        for url, expected in {
            "https://fcm.googleapis.com/v1/projects/p/messages:send": "http://g/v1/projects/p/messages:send",
            "https://iid.googleapis.com/iid/v1:batchAdd": "http://g/iid/v1:batchAdd",
            "https://fcm.googleapis.com": "http://g",
            "https://fcm.googleapis.com.example.com/v1": "https://fcm.googleapis.com.example.com/v1",
            "https://oauth2.googleapis.com/token": "https://oauth2.googleapis.com/token",
        }.items():
            self.assertEqual(redirected(url, "http://g"), expected)

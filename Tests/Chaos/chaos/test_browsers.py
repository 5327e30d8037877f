"""Tests of the decryption and the checks of messages for browsers."""

import unittest
from typing import Any

from measure.tools import Failure

from .browser_phase import check
from .decryption import Receiver, decode
from .push_service import BrowserMessage, topic

# The example of RFC 8291, appendix A.
KEY = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgq1dXpw3UpT5VOmu/
cf/v6ih07Aems3njxI+JWgLcM96hRANCAAQlcbK+zf3jYFUarx7Q9M02bBHOvlVf
iby3sYalMzkXMWjs4uvgGFl70wR5uG48j47O1XfKWRh+kkaZDbaCAIsO
-----END PRIVATE KEY-----
"""
P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
BODY = decode(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y"
    "l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")


def message(id: str, completion: str, tag: str | None = "an-agent", **changes: Any) -> BrowserMessage:
    shown = {"data": {"completion_id": completion}} | ({"tag": tag} if tag else {})
    payload = {"notification": shown, "message_id": id}
    values = {"token": "a", "connection": 1, "status": 201, "is_accepted": True, "topic": tag and topic(tag)} | changes
    return BrowserMessage(payload=payload, **values)


class DecryptionTests(unittest.TestCase):
    def test_example_of_the_standard_is_decrypted(self) -> None:
        self.assertEqual(Receiver(KEY, P256DH, AUTH).decrypt(BODY), b"When I grow up, I want to be a watermelon")

    def test_changed_body_and_other_keys_are_refused(self) -> None:
        with self.assertRaises(Failure):
            Receiver(KEY, P256DH, AUTH).decrypt(BODY[:-1] + bytes([BODY[-1] ^ 1]))
        with self.assertRaises(Failure):
            Receiver(KEY, P256DH, "A" * 22).decrypt(BODY)


class CheckTests(unittest.TestCase):
    def test_copy_after_a_lost_answer_is_right(self) -> None:
        check([
            message("1", "run-1"), message("1", "run-1", token="b"), message("1", "run-1", connection=2),
            message("2", "run-2", status=503), message("2", "run-2"), message("3", "run-3", tag=None),
        ])

    def test_copy_after_an_answer_is_found(self) -> None:
        with self.assertRaisesRegex(Failure, "sent again"):
            check([message("1", "run-1"), message("1", "run-1")])

    def test_other_topic_is_found(self) -> None:
        for wrong in (message("1", "run-1", topic="other"), message("1", "run-1", topic=None)):
            with self.assertRaisesRegex(Failure, "topic"):
                check([wrong])

    def test_id_of_two_messages_is_found(self) -> None:
        with self.assertRaisesRegex(Failure, "one id"):
            check([message("1", "run-1"), message("1", "run-2")])

    def test_everything_that_must_stay_the_same_is_in_the_id(self) -> None:
        ids = {each.id for each in (
            message("1", "run-1"), message("2", "run-1"), message("1", "run-1", topic="x"), message("1", "run-1", "b"))}
        self.assertEqual(len(ids), 4)
        self.assertEqual(message("1", "run-1").id, message("1", "run-1", connection=2, status=None).id)

"""The judgment of `http-ece` and `py-vapid` about a gateway's messages."""

import json
import time
import unittest
from collections import Counter
from collections.abc import Callable
from typing import Any

import http_ece
from py_vapid import Vapid02
from py_vapid.utils import b64urldecode

from .gateway import SUBJECT
from .judges import Corpus, Judged
from .keys import ReceiverKeys
from .messages import LONGEST, padded, size

HEADER = 86
OVERHEAD = HEADER + 17
# The time that a message may need to its request, in seconds.
SLOWNESS = 600


class JudgeTests(unittest.TestCase):
    def __init__(self, method: str, corpus: Corpus) -> None:
        super().__init__(method)
        self.corpus = corpus

    def judge(self, check: Callable[[Judged], None]) -> None:
        """Checks each message. An error shows the message that it is about."""
        self.assertEqual(len(self.corpus.judged), self.corpus.options.messages)
        for one in self.corpus.judged:
            try:
                check(one)
            except Exception as error:
                error.add_note(f"to {one.subscriber.endpoint}: {one.sample.message}\nfields: {one.request.fields}")
                raise

    def test_http_ece_decrypts_each_message_to_what_was_sent(self) -> None:
        counts = Counter[str]()

        def check(one: Judged) -> None:
            content = one.subscriber.keys.decrypt(one.request.body)
            expected = one.sample.payload(one.message_id)
            self.assertLessEqual(len(content), LONGEST)
            if size(expected) <= LONGEST:
                self.assertEqual(json.loads(content), expected)
                self.assertEqual(len(content), size(expected))
                counts["whole"] += 1
            else:
                self.assert_cut(content, expected)
                counts["cut"] += 1

        self.judge(check)
        print(f"http-ece: {counts['whole']} decrypted whole, {counts['cut']} cut to {LONGEST} bytes", flush=True)
        self.assertGreater(min(counts["whole"], counts["cut"]), 0)

    def assert_cut(self, content: bytes, expected: dict[str, Any]) -> None:
        """Checks that only the end of the body is missing, and no more than necessary."""
        payload = json.loads(content)
        body, whole = payload["notification"]["body"], expected["notification"]["body"]
        self.assertTrue(body.endswith("…") and whole.startswith(body[:-1]), body)
        expected["notification"]["body"] = body
        self.assertEqual(payload, expected)
        self.assertGreater(len(content), LONGEST - 100, "the longest character that is seen as one has 25 bytes")

    def test_py_vapid_verifies_each_token(self) -> None:
        key, now = self.corpus.gateway.public_key(), time.time()

        def check(one: Judged) -> None:
            authorization = one.request.fields["authorization"]
            self.assertTrue(verifies(authorization))
            scheme, token, named = authorization.split(" ")
            self.assertEqual((scheme, token[:2], token[-1], named), ("vapid", "t=", ",", f"k={key}"))
            header, claims = (json.loads(b64urldecode(part.encode())) for part in token[2:].split(".")[:2])
            self.assertEqual(header, {"typ": "JWT", "alg": "ES256"})
            origin = "/".join(one.subscriber.endpoint.split("/")[:3])
            self.assertEqual((claims["aud"], claims["sub"]), (origin, SUBJECT))
            self.assertTrue(now + 3600 < claims["exp"] <= now + 86_400, claims["exp"])

        self.judge(check)
        tokens = {one.request.fields["authorization"] for one in self.corpus.judged}
        origins = {one.request.authority for one in self.corpus.judged}
        count = len(self.corpus.judged)
        print(f"py-vapid: {count} verified, {len(tokens)} tokens for {len(origins)} origins", flush=True)
        # The tokens change every four hours of the clock.
        self.assertLessEqual(len(tokens), 2 * len(origins))

    def test_the_fields_are_those_of_the_message(self) -> None:
        def check(one: Judged) -> None:
            fields, sample = one.request.fields, one.sample
            self.assertEqual(fields["content-encoding"], "aes128gcm")
            self.assertEqual(fields["content-type"], "application/octet-stream")
            self.assertEqual((fields["urgency"], fields.get("topic")), (sample.urgency, sample.topic))
            self.assertRegex(fields["ttl"], "^[0-9]+$")
            late = sample.ttl - int(fields["ttl"])
            self.assertTrue(0 <= late <= SLOWNESS if sample.ttl else late == 0, (sample.ttl, fields["ttl"]))
            policy = ("cache" if sample.ttl else "no-cache") if one.subscriber.service == "microsoft" else None
            self.assertEqual(fields.get("x-wns-cache-policy"), policy)
            main = one.subscriber.service in ("google", "mozilla", "apple")
            self.assertEqual(one.request.version, "HTTP/2" if main else "HTTP/1.1")

        self.judge(check)

    def test_lengths_are_padded_and_the_header_announces_one_record(self) -> None:
        def check(one: Judged) -> None:
            body = one.request.body
            self.assertEqual(len(body) - OVERHEAD, padded(len(one.content)))
            self.assertEqual((int.from_bytes(body[16:20]), body[20]), (4096, 65))
            self.assertGreater(4096, len(body) - HEADER, "the record is shorter than its announced size")

        self.judge(check)

    def test_no_two_messages_have_a_key_or_a_salt_in_common(self) -> None:
        bodies = [one.request.body for one in self.corpus.judged]
        self.assertEqual(len({body[:16] for body in bodies}), len(bodies))
        self.assertEqual(len({body[21:HEADER] for body in bodies}), len(bodies))

    def test_the_judges_refuse_what_was_changed(self) -> None:
        one = self.corpus.judged[0]
        for place in (0, HEADER, len(one.request.body) - 1):
            with self.subTest(place), self.assertRaises(http_ece.ECEException):
                one.subscriber.keys.decrypt(changed(one.request.body, place))
        with self.assertRaises(http_ece.ECEException):
            ReceiverKeys.generate().decrypt(one.request.body)
        token = one.request.fields["authorization"]
        header, claims, signature = token.split(".")
        self.assertFalse(verifies(".".join([header, "A" + claims[1:], signature])))
        other = "B" if signature[0] == "A" else "A"
        self.assertFalse(verifies(".".join([header, claims, other + signature[1:]])))

    def test_data_fit_to_the_last_byte_and_one_more_is_refused(self) -> None:
        subscriber = self.corpus.subscribers[0]
        empty = size({"data": {"text": ""}})
        for length, is_accepted in ((LONGEST - empty, True), (LONGEST - empty + 1, False)):
            self.corpus.endpoints.received.clear()
            answer = self.corpus.gateway.send({"token": subscriber.token, "data": {"text": "x" * length}})
            self.assertEqual(answer.status, 200 if is_accepted else 400, answer.text)
            contents = [subscriber.keys.decrypt(one.body) for one in self.corpus.endpoints.received]
            self.assertEqual([len(one) for one in contents], [LONGEST] if is_accepted else [])


def verifies(authorization: str) -> bool:
    """Returns the judgment of `py-vapid`, which reads the parameters without the blank between them."""
    return Vapid02.verify(authorization.replace(", ", ","))


def changed(body: bytes, place: int) -> bytes:
    return body[:place] + bytes([body[place] ^ 1]) + body[place + 1:]

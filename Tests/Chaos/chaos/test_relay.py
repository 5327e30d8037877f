"""Tests of the keys of phones at a relay."""

import unittest

from measure.relay_phone import Key, halves

from .relay_load import SealedPhone


class PhoneTests(unittest.TestCase):
    def test_signature_has_two_halves_whatever_their_lengths(self) -> None:
        short, long = b"\x7f" * 30, b"\x80" * 32
        der = b"\x02\x1e" + short + b"\x02\x21\0" + long
        self.assertEqual(halves(bytes([0x30, len(der)]) + der), b"\0\0" + short + long)
        self.assertEqual({len(Key().sign(b"text %d" % number)) for number in range(100)}, {64})

    def test_both_sides_have_the_same_secret(self) -> None:
        phone, other = SealedPhone("a1"), SealedPhone("a2")
        self.assertEqual(
            phone.sealing.shared_secret(other.sealing.point), other.sealing.shared_secret(phone.sealing.point))
        self.assertNotEqual(phone.sealing.point, phone.key.point)
        self.assertEqual(set(phone.secrets), {"send_secret", "p256dh", "auth", "collapse_key"})
        self.assertEqual(len(phone.secrets["p256dh"]), 87)

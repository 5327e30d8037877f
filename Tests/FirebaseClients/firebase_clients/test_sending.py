"""Tests of send, send_each, send_each_for_multicast and dry_run."""

import unittest

from firebase_admin import messaging

from .case import GENERATION, ClientCase

# The most messages of one call. The client sends each on a connection of its own, from as many threads.
MOST = 500


class SendingTests(ClientCase):
    def test_a_message_arrives_as_sent(self):
        [token] = self.register(1)
        name = messaging.send(self.message(token=token))
        self.assertRegex(name, r"^projects/[^/]+/messages/.+")
        self.assert_arrived([token])

    @unittest.skipIf(GENERATION < 7, "this firebase-admin sends to tokens only")
    def test_a_message_to_an_installation_id_arrives(self):
        [token] = self.register(1)
        messaging.send(self.message(fid=token.split(":")[0]))
        self.assertEqual(len(self.served.arrivals(self.collapse_id, 1)), 1)

    def test_500_messages_each_arrive_at_their_device(self):
        tokens = self.register(MOST)
        self.assert_all_sent(messaging.send_each([self.message(token=token) for token in tokens]), MOST)
        self.assert_arrived(tokens)

    def test_a_multicast_of_500_arrives_once_at_each_device(self):
        tokens = self.register(MOST)
        response = messaging.send_each_for_multicast(messaging.MulticastMessage(tokens=tokens, **self.content()))
        self.assert_all_sent(response, MOST)
        self.assert_arrived(tokens)

    def test_a_dry_run_succeeds_and_delivers_nothing(self):
        [token] = self.register(1)
        name = messaging.send(self.message(token=token), dry_run=True)
        self.assertRegex(name, r"^projects/[^/]+/messages/.+")
        response = messaging.send_each([self.message(token=token)] * 2, dry_run=True)
        self.assertEqual(response.success_count, 2)
        self.assert_nothing_else_arrives(token, [])

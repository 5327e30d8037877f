"""Sends and topics through asyncio, whose client uses no proxy."""

import asyncio
import unittest
from collections.abc import Coroutine
from typing import Any

from firebase_admin import exceptions, messaging

from .case import GENERATION, ClientCase

# The number of connections that the client opens. With more messages it mostly searches its queue.
COUNT = 100


class AsynchronousTests(ClientCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # One loop for all tests: the client keeps its connections, which belong to the loop that made them.
        cls.loop = asyncio.new_event_loop()

    def run_in_loop(self, what: Coroutine) -> Any:
        return self.loop.run_until_complete(what)

    def test_100_messages_each_arrive_at_their_device(self):
        tokens = self.register(COUNT)
        response = self.run_in_loop(messaging.send_each_async([self.message(token=token) for token in tokens]))
        self.assert_all_sent(response, COUNT)
        self.assert_arrived(tokens)

    def test_a_multicast_arrives_once_at_each_device(self):
        tokens = self.register(COUNT)
        multicast = messaging.MulticastMessage(tokens=tokens, **self.content())
        self.assert_all_sent(self.run_in_loop(messaging.send_each_for_multicast_async(multicast)), COUNT)
        self.assert_arrived(tokens)

    def test_a_dry_run_succeeds_and_delivers_nothing(self):
        [token] = self.register(1)
        response = self.run_in_loop(messaging.send_each_async([self.message(token=token)], dry_run=True))
        self.assertEqual(response.success_count, 1)
        self.assert_nothing_else_arrives(token, [])

    def test_an_invalid_message_fails_and_the_others_arrive(self):
        [good] = self.register(1)
        messages = [self.message(token=good), self.message(token=good, data={"google.reserved": "1"})]
        first, second = self.run_in_loop(messaging.send_each_async(messages)).responses
        self.assertTrue(first.success)
        self.assertIs(type(second.exception), exceptions.InvalidArgumentError)
        self.assert_arrived([good])

    @unittest.skipIf(GENERATION < 7, "this firebase-admin has no such call")
    def test_a_topic_message_reaches_those_still_subscribed(self):
        tokens = self.register(3)

        async def subscribe():
            await messaging.subscribe_to_topic_async(tokens, self.collapse_id)
            return await messaging.unsubscribe_from_topic_async(tokens[:1], self.collapse_id)

        self.assertEqual(self.run_in_loop(subscribe()).success_count, 1)
        messaging.send(self.message(topic=self.collapse_id))
        self.assert_arrived(tokens[1:])

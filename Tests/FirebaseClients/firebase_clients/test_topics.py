"""Topics with both generations of the client's API: subscriptions as resources, and in batches."""

import unittest

from firebase_admin import messaging

from .case import GENERATION, ClientCase

# `True` if the client has both generations of the API.
HAS_BOTH = GENERATION >= 7


class TopicsInBatchesTests(ClientCase):
    """Subscriptions by `iid/v1:batchAdd` and `batchRemove`, the only way of 6.x, which 7.7 calls legacy."""

    many = 1000

    def subscribe(self, tokens, topic: str):
        call = messaging.subscribe_to_topic_legacy if HAS_BOTH else messaging.subscribe_to_topic
        return call(tokens, topic)

    def unsubscribe(self, tokens, topic: str):
        call = messaging.unsubscribe_from_topic_legacy if HAS_BOTH else messaging.unsubscribe_from_topic
        return call(tokens, topic)

    def assert_done(self, response: messaging.TopicManagementResponse, count: int) -> None:
        self.assertEqual([f"{error.index}: {error.reason}" for error in response.errors], [])
        self.assertEqual((response.success_count, response.failure_count), (count, 0))

    def test_a_topic_message_arrives_at_its_subscribers(self):
        tokens, topic = self.register(3), f"{self.collapse_id}.news~-_"
        self.assert_done(self.subscribe(tokens, topic), 3)
        messaging.send(self.message(topic=topic))
        self.assert_arrived(tokens)

    def test_a_topic_message_does_not_arrive_after_an_unsubscription(self):
        tokens, topic = self.register(3), self.collapse_id
        self.subscribe(tokens, topic)
        self.assert_done(self.unsubscribe(tokens[0], f"/topics/{topic}"), 1)
        messaging.send(self.message(topic=topic))
        self.assert_arrived(tokens[1:])
        self.assert_nothing_else_arrives(tokens[0], tokens[1:])

    def test_a_repeated_subscription_counts_once_and_a_repeated_end_is_no_error(self):
        tokens, topic = self.register(1), self.collapse_id
        for _ in range(2):
            self.assert_done(self.subscribe(tokens, topic), 1)
        messaging.send(self.message(topic=topic))
        self.assert_arrived(tokens)
        for _ in range(2):
            self.assert_done(self.unsubscribe(tokens, topic), 1)
        self.assert_nothing_else_arrives(tokens[0], tokens)

    def test_a_message_to_a_condition_arrives_once_at_each_match(self):
        a, b, c = (f"{self.collapse_id}-{name}" for name in "abc")
        tokens = self.register(4)
        self.subscribe(tokens[:3], a)
        self.subscribe(tokens[1:], b)
        self.subscribe(tokens[2:3], c)
        messaging.send(self.message(condition=f"'{a}' in topics && ('{b}' in topics || '{c}' in topics)"))
        self.assert_arrived(tokens[1:3])

    def test_a_dry_run_to_a_topic_delivers_nothing(self):
        tokens, topic = self.register(1), self.collapse_id
        self.subscribe(tokens, topic)
        messaging.send(self.message(topic=topic), dry_run=True)
        # Sends to the topic again: a message to a token could arrive before one that should not be there.
        messaging.send(self.message(topic=topic))
        self.assert_arrived(tokens)

    def test_the_most_tokens_of_one_call_are_subscribed(self):
        tokens, topic = self.register(self.many), self.collapse_id
        self.assert_done(self.subscribe(tokens, topic), self.many)
        messaging.send(self.message(topic=topic))
        self.assert_arrived(tokens)

    def test_an_unknown_token_fails_and_the_others_are_subscribed(self):
        if self.served.is_emulator:
            self.skipTest("in emulator mode every token is known")
        tokens, topic = self.register(2), self.collapse_id
        response = self.subscribe([tokens[0], "nobody:APA91bnothing", tokens[1]], topic)
        self.assertEqual((response.success_count, response.failure_count), (2, 1))
        self.assertEqual(response.errors[0].index, 1)
        messaging.send(self.message(topic=topic))
        self.assert_arrived(tokens)


@unittest.skipUnless(HAS_BOTH, "this firebase-admin knows batches only")
class TopicsAsResourcesTests(TopicsInBatchesTests):
    """Subscriptions by `registrations/{token}/topicSubscriptions`: one request for each token, 100 at a time."""

    many = 500

    def subscribe(self, tokens, topic: str):
        return messaging.subscribe_to_topic(tokens, topic)

    def unsubscribe(self, tokens, topic: str):
        return messaging.unsubscribe_from_topic(tokens, topic)

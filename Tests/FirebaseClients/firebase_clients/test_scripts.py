"""Scripted errors with a count, and the client's retries. Emulator mode."""

from firebase_admin import messaging

from .case import ClientCase


class ScriptTests(ClientCase):
    def tearDown(self) -> None:
        self.served.ask("DELETE", "/emulator/v1/scripts")

    def test_a_message_that_the_client_retries_arrives_once(self):
        for code in ("UNAVAILABLE", "INTERNAL"):
            with self.subTest(code):
                self.setUp()
                [token] = self.register(1)
                self.served.script(code, token=token, times=1)
                messaging.send(self.message(token=token))
                self.assert_arrived([token])

    def test_an_error_for_all_tokens_ends_after_its_count(self):
        tokens = self.register(4)
        self.served.script("QUOTA_EXCEEDED", times=3)
        response = messaging.send_each([self.message(token=token) for token in tokens[:3]])
        self.assertEqual([type(one.exception) for one in response.responses], [messaging.QuotaExceededError] * 3)
        messaging.send(self.message(token=tokens[3]))
        self.assert_arrived(tokens[3:])

    def test_a_deleted_script_does_not_apply(self):
        [token] = self.register(1)
        self.served.script("UNREGISTERED", token=token)
        self.served.ask("DELETE", "/emulator/v1/scripts")
        messaging.send(self.message(token=token))
        self.assert_arrived([token])

    def test_a_script_for_one_token_does_not_affect_another(self):
        tokens = self.register(2)
        self.served.script("UNREGISTERED", token=tokens[0])
        messaging.send(self.message(token=tokens[1]))
        self.assert_arrived(tokens[1:])
        with self.assertRaises(messaging.UnregisteredError):
            messaging.send(self.message(token=tokens[0]))

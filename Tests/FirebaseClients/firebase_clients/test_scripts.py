"""Scripted errors that pass, and the client's repeats. Emulator mode."""

from firebase_admin import messaging

from .case import ClientCase


class ScriptTests(ClientCase):
    def tearDown(self) -> None:
        self.served.ask("DELETE", "/emulator/v1/scripts")

    def test_what_the_client_repeats_arrives_once(self):
        for code in ("UNAVAILABLE", "INTERNAL"):
            with self.subTest(code):
                self.setUp()
                [token] = self.register(1)
                self.served.script(code, token=token, times=1)
                messaging.send(self.message(token=token))
                self.assert_arrived([token])

    def test_an_error_for_every_message_passes_after_so_many(self):
        tokens = self.register(4)
        self.served.script("QUOTA_EXCEEDED", times=3)
        response = messaging.send_each([self.message(token=token) for token in tokens[:3]])
        self.assertEqual([type(one.exception) for one in response.responses], [messaging.QuotaExceededError] * 3)
        messaging.send(self.message(token=tokens[3]))
        self.assert_arrived(tokens[3:])

    def test_a_script_can_be_withdrawn(self):
        [token] = self.register(1)
        self.served.script("UNREGISTERED", token=token)
        self.served.ask("DELETE", "/emulator/v1/scripts")
        messaging.send(self.message(token=token))
        self.assert_arrived([token])

    def test_a_script_for_a_token_leaves_others_alone(self):
        tokens = self.register(2)
        self.served.script("UNREGISTERED", token=tokens[0])
        messaging.send(self.message(token=tokens[1]))
        self.assert_arrived(tokens[1:])
        with self.assertRaises(messaging.UnregisteredError):
            messaging.send(self.message(token=tokens[0]))

"""The way through the connector: no proxy, no CA, and only firebase-admin in the application."""

import os
import sys

from firebase_admin import messaging

from .case import ClientCase


class ShimTests(ClientCase):
    def test_the_connector_is_active_without_an_import_in_the_application(self):
        self.assertIn("pushgate_firebase.hook", sys.modules)
        self.assertNotIn("HTTPS_PROXY", os.environ)

    def test_a_send_in_emulator_mode_needs_no_credentials(self):
        if not self.served.is_emulator:
            self.skipTest("this gateway delivers")
        self.assertNotIn("GOOGLE_APPLICATION_CREDENTIALS", os.environ)
        [token] = self.register(1)
        self.assertTrue(messaging.send(self.message(token=token)).startswith("projects/pushgate/messages/"))

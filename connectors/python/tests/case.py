"""A test case with a stand-in for the gateway, and the variable with its address."""

import os
import unittest
from itertools import count
from unittest.mock import patch

import firebase_admin
from firebase_admin import messaging

from pushgate_firebase import install
from pushgate_firebase.address import VARIABLE

from .stand_in import StandIn

# Variables of the machine that the tests must not see.
FOREIGN = [
    "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "FIREBASE_CONFIG", "HTTP_PROXY",
    "http_proxy", "ALL_PROXY", "all_proxy",
]

numbers = count()

IS_SUBSCRIBED_BY_RESOURCE = hasattr(messaging, "subscribe_to_topic_async")


class ConnectorCase(unittest.TestCase):
    def setUp(self) -> None:
        install()
        self.gateway = StandIn()
        self.addCleanup(self.gateway.stop)
        self.set_variables(FIREBASE_MESSAGING_EMULATOR_HOST=self.gateway.address)

    def set_variables(self, **variables: str) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in [*FOREIGN, VARIABLE]}
        patcher = patch.dict(os.environ, {**kept, **variables}, clear=True)
        patcher.start()
        self.addCleanup(patcher.stop)

    def app(self, credential=None, **options) -> firebase_admin.App:
        """Keeps the app: deleting it in 7.x would close connections of asyncio loops that have ended, which fails."""
        return firebase_admin.initialize_app(credential, options or None, name=f"app {next(numbers)}")

"""Requests to a gateway whose phones are at an author's relay, which dies now and then."""

import http.client
import json
import os
from base64 import urlsafe_b64decode
from collections.abc import Callable
from typing import Any

from measure.relay_phone import Key, RelayPhone, encode
from measure.servers import Gateway

from .decryption import Receiver, load
from .load import Load

# The wait of an app before it calls a relay again that did not answer.
PAUSE = 0.1
SECRET_SIZE = 16


class Sealing(Receiver):
    """The keys with which a phone opens what gateways seal for it."""

    def __init__(self) -> None:
        key = Key()
        self.crypto, self.key, self.point, self.auth = load(), key.key, key.point, os.urandom(SECRET_SIZE)


class SealedPhone(RelayPhone):
    """A phone with an address at the relay, which opens its notifications."""

    def __init__(self, token: str) -> None:
        super().__init__(token)
        self.sealing, self.collapse_key = Sealing(), os.urandom(SECRET_SIZE)

    @property
    def secrets(self) -> dict[str, str]:
        return {
            "send_secret": self.send_secret, "p256dh": encode(self.sealing.point), "auth": encode(self.sealing.auth),
            "collapse_key": encode(self.collapse_key),
        }

    def open(self, sealed: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.sealing.decrypt(urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))))
        return content


class RelayLoad(Load):
    def __init__(self) -> None:
        super().__init__()
        # The URL of the relay that runs, or ran last.
        self.relay = ""
        # The phones with an address and a send secret, by their device tokens.
        self.known: dict[str, SealedPhone] = {}

    def register(self, gateway: Gateway, cwd: str, installation: str, fcm_token: str) -> bool:
        phone = self.known.get(fcm_token) or self.enroll(fcm_token)
        if phone is None:
            return False
        body = {"cwd": cwd, "installation_id": installation, "fcm_token": phone.address, "relay": phone.secrets}
        return self.is_accepted(self.post(gateway, "/registerSubscription", body))

    def enroll(self, token: str) -> SealedPhone | None:
        """Registers a phone with the relay as its app does, again and again; none if the load ends before an answer."""
        phone = SealedPhone(token)
        for call in (phone.register, phone.make_secret):
            while not self.is_answered(call):
                if self.is_over.wait(PAUSE):
                    return None
        self.known[token] = phone
        return phone

    def is_answered(self, call: Callable[[str], None]) -> bool:
        try:
            call(self.relay)
            return True
        except (OSError, http.client.HTTPException):
            return False

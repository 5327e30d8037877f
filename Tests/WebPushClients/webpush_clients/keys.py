"""Keys of senders and of subscriptions, made by the libraries that the senders use."""

import os
from dataclasses import dataclass

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from py_vapid import Vapid02
from py_vapid.utils import b64urldecode, b64urlencode


def point(key: ec.EllipticCurvePrivateKey) -> str:
    """Returns the public key in base64url, as subscriptions and `Authorization` have it."""
    return b64urlencode(key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


@dataclass
class SenderKey:
    """A VAPID key in the two forms that tools print."""

    public: str
    private: str

    @staticmethod
    def generate() -> "SenderKey":
        vapid = Vapid02()
        vapid.generate_keys()
        scalar = vapid.private_key.private_numbers().private_value
        return SenderKey(point(vapid.private_key), b64urlencode(scalar.to_bytes(32, "big")))


@dataclass
class ReceiverKeys:
    """The keys of a subscription, with the private one, which no sender has."""

    private: ec.EllipticCurvePrivateKey
    auth: str

    @staticmethod
    def generate() -> "ReceiverKeys":
        return ReceiverKeys(ec.generate_private_key(ec.SECP256R1()), b64urlencode(os.urandom(16)))

    @staticmethod
    def of_pem(pem: str, auth: str) -> "ReceiverKeys":
        return ReceiverKeys(load_pem_private_key(pem.encode(), password=None), auth)

    @property
    def p256dh(self) -> str:
        return point(self.private)

    def json(self) -> dict[str, str]:
        return {"p256dh": self.p256dh, "auth": self.auth}

    def decrypt(self, body: bytes) -> bytes:
        """Returns the message of a body. An `http_ece.ECEException` is raised for one that is not for these keys."""
        return http_ece.decrypt(
            body, private_key=self.private, auth_secret=b64urldecode(self.auth.encode()), version="aes128gcm")

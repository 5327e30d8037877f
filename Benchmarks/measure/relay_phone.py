"""An installation of an app at an author's relay, as docs/relay.md has it, with its key by the library of OpenSSL."""

import ctypes
import functools
import hashlib
import json
import time
from base64 import urlsafe_b64encode
from typing import Any

from .servers import Answer, request
from .tools import Failure

LIBRARY = "libcrypto.so.3"
ADDRESSES = "/relay/v1/addresses"
SEND = "/relay/v1/send"
# The settings of a relay without limits.
RELAY = {"PUSHGATE_RELAY_ENABLED": "true"} | {
    "PUSHGATE_RELAY_" + name: "0"
    for name in (
        "CALLS_PER_MINUTE_PER_ADDRESS", "NEW_INSTALLATIONS_PER_HOUR_PER_ADDRESS", "MESSAGES_PER_MINUTE_PER_ADDRESS",
        "MESSAGES_PER_MINUTE_PER_INSTALLATION", "MESSAGES_PER_MINUTE_PER_SECRET",
    )
}
# The functions that return a pointer.
POINTERS = ["EVP_PKEY_Q_keygen", "EVP_MD_CTX_new", "EVP_sha256"]
HALF, LONGEST_SIGNATURE = 32, 80


class Key:
    """A private key on P-256."""

    def __init__(self) -> None:
        self.crypto = load()
        self.key = ctypes.c_void_p(self.crypto.EVP_PKEY_Q_keygen(None, None, b"EC", b"P-256"))
        self.point = self.public_point()

    def public_point(self) -> bytes:
        """Returns the public half as an uncompressed point."""
        point = ctypes.c_void_p()
        count = self.crypto.EVP_PKEY_get1_encoded_public_key(self.key, ctypes.byref(point))
        return ctypes.string_at(point, count)

    def sign(self, text: bytes) -> bytes:
        """Returns r and s of ES256."""
        crypto, size = self.crypto, ctypes.c_size_t(LONGEST_SIGNATURE)
        signature = ctypes.create_string_buffer(LONGEST_SIGNATURE)
        context = ctypes.c_void_p(crypto.EVP_MD_CTX_new())
        try:
            digest = ctypes.c_void_p(crypto.EVP_sha256())
            if crypto.EVP_DigestSignInit(context, None, digest, None, self.key) != 1:
                raise Failure("OpenSSL cannot sign with its own key")
            if crypto.EVP_DigestSign(context, signature, ctypes.byref(size), text, ctypes.c_size_t(len(text))) != 1:
                raise Failure("OpenSSL cannot sign a call to a relay")
        finally:
            crypto.EVP_MD_CTX_free(context)
        return halves(signature.raw[:size.value])


class RelayPhone:
    """A phone with an address, and a send secret, at a relay."""

    def __init__(self, token: str) -> None:
        self.token, self.key = token, Key()
        self.address = self.send_secret = ""

    def register(self, url: str) -> None:
        """Gives the relay the token, and takes the address."""
        answer = self.call(url, "POST", ADDRESSES, {"apns": {"token": self.token}})
        self.address = json.loads(answer.text)["address"]

    def make_secret(self, url: str) -> None:
        path = f"{ADDRESSES}/{self.address.rpartition('/')[2]}/secrets"
        self.send_secret = json.loads(self.call(url, "POST", path, {}).text)["send_secret"]

    def call(self, url: str, method: str, path: str, body: Any = None) -> Answer:
        """Makes a signed call. Any status but 2xx is a failure."""
        content = b"" if body is None else json.dumps(body).encode()
        now = str(int(time.time()))
        text = "\n".join(["pushgate-relay-v1", method, path, now, hashlib.sha256(content).hexdigest()])
        headers = {
            "Relay-Key": encode(self.key.point), "Relay-Time": now,
            "Relay-Signature": encode(self.key.sign(text.encode())),
        }
        answer = request(url, method, path, body, headers)
        if answer.status // 100 != 2:
            raise Failure(f"{method} {path} was answered {answer.status}: {answer.text}")
        return answer


@functools.cache
def load() -> ctypes.CDLL:
    try:
        crypto = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise Failure(f"{LIBRARY} is missing, with which calls to a relay are signed: {error}") from error
    for name in POINTERS:
        getattr(crypto, name).restype = ctypes.c_void_p
    return crypto


def halves(signature: bytes) -> bytes:
    """Returns r and s, 32 bytes each, of a signature in DER: a sequence of two integers."""
    result, rest = b"", signature[2:]
    for _ in range(2):
        count = rest[1]
        result += rest[2:2 + count].lstrip(b"\0").rjust(HALF, b"\0")
        rest = rest[2 + count:]
    return result


def encode(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()

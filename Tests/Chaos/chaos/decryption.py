"""Decryption of messages for browsers (RFC 8291), by the library of OpenSSL that the gateway links with."""

import ctypes
import functools
import hmac
from base64 import urlsafe_b64decode
from typing import Any

from measure.tools import Failure

LIBRARY = "libcrypto.so.3"
SALT, LENGTH, POINT, TAG = 16, 4, 65, 16
# EVP_CTRL_AEAD_SET_TAG, from <openssl/evp.h>.
SET_TAG = 0x11
# The signatures of the functions that return a pointer; all others return a number, which is above 0 after a success.
POINTERS = [
    "BIO_new_mem_buf", "PEM_read_bio_PrivateKey", "EVP_PKEY_new", "EVP_PKEY_CTX_new", "EVP_CIPHER_CTX_new",
    "EVP_aes_128_gcm",
]


class Receiver:
    """The private keys of a subscription."""

    def __init__(self, private_key: str, p256dh: str, auth: str) -> None:
        self.crypto = load()
        self.point, self.auth = decode(p256dh), decode(auth)
        pem = private_key.encode()
        text = pointer(self.crypto.BIO_new_mem_buf(pem, len(pem)))
        self.key = pointer(self.crypto.PEM_read_bio_PrivateKey(text, None, None, None))
        self.crypto.BIO_free(text)

    def decrypt(self, body: bytes) -> bytes:
        """Returns the plain text of a body of one record."""
        salt, sender = body[:SALT], body[SALT + LENGTH + 1:SALT + LENGTH + 1 + POINT]
        shared = digest(self.auth, self.shared_secret(sender))
        secret = digest(salt, digest(shared, b"WebPush: info\0" + self.point + sender + b"\1"))
        key = digest(secret, b"Content-Encoding: aes128gcm\0\1")[:16]
        nonce = digest(secret, b"Content-Encoding: nonce\0\1")[:12]
        content = self.open(body[SALT + LENGTH + 1 + POINT:], key, nonce).rstrip(b"\0")
        if content[-1:] != b"\2":
            raise Failure("the padding of a message is wrong")
        return content[:-1]

    def shared_secret(self, sender: bytes) -> bytes:
        crypto, secret, length = self.crypto, ctypes.create_string_buffer(32), ctypes.c_size_t(32)
        peer, context = pointer(crypto.EVP_PKEY_new()), pointer(crypto.EVP_PKEY_CTX_new(self.key, None))
        try:
            check(crypto.EVP_PKEY_copy_parameters(peer, self.key))
            check(crypto.EVP_PKEY_set1_encoded_public_key(peer, sender, ctypes.c_size_t(len(sender))))
            check(crypto.EVP_PKEY_derive_init(context))
            check(crypto.EVP_PKEY_derive_set_peer(context, peer))
            check(crypto.EVP_PKEY_derive(context, secret, ctypes.byref(length)))
            return secret.raw[:length.value]
        finally:
            crypto.EVP_PKEY_CTX_free(context)
            crypto.EVP_PKEY_free(peer)

    def open(self, record: bytes, key: bytes, nonce: bytes) -> bytes:
        """Returns the content of a record of AES-128-GCM."""
        crypto, (sealed, tag) = self.crypto, (record[:-TAG], record[-TAG:])
        content, length = ctypes.create_string_buffer(len(sealed)), ctypes.c_int()
        context = pointer(crypto.EVP_CIPHER_CTX_new())
        try:
            check(crypto.EVP_DecryptInit_ex(context, pointer(crypto.EVP_aes_128_gcm()), None, key, nonce))
            check(crypto.EVP_DecryptUpdate(context, content, ctypes.byref(length), sealed, len(sealed)))
            check(crypto.EVP_CIPHER_CTX_ctrl(context, SET_TAG, TAG, tag))
            check(crypto.EVP_DecryptFinal_ex(context, None, ctypes.byref(length)))
            return content.raw
        finally:
            crypto.EVP_CIPHER_CTX_free(context)


@functools.cache
def load() -> ctypes.CDLL:
    try:
        crypto = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise Failure(f"{LIBRARY} is missing, with which messages are decrypted: {error}") from error
    for name in POINTERS:
        getattr(crypto, name).restype = ctypes.c_void_p
    return crypto


def pointer(address: Any) -> ctypes.c_void_p:
    if not address:
        raise Failure("OpenSSL returned no object")
    return ctypes.c_void_p(address)


def check(result: int) -> None:
    if result <= 0:
        raise Failure("a message cannot be decrypted with the keys of its subscription")


def digest(key: bytes, content: bytes) -> bytes:
    return hmac.digest(key, content, "sha256")


def decode(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))

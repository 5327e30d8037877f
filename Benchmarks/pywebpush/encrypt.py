"""Encrypts messages for browsers with pywebpush, and prints the processor time as JSON.

usage: encrypt.py FILE BYTES COUNT

The file has the keys of a subscription on each line, as bare-webpush makes them. As there, a token is signed once for
each of four services.
"""

import json
import sys
import time
from pathlib import Path

from py_vapid import Vapid02
from pywebpush import WebPusher

SERVICES = 4


def main(file: str, size: str, count: str) -> None:
    subscriptions = [subscription(*line.split()) for line in Path(file).read_text().splitlines()[:int(count)]]
    message = bytes(int(size))
    vapid = Vapid02()
    vapid.generate_keys()
    before = time.process_time()
    for number in range(SERVICES):
        vapid.sign({"aud": f"https://service-{number}.example.com", "sub": "mailto:operator@example.com"})
    # The body of a message of this size, which its encryption makes longer by its header, a delimiter and a tag.
    expected = int(size) + 86 + 1 + 16
    errors = sum(len(WebPusher(one).encode(message)["body"]) != expected for one in subscriptions)
    seconds = time.process_time() - before
    print(json.dumps({"requests": len(subscriptions), "errors": errors, "processor_seconds": seconds}))


def subscription(public_key: str, secret: str) -> dict:
    return {"endpoint": "https://service-0.example.com/1", "keys": {"p256dh": public_key, "auth": secret}}


main(*sys.argv[1:])

#!/usr/bin/env python3
"""Sends a notification by Google's Admin SDK, whose messages the environment leads to a gateway.

    send.py --fid my-phone "Hello" "From my app."

Nothing in this file knows of the gateway: it is a program for Firebase Cloud Messaging. docs/connectors/python.md has
the ways to lead it to one.
"""

import argparse
import sys

import firebase_admin
from firebase_admin import exceptions, messaging


def main() -> int:
    options = read_options()
    firebase_admin.initialize_app()
    recipient = {name: getattr(options, name) for name in ("fid", "token", "topic") if getattr(options, name)}
    message = messaging.Message(
        **recipient, notification=messaging.Notification(options.title, options.body),
        data=dict(pair.split("=", 1) for pair in options.data), apns=replacing(options.replaces))
    try:
        print(messaging.send(message))
    except messaging.UnregisteredError as error:
        print(f"the app is gone from the device, so forget it: {error}", file=sys.stderr)
        return 1
    except exceptions.FirebaseError as error:
        print(f"{error.code}: {error}", file=sys.stderr)
        return 1
    return 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    recipient = parser.add_mutually_exclusive_group(required=True)
    recipient.add_argument("--fid", help="the id of the app's installation, since firebase-admin 7")
    recipient.add_argument("--token", help="the app's registration token")
    recipient.add_argument("--topic", help="a topic, for all of its subscribers")
    parser.add_argument("--data", action="append", default=[], metavar="NAME=TEXT", help="data for the app")
    parser.add_argument("--replaces", metavar="ID", help="a newer notification with this id replaces an older one")
    parser.add_argument("title")
    parser.add_argument("body")
    options = parser.parse_args()
    if any("=" not in pair for pair in options.data):
        parser.error("--data takes NAME=TEXT")
    return options


def replacing(id: str | None) -> messaging.APNSConfig | None:
    return messaging.APNSConfig(headers={"apns-collapse-id": id}) if id else None


if __name__ == "__main__":
    sys.exit(main())

"""A stand-in for Firefox's side of push, written from Mozilla's protocol autopush, that decrypts by `http-ece`."""

import json
import threading
import uuid
from contextlib import ExitStack
from typing import Any

import http_ece
from measure.servers import ARRIVAL_SECONDS
from measure.tools import Failure
from py_vapid.utils import b64urldecode
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from .browsers import Holder
from .keys import ReceiverKeys

# The codes of acknowledgments.
DELIVERED, NOT_DECRYPTED = 100, 101


class FirefoxStandIn(Holder):
    name, service = "Firefox's WebSocket", "mozilla"

    def __init__(self, url: str) -> None:
        self.url = url
        self.id: str | None = None
        self.changed = threading.Condition()
        self.answers: list[dict[str, Any]] = []
        self.texts: list[str | None] = []
        self.channels: dict[str, ReceiverKeys] = {}
        # The channel of the subscription.
        self.channel: str | None = None
        self.opened = ExitStack()

    def __enter__(self) -> "FirefoxStandIn":
        self.connect()
        return self

    def __exit__(self, *_: Any) -> None:
        self.disconnect()

    def connect(self) -> None:
        """Opens the connection, and says hello with the id of an earlier one."""
        self.socket = self.opened.enter_context(
            connect(self.url, subprotocols=["push-notification"], compression=None, open_timeout=ARRIVAL_SECONDS))
        if self.socket.subprotocol != "push-notification":
            raise Failure(f"the subprotocol is {self.socket.subprotocol}")
        threading.Thread(target=self.read, args=(self.socket,), daemon=True).start()
        hello = {"messageType": "hello", "broadcasts": {}, "use_webpush": True} | ({"uaid": self.id} if self.id else {})
        answer = self.ask(hello)
        if answer["status"] != 200 or not answer["use_webpush"]:
            raise Failure(f"hello was answered {answer}")
        if self.id and answer["uaid"] != self.id:
            raise Failure("the service has forgotten the browser")
        self.id = answer["uaid"]

    def disconnect(self) -> None:
        self.opened.close()

    def subscribe(self, key: str) -> dict[str, Any]:
        self.unsubscribe()
        channel, keys = str(uuid.uuid4()), ReceiverKeys.generate()
        # Firefox pads the key.
        padded = key + "=" * (-len(key) % 4)
        answer = self.ask({"messageType": "register", "channelID": channel, "key": padded})
        if answer["status"] != 200 or answer["channelID"] != channel:
            raise Failure(f"a registration was answered {answer}")
        self.channel, self.channels[channel] = channel, keys
        return {"endpoint": answer["pushEndpoint"], "expirationTime": None, "keys": keys.json()}

    def unsubscribe(self) -> None:
        if not self.channel:
            return
        channel, self.channel = self.channel, None
        answer = self.ask({"messageType": "unregister", "channelID": channel, "code": 200})
        if answer["status"] != 200 or answer["channelID"] != channel:
            raise Failure(f"the end of a registration was answered {answer}")

    def received(self, count: int) -> list[str | None]:
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.texts) >= count, ARRIVAL_SECONDS):
                raise Failure(f"{len(self.texts)} messages of {count} arrived within {ARRIVAL_SECONDS} s")
            texts, self.texts = self.texts, []
            return texts

    def ping(self) -> dict[str, Any]:
        """Sends the empty object, which Firefox sends on a silent connection, and returns the answer."""
        return self.ask({})

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sends a message, and returns the answer, which has its type."""
        kind = message.get("messageType")
        self.socket.send(json.dumps(message))
        with self.changed:
            found: list[dict[str, Any]] = []
            if not self.changed.wait_for(
                lambda: found.extend(one for one in self.answers if one.get("messageType") == kind) or found,
                ARRIVAL_SECONDS):
                raise Failure(f"{message} was not answered within {ARRIVAL_SECONDS} s")
            self.answers.remove(found[0])
            return found[0]

    def read(self, socket: ClientConnection) -> None:
        try:
            for text in socket:
                self.receive(socket, json.loads(text))
        except ConnectionClosed:
            pass

    def receive(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        with self.changed:
            if message.get("messageType") != "notification":
                self.answers.append(message)
            else:
                code = self.take(message)
                update = {"channelID": message["channelID"], "version": message["version"], "code": code}
                socket.send(json.dumps({"messageType": "ack", "updates": [update]}))
            self.changed.notify_all()

    def take(self, message: dict[str, Any]) -> int:
        """Decrypts a notification, and returns the code of its acknowledgment."""
        data = message.get("data")
        if data is None:
            self.texts.append(None)
            return DELIVERED
        if message["headers"]["encoding"] != "aes128gcm" or "=" in data:
            return NOT_DECRYPTED
        try:
            content = self.channels[message["channelID"]].decrypt(b64urldecode(data.encode()))
            self.texts.append(content.decode())
        except (KeyError, ValueError, http_ece.ECEException):
            return NOT_DECRYPTED
        return DELIVERED

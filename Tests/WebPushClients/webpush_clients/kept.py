"""Subscriptions of services that no browser here has, made at the control address, which shows their messages."""

from typing import Any

from py_vapid.utils import b64urldecode

from .browsers import Holder
from .keys import ReceiverKeys
from .service import PushService, token


class Kept(Holder):
    def __init__(self, push_service: PushService, service: str) -> None:
        self.name, self.service = f"{service.capitalize()}'s rules", service
        self.push_service = push_service
        self.endpoint: str | None = None

    def subscribe(self, key: str) -> dict[str, Any]:
        self.unsubscribe()
        made = self.push_service.ask(
            "POST", "/subscriptions", {"service": self.service, "application_server_key": key})
        self.keys = ReceiverKeys.of_pem(made.pop("private_key"), made["keys"]["auth"])
        self.endpoint, self.taken = made["endpoint"], 0
        return made

    def unsubscribe(self) -> None:
        if self.endpoint:
            self.push_service.ask("DELETE", "/subscriptions", token=token(self.endpoint))
        self.endpoint = None

    def received(self, count: int) -> list[str | None]:
        messages = self.push_service.messages(self.endpoint, delivery="acknowledged", wait_for=self.taken + count)
        new, self.taken = messages[self.taken:], len(messages)
        bodies = [b64urldecode(message["body"].encode()) for message in new]
        return [self.keys.decrypt(body).decode() if body else None for body in bodies]

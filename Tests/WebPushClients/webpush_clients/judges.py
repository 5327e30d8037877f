"""The messages of a gateway, for the judges."""

import argparse
import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest import TestCase

from measure.postgresql import Databases
from measure.servers import Answer
from measure.tools import Failure
from py_vapid.utils import b64urlencode

from .endpoints import EndpointServer, Received
from .gateway import Gateway
from .keys import ReceiverKeys
from .messages import Messages, Sample

# The services' hosts and the path of an endpoint at each. The first ones have HTTP/2.
MAIN = {
    "google": ["https://fcm.googleapis.com/fcm/send/{}", "https://jmt17.google.com/fcm/send/{}"],
    "mozilla": ["https://updates.push.services.mozilla.com/wpush/v2/{}"], "apple": ["https://web.push.apple.com/{}"],
}
OTHERS = {
    "microsoft": ["https://wns2-par02p.notify.windows.com/w/?token={}"],
    "plain": ["https://ntfy.sh/{}?up=1", "https://push.example.org/up/{}", "https://push.example.net:8443/up/{}"],
}
PORTS = ["443", "8443"]
# The number of subscriptions at each of these, and at the address without a name.
SUBSCRIPTIONS = 3
SENDERS = 8


@dataclass
class Subscriber:
    service: str
    endpoint: str
    keys: ReceiverKeys

    @property
    def json(self) -> dict[str, Any]:
        return {"endpoint": self.endpoint, "keys": self.keys.json()}

    @property
    def token(self) -> str:
        return f"webpush:{b64urlencode(self.endpoint.encode())}.{self.keys.p256dh}.{self.keys.auth}"


@dataclass
class Judged:
    """A message that was sent, and the request in which it arrived."""

    sample: Sample
    subscriber: Subscriber
    answer: Answer
    request: Received
    content: bytes

    @property
    def message_id(self) -> str:
        return json.loads(self.answer.text)["name"].rpartition("/")[2]


class Corpus:
    """The messages, which are sent when the first test needs them."""

    def __init__(self, folder: Path, stack: ExitStack, options: argparse.Namespace) -> None:
        self.folder, self.stack, self.options = folder, stack, options

    @cached_property
    def endpoints(self) -> EndpointServer:
        hosts = [url.split("/")[2].partition(":")[0] for urls in [*MAIN.values(), *OTHERS.values()] for url in urls]
        return self.stack.enter_context(EndpointServer(self.folder, hosts))

    @cached_property
    def gateway(self) -> Gateway:
        servers = {
            url.split("/")[2].partition(":")[0]: server
            for table, server in ((MAIN, self.endpoints.http2), (OTHERS, self.endpoints.http1))
            for urls in table.values() for url in urls}
        store = None
        if self.options.store == "postgresql":
            store = self.stack.enter_context(Databases(self.folder / "server")).new()
        settings = {
            "webpush.connectTo": ",".join(f"{host}={server}" for host, server in servers.items()),
            "webpush.allowedHosts": self.endpoints.http1, "webpush.allowedPorts": ",".join(PORTS),
        }
        return self.stack.enter_context(
            Gateway(self.options.binary, self.folder / "gateway", self.endpoints.authority, settings, store))

    @cached_property
    def subscribers(self) -> list[Subscriber]:
        urls = [(service, url) for table in (MAIN, OTHERS) for service, urls in table.items() for url in urls]
        urls.append(("plain", f"https://{self.endpoints.http1}/up/{{}}"))
        return [
            Subscriber(service, url.format(b64urlencode(os.urandom(24))), ReceiverKeys.generate())
            for service, url in urls for _ in range(SUBSCRIPTIONS)]

    @property
    def judged(self) -> list[Judged]:
        if isinstance(self.outcome, Failure):
            raise self.outcome
        return self.outcome

    @cached_property
    def outcome(self) -> list[Judged] | Failure:
        try:
            return self.deliver()
        except Failure as failure:
            return failure

    def deliver(self) -> list[Judged]:
        print(f"{self.options.messages} messages of the seed {self.options.seed}", flush=True)
        messages = Messages(self.options.seed)
        subscribers = [messages.random.choice(self.subscribers) for _ in range(self.options.messages)]
        samples = [messages.next(subscriber.service) for subscriber in subscribers]
        # Half of the subscriptions have a registration token.
        tokens = {
            one.endpoint: self.gateway.registration_token(one.json) if index % 2 else one.token
            for index, one in enumerate(self.subscribers)}
        with ThreadPoolExecutor(SENDERS) as pool:
            answers = list(pool.map(
                lambda pair: self.gateway.send(pair[0].message | {"token": tokens[pair[1].endpoint]}),
                zip(samples, subscribers)))
        return self.matched(samples, subscribers, answers)

    def matched(
        self, samples: list[Sample], subscribers: list[Subscriber], answers: list[Answer]
    ) -> list[Judged]:
        """Finds the request of each message, by its id or its number."""
        refused = [answer.text for answer in answers if answer.status != 200]
        if refused:
            raise Failure(f"{len(refused)} messages were refused, the first one with {refused[0]}")
        found: dict[str, tuple[Received, bytes]] = {}
        by_endpoint = {one.endpoint: one for one in subscribers}
        for request in list(self.endpoints.received):
            content = by_endpoint[request.endpoint].keys.decrypt(request.body)
            found[name(json.loads(content))] = request, content
        judged = []
        for sample, subscriber, answer in zip(samples, subscribers, answers):
            one = Judged(sample, subscriber, answer, None, b"")
            match = found.pop(one.message_id, None) or found.pop(f"number {sample.number}", None)
            if not match:
                raise Failure(f"the message {sample.number} did not arrive: {sample.message}")
            one.request, one.content = match
            judged.append(one)
        if found:
            raise Failure(f"{len(found)} messages arrived that were not sent, or were sent twice")
        return judged


def name(payload: dict[str, Any]) -> str:
    if "message_id" in payload:
        return payload["message_id"]
    data = payload.get("notification", payload).get("data", {})
    return f"number {data.get('number')}"


def judge_tests(folder: Path, stack: ExitStack, options: argparse.Namespace) -> list[TestCase]:
    from .test_judges import JudgeTests

    corpus = Corpus(folder, stack, options)
    return [JudgeTests(name, corpus) for name in vars(JudgeTests) if name.startswith("test_")]

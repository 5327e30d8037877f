"""A gateway as the application server of an app with UnifiedPush, whose distributor is in a private network."""

import json
import secrets
import threading
import unittest
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

import requests

from measure.servers import ARRIVAL_SECONDS, Answer, request

from .distributor import DISCOVERY, LONGEST_ENDPOINT, LONGEST_MESSAGE, App, Distributor
from .gateway import Gateway
from .service import PushService

CWD = "/srv/app"


class Stage:
    """The distributor and the gateway, which are started when the first test needs them."""

    def __init__(self, folder: Path, stack: ExitStack, pushgate: Path) -> None:
        self.folder, self.stack, self.pushgate = folder, stack, pushgate

    @cached_property
    def distributor(self) -> Distributor:
        return self.stack.enter_context(Distributor(self.folder))

    @cached_property
    def slow(self) -> Distributor:
        return self.stack.enter_context(Distributor(self.folder))

    @cached_property
    def gateway(self) -> Gateway:
        settings = {"webpush.allowedHosts": f"{self.distributor.host},{self.slow.host}"}
        return self.stack.enter_context(
            Gateway(self.pushgate, self.folder / "application-server", self.distributor.authority, settings))

    @cached_property
    def service(self) -> PushService:
        return self.stack.enter_context(PushService(self.pushgate, self.folder / "unifiedpush-service"))


class UnifiedPushTests(unittest.TestCase):
    def __init__(self, method: str, stage: Stage) -> None:
        super().__init__(method)
        self.stage = stage

    def setUp(self) -> None:
        self.distributor, self.gateway = self.stage.distributor, self.stage.gateway
        self.distributor.faults.clear()
        self.secret = secrets.token_urlsafe(32)

    def tearDown(self) -> None:
        self.assertEqual(self.distributor.faults, [])

    def app(self, length: int = 0) -> App:
        return self.distributor.register(self.gateway.public_key(), length)

    def call(self, function: str, body: dict[str, Any], **headers: str) -> Answer:
        return request(
            self.gateway.url, "POST", f"/{function}", {"cwd": CWD} | body,
            {"Authorization": f"Bearer {self.secret}"} | headers)

    def subscribe(self, subscription: dict[str, Any]) -> Answer:
        return self.call("registerSubscription", {"installation_id": "phone", "web_push": subscription})

    def trigger(self) -> dict[str, Any]:
        return json.loads(self.call("triggerReplyFinished", {"message_preview": "All tests pass."}).text)

    def message(self, app: App) -> dict[str, Any]:
        """Waits for the first message of an app."""
        self.assertTrue(self.distributor.wait_for(app, 1, ARRIVAL_SECONDS), "no message arrived")
        return app.messages[0]

    def test_an_app_is_notified_at_its_distributor(self) -> None:
        app = self.app()
        self.assertEqual(len(app.vapid), 87)
        self.assertEqual(self.subscribe(app.subscription).status, 200)
        self.assertEqual(self.trigger()["attempted"], 1)
        message = self.message(app)
        self.assertEqual(message["notification"]["body"], "All tests pass.")
        self.assertEqual(message["notification"]["data"]["type"], "reply_finished")
        self.assertEqual((app.fields[0]["urgency"], len(app.fields[0]["topic"])), ("high", 32))

    def test_the_longest_endpoint_is_taken_as_it_is(self) -> None:
        app = self.app(LONGEST_ENDPOINT)
        self.assertEqual(len(app.endpoint), LONGEST_ENDPOINT)
        self.assertEqual(self.subscribe(app.subscription).status, 200)
        self.trigger()
        self.message(app)

    def test_messages_have_1_to_4096_bytes(self) -> None:
        app = self.app()
        token = self.gateway.registration_token(app.subscription)
        lengths = [0, 1, 400, 1000, 2000, 2700, 3000, 3900, 5000]
        for length in lengths:
            message = {"token": token, "notification": {"title": "t", "body": "x" * length}}
            answer = self.gateway.send(message)
            self.assertEqual(answer.status, 200, answer.text)
        self.assertTrue(self.distributor.wait_for(app, len(lengths), ARRIVAL_SECONDS))
        self.assertEqual(max(app.sizes), LONGEST_MESSAGE)

    def test_a_distributor_without_a_subscriber_gets_the_message_again(self) -> None:
        app = self.app()
        self.subscribe(app.subscription)
        app.script = [(507, {}), (429, {"Retry-After": "1"}), (503, {"Retry-After": "1"})]
        answer = self.trigger()
        self.assertEqual((answer["sent"], answer["pruned"]), (0, 0))
        self.message(app)
        self.assertEqual(len({fields["topic"] for fields in app.fields}), 1)
        self.assertEqual(self.trigger()["attempted"], 1)

    def test_a_distributor_that_takes_less_gets_a_shorter_message(self) -> None:
        app = self.app()
        token = self.gateway.registration_token(app.subscription)
        app.script = [(413, {})]
        self.gateway.send({"token": token, "notification": {"title": "t", "body": "x" * 3500}})
        self.message(app)
        self.assertGreater(app.sizes[0], 3500)
        self.assertLessEqual(app.sizes[1], 2800 + 103)

    def test_an_app_that_has_unregistered_is_told_of_it_when_it_comes_back(self) -> None:
        former = self.app()
        self.subscribe(former.subscription)
        former.is_registered = False
        self.assertEqual(self.trigger()["pruned"], 1)
        app = self.app()
        self.assertIn("former_subscription_removed_at", self.subscribe(app.subscription).text)
        self.trigger()
        self.message(app)

    def test_a_new_endpoint_replaces_the_former_one(self) -> None:
        former, app = self.app(), self.app()
        self.subscribe(former.subscription)
        answer = self.call("registerSubscription", {
            "installation_id": "phone", "web_push": app.subscription, "replaces": former.subscription})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(self.trigger()["attempted"], 1)
        self.message(app)
        self.assertEqual(former.messages, [])

    def test_a_slow_distributor_delays_its_own_apps_alone(self) -> None:
        slow, app = self.stage.slow, self.app()
        apps = [slow.register(self.gateway.public_key()) for _ in range(40)]
        for number, one in enumerate(apps):
            self.call("registerSubscription", {
                "cwd": "/srv/slow", "installation_id": f"slow-{number}", "web_push": one.subscription})
        self.subscribe(app.subscription)
        requests_to_slow, has_begun = 0, threading.Event()

        def pause() -> None:
            nonlocal requests_to_slow
            requests_to_slow += 1
            has_begun.set()
            # A host that takes five seconds would rest.
            self.distributor.wait_for(app, 1, 2)

        slow.pause = pause
        self.call("triggerReplyFinished", {"cwd": "/srv/slow", "message_preview": "Slow."}, Prefer="respond-async")
        self.assertTrue(has_begun.wait(ARRIVAL_SECONDS), "no message reached the slow distributor")
        self.trigger()
        self.message(app)
        self.assertIn(requests_to_slow, range(1, 30), "the message waited for those at the slow distributor")

    def test_another_private_address_is_refused_at_once(self) -> None:
        app = self.app()
        for host in ("127.0.0.2:" + self.distributor.host.partition(":")[2], "192.168.1.5", "[::1]"):
            subscription = app.subscription | {"endpoint": f"https://{host}/up?up=1"}
            answer = self.subscribe(subscription)
            self.assertEqual((answer.status, json.loads(answer.text)["error"]), (400, "web_push_invalid"), host)

    def test_a_push_service_for_tests_says_that_it_takes_messages(self) -> None:
        service = self.stage.service
        made = service.ask("POST", "/subscriptions", {"service": "standard"})
        self.assertLessEqual(len(made["endpoint"]), LONGEST_ENDPOINT)
        with requests.Session() as session:
            session.trust_env = False
            answer = session.get(made["endpoint"], verify=service.settings["ca_file"], timeout=ARRIVAL_SECONDS)
        self.assertEqual(answer.json(), DISCOVERY)


def unifiedpush_tests(folder: Path, stack: ExitStack, pushgate: Path) -> list[unittest.TestCase]:
    stage = Stage(folder, stack, pushgate)
    return [UnifiedPushTests(name, stage) for name in vars(UnifiedPushTests) if name.startswith("test_")]

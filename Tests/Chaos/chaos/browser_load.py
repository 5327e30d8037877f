"""Requests about browsers beside those about devices of Apple."""

import itertools
import json
import random
import time
from pathlib import Path
from typing import Any, NamedTuple

from measure.access_token import access_token, service_account
from measure.servers import Answer, Gateway, request
from measure.tools import Failure

from .load import AGENTS, PATIENCE, PHONE_EVERY, Load, Trigger
from .push_service import ORDERED, OTHERS, Browser, PushService

# The requests of PHONE_EVERY that register a browser, and that are about a browser that is gone. One in MESSAGE_EVERY
# of the others is a message to a registration token.
LONE, DEPARTING, MESSAGE_EVERY = 10, 5, 4
# The seconds in which a subscription must be removed whose service has answered 410.
REMOVAL_SECONDS = 60


class Departure(NamedTuple):
    """An agent with two browsers, of which one is gone."""

    cwd: str
    stays: Browser


class BrowserLoad(Load):
    def __init__(self, pushgate: Path, service: PushService) -> None:
        super().__init__()
        self.pushgate, self.service = pushgate, service
        # The browsers of each agent, and those with registration tokens.
        self.browsers: list[list[Browser]] = []
        self.registered: list[tuple[str, Browser]] = []
        # The accepted registrations of browsers that have an agent of their own.
        self.lone: list[tuple[int, Browser]] = []
        self.departures: list[Departure] = []

    # Before the chaos

    def register_agents(self, gateway: Gateway) -> None:
        super().register_agents(gateway)
        if not self.browsers:
            self.prepare(gateway)
        for cwd, browsers in zip(AGENTS, self.browsers):
            for number, browser in enumerate(browsers):
                if not self.register_browser(gateway, cwd, f"browser-{number}", browser):
                    raise Failure("a registration was refused before the chaos started")

    def prepare(self, gateway: Gateway) -> None:
        """Makes the subscriptions, and what messages to registration tokens need."""
        account = json.loads(service_account(self.pushgate, gateway).read_text())
        self.access_token = access_token(gateway.url, account)
        self.path = f"/v1/projects/{account['project_id']}/messages:send"
        self.key = request(gateway.url, "GET", "/webpush/key").text
        self.browsers = [[self.subscribe([service]) for service in ORDERED] for _ in AGENTS]
        for browser in (self.subscribe([service]) for service in ORDERED):
            answer = self.call(gateway, "/webpush/v1/registrations", {"web_push": browser.subscription})
            self.registered.append((json.loads(answer.text)["registration_token"], browser))

    def subscribe(self, services: list[str]) -> Browser:
        return self.service.subscribe(random.choice(services), self.key)

    def register_browser(self, gateway: Gateway, cwd: str, installation: str, browser: Browser) -> bool:
        body = {"cwd": cwd, "installation_id": installation, "web_push": browser.subscription}
        return self.is_accepted(self.post(gateway, "/registerSubscription", body))

    # The load

    def tokens(self, agent: int) -> list[str]:
        return super().tokens(agent) + [browser.token for browser in self.browsers[agent]]

    def send(self, gateway: Gateway, number: int) -> None:
        if number % PHONE_EVERY == LONE:
            browser = self.subscribe(ORDERED + OTHERS)
            if self.register_browser(gateway, folder(number), "browser", browser):
                self.lone.append((number, browser))
        elif number % PHONE_EVERY == DEPARTING:
            self.depart(gateway, number)
        elif number % MESSAGE_EVERY == 1:
            self.send_message(gateway, f"message-{number}", *random.choice(self.registered))
        else:
            super().send(gateway, number)

    def depart(self, gateway: Gateway, number: int) -> None:
        """Registers two browsers, ends the subscription of one at its service, and sends a trigger for both."""
        cwd, stays, leaves = folder(number), self.subscribe(ORDERED), self.subscribe(ORDERED + OTHERS)
        if not self.register_browser(gateway, cwd, "stays", stays):
            return
        if not self.register_browser(gateway, cwd, "leaves", leaves):
            return
        self.service.end(leaves)
        if answer := self.report_reply(gateway, cwd, f"departure-{number}", [stays.token]):
            if json.loads(answer.text)["attempted"] != 2:
                raise Failure(f"a trigger was not for two browsers: {answer.text}")
            self.departures.append(Departure(cwd, stays))

    def send_message(self, gateway: Gateway, completion: str, registration: str, browser: Browser) -> None:
        """Sends a message that no other one replaces."""
        message = {"token": registration, "data": {"completion_id": completion}}
        # It is the only one of its agent.
        trigger = Trigger(completion, [browser.token], time.monotonic())
        self.note(completion, trigger, lambda: self.call(gateway, self.path, {"message": message}))

    def call(self, gateway: Gateway, path: str, body: dict[str, Any]) -> Answer:
        return request(gateway.url, "POST", path, body, {"Authorization": f"Bearer {self.access_token}"}, PATIENCE)

    # After the chaos

    def trigger_phones(self, gateway: Gateway) -> None:
        """Sends a trigger for each lone device and browser, and until those that are gone are removed."""
        super().trigger_phones(gateway)
        for number, browser in self.lone:
            if not self.trigger(gateway, folder(number), f"lone-{number}", [browser.token]):
                raise Failure("a trigger was refused after the end of the chaos")
        for departure in self.departures:
            self.expect_removal(gateway, departure)

    def expect_removal(self, gateway: Gateway, departure: Departure) -> None:
        """Sends triggers until there is none for the browser that is gone, and checks that its app is told."""
        deadline = time.monotonic() + REMOVAL_SECONDS
        for number in itertools.count():
            completion = f"{departure.cwd}-{number}"
            answer = self.report_reply(gateway, departure.cwd, completion, [departure.stays.token])
            if not answer:
                raise Failure("a trigger was refused after the end of the chaos")
            if json.loads(answer.text)["attempted"] == 1:
                break
            if time.monotonic() > deadline:
                raise Failure(f"a subscription that has ended was not removed within {REMOVAL_SECONDS} s")
            time.sleep(0.05)
        body = {"cwd": departure.cwd, "installation_id": "leaves", "web_push": self.subscribe(ORDERED).subscription}
        answer = self.post(gateway, "/registerSubscription", body)
        if "former_subscription_removed_at" not in json.loads(answer.text):
            raise Failure(f"an app is not told that its subscription has ended: {answer.text}")


def folder(number: int) -> str:
    return f"/srv/browsers/{number}"

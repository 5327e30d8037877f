"""The requests of clients to a gateway under chaos, and a record of the accepted ones."""

import contextlib
import http.client
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from measure.servers import Answer, Gateway, request
from measure.tools import Failure

SECRET = "chaos-" + "0123456789abcdef" * 2
CLIENTS = 8
AGENTS = [f"/srv/projects/{number}" for number in range(12)]
DEVICES = 4
# One of this many requests registers a new device; the others report finished replies.
PHONE_EVERY = 20
# The longest time for an answer in any state of the gateway, in seconds.
PATIENCE = 60


@dataclass
class Trigger:
    """A trigger for all devices of an agent, which replaces older ones of the agent that still wait."""

    agent: str
    tokens: list[str]
    began: float
    # The time of the answer; infinite without one: the gateway may accept it at any time until it ends.
    ended: float = float("inf")

    def precedes(self, other: "Trigger") -> bool:
        """Returns `True` if it was accepted before the other one, whatever the gateway does."""
        return self.ended < other.began


class Load:
    def __init__(self) -> None:
        # All triggers by their completion ids, and the ids of the accepted ones.
        self.triggers: dict[str, Trigger] = {}
        self.accepted: set[str] = set()
        # The accepted registrations of devices that have an agent of their own.
        self.phones: list[int] = []
        self.refused = 0
        # The time until which a 503 is correct. Every other status but 200 is always a fault.
        self.refusals_until = 0.0
        self.faults: list[Failure] = []
        self.numbers = itertools.count()
        self.is_over = threading.Event()

    def register_agents(self, gateway: Gateway) -> None:
        for agent, device in itertools.product(range(len(AGENTS)), range(DEVICES)):
            if not self.register(gateway, AGENTS[agent], f"phone-{device}", token(agent, device)):
                raise Failure("a registration was refused before the chaos started")

    @contextlib.contextmanager
    def on(self, gateway: Gateway) -> Iterator[None]:
        """Sends requests from several clients while the block runs. A wrong answer to any of them is a failure."""
        self.is_over.clear()
        threads = [threading.Thread(target=self.client, args=(gateway,)) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.is_over.set()
            for thread in threads:
                thread.join()
        self.check()

    def kill(self, gateway: Gateway) -> None:
        """Kills the gateway with SIGKILL. From here on a request without an answer is no fault."""
        self.is_over.set()
        gateway.process.kill()
        gateway.process.wait()

    def wait_until(self, is_so: Callable[[], bool], seconds: float, complaint: str) -> float:
        """Waits until the condition holds, and returns the seconds until then."""
        start = time.monotonic()
        while not is_so():
            self.check()
            if time.monotonic() - start > seconds:
                raise Failure(f"{complaint} within {seconds:.0f} s")
            time.sleep(0.01)
        return time.monotonic() - start

    def check(self) -> None:
        if self.faults:
            raise self.faults[0]

    def client(self, gateway: Gateway) -> None:
        """Sends one request after another. Only a request answered with 200 counts as accepted."""
        while not self.is_over.is_set():
            try:
                self.send(gateway, next(self.numbers))
            except (OSError, http.client.HTTPException, ValueError) as error:
                if not self.is_over.is_set():
                    self.faults.append(Failure(f"no answer: {error!r}. The gateway's log ends in:\n{gateway.words()}"))
                return
            except Failure as failure:
                return self.faults.append(failure)

    def send(self, gateway: Gateway, number: int) -> None:
        if number % PHONE_EVERY == 0:
            if self.register(gateway, *phone(number)):
                self.phones.append(number)
        else:
            agent = number % len(AGENTS)
            self.trigger(gateway, AGENTS[agent], f"run-{number}", self.tokens(agent))

    def tokens(self, agent: int) -> list[str]:
        return [token(agent, device) for device in range(DEVICES)]

    def trigger_phones(self, gateway: Gateway) -> None:
        """Sends a trigger for each device whose registration was accepted. A lost device is a failure."""
        for number in self.phones:
            cwd, installation, fcm_token = phone(number)
            if not self.trigger(gateway, cwd, installation, [fcm_token]):
                raise Failure("a trigger was refused after the end of the chaos")

    def register(self, gateway: Gateway, cwd: str, installation: str, fcm_token: str) -> bool:
        body = {"cwd": cwd, "installation_id": installation, "fcm_token": fcm_token}
        return self.is_accepted(self.post(gateway, "/registerSubscription", body))

    def unregister(self, gateway: Gateway, installation: str) -> int:
        """Unregisters an installation, and returns the number of agents that it was registered for."""
        answer = self.post(gateway, "/unregisterSubscription", {"installation_id": installation})
        if answer.status != 200:
            raise Failure(f"an unregistration was answered with {answer.status}: {answer.text}")
        return json.loads(answer.text)["deleted"]

    def trigger(self, gateway: Gateway, cwd: str, completion: str, tokens: list[str]) -> bool:
        answer = self.report_reply(gateway, cwd, completion, tokens)
        if answer and json.loads(answer.text)["attempted"] != len(tokens):
            raise Failure(f"the trigger {completion} was not for {len(tokens)} devices: {answer.text}")
        return answer is not None

    def report_reply(self, gateway: Gateway, cwd: str, completion: str, tokens: list[str]) -> Answer | None:
        """Sends a trigger, and returns its answer if it was accepted."""
        body = {"cwd": cwd, "completion_id": completion, "message_preview": "Done."}
        trigger = Trigger(cwd, tokens, time.monotonic())
        return self.note(completion, trigger, lambda: self.post(gateway, "/triggerReplyFinished", body))

    def note(self, completion: str, trigger: Trigger, send: Callable[[], Answer]) -> Answer | None:
        """Sends a request for notifications, notes if it was accepted, and returns its answer then."""
        self.triggers[completion] = trigger
        answer = send()
        if not self.is_accepted(answer):
            del self.triggers[completion]
            return None
        trigger.ended = time.monotonic()
        self.accepted.add(completion)
        return answer

    def post(self, gateway: Gateway, path: str, body: dict[str, Any]) -> Answer:
        headers = {"Authorization": f"Bearer {SECRET}", "Prefer": "respond-async"}
        return request(gateway.url, "POST", path, body, headers, PATIENCE)

    def is_accepted(self, answer: Answer) -> bool:
        if answer.status == 200:
            return True
        if not is_clear_refusal(answer) or time.monotonic() > self.refusals_until:
            raise Failure(f"a request was answered with {answer.status}: {answer.text}")
        self.refused += 1
        return False


def is_clear_refusal(answer: Answer) -> bool:
    """Returns `True` for a 503 with a Retry-After and the code of docs/functions/codeagents.md, or of docs/fcm.md."""
    with contextlib.suppress(ValueError, KeyError):
        error = json.loads(answer.text)["error"]
        code = error["status"] if isinstance(error, dict) else error
        is_right = answer.status == 503 and code in ("unavailable", "UNAVAILABLE", "RESOURCE_EXHAUSTED")
        return is_right and int(answer.headers.get("Retry-After", "0")) > 0
    return False


def token(agent: int, device: int) -> str:
    return f"{agent * DEVICES + device:064x}"


def phone(number: int) -> tuple[str, str, str]:
    """Returns the folder, the installation and the token of a device that is the only one of its agent."""
    return f"/srv/phones/{number}", f"phone-of-{number}", f"{10**9 + number:064x}"

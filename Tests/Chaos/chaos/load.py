"""What clients do to a gateway while it has a hard time, and which of their requests were accepted."""

import contextlib
import http.client
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from measure.servers import Answer, Gateway, request
from measure.tools import Failure

SECRET = "chaos-" + "0123456789abcdef" * 2
CLIENTS = 8
AGENTS = [f"/srv/projects/{number}" for number in range(12)]
DEVICES = 4
# One request of so many is a new phone's; the others report finished runs.
PHONE_EVERY = 20
# Whatever state the gateway is in, an answer must not take longer. Seconds.
PATIENCE = 10


class Load:
    def __init__(self) -> None:
        # Each accepted trigger's completion id, and the tokens it is for.
        self.accepted: dict[str, list[str]] = {}
        # Accepted registrations of phones with an agent of their own.
        self.phones: list[int] = []
        self.refused = 0
        # Until when a 503 is right. Everything else but 200 is a fault at any time.
        self.refusals_until = 0.0
        self.faults: list[Failure] = []
        self.numbers = itertools.count()
        self.is_over = threading.Event()

    def register_agents(self, gateway: Gateway) -> None:
        for agent, device in itertools.product(range(len(AGENTS)), range(DEVICES)):
            if not self.register(gateway, AGENTS[agent], f"phone-{device}", token(agent, device)):
                raise Failure("a registration was refused before anything went wrong")

    @contextlib.contextmanager
    def on(self, gateway: Gateway) -> Iterator[None]:
        """Requests from several clients for as long as the block takes. A wrong answer to any is a failure."""
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
        """SIGKILL. Requests without an answer are no fault from here on."""
        self.is_over.set()
        gateway.process.kill()
        gateway.process.wait()

    def wait_until(self, is_so: Callable[[], bool], seconds: float, complaint: str) -> float:
        """How long it took, in seconds."""
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
        """One request after the other; only what was answered 200 counts as accepted."""
        while not self.is_over.is_set():
            try:
                self.send(gateway, next(self.numbers))
            except (OSError, http.client.HTTPException, ValueError) as error:
                if not self.is_over.is_set():
                    self.faults.append(Failure(f"no answer: {error!r}. The gateway's last words:\n{gateway.words()}"))
                return
            except Failure as failure:
                return self.faults.append(failure)

    def send(self, gateway: Gateway, number: int) -> None:
        if number % PHONE_EVERY == 0:
            if self.register(gateway, *phone(number)):
                self.phones.append(number)
        else:
            agent = number % len(AGENTS)
            self.trigger(gateway, AGENTS[agent], f"run-{number}", [token(agent, device) for device in range(DEVICES)])

    def trigger_phones(self, gateway: Gateway) -> None:
        """A trigger for each phone whose registration was accepted; a phone that was lost is a failure."""
        for number in self.phones:
            cwd, installation, fcm_token = phone(number)
            if not self.trigger(gateway, cwd, installation, [fcm_token]):
                raise Failure("a trigger was refused after everything had come to an end")

    def register(self, gateway: Gateway, cwd: str, installation: str, fcm_token: str) -> bool:
        body = {"cwd": cwd, "installation_id": installation, "fcm_token": fcm_token}
        return self.is_accepted(self.post(gateway, "/registerSubscription", body))

    def unregister(self, gateway: Gateway, installation: str) -> int:
        """How many agents it was registered for."""
        answer = self.post(gateway, "/unregisterSubscription", {"installation_id": installation})
        if answer.status != 200:
            raise Failure(f"unregistering was answered {answer.status}: {answer.text}")
        return json.loads(answer.text)["deleted"]

    def trigger(self, gateway: Gateway, cwd: str, completion: str, tokens: list[str]) -> bool:
        body = {"cwd": cwd, "completion_id": completion, "message_preview": "Done."}
        answer = self.post(gateway, "/triggerReplyFinished", body)
        if not self.is_accepted(answer):
            return False
        if json.loads(answer.text)["attempted"] != len(tokens):
            raise Failure(f"the trigger {completion} was not for {len(tokens)} phones: {answer.text}")
        self.accepted[completion] = tokens
        return True

    def post(self, gateway: Gateway, path: str, body: dict[str, str]) -> Answer:
        headers = {"Authorization": f"Bearer {SECRET}", "Prefer": "respond-async"}
        return request(gateway.url, "POST", path, body, headers, PATIENCE)

    def is_accepted(self, answer: Answer) -> bool:
        if answer.status == 200:
            return True
        if not is_clear_refusal(answer) or time.monotonic() > self.refusals_until:
            raise Failure(f"a request was answered {answer.status}: {answer.text}")
        self.refused += 1
        return False


def is_clear_refusal(answer: Answer) -> bool:
    """As docs/functions/codeagents.md has it: the code, and when to come again."""
    with contextlib.suppress(ValueError, KeyError):
        is_right = answer.status == 503 and json.loads(answer.text)["error"] == "unavailable"
        return is_right and int(answer.headers.get("Retry-After", "0")) > 0
    return False


def token(agent: int, device: int) -> str:
    return f"{agent * DEVICES + device:064x}"


def phone(number: int) -> tuple[str, str, str]:
    """The agent, the installation and the token of a phone that is alone with its agent."""
    return f"/srv/phones/{number}", f"phone-of-{number}", f"{10**9 + number:064x}"

"""The requests of one thread, over kept and new connections, with and without TLS."""

import http.client
import json
import random
import ssl
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from measure.tools import Failure

from .findings import Findings

# The longest time for an answer in any state of the push service, in seconds.
PATIENCE = 30
# The most requests on one connection, and the longest rest of one, which is below the gateway's 75 s.
LONGEST_USE, LONGEST_REST = 60, 50
# The ways of a request, with their shares.
WAYS = {("kept", False): 45, ("kept", True): 35, ("new", False): 10, ("new", True): 10}


class Unexpected(Failure):
    """An answer that is a finding. It has been noted, and ends only the present sequence of requests."""


class Addresses(NamedTuple):
    plain: str
    secure: str
    context: ssl.SSLContext

    def connection(self, is_secure: bool) -> http.client.HTTPConnection:
        if is_secure:
            return http.client.HTTPSConnection(urlsplit(self.secure).netloc, timeout=PATIENCE, context=self.context)
        return http.client.HTTPConnection(urlsplit(self.plain).netloc, timeout=PATIENCE)


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)


class Kept:
    """A connection that carries several requests."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection, self.left, self.used = connection, random.randint(1, LONGEST_USE), time.monotonic()

    @property
    def is_usable(self) -> bool:
        return self.left > 0 and time.monotonic() - self.used < LONGEST_REST


class Client:
    def __init__(self, addresses: Addresses, findings: Findings) -> None:
        self.addresses, self.findings = addresses, findings
        self.kept: dict[bool, Kept] = {}

    def send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] = {},
        expected: tuple[int, ...] = (200,),
    ) -> Answer:
        """Sends a request. An answer with another status is a finding, and so is a 429 or a 503 without Retry-After.

        Each caller lists the statuses that it expects. No fault of the push service is a reason for a 5xx: the
        gateway accepts the message and sends it later. The exceptions are named where they are expected: 404 for a
        removed registration, 429 for a key with a limit, 500 and 503 of turns while the game site has a fault.
        """
        try:
            answer = self.exchange(method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            raise self.unexpected(f"{method} {path} had no answer: {error!r}") from None
        if answer.status not in expected:
            raise self.unexpected(f"{method} {path} was answered {answer.status}: {answer.content[:500]!r}")
        if answer.status in (429, 503) and int(answer.headers.get("Retry-After", 0)) < 1:
            raise self.unexpected(f"{method} {path} was answered {answer.status} without Retry-After")
        return answer

    def unexpected(self, text: str) -> Unexpected:
        """Notes a finding, and returns the error that ends the sequence of requests."""
        self.findings.add(f"{time.strftime('%H:%M:%S')} {text}")
        return Unexpected(text)

    def exchange(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Answer:
        (way, is_secure), = random.choices(list(WAYS), list(WAYS.values()))
        if way == "kept":
            return self.exchange_on_kept(is_secure, method, path, body, headers)
        connection = self.addresses.connection(is_secure)
        try:
            return exchange(connection, method, path, body, headers)
        finally:
            connection.close()

    def exchange_on_kept(self, is_secure: bool, *request: Any) -> Answer:
        kept = self.kept.get(is_secure)
        if not kept or not kept.is_usable:
            self.close(is_secure)
            kept = self.kept[is_secure] = Kept(self.addresses.connection(is_secure))
        try:
            answer = exchange(kept.connection, *request)
        except BaseException:
            self.close(is_secure)
            raise
        kept.left, kept.used = kept.left - 1, time.monotonic()
        return answer

    def close(self, is_secure: bool) -> None:
        if kept := self.kept.pop(is_secure, None):
            kept.connection.close()

    def close_all(self) -> None:
        for is_secure in (False, True):
            self.close(is_secure)


def exchange(
    connection: http.client.HTTPConnection, method: str, path: str, body: Any, headers: dict[str, str]
) -> Answer:
    """Sends bytes as they are, and any other body as JSON."""
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, content, {"Content-Type": "application/json"} | headers)
    answer = connection.getresponse()
    return Answer(answer.status, answer.headers, answer.read())

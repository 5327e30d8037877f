"""The requests to HumanTasks, as a device and its recipients send them, and to Turns, with the moves of its players."""

import itertools
import random
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

from measure.polls import GameSite
from measure.servers import ask

from .client import Answer
from .load import Sequence
from .systems import WORDS

TURNS_KEY = "key-of-the-turns-of-the-soak"


class HumanTasks(Sequence):
    period = 0.4
    # The tasks that are kept before the oldest one is deleted.
    KEPT = 20
    PHOTO_BYTES = [200, 20_000, 300_000]

    def prepare(self) -> None:
        self.tasks: deque[str] = deque()
        self.device = self.register()
        self.send("POST", f"/api/devices/{self.device['id']}/apns-token", {"token": self.token(0)})

    def register(self) -> Any:
        """Registers the same device each time."""
        body = {"name": "A soak", "vendor_id": "6d2f9c3a-0b1e-4c5d-8e7f-112233445566"}
        return self.send("POST", "/api/devices/register", body, expected=(200, 201)).json

    def steps(self) -> Iterator[None]:
        for number in itertools.count():
            recipient, person = self.deliveries.marker(), self.deliveries.marker()
            task = self.make(recipient)
            yield
            self.send("GET", random.choice([f"/api/hits/{task}", f"/hit/{task}"]))
            yield
            yield from self.add_photos(task)
            self.answer(task, person)
            yield
            self.send("GET", f"/api/hits/{task}/responses")
            yield
            self.send("PATCH", f"/api/hits/{task}/complete")
            self.deliveries.owe(recipient, [self.token(0)], task)
            yield
            while len(self.tasks) > self.KEPT:
                self.delete(self.tasks.popleft(), number)
                yield
            if number % 10 == 0:
                self.register()
                yield

    def make(self, recipient: str) -> str:
        task = self.send("POST", "/api/hits", {
            "recipient_name": recipient, "task_description": "Photos of the soak", "hit_type": "photo",
            "config": {"title": WORDS},
        }, expected=(201,)).json["id"]
        self.tasks.append(task)
        return task

    def add_photos(self, task: str) -> Iterator[None]:
        photo = b"GIF89a" + random.randbytes(random.choice(self.PHOTO_BYTES))
        headers = {"Content-Type": "image/gif"}
        stored = self.send("POST", f"/api/hits/{task}/photos", photo, headers, (201,)).json["photos"][0]
        yield
        if self.send("GET", f"/api/hits/{task}/photos/{stored['id']}").content != photo:
            raise self.client.unexpected(f"the photo {stored['id']} has other bytes than those that were sent")
        yield

    def answer(self, task: str, person: str) -> None:
        body = {"respondent_name": person, "response_data": {"text": WORDS}}
        self.send("POST", f"/api/hits/{task}/respond", body, expected=(201,))
        self.deliveries.owe(person, [self.token(0)], task)

    def delete(self, task: str, number: int) -> None:
        if number % 2:
            self.send("DELETE", f"/api/hits/{task}")
        else:
            self.send("POST", "/api/hits/bulk-delete", {"ids": [task]})

    def send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] = {}, expected: tuple[int, ...] = (200,)
    ) -> Answer:
        caller = {"Authorization": f"Bearer {self.device['mcp_token']}"} if hasattr(self, "device") else {}
        return self.client.send(method, path, body, caller | headers, expected)


class Turns(Sequence):
    """Players whose games are at a stand-in for the game site, which makes the turns."""

    PLAYERS = 5
    FIRST_PLAYER = 10_000

    def attach(self, site: GameSite) -> "Turns":
        self.site = site
        # Set while the site has a fault, and for a while afterwards: checks may fail then.
        self.is_disturbed = threading.Event()
        # The last turn of each player.
        self.turns: dict[int, str] = {}
        return self

    def prepare(self) -> None:
        for number in range(self.PLAYERS):
            self.register(number)

    def steps(self) -> Iterator[None]:
        for count in itertools.count():
            number = count % self.PLAYERS
            self.take_turn(number)
            yield
            action = random.choice([self.register, self.check, self.diagnose, self.find, self.pass_by])
            action(number)
            yield

    def take_turn(self, number: int) -> None:
        """Gives the turn to a player whose last turn has been notified. A turn that another replaces is not."""
        if number in self.turns and not self.deliveries.has_arrived(self.turns[number], self.token(number)):
            return
        marker, player = self.deliveries.marker(), self.FIRST_PLAYER + number
        game = {"id": player, "name": marker, "current_player": player, "last_move": int(time.time() * 1e3)}
        self.site.control(f"/games/{player}", [game])
        self.turns[number] = marker
        self.deliveries.owe(marker, [self.token(number)])

    def register(self, number: int) -> None:
        body = {"user_id": str(self.FIRST_PLAYER + number), "device_token": self.token(number)}
        self.send("POST", "/register", body)

    def pass_by(self, number: int) -> None:
        """Registers a player who is removed by a 410."""
        player, token = self.FIRST_PLAYER + 100 + number, self.token(100 + number)
        game = {"id": player, "name": "passing", "current_player": player, "last_move": int(time.time() * 1e3)}
        self.site.control(f"/games/{player}", [game])
        self.invalidate(token)
        self.send("POST", "/register", {"user_id": str(player), "device_token": token})

    def check(self, number: int) -> None:
        self.ask_site(f"/check/{self.FIRST_PLAYER + number}", 500)

    def diagnose(self, number: int) -> None:
        self.ask_site(f"/diagnostics/{self.FIRST_PLAYER + number}", 503)

    def ask_site(self, path: str, without_site: int) -> None:
        """Sends a request that needs the site. A fault of the site may begin before the answer."""
        answer = self.send("GET", path, expected=(200, without_site))
        if answer.status == without_site and not self.is_disturbed.is_set():
            raise self.client.unexpected(f"GET {path} was answered {without_site} while the site had no fault")

    def find(self, number: int) -> None:
        self.send("GET", f"/users-by-token/{self.token(number)}")

    def send(self, method: str, path: str, body: Any = None, expected: tuple[int, ...] = (200,)) -> Answer:
        return self.client.send(method, path, body, {"X-API-Key": TURNS_KEY}, expected)

    def forget_requests(self) -> None:
        """Empties the stand-in's list of requests, which is in memory."""
        self.site.forget()

    def disturb(self, is_disturbed: bool) -> None:
        if is_disturbed:
            self.is_disturbed.set()
            self.site.control("/answers", {"status": 503, "retry_after": 1})
        else:
            ask(self.site.url, "PUT", "/control/answers", {})

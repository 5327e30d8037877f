"""Requests to a gateway whose disk loses its power, each with a mark of what its answer promises."""

import random
from collections.abc import Callable

from chaos.load import Load
from measure.servers import Gateway

from .documents import delete_note, digest, register_device, store_note, store_photo

# One of this many requests stores a note, or a photo; the others are triggers and registrations.
NOTE_EVERY, PHOTO_EVERY = 4, 30
NOTE_BYTES, PHOTO_BYTES = [100, 4_000, 60_000, 200_000], [200, 20_000, 300_000]


class MarkedLoad(Load):
    def __init__(self, mark: Callable[..., None]) -> None:
        super().__init__()
        self.mark = mark
        self.device = ""

    def prepare(self, gateway: Gateway) -> None:
        self.register_agents(gateway)
        self.device = register_device(gateway)
        self.mark(device=self.device)

    def send(self, gateway: Gateway, number: int) -> None:
        if number % PHOTO_EVERY == 1:
            self.add_photo(gateway)
        elif number % NOTE_EVERY == 1:
            self.change_note(gateway, number)
        else:
            super().send(gateway, number)

    def register(self, gateway: Gateway, cwd: str, installation: str, fcm_token: str) -> bool:
        is_accepted = super().register(gateway, cwd, installation, fcm_token)
        if is_accepted:
            self.mark(registration=[cwd, fcm_token])
        return is_accepted

    def trigger(self, gateway: Gateway, cwd: str, completion: str, tokens: list[str]) -> bool:
        is_accepted = super().trigger(gateway, cwd, completion, tokens)
        if is_accepted:
            self.mark(trigger=completion)
        return is_accepted

    def change_note(self, gateway: Gateway, number: int) -> None:
        """Stores a note, and deletes one of three."""
        store_note(gateway, number, "x" * random.choice(NOTE_BYTES))
        self.mark(note=number)
        if random.randrange(3) == 0:
            self.mark(deletion=number)
            delete_note(gateway, number)
            self.mark(deleted=number)

    def add_photo(self, gateway: Gateway) -> None:
        content = b"GIF89a" + random.randbytes(random.choice(PHOTO_BYTES))
        self.mark(photo=[store_photo(gateway, self.device, content), digest(content)])

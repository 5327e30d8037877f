"""A phase with browsers beside the devices of Apple."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure.servers import Gateway
from measure.tools import Failure

from .browser_load import BrowserLoad
from .phase import Arrivals, Notification, Phase
from .push_service import BrowserMessage, PushService, topic

# The wait of a message to a registration token for its outcome; it is accepted before that.
SEND_WAIT = "5ms"


class BrowserPhase(Phase):
    def __init__(self, pushgate: Path, folder: Path) -> None:
        super().__init__(pushgate, folder)
        self.service = PushService(pushgate, folder / "push-service")
        self.load = BrowserLoad(pushgate, self.service)

    def __enter__(self) -> "BrowserPhase":
        try:
            self.service.__enter__()
            super().__enter__()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.service.stop()

    def launch(self, settings: dict[str, str] = {}) -> Gateway:
        return super().launch(self.service.settings | {"PUSHGATE_FCM_SEND_WAIT": SEND_WAIT} | settings)

    def misbehave(self) -> None:
        super().misbehave()
        self.service.misbehave()

    def conclude(self, patience: int) -> None:
        self.service.behave()
        super().conclude(patience)

    def arrivals(self) -> Iterator[tuple[Notification, str]]:
        yield from super().arrivals()
        for message in self.service.received():
            if message.is_accepted:
                yield (message.completion, message.token), message.id

    def report(self, arrived: Arrivals, is_ordered: bool = True) -> None:
        messages = self.service.received()
        accepted = [message for message in messages if message.is_accepted]
        kinds = Counter(str(message.status or "none") for message in messages)
        answers = ", ".join(f"{count:,} × {kind}" for kind, count in sorted(kinds.items()))
        copies = len(accepted) - len({(message.completion, message.token) for message in accepted})
        print(
            f"\nbrowsers    {len(accepted):7,} messages accepted, {copies:,} of them again; {len(self.load.lone):,} "
            f"registrations; {len(self.load.departures):,} gone\nanswers     {answers}", flush=True)
        super().report(arrived, is_ordered)
        check(accepted)


def check(messages: list[BrowserMessage]) -> None:
    """Checks what accepted messages say about themselves, and that none was sent again after its answer."""
    completions: dict[str, str] = {}
    answered = set()
    for message in messages:
        if message.topic != (message.tag and topic(message.tag)):
            raise Failure(f"a message has a topic that is not that of its tag: {message}")
        if completions.setdefault(message.payload["message_id"], message.completion) != message.completion:
            raise Failure(f"two messages have one id, for example: {message}")
        # An answer is lost only with its connection.
        notification = message.completion, message.token, message.connection
        if notification in answered:
            raise Failure(f"a message was sent again over the connection that its answer came over: {message}")
        if message.status == 201:
            answered.add(notification)

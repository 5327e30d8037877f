"""`pushgate webpush-service` as a process on free ports, with its control address."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from measure.servers import ARRIVAL_SECONDS, WebPushService, ask


class PushService(WebPushService):
    """A push service whose endpoints have the names of Google's, Mozilla's, Apple's and Microsoft's hosts."""

    def __init__(self, pushgate: Path, folder: Path, port: int = 0, launch: list[str] = []) -> None:
        """Starts the service; `launch` names a browser, and is followed by the browser's arguments."""
        self.folder = folder
        browser = ["--launch", launch[0], "--", *launch[1:]] if launch else []
        super().__init__(
            pushgate, folder, "--service-names", "--data-directory", str(folder), *browser, port=port)

    @property
    def settings(self) -> dict[str, Any]:
        return self.addresses

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        suffix = f"?{urlencode(query)}" if query else ""
        return ask(self.settings["control"], method, path + suffix, body, timeout=ARRIVAL_SECONDS + 30)

    def messages(self, endpoint: str, **query: Any) -> list[dict[str, Any]]:
        """Returns the requests to an endpoint that match the query; with `wait_for`, waits for so many."""
        return self.ask("GET", "/notifications", token=token(endpoint), limit=1000, timeout=ARRIVAL_SECONDS, **query)[
            "notifications"]

    def script(self, endpoint: str, **step: Any) -> None:
        self.ask("PUT", "/answers", {"token": token(endpoint), **step})


def token(endpoint: str) -> str:
    """Returns the capability in an endpoint, by which the control address names it."""
    return endpoint.replace("=", "/").rpartition("/")[2]

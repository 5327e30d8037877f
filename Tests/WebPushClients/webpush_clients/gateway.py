"""A gateway that delivers Web Push to servers on this machine."""

import subprocess
from pathlib import Path
from typing import Any

from measure.servers import Answer, Server, ask, request
from measure.tools import Failure

SUBJECT = "mailto:ops@push.example.org"
NAVIGATE = "https://app.example.org/agents/{agent_key}"


class Gateway(Server):
    def __init__(
        self, pushgate: Path, folder: Path, authority: Path, more: dict[str, str], store: str | None = None
    ) -> None:
        """Starts the gateway, which trusts an authority, with more settings."""
        self.pushgate, self.folder = pushgate, folder
        settings = {
            "webpush.subject": SUBJECT, "webpush.navigate": NAVIGATE, "webpush.caFile": str(authority),
            "webpush.newRegistrationsPerHourPerAddress": "0", "fcm.tls.port": "0", "fcm.proxy.port": "0",
        } | more
        self.data = ["--data-directory", str(folder)]
        options = [option for key, value in settings.items() for option in ("--set", f"{key}={value}")]
        environment = {"PUSHGATE_DATA_MINIMUM_FREE_BYTES": "0"} | ({"PUSHGATE_STORE_URL": store} if store else {})
        super().__init__(
            "gateway", [str(pushgate), "serve", "--port", "0", "--log-level", "warning", *self.data, *options],
            folder.with_suffix(".log"), environment)

    def __enter__(self) -> "Gateway":
        try:
            address = self.folder / "address"
            self.url = self.wait_until(lambda: address.exists() and address.read_text().strip(), "listen")
            ask(self.url, "GET", "/healthz")
            self.access = {"Authorization": f"Bearer {self.access_token()}"}
        except BaseException:
            self.stop()
            raise
        return self

    def access_token(self) -> str:
        command = [str(self.pushgate), "access-token", *self.data]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if result.returncode:
            raise Failure(f"pushgate access-token failed: {result.stderr}")
        return result.stdout.strip()

    def public_key(self) -> str:
        return request(self.url, "GET", "/webpush/key").text

    def registration_token(self, subscription: dict[str, Any]) -> str:
        body = {"web_push": subscription}
        return ask(self.url, "POST", "/webpush/v1/registrations", body, self.access)["registration_token"]

    def send(self, message: dict[str, Any]) -> Answer:
        return request(self.url, "POST", "/v1/projects/pushgate/messages:send", {"message": message}, self.access)

    def notification(self, message_id: str) -> dict[str, Any]:
        """Returns the state of a message to one subscription."""
        admin = {"Authorization": f"Bearer {(self.folder / 'admin-token').read_text().strip()}"}
        [notification] = ask(self.url, "GET", f"/v1/deliveries/{message_id}", headers=admin)["notifications"]
        return notification

"""A gateway that delivers Web Push to the endpoint server, under the services' names."""

import subprocess
from pathlib import Path
from typing import Any

from measure.servers import Answer, Server, ask, request
from measure.tools import Failure

from .endpoints import EndpointServer

SUBJECT = "mailto:ops@push.example.org"
NAVIGATE = "https://app.example.org/agents/{agent_key}"


class Gateway(Server):
    def __init__(
        self, pushgate: Path, folder: Path, endpoints: EndpointServer, servers: dict[str, str], ports: list[str],
        store: str | None,
    ) -> None:
        """Starts the gateway; `servers` are those that stand in for hosts, and `ports` the ones that are allowed."""
        self.pushgate, self.folder = pushgate, folder
        settings = {
            "webpush.subject": SUBJECT, "webpush.navigate": NAVIGATE, "webpush.caFile": str(endpoints.authority),
            "webpush.connectTo": ",".join(f"{host}={server}" for host, server in servers.items()),
            "webpush.allowedHosts": endpoints.http1, "webpush.allowedPorts": ",".join(ports),
            "webpush.newRegistrationsPerHourPerAddress": "0", "fcm.tls.port": "0", "fcm.proxy.port": "0",
        }
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

"""An author's relay, and a gateway that sends through it, both of which die."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure.postgresql import free_port
from measure.relay_phone import RELAY
from measure.servers import Gateway
from measure.sink import make_certificates

from .outages import refuse_some
from .phase import Arrivals, Notification, Phase
from .relay_load import RelayLoad

HOST = "relay.example.com"


class RelayPhase(Phase):
    def __init__(self, pushgate: Path, folder: Path) -> None:
        super().__init__(pushgate, folder)
        self.load: RelayLoad = RelayLoad()
        self.relay: Gateway | None = None
        self.relay_data, self.config = folder / "relay", folder / "sender.yaml"
        certificates, port = folder / "certificates", free_port()
        certificates.mkdir()
        make_certificates(certificates, [HOST])
        self.relay_settings = RELAY | {
            "PUSHGATE_HTTP_PUBLIC_URL": f"https://{HOST}", "PUSHGATE_HTTP_TLS_HOST": "127.0.0.1",
            "PUSHGATE_HTTP_TLS_PORT": str(port), "PUSHGATE_HTTP_TLS_CERTIFICATE": str(certificates / "certificate.pem"),
            "PUSHGATE_HTTP_TLS_KEY": str(certificates / "key.pem"),
        }
        self.config.write_text(
            f"relay:\n  hosts: [{HOST}]\n  caFile: {certificates / 'ca.pem'}\n  connectTo: [{HOST}=127.0.0.1:{port}]\n")
        self.kills = 0
        # The completion ids of notifications that were opened, by their sealed texts.
        self.opened: dict[str, str] = {}

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        if self.relay:
            self.relay.process.kill()
            self.relay.process.wait()

    def launch(self, settings: dict[str, str] = {}) -> Gateway:
        """Starts the gateway that sends through the relay."""
        (self.data / "address").unlink(missing_ok=True)
        self.gateway = Gateway(self.pushgate, self.data, self.config, settings)
        return self.gateway

    def start_relay(self) -> None:
        (self.relay_data / "address").unlink(missing_ok=True)
        self.relay = Gateway(self.pushgate, self.relay_data, self.apns, self.relay_settings)
        self.load.relay = self.relay.__enter__().url

    def kill_relay(self) -> None:
        assert self.relay
        self.kills += 1
        self.relay.process.kill()
        self.relay.process.wait()

    def kill_sender(self, gateway: Gateway) -> None:
        self.kills += 1
        self.load.kill(gateway)

    def misbehave(self) -> None:
        super().misbehave()
        refuse_some(self.control)

    def conclude(self, patience: int) -> None:
        self.simulator.drop_scripts()
        super().conclude(patience)

    def arrivals(self) -> Iterator[tuple[Notification, str]]:
        for item in self.received():
            if item["status"] == 200:
                sealed, token = item["payload"]["pushgate_sealed"], item["token"]
                if sealed not in self.opened:
                    self.opened[sealed] = self.load.known[token].open(sealed)["data"]["completion_id"]
                yield (self.opened[sealed], token), item["apns_id"]

    def report(self, arrived: Arrivals, is_ordered: bool = True) -> None:
        """Prints the counts. A request that the gateway has given up may reach the relay after the next one."""
        print(f"\nkills       {self.kills:7,}\nphones      {len(self.load.known):7,} at the relay", end="", flush=True)
        super().report(arrived, is_ordered=False)

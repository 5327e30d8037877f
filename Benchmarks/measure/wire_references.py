"""Programs that only send the same notifications to the sink as a gateway."""

import json
import re
import time
from pathlib import Path

from .bench import REPLY, Bench
from .devices import device_token
from .provider_token import provider_token
from .servers import BUNDLE_ID
from .sink import Sink
from .tools import Failure


class WireReferences:
    """Sends to the first `count` devices, with requests that are equal except for their ids."""

    # The settings with which h2load is fastest.
    CONNECTIONS, STREAMS = 4, 100

    def __init__(self, bench: Bench, sink: Sink, folder: Path, count: int = 10_000):
        self.bench, self.sink, self.folder, self.count = bench, sink, folder, count
        folder.mkdir()
        payload = {
            "aps": {"alert": {"title": "Benchmark", "body": REPLY}, "sound": "default"},
            "conversation_id": "0191f0c0-0000-7000-8000-000000000000", "server_key": "0" * 16, "agent_key": "0" * 16,
        }
        self.payload = json.dumps(payload, separators=(",", ":"))
        device = sink.addresses["apns"] + "/3/device/"
        tokens = [device_token(number) for number in range(count)]
        (folder / "payload").write_text(self.payload)
        (folder / "tokens").write_text("".join(f"{token}\n" for token in tokens))
        (folder / "urls").write_text("".join(f"{device}{token}\n" for token in tokens))

    def headers(self) -> dict[str, str]:
        addresses = self.sink.addresses
        token = provider_token(Path(addresses["key_path"]), addresses["key_id"], addresses["team_id"])
        return {
            "authorization": f"bearer {token}", "apns-topic": BUNDLE_ID, "apns-push-type": "alert",
            "apns-priority": "10", "apns-expiration": str(int(time.time()) + 3600),
        }

    def h2load(self, streams: int, requests: int = 200_000) -> float:
        headers = self.headers() | {"apns-id": "00000000-0000-4000-8000-000000000000", "user-agent": "pushgate"}
        output = self.bench.run(
            "h2load", "-n", requests, "-c", self.CONNECTIONS, "-m", streams, "-d", self.folder / "payload", "-i",
            self.folder / "urls",
            *(part for name, value in headers.items() for part in ("-H", f"{name}: {value}"))).stdout
        rate = re.search(r"([\d.]+) req/s", output)
        if not rate or f" {requests} 2xx" not in output:
            raise Failure(f"not all requests of h2load were answered:\n{output}")
        return float(rate[1])

    def curl(self, dead: int) -> float:
        """Runs bare-curl, with one request for each device. `dead` of them are answered 410."""
        head = "".join(f"{name}: {value}\n" for name, value in self.headers().items())
        (self.folder / "request").write_text(head + "\n" + self.payload)
        addresses = self.sink.addresses
        figures = self.bench.tool(
            self.bench.programs.bare_curl, addresses["apns"], addresses["ca_file"], self.folder / "request",
            self.folder / "tokens", self.CONNECTIONS, self.STREAMS)
        if figures["gone"] != dead:
            raise Failure(f"{figures['gone']:.0f} tokens were answered 410, expected {dead}")
        return figures["rate"]

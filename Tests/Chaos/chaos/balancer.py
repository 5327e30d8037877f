"""HAProxy before several gateways."""

import shutil
from pathlib import Path

from measure.postgresql import free_port
from measure.servers import Server, request
from measure.tools import Failure

CONFIGURATION = """\
defaults
    mode http
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    option redispatch
frontend requests
    bind 127.0.0.1:{port}
    default_backend gateways
backend gateways
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter 300ms fall 2 rise 1
{servers}
"""


class Balancer(Server):
    def __init__(self, folder: Path, ports: list[int]):
        program = shutil.which("haproxy", path="/usr/sbin:/usr/bin")
        if not program:
            raise Failure("HAProxy is missing: “make test-packages” installs it")
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        servers = "\n".join(f"    server gateway-{port} 127.0.0.1:{port}" for port in ports)
        file = folder / "haproxy.cfg"
        file.write_text(CONFIGURATION.format(port=port, servers=servers))
        super().__init__("balancer", [program, "-db", "-f", str(file)], folder / "haproxy.log")

    def __enter__(self) -> "Balancer":
        try:
            self.wait_until(self.is_ready, "answer")
        except BaseException:
            self.stop()
            raise
        return self

    def is_ready(self) -> bool:
        try:
            return request(self.url, "GET", "/healthz", timeout=2).status == 200
        except OSError:
            return False

"""The gateway and its push services as processes, and requests to them."""

import http.client
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .tools import Failure

# These end a wait for an event that does not come. They are for machines that are several times slower than usual.
START_SECONDS = 120
STOP_SECONDS = 60
ARRIVAL_SECONDS = 300
BUNDLE_ID = "com.example.codeagents"

UNLIMITED = {
    "PUSHGATE_DATA_MINIMUM_FREE_BYTES": "0", "PUSHGATE_MESSAGES_MAXIMUM_BYTES_PER_OWNER": "0",
} | {
    "PUSHGATE_FUNCTIONS_CODEAGENTS_" + name: "0"
    for name in (
        "REQUESTS_PER_MINUTE_PER_SECRET", "REQUESTS_PER_MINUTE_PER_ADDRESS", "NEW_SERVERS_PER_HOUR_PER_ADDRESS",
        "MAXIMUM_AGENTS_PER_SERVER", "MAXIMUM_DEVICES_PER_AGENT",
    )
}


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    text: str


def request(
    url: str, method: str, path: str, body: Any = None, headers: dict[str, str] = {}, timeout: float = 300
) -> Answer:
    """Sends one request on a connection of its own, and returns any answer."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)
    try:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read().decode())
    finally:
        connection.close()


def ask(url: str, method: str, path: str, body: Any = None, headers: dict[str, str] = {}, timeout: float = 300) -> Any:
    """Sends a request and returns the JSON of the answer. Any status but 2xx is a failure."""
    answer = request(url, method, path, body, headers, timeout)
    if answer.status // 100 != 2:
        raise Failure(f"{method} {path} was answered {answer.status}: {answer.text}")
    return json.loads(answer.text)


class Server:
    """A process that is stopped at the end of its `with` block, also after an error."""

    def __init__(
        self, name: str, command: list[str], log: Path, environment: dict[str, str] = {},
        stdout: Any = subprocess.DEVNULL,
    ):
        self.name, self.log = name, log
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PUSHGATE_")}
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                # It also ends if this program is killed and cannot clean up. Ctrl-C reaches only this program.
                ["setpriv", "--pdeathsig", "TERM", *command], stdin=subprocess.DEVNULL, stdout=stdout,
                stderr=file, env=clean | environment, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def stop(self) -> None:
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            print(f"The {self.name} did not stop within {STOP_SECONDS} s and was killed.", flush=True)

    def wait_until(self, isReady: Any, what: str) -> Any:
        """Calls a function repeatedly and returns its first true value."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Failure(f"the {self.name} ended with {self.process.returncode}:\n{self.words()}")
            if value := isReady():
                return value
            time.sleep(0.02)
        raise Failure(f"the {self.name} did not {what} within {START_SECONDS} s:\n{self.words()}")

    def processor_time(self) -> float:
        """Returns the processor time of all threads in seconds, including the kernel's."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> dict[str, float]:
        """Returns the resident memory, its peak, and its part that is not file-backed, in MiB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        return {name: int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM", "RssAnon")}

    def words(self, lines: int = 20) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


class PrintingServer(Server):
    """A server whose first line of output is its URL."""

    def __init__(self, name: str, program: Path, directory: Path):
        self.output = directory.with_suffix(".txt")
        with self.output.open("wb") as output:
            super().__init__(name, [str(program)], directory.with_suffix(".log"), stdout=output)

    def __enter__(self):
        try:
            self.url = self.wait_until(lambda: self.output.read_text().partition("\n")[0], "print where it listens")
        except BaseException:
            self.stop()
            raise
        return self


class AnnouncingServer(Server):
    """A server whose first line of output is JSON with its addresses."""

    def __init__(self, name: str, command: list[str], directory: Path):
        self.output = directory.with_suffix(".json")
        with self.output.open("wb") as output:
            super().__init__(name, command, directory.with_suffix(".log"), stdout=output)

    def __enter__(self):
        try:
            line = self.wait_until(lambda: self.output.read_text().partition("\n")[0], "print where it listens")
            self.addresses: dict[str, str] = json.loads(line)
        except BaseException:
            self.stop()
            raise
        return self


class WebPushService(AnnouncingServer):
    """The push service for browsers, on free ports but for the one of its senders."""

    FREE = ("--browser-port", "--chromium-port", "--proxy-port", "--control-port")

    def __init__(self, pushgate: Path, directory: Path, *options: str, port: int = 0):
        ports = ["--port", str(port), *(text for option in self.FREE for text in (option, "0"))]
        super().__init__("push service", [str(pushgate), "webpush-service", "--json", *ports, *options], directory)


class Simulator(AnnouncingServer):
    def __init__(self, pushgate: Path, directory: Path, *options: str, port: int = 0):
        command = [
            str(pushgate), "apns-simulator", "--directory", str(directory), "--port", str(port), "--control-port", "0"]
        super().__init__("simulator", [*command, "--json", *options], directory)

    def script_connections(self, step: dict[str, Any]) -> None:
        ask(self.addresses["control"], "PUT", "/connections", step)

    def script_token(self, token: str, step: dict[str, Any]) -> None:
        ask(self.addresses["control"], "PUT", "/answers", {"token": token} | step)

    def drop_scripts(self) -> None:
        for path in ("/connections", "/answers"):
            ask(self.addresses["control"], "DELETE", path)

    def reset(self) -> None:
        ask(self.addresses["control"], "DELETE", "/notifications")

    def wait_for(self, count: int) -> None:
        path = f"/notifications?wait_for={count}&timeout={ARRIVAL_SECONDS}&limit=0"
        if ask(self.addresses["control"], "GET", path, timeout=ARRIVAL_SECONDS + 30).get("timed_out"):
            raise Failure(f"not all {count} notifications arrived within {ARRIVAL_SECONDS} s: {self.status()}")

    def status(self) -> dict[str, Any]:
        return ask(self.addresses["control"], "GET", "/status")

    def expect(self, accepted: int, rejected: int) -> None:
        """Fails unless the numbers of accepted and refused notifications are right, and none was accepted twice."""
        status = self.status()
        if (status["accepted"], status["rejected"], status["duplicates"]) != (accepted, rejected, 0):
            wanted = f"{accepted} notifications accepted, once each, and {rejected} refused"
            raise Failure(f"the simulator should have {wanted}, but has {status}")

    def notifications(self, limit: int) -> list[dict[str, Any]]:
        """Returns the first `limit` notifications since the last reset."""
        return ask(self.addresses["control"], "GET", f"/notifications?limit={limit}")["notifications"]


def one_app(simulator: dict[str, str]) -> dict[str, str]:
    return {
        "PUSHGATE_APNS_BUNDLE_ID": BUNDLE_ID, "PUSHGATE_APNS_ENDPOINT": simulator["apns"],
        "PUSHGATE_APNS_CA_FILE": simulator["ca_file"], "PUSHGATE_APNS_KEY_PATH": simulator["key_path"],
        "PUSHGATE_APNS_KEY_ID": simulator["key_id"], "PUSHGATE_APNS_TEAM_ID": simulator["team_id"],
    }


class Gateway(Server):
    def __init__(
        self, pushgate: Path, directory: Path, apns: dict[str, str] | Path, settings: dict[str, str] = {}, port: int = 0,
        log: Path | None = None,
    ):
        """A gateway that delivers to the simulator with these addresses, or as a configuration file says.

        More settings can be given as environment variables. The log is beside the data directory, or elsewhere.
        """
        self.directory = directory
        command = [str(pushgate), "serve", "--port", str(port), "--data-directory", str(directory), "--log-level", "warning"]
        if isinstance(apns, Path):
            command += ["--config", str(apns)]
        # The simulator is on this machine, so a proxy in the environment does not apply.
        environment = UNLIMITED | {"PUSHGATE_APNS_PROXY": ""} | ({} if isinstance(apns, Path) else one_app(apns))
        super().__init__("gateway", command, log or directory.with_suffix(".log"), environment | settings)

    def __enter__(self):
        try:
            self.url = self.wait_until(self.noted_address, "listen")
            ask(self.url, "GET", "/healthz")
        except BaseException:
            self.stop()
            raise
        return self

    def noted_address(self) -> str:
        """Returns the address in the data directory; empty before the gateway listens."""
        address = self.directory / "address"
        return address.read_text().strip() if address.exists() else ""

    def descriptors(self) -> int:
        """Returns the number of open file descriptors."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

"""Browsers as Debian has them, headless and unmodified, each with a profile of its own."""

import json
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from measure.servers import START_SECONDS, Server
from measure.tools import Failure
from websockets.sync.client import connect

from .page import Page
from .service import PushService

# The arguments of `--launch`: the service adds its own flags and the profile.
CHROMIUM = ["chromium", "--headless=new", "--remote-debugging-port=0"]


class Holder:
    """The owner of a subscription: a browser, or what stands for one."""

    name: str
    # The service whose rules the endpoint has.
    service: str

    def subscribe(self, key: str) -> dict[str, Any]:
        """Returns a new subscription for a sender's key, as `PushSubscription.toJSON()` does; ends an earlier one."""
        raise NotImplementedError

    def unsubscribe(self) -> None:
        raise NotImplementedError

    def received(self, count: int) -> list[str | None]:
        """Waits for so many messages, and takes all that were received, decrypted; None for one without content."""
        raise NotImplementedError


class PageHolder(Holder):
    """A page in a browser."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def subscribe(self, key: str) -> dict[str, Any]:
        self.unsubscribe()
        # Firefox never answers a call that comes before the end of its start.
        return self.page.run(
            f"""(async () => {{
                const registration = await navigator.serviceWorker.register("/worker.js")
                await navigator.serviceWorker.ready
                for (;;) {{
                    const subscription = await Promise.race([
                        registration.pushManager.subscribe({{userVisibleOnly: true, applicationServerKey: "{key}"}}),
                        new Promise(resolve => setTimeout(resolve, 10000)),
                    ])
                    if (subscription) return subscription.toJSON()
                }}
            }})()""")

    def unsubscribe(self) -> None:
        self.page.run(
            """navigator.serviceWorker.getRegistration()
                .then(registration => registration?.pushManager.getSubscription())
                .then(subscription => subscription?.unsubscribe())""")

    def received(self, count: int) -> list[str | None]:
        return self.page.wait_for(count)


class Chromium(PageHolder):
    """Chromium, which the service has launched."""

    name, service = "Chromium", "google"

    def __init__(self, page: Page, service: PushService) -> None:
        super().__init__(page)
        self.push_service = service
        self.tools = ExitStack()

    def __enter__(self) -> "Chromium":
        """Grants the permission for notifications, which lasts as long as the connection to the DevTools."""
        file = self.push_service.folder / "chromium/DevToolsActivePort"
        lines = self.push_service.wait_until(
            lambda: file.exists() and len(read := file.read_text().splitlines()) == 2 and read, "start Chromium")
        tools = self.tools.enter_context(connect(f"ws://127.0.0.1:{lines[0]}{lines[1]}"))
        parameters = {"origin": self.page.origin, "permissions": ["notifications"]}
        tools.send(json.dumps({"id": 1, "method": "Browser.grantPermissions", "params": parameters}))
        answer = json.loads(tools.recv(START_SECONDS))
        if "result" not in answer:
            raise Failure(f"Chromium did not grant the permission: {answer}")
        return self

    def __exit__(self, *_: Any) -> None:
        self.tools.close()

    @staticmethod
    def is_installed() -> bool:
        return shutil.which("chromium") is not None


class Firefox(Server, PageHolder):
    """Firefox, started by hand with the preferences that the service prints."""

    name, service = "Firefox", "mozilla"

    def __init__(self, page: Page, service: PushService, folder: Path) -> None:
        PageHolder.__init__(self, page)
        profile = folder / "firefox"
        profile.mkdir()
        preferences = service.settings["firefox_preferences"].items()
        (profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences))
        Server.__init__(
            self, self.name,
            [self.program(), "--no-remote", "--headless", "--profile", str(profile), page.origin + "/"],
            folder / "firefox.log")

    @staticmethod
    def program() -> str | None:
        return shutil.which("firefox-esr") or shutil.which("firefox")


def version(program: str) -> str:
    """Returns the name and version that a browser prints."""
    words = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=120).stdout
    return words.strip().splitlines()[-1] if words.strip() else program

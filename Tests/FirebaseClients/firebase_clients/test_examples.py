"""The sender of examples/, a program of its own."""

import os
import subprocess
import sys
from pathlib import Path

from .case import ClientCase
from .served import request

SENDER = Path(__file__).resolve().parents[3] / "examples/sender/send.py"
SENDER_SECONDS = 600


class ExampleTests(ClientCase):
    def send(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "ignore", str(SENDER), *arguments, "--replaces", self.collapse_id, "A title",
             "A body, über alles"],
            env=os.environ | {"PYTHONIOENCODING": "utf-8"}, capture_output=True, text=True, timeout=SENDER_SECONDS)

    def data(self) -> list[str]:
        return [word for name, text in self.content()["data"].items() for word in ("--data", f"{name}={text}")]

    def test_the_sender_of_the_examples_reaches_a_token_and_prints_the_message_s_name(self):
        [token] = self.register(1)
        sent = self.send("--token", token, *self.data())
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertRegex(sent.stdout, r"^projects/[^/]+/messages/\S+\n$")
        self.assert_arrived([token])

    def test_the_sender_of_the_examples_reaches_an_installation(self):
        [token] = self.register(1)
        sent = self.send("--fid", token.split(":")[0], *self.data())
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertEqual(len(self.served.arrivals(self.collapse_id, 1)), 1)

    def test_the_sender_of_the_examples_tells_that_the_app_is_gone(self):
        [token] = self.register(1)
        if self.served.is_emulator:
            self.served.script("UNREGISTERED", token=token)
        else:
            script = {"token": self.served.phone(token), "status": 410, "reason": "Unregistered"}
            self.assertEqual(request(self.served.simulator, "PUT", "/answers", script).status, 200)
        sent = self.send("--token", token)
        self.assertEqual(sent.returncode, 1, sent.stderr)
        self.assertIn("the app is gone from the device", sent.stderr)
        self.assertEqual(sent.stdout, "")

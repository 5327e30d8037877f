"""Google's own SDK in a process of its own, with the connector, as in an application."""

import json
import os
import subprocess
import sys
from pathlib import Path

from .devices import device_token
from .servers import Gateway
from .tools import ROOT, Failure

FOLDER = ROOT / ".build/firebase-clients"

PROGRAM = """
import json, sys
import firebase_admin
from firebase_admin import messaging

firebase_admin.initialize_app()
for line in sys.stdin:
    message = messaging.MulticastMessage(
        tokens=json.loads(line), notification=messaging.Notification(title="Benchmark", body="One of many."))
    answer = messaging.send_each_for_multicast(message)
    errors = [str(response.exception) for response in answer.responses if not response.success]
    print(json.dumps({"succeeded": answer.success_count, "errors": errors[:1]}), flush=True)
"""


class FirebaseAdmin:
    """A process that reads tokens and sends to them, repeatedly, so that importing the SDK is not measured."""

    def __init__(self, gateway: Gateway, account: Path):
        self.gateway, self.account = gateway, account

    def __enter__(self) -> "FirebaseAdmin":
        install()
        environment = {
            "PATH": os.environ["PATH"], "GOOGLE_APPLICATION_CREDENTIALS": str(self.account),
            "FIREBASE_MESSAGING_EMULATOR_HOST": self.gateway.url.partition("://")[2],
        }
        self.process = subprocess.Popen(
            [FOLDER / "venv/bin/python", "-W", "ignore", "-c", PROGRAM], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait(30)

    def multicast(self, count: int) -> None:
        print(json.dumps([device_token(number) for number in range(count)]), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"succeeded": 0, "errors": ["firebase-admin ended"]}
        if answer["succeeded"] != count:
            raise Failure(f"{answer['succeeded']} of {count} messages were sent: {answer['errors']}")


def install() -> None:
    """Installs the SDK as the tests do."""
    if subprocess.run([ROOT / "Tests/FirebaseClients/run", "--install"], stdout=sys.stderr).returncode != 0:
        raise Failure("Google's SDK could not be installed")
    if not (FOLDER / "clients.stamp").exists():
        raise Failure("Google's SDK is not installed, and PyPI cannot be reached")

"""Clients in other languages, each a program that sends the message of its standard input.

They are Google's own libraries if Debian has them (Java, Ruby, Go), or scripts that do the same as the libraries (Node,
PHP). A test whose language or library is missing is skipped with the reason.
"""

import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

from .case import ClientCase

PROGRAMS = Path(__file__).resolve().parents[1] / "languages"
JARS = Path("/usr/share/java")
GO_PACKAGES = Path("/usr/share/gocode")
PROGRAM_SECONDS = 1600

COUNT = 5
SESSION_COUNT = 500


class LanguageTests(ClientCase):
    def need(self, command: str, *files: Path) -> None:
        if not shutil.which(command):
            self.skipTest(f"there is no {command} here")
        if missing := [str(file) for file in files if not file.exists()]:
            self.skipTest(f"there is no {', '.join(missing)} here")

    def send(self, command: list[str], count: int = COUNT, **environment: str) -> dict[str, Any]:
        """Lets the program send to `count` devices, checks that the messages arrive, and returns its output."""
        tokens = self.register(count)
        message = {
            "notification": {"title": "A title", "body": "A body, über alles"},
            "data": {"run": self.collapse_id, "snake_case": "1", "camelCase": "2"},
            "apns": {"headers": {"apns-collapse-id": self.collapse_id}},
        }
        order = {"project": self.project(), "tokens": tokens, "message": message}
        result = subprocess.run(
            command, input=json.dumps(order), env=os.environ | environment, capture_output=True, text=True,
            timeout=PROGRAM_SECONDS)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        answer = json.loads(result.stdout)
        self.assertEqual(len(set(answer["names"])), count, "each has an id of its own")
        self.assert_arrived(tokens)
        return answer

    def project(self) -> str:
        return json.loads(Path(os.environ["GOOGLE_APPLICATION_CREDENTIALS"]).read_text())["project_id"]

    def test_node_sends_500_over_one_session_and_exits_after_the_last_answer(self):
        self.need("node")
        answer = self.send(["node", str(PROGRAMS / "send.mjs")], SESSION_COUNT)
        self.assertLess(answer["seconds"], 1)
        self.assertLess(statistics.median(answer["closings"]), 100, "milliseconds")
        self.assertTrue(answer["late"], "a request that comes behind the session's GOAWAY is answered")

    def test_java_sends_gzip_with_googles_client(self):
        libraries = ["google-api-client", "google-auth-library-oauth2-http", "google-http-client-gson", "gson"]
        self.need("java", *(JARS / f"{name}.jar" for name in libraries))
        self.need("keytool")
        store = Path(self.served.directory) / "trust.p12"
        if not store.exists():
            subprocess.run(
                ["keytool", "-importcert", "-noprompt", "-alias", "pushgate", "-file", os.environ["SSL_CERT_FILE"],
                 "-keystore", str(store), "-storepass", "changeit", "-storetype", "PKCS12"],
                check=True, capture_output=True)
        self.send([
            "java", f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=changeit",
            "-cp", f"{JARS}/*", str(PROGRAMS / "Send.java")])

    def test_ruby_sends_with_googles_credentials_library(self):
        self.need("ruby")
        if subprocess.run(["ruby", "-e", 'require "googleauth"'], capture_output=True).returncode:
            self.skipTest("there is no googleauth for Ruby here")
        self.send(["ruby", str(PROGRAMS / "send.rb")])

    def test_go_sends_with_googles_client(self):
        self.need("go", GO_PACKAGES / "src/google.golang.org/api/fcm/v1")
        cache = Path(__file__).resolve().parents[3] / ".build/firebase-clients/go"
        self.send(
            ["go", "run", str(PROGRAMS / "send.go")], GO111MODULE="off", GOPATH=str(GO_PACKAGES), GOFLAGS="",
            GOCACHE=str(cache))

    def test_php_sends_with_an_assertion_without_a_key_id(self):
        self.need("php")
        if "curl" not in subprocess.run(["php", "-m"], capture_output=True, text=True).stdout.split():
            self.skipTest("there is no curl for PHP here")
        self.send(["php", str(PROGRAMS / "send.php")])

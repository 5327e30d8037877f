"""A service account of a gateway, and an access token for it, requested as Google's libraries do (RFC 7523)."""

import http.client
import json
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from .provider_token import encode, encode_json
from .servers import Gateway
from .tools import Failure

GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer"


def service_account(pushgate: Path, gateway: Gateway) -> Path:
    """Makes a service account of a running gateway, and returns its file."""
    command = [str(pushgate), "init", "--data-directory", str(gateway.directory), "--url", gateway.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise Failure(f"pushgate init failed: {done.stderr}")
    return gateway.directory / "service-account.json"


def access_token(url: str, account: dict[str, str]) -> str:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    form = urlencode({"grant_type": GRANT_TYPE, "assertion": assertion(account)})
    connection.request("POST", "/token", form, {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    if answer.status != 200:
        raise Failure(f"the service account got no access token: {text}")
    return json.loads(text)["access_token"]


def assertion(account: dict[str, str]) -> str:
    now = int(time.time())
    claims = {"iss": account["client_email"], "aud": account["token_uri"], "iat": now, "exp": now + 3600}
    claims["scope"] = "https://www.googleapis.com/auth/firebase.messaging"
    signed = encode_json({"alg": "RS256", "kid": account["private_key_id"]}) + "." + encode_json(claims)
    with tempfile.NamedTemporaryFile("w") as key:
        key.write(account["private_key"])
        key.flush()
        command = ["openssl", "dgst", "-sha256", "-sign", key.name]
        signature = subprocess.run(command, input=signed.encode(), check=True, capture_output=True).stdout
    return signed + "." + encode(signature)

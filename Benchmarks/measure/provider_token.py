"""The provider token (JWT) for APNs, for the programs that send without the gateway."""

import base64
import json
import subprocess
import time
from pathlib import Path


def provider_token(key: Path, key_id: str, team_id: str) -> str:
    signed = encode_json({"alg": "ES256", "kid": key_id}) + "." + encode_json({"iss": team_id, "iat": int(time.time())})
    command = ["openssl", "dgst", "-sha256", "-sign", str(key)]
    signature = subprocess.run(command, input=signed.encode(), check=True, capture_output=True).stdout
    return signed + "." + encode(raw_signature(signature))


def raw_signature(der: bytes) -> bytes:
    """Returns r‖s, 32 bytes each (RFC 7518 §3.4), for OpenSSL's SEQUENCE { INTEGER r, INTEGER s }."""
    r_end = 4 + der[3]
    r, s = der[4:r_end], der[r_end + 2 :]
    return b"".join(int.from_bytes(number, "big").to_bytes(32, "big") for number in (r, s))


def encode_json(value: dict) -> str:
    return encode(json.dumps(value, separators=(",", ":")).encode())


def encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()

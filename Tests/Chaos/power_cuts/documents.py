"""The documents and photos of clients of a gateway whose disk loses its power."""

import hashlib
import http.client
import json
from urllib.parse import urlsplit

from measure.servers import Gateway, ask
from measure.tools import Failure

SETTINGS = {
    "PUSHGATE_APNS_PROXY": "",
    "PUSHGATE_FIRESTORE_ENABLED": "true",
    "PUSHGATE_FUNCTIONS_HUMANTASKS_ENABLED": "true",
    "PUSHGATE_FUNCTIONS_HUMANTASKS_NEW_DEVICES_PER_HOUR_PER_ADDRESS": "0",
    "PUSHGATE_FUNCTIONS_HUMANTASKS_NEW_TASKS_PER_HOUR_PER_DEVICE": "0",
}
DOCUMENTS = "/v1/projects/power-cuts/databases/(default)/documents"
NOTES = f"{DOCUMENTS}/notes"
VENDOR = "6d2f9c3a-0b1e-4c5d-8e7f-112233445566"
PATIENCE = 30


def store_note(gateway: Gateway, number: int, text: str) -> None:
    name = f"{NOTES[len('/v1/'):]}/{number}"
    write = {"update": {"name": name, "fields": {"text": {"stringValue": text}}}}
    ask(gateway.url, "POST", f"{DOCUMENTS}:commit", {"writes": [write]})


def delete_note(gateway: Gateway, number: int) -> None:
    ask(gateway.url, "DELETE", f"{NOTES}/{number}")


def list_notes(gateway: Gateway) -> set[int]:
    """Returns the numbers of all notes, without their texts."""
    notes: set[int] = set()
    path = f"{NOTES}?pageSize=300&mask.fieldPaths=none"
    page = ask(gateway.url, "GET", path)
    while True:
        notes |= {int(document["name"].rpartition("/")[2]) for document in page.get("documents", [])}
        if not (token := page.get("nextPageToken")):
            return notes
        page = ask(gateway.url, "GET", f"{path}&pageToken={token}")


def register_device(gateway: Gateway) -> str:
    """Returns the access token of a new device that makes tasks."""
    body = {"name": "A power cut", "vendor_id": VENDOR}
    return ask(gateway.url, "POST", "/api/devices/register", body)["mcp_token"]


def store_photo(gateway: Gateway, device: str, content: bytes) -> str:
    """Makes a task, adds a photo to it, and returns the path of the photo."""
    caller = {"Authorization": f"Bearer {device}"}
    body = {"recipient_name": "Sarah", "task_description": "Photos", "hit_type": "photo"}
    task = ask(gateway.url, "POST", "/api/hits", body, caller)["id"]
    photos = f"/api/hits/{task}/photos"
    status, answer = exchange(gateway, "POST", photos, content, {"Content-Type": "image/gif"})
    if status != 201:
        raise Failure(f"a photo was answered {status}: {answer!r}")
    return f"{photos}/{json.loads(answer)['photos'][0]['id']}"


def photo_digest(gateway: Gateway, device: str, path: str) -> str | None:
    """Returns the digest of a photo; `None` if the gateway does not have it."""
    status, content = exchange(gateway, "GET", path, None, {"Authorization": f"Bearer {device}"})
    return digest(content) if status == 200 else None


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def exchange(
    gateway: Gateway, method: str, path: str, body: bytes | None, headers: dict[str, str]
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=PATIENCE)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()

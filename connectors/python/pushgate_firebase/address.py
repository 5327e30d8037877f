"""The gateway's address (FIREBASE_MESSAGING_EMULATOR_HOST), and the translation of Google's URLs to the gateway's."""

import os
from typing import Optional
from urllib.parse import urlsplit

VARIABLE = "FIREBASE_MESSAGING_EMULATOR_HOST"

# The servers that firebase_admin.messaging uses. The gateway serves the paths of both under one address.
GOOGLE = ("https://fcm.googleapis.com", "https://iid.googleapis.com")


def gateway_url() -> Optional[str]:
    """Returns the gateway's base URL, without a trailing slash; None if the variable is not set or empty.

    The variable is `host:port`, as for Firebase's own emulators, or a URL, whose path is kept as a prefix.
    """
    value = os.environ.get(VARIABLE, "").strip()
    if not value:
        return None
    url = (value if "://" in value else f"http://{value}").rstrip("/")
    if not _is_base_url(url):
        raise ValueError(f'{VARIABLE} is "{value}"; it must be host:port, or a URL as in http://127.0.0.1:8080')
    return url


def redirected(url: str, gateway: str) -> str:
    """Returns the gateway's URL for a URL of Google's messaging; any other URL unchanged."""
    for origin in GOOGLE:
        if url == origin or url.startswith(origin + "/"):
            return gateway + url[len(origin):]
    return url


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        parts.port  # Raises an error for an invalid port.
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)

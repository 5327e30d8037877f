"""Where the gateway is: FIREBASE_MESSAGING_EMULATOR_HOST, and Google's URLs as the gateway's."""

import os
from typing import Optional
from urllib.parse import urlsplit

VARIABLE = "FIREBASE_MESSAGING_EMULATOR_HOST"

# What firebase_admin.messaging talks to. The gateway serves the paths of both under one address.
GOOGLE = ("https://fcm.googleapis.com", "https://iid.googleapis.com")


def gateway_url() -> Optional[str]:
    """The gateway's base URL, without a slash at its end; None when the variable is not set or empty.

    Takes `host:port`, as the variables of Firebase's own emulators do, or a URL, whose path is kept as a prefix.
    """
    value = os.environ.get(VARIABLE, "").strip()
    if not value:
        return None
    url = (value if "://" in value else f"http://{value}").rstrip("/")
    if not _is_base_url(url):
        raise ValueError(f'{VARIABLE} is "{value}"; it must be host:port, or a URL as in http://127.0.0.1:8080')
    return url


def redirected(url: str, gateway: str) -> str:
    """The same at the gateway, for a URL of Google's messaging; any other as it is."""
    for origin in GOOGLE:
        if url == origin or url.startswith(origin + "/"):
            return gateway + url[len(origin):]
    return url


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        parts.port  # Raises for a port that is none.
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)

"""Which access token the gateway is shown, and as which project's the messages go."""

import os
import threading
from urllib.parse import urlsplit

import google.auth.credentials
from firebase_admin import credentials

# What Firebase's own emulators are shown.
EMULATOR_TOKEN = "owner"
DEFAULT_PROJECT = "pushgate"


class RedirectedApp:
    """A firebase_admin.App as messaging sees it: with the gateway's credential and project, else as it is."""

    def __init__(self, app):
        self._app = app
        is_default = isinstance(app.credential, credentials.ApplicationDefault)
        self._has_credential = not is_default or bool(os.environ.get("GOOGLE_APPLICATION_CREDENTIALS"))

    def __getattr__(self, name):
        return getattr(self._app, name)

    @property
    def credential(self):
        return _AppCredential(self._app.credential if self._has_credential else None)

    @property
    def project_id(self):
        """In the SDK's order. Without a credential the app is not asked: it would look for one on the network."""
        if self._has_credential:
            return self._app.project_id or DEFAULT_PROJECT
        named = (self._app.options.get("projectId"), *map(os.environ.get, ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")))
        return next(filter(None, named), DEFAULT_PROJECT)


class _AppCredential(credentials.Base):
    """What the application was given, if anyone but Google mints tokens for it, as the gateway's /token does for the
    service account it has made. An access token that is good at Google must not reach another server.
    """

    def __init__(self, given):
        self._given = given

    def get_credential(self):
        source = self._given.get_credential() if self._given else None
        token_uri = getattr(source, "_token_uri", None)
        return GatewayCredential(source if token_uri and not _is_google(token_uri) else None)


class GatewayCredential(google.auth.credentials.Credentials):
    """Shows the gateway what the source's token endpoint has minted, or without a source the emulators' token.

    Not the source itself: google-auth shows a service account's token to one of Google's servers as well, to ask in
    which regions it may be used. And one request for a token is enough for the 500 threads of a multicast.
    """

    def __init__(self, source=None):
        super().__init__()
        self._source = source
        self._refreshing = threading.Lock()
        self.token = None if source else EMULATOR_TOKEN

    def refresh(self, request):
        refused = self.token
        with self._refreshing:
            if self._source and self.token is refused:
                self._source.refresh(request)
                self.token, self.expiry = self._source.token, self._source.expiry


def _is_google(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return any(host == domain or host.endswith(f".{domain}") for domain in ("googleapis.com", "google.com"))

"""The access token for the gateway, and the project of the messages."""

import os
import threading
from urllib.parse import urlsplit

import google.auth.credentials
from firebase_admin import credentials

# The access token for Firebase's own emulators.
EMULATOR_TOKEN = "owner"
DEFAULT_PROJECT = "pushgate"


class RedirectedApp:
    """A wrapper of a firebase_admin.App for messaging, with the gateway's credential and project."""

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
        """The project in the SDK's order. Without a credential the app is not used: it would search the network for one."""
        if self._has_credential:
            return self._app.project_id or DEFAULT_PROJECT
        named = (self._app.options.get("projectId"), *map(os.environ.get, ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")))
        return next(filter(None, named), DEFAULT_PROJECT)


class _AppCredential(credentials.Base):
    """The application's credential, unless Google mints its tokens. The gateway's /token mints tokens for the service
    accounts of `pushgate init`. An access token that is valid at Google must not reach another server.
    """

    def __init__(self, given):
        self._given = given

    def get_credential(self):
        source = self._given.get_credential() if self._given else None
        token_uri = getattr(source, "_token_uri", None)
        return GatewayCredential(source if token_uri and not _is_google(token_uri) else None)


class GatewayCredential(google.auth.credentials.Credentials):
    """A credential with a token from the source's token endpoint, or without a source the emulators' token.

    The source itself is not used, because google-auth also sends a service account's token to a server of Google's, to
    ask for the regions in which it may be used. In addition, the 500 threads of a multicast need only one token request.
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

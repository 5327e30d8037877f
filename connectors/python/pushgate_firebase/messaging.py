"""Replaces the initializer of the service in firebase_admin.messaging.

The service sends all its requests through `request` of its two HTTP clients, one of them for asyncio, and gets its
credential and project from the app. So each service gets an app with the gateway's credential, and its clients' `request`
is wrapped. This applies to both APIs of topics, and to 6.x and 7.x.

The class is not public, so a later version may not have it. That is an error and not a warning, which can be overlooked:
messages for a test would go to real phones.
"""

from functools import wraps

from .address import VARIABLE, gateway_url, redirected

# Marks the class with the replaced initializer. Other libraries may wrap the same function, before or after.
MARKER = "_pushgate_redirected"


def redirect(module) -> None:
    """Makes the imported firebase_admin.messaging use the variable each time it creates an app's service."""
    Service = getattr(module, "_MessagingService", None)
    if not isinstance(Service, type):
        raise ImportError(_changed("messaging has no class _MessagingService"))
    if MARKER in vars(Service):
        return
    original = Service.__init__
    batches = getattr(Service, "FCM_BATCH_URL", "")

    @wraps(original)
    def made_for_gateway(self, app):
        gateway = gateway_url()
        # send_all of 6.x uses Google's batch endpoint. Google has closed it, and the gateway has none: the call fails in
        # both cases, but the messages do not leave for Google.
        Service.FCM_BATCH_URL = redirected(batches, gateway) if gateway else batches
        if not gateway:
            return original(self, app)
        # Imported late: in an unknown version its imports may be missing too.
        from .credential import RedirectedApp

        original(self, RedirectedApp(app))
        _redirect_clients(self, gateway)

    Service.__init__ = made_for_gateway
    setattr(Service, MARKER, True)


def _redirect_clients(service, gateway: str) -> None:
    names = ["_client"] + ["_async_client"] * hasattr(service, "send_each_async")
    for name in names:
        client = getattr(service, name, None)
        if not callable(getattr(client, "request", None)):
            raise RuntimeError(_changed(f"the messaging service's {name} has no request"))
        client.request = _redirecting(client.request, gateway)
    # Connections to the gateway use the same pool as those to Google, which is larger in 7.x.
    session = service._client.session
    session.mount(gateway + "/", session.get_adapter("https://fcm.googleapis.com/"))


def _redirecting(request, gateway: str):
    """Returns a wrapper of `request`. It also works for the asynchronous client, because it returns its coroutine."""

    @wraps(request)
    def redirecting(method, url, **options):
        return request(method, redirected(url, gateway), **options)

    return redirecting


def _changed(what: str) -> str:
    from firebase_admin import __version__

    return (
        f"pushgate-firebase-connector does not know firebase-admin {__version__} ({what}), so messages would go to "
        f"Google although {VARIABLE} is set. Update the connector, install an earlier firebase-admin, or unset it."
    )

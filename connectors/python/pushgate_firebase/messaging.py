"""The one thing that is replaced in firebase_admin.messaging: how its service is made.

The service makes all its requests through `request` of its two HTTP clients, one of them for asyncio, and gets its
credential and project from the app. So each service is made from an app that names the gateway's credential, and its
clients' `request` is wrapped. This holds for both APIs of topics, and for 6.x as for 7.x.

What is replaced is not public, so a later version may do without it. That is an error, and not a warning which can be
overlooked: messages that were meant for a test would go to real phones.
"""

from functools import wraps

from .address import VARIABLE, gateway_url, redirected

# On the class whose services are made for the gateway. Others may wrap the same function, before or after.
MARKER = "_pushgate_redirected"


def redirect(module) -> None:
    """Makes firebase_admin.messaging, just imported, go by the variable each time an app's service is made."""
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
        # 6.x's send_all posts to Google's batch endpoint. Google has closed it and the gateway has none: it fails here
        # as it does there, but the messages stay here.
        Service.FCM_BATCH_URL = redirected(batches, gateway) if gateway else batches
        if not gateway:
            return original(self, app)
        # Not before: of a version that is not known, what it imports may be missing too.
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
    # Connections to the gateway are kept as those to Google are: 7.x has a larger pool for them.
    session = service._client.session
    session.mount(gateway + "/", session.get_adapter("https://fcm.googleapis.com/"))


def _redirecting(request, gateway: str):
    """Fits the asynchronous client too: what it returns, a coroutine, is handed on."""

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

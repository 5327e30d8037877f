"""A program that sends with one library: `python -m webpush_clients.sending LIBRARY`.

Each line of its input is an order, each line of its output the outcome, both in JSON. It is unmodified code for the
services themselves: only the environment leads it elsewhere.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from typing import Any

Order = dict[str, Any]
Outcome = dict[str, Any]

SUBJECT = "mailto:ops@example.com"


def pywebpush() -> Callable[[Order], Outcome]:
    from pywebpush import WebPushException, webpush

    def send(order: Order) -> Outcome:
        try:
            response = webpush(**arguments(order))
        except WebPushException as error:
            return {"error": "WebPushException", "text": str(error), "status": error.status_code,
                    "retry_after": error.retry_after}
        return {"status": response.status_code, "location": response.headers.get("location")}

    return send


def pywebpush_async() -> Callable[[Order], Outcome]:
    import aiohttp
    from pywebpush import WebPushException, webpush_async

    async def send(order: Order) -> Outcome:
        # aiohttp takes a proxy from the environment only if a session of the caller says so.
        async with aiohttp.ClientSession(trust_env=True) as session:
            try:
                response = await webpush_async(**arguments(order), aiohttp_session=session)
            except WebPushException as error:
                return {"error": "WebPushException", "text": str(error), "status": error.status_code,
                        "retry_after": error.retry_after}
            return {"status": response.status, "location": response.headers.get("location")}

    return lambda order: asyncio.run(send(order))


def arguments(order: Order) -> dict[str, Any]:
    """Returns the arguments of `webpush`, which both of its forms have."""
    return {
        "subscription_info": {name: order["subscription"][name] for name in ("endpoint", "keys")},
        "data": order["text"], "vapid_private_key": order["key"],
        "vapid_claims": {"sub": SUBJECT} | order.get("claims", {}), "ttl": order.get("ttl", 60), "timeout": 60,
        "headers": order.get("headers"), "content_encoding": order.get("encoding", "aes128gcm"),
    }


def django_push_notifications() -> Callable[[Order], Outcome]:
    import django
    from django.conf import settings

    applications: dict[str, Any] = {}
    settings.configure(
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "push_notifications"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        PUSH_NOTIFICATIONS_SETTINGS={"CONFIG": "push_notifications.conf.AppConfig", "APPLICATIONS": applications})
    django.setup()
    from django.core.management import call_command
    from push_notifications.exceptions import WebPushError
    from push_notifications.models import WebPushDevice

    call_command("migrate", verbosity=0)
    browsers = {"google": "CHROME", "mozilla": "FIREFOX", "apple": "SAFARI", "microsoft": "EDGE"}

    def send(order: Order) -> Outcome:
        # An application has one key.
        application = order["key"]
        applications[application] = {
            "PLATFORM": "WP", "PRIVATE_KEY": order["key"], "CLAIMS": {"sub": SUBJECT}, "ERROR_TIMEOUT": 60}
        subscription = order["subscription"]
        device, _ = WebPushDevice.objects.update_or_create(
            registration_id=subscription["endpoint"],
            defaults={
                "application_id": application, "browser": browsers[order["service"]], "active": True,
                "p256dh": subscription["keys"]["p256dh"], "auth": subscription["keys"]["auth"]})
        outcome: Outcome = {}
        try:
            if order.get("to_all"):
                WebPushDevice.objects.exclude(id=device.id).update(active=False)
                [results] = WebPushDevice.objects.filter(active=True).send_message(order["text"])
            else:
                results = device.send_message(order["text"], ttl=order.get("ttl", 60), headers=order.get("headers"))
            outcome["status"] = 201 if results.get("success") == 1 else None
            outcome["text"] = str(results["results"][0].get("error", ""))
        except WebPushError as error:
            outcome |= {"error": "WebPushError", "text": str(error)}
        device.refresh_from_db()
        return outcome | {"active": device.active}

    return send


def webpush_rs() -> Callable[[Order], Outcome]:
    import webpush_rs

    def send(order: Order) -> Outcome:
        subscription = order["subscription"]
        try:
            status = webpush_rs.send_one(
                subscription["endpoint"], subscription["keys"]["p256dh"], subscription["keys"]["auth"], order["key"],
                SUBJECT, order["text"].encode())
        except RuntimeError as error:
            return {"error": "RuntimeError", "text": str(error)}
        return {"status": status}

    return send


LIBRARIES = {
    "pywebpush": pywebpush, "pywebpush, asynchronous": pywebpush_async,
    "django-push-notifications": django_push_notifications, "webpush-rs": webpush_rs,
}


def main() -> None:
    # The libraries may print to the standard output, which is for the outcomes.
    outcomes = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    send = LIBRARIES[sys.argv[1]]()
    for line in sys.stdin:
        outcomes.write(json.dumps(send(json.loads(line))) + "\n")
        outcomes.flush()


if __name__ == "__main__":
    main()

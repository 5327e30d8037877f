"""The push service, the browsers and the senders of a run."""

from contextlib import ExitStack
from pathlib import Path
from unittest import TestCase

from . import test_senders
from .browsers import CHROMIUM, Chromium, Firefox, Holder, version
from .kept import Kept
from .page import Page
from .senders import Sender, environment
from .service import PushService
from .stand_in import FirefoxStandIn
from .test_proxy import ProxyTests

# The longest message in bytes: what a body of 4,096 bytes holds, or what the library allows itself.
PROXIED = {"pywebpush": 3993, "pywebpush, asynchronous": 3993, "django-push-notifications": 3993}
BY_NAME = {"webpush-rs": 3052}


def sender_tests(folder: Path, stack: ExitStack, pushgate: Path, by_name: bool) -> list[TestCase]:
    """Starts all that the tests of the senders need, and returns the tests.

    By default the senders reach the service by its proxy. By the names they have the authority alone.
    """
    service, holders = stage(folder, stack, pushgate, port=443 if by_name else 0)
    variables = environment(service.settings)
    if by_name:
        del variables["HTTPS_PROXY"]
    senders = {
        name: stack.enter_context(Sender(name, longest, variables, folder))
        for name, longest in (BY_NAME if by_name else PROXIED).items()}
    tests = [
        test for sender in senders.values() for holder in holders
        for test in cases(test_senders.SenderTests, service, sender, holder)]
    if by_name:
        return tests
    pywebpush, django = senders["pywebpush"], senders["django-push-notifications"]
    for holder in holders:
        for sender in senders.values():
            tests += cases(test_senders.FieldTests, service, sender, holder)
        tests += cases(test_senders.RequestTests, service, pywebpush, holder)
        tests += cases(test_senders.DjangoTests, service, django, holder)
    [stand_in] = [holder for holder in holders if isinstance(holder, FirefoxStandIn)]
    return tests + cases(test_senders.AbsenceTests, service, pywebpush, stand_in) + cases(ProxyTests, service)


def stage(folder: Path, stack: ExitStack, pushgate: Path, port: int) -> tuple[PushService, list[Holder]]:
    page = stack.enter_context(Page())
    launch = [*CHROMIUM, page.origin + "/"] if Chromium.is_installed() else []
    service = stack.enter_context(PushService(pushgate, folder / "service", port, launch))
    holders: list[Holder] = [stack.enter_context(FirefoxStandIn(service.settings["firefox"]))]
    if launch:
        print(f"With {version('chromium')}.", flush=True)
        holders.append(stack.enter_context(Chromium(page, service)))
    else:
        print("Chromium skipped: it is not installed.", flush=True)
    if program := Firefox.program():
        print(f"With {version(program)}.", flush=True)
        holders.append(stack.enter_context(Firefox(stack.enter_context(Page()), service, folder)))
    else:
        print("Firefox skipped: it is not installed.", flush=True)
    return service, holders + [Kept(service, name) for name in ("apple", "google", "microsoft")]


def cases(kind: type[TestCase], *arguments: object) -> list[TestCase]:
    """Returns a test for each method of a class."""
    return [kind(name, *arguments) for name in vars(kind) if name.startswith("test_")]

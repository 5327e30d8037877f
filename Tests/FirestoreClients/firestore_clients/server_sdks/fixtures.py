"""A pytest plugin: the server of the sequences, the SDKs, and the differences of Google's emulator."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from .sdk import SDK, Java, Node


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--address", required=True, help="the server, as HOST:PORT")
    parser.addoption("--emulator", action="store_true", help="the server is Google's emulator")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "emulator_differs(reason): Google's emulator must fail, and a gateway pass")
    config.addinivalue_line("markers", "emulator_lacks(reason): Google's emulator is not asked")
    config.addinivalue_line("markers", "slow: takes a minute")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    if not config.getoption("--emulator"):
        return
    for item in items:
        if mark := item.get_closest_marker("emulator_lacks"):
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))
        elif mark := item.get_closest_marker("emulator_differs"):
            item.add_marker(pytest.mark.xfail(reason=mark.args[0], strict=True))


@pytest.fixture(params=[Node, Java], ids=lambda sdk: sdk.name)
def sdk(request: Any) -> Iterator[SDK]:
    """A connection of each SDK in turn."""
    with closing(request.param(request.config.getoption("--address"))) as sdk:
        yield sdk


@pytest.fixture
def is_emulator(request: Any) -> bool:
    return request.config.getoption("--emulator")

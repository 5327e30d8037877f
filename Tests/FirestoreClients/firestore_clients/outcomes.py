"""A pytest plugin that writes the outcome of each test into a file, and can run what is skipped on Google's emulator.

    PUSHGATE_OUTCOMES=FILE [PUSHGATE_LIFTED=1] pytest -p firestore_clients.outcomes test_system.py
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

# The reasons of tests that are skipped on emulators and that a gateway can pass.
LIFTED_REASONS = (
    "Query profile not supported in emulator.", "Require index and seed data",
    "PartitionQuery not implemented in emulator", "Internal Issue b/137867104", "Internal Issue b/137865992",
)
# Pipelines belong to other editions of Firestore.
NOT_LIFTED = "pipeline"

outcomes: dict[str, str] = {}
texts: dict[str, str] = {}


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Selects only the tests that a reason above skips, without their marks."""
    if not os.environ.get("PUSHGATE_LIFTED"):
        return
    lifted = [item for item in items if NOT_LIFTED not in item.name and any(map(is_lifted, item.iter_markers("skipif")))]
    for item in lifted:
        for node in item.listchain():
            node.own_markers = [mark for mark in node.own_markers if not is_lifted(mark)]
    items[:] = lifted


def is_lifted(mark: Any) -> bool:
    return mark.name == "skipif" and mark.kwargs.get("reason") in LIFTED_REASONS


def pytest_runtest_logreport(report: Any) -> None:
    """Notes the worst outcome of a test's phases. A failed part of a test fails the test."""
    if report.failed:
        outcomes[report.nodeid] = "failed"
        texts.setdefault(report.nodeid, str(report.longrepr)[-2000:])
    elif type(report).__name__ == "SubtestReport":
        return
    elif report.skipped:
        outcomes.setdefault(report.nodeid, "skipped")
    elif report.when == "call":
        outcomes.setdefault(report.nodeid, "passed")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    Path(os.environ["PUSHGATE_OUTCOMES"]).write_text(json.dumps({"outcomes": outcomes, "texts": texts}))

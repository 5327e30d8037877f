"""The tests of the checks themselves."""

import io
import unittest

from measure.tools import Failure


def run_tests(names: list[str]) -> None:
    output, tests = io.StringIO(), unittest.defaultTestLoader.loadTestsFromNames(names)
    if not unittest.TextTestRunner(output).run(tests).wasSuccessful():
        raise Failure(f"the tests of these checks fail:\n{output.getvalue()}")

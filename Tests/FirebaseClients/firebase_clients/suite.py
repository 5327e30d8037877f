"""One process of tests: `python -m firebase_clients.suite COUNTS-FILE GENERATION NAME…`."""

import json
import sys
import unittest
from pathlib import Path


def main() -> None:
    counts, generation, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    expect_generation(generation)
    suite = unittest.TestSuite(load(name) for name in names)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped)
    with open(counts, "w") as file:
        json.dump({"passed": max(0, result.testsRun - failed - skipped), "failed": failed, "skipped": skipped}, file)
    sys.exit(not result.wasSuccessful())


def expect_generation(generation: str) -> None:
    """Ends the process if the import path loads the wrong one of the two installed generations."""
    import firebase_admin

    if firebase_admin.__version__.partition(".")[0] != generation:
        sys.exit(f"firebase-admin {firebase_admin.__version__} was loaded from {firebase_admin.__file__}")


def load(name: str) -> unittest.TestSuite:
    """Loads a module of this package, one of the connector's `tests`, or all of those."""
    loader = unittest.defaultTestLoader
    if name == "tests":
        import tests

        return loader.discover(tests.__path__[0], top_level_dir=str(Path(tests.__path__[0]).parent))
    return loader.loadTestsFromName(name if name.startswith("tests.") else f"firebase_clients.{name}")


if __name__ == "__main__":
    main()

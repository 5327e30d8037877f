"""The connector without installing it: put this folder on PYTHONPATH.

The interpreter imports the first `sitecustomize` it finds at every start; one that this one hides is run after it.
"""

import os
import sys


def activate() -> None:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        from pushgate_firebase import install
    finally:
        sys.path.pop(0)
    install()


def run_hidden() -> None:
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    here = os.path.dirname(os.path.realpath(__file__))
    others = [entry for entry in sys.path if os.path.realpath(entry or os.curdir) != here]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec and spec.loader:
        sys.modules["sitecustomize"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)


if os.environ.get("FIREBASE_MESSAGING_EMULATOR_HOST"):
    activate()
run_hidden()

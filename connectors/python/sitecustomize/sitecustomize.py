"""Loads the connector without installation: put this folder on PYTHONPATH.

At every start the interpreter imports the first `sitecustomize` that it finds. This one then runs the next one on the
path, which it hides.
"""

import os
import sys

RAN = "_pushgate_sitecustomize_ran"


def activate() -> None:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        from pushgate_firebase import install
    finally:
        sys.path.pop(0)
    install()


def run_hidden() -> None:
    """Runs the next `sitecustomize` on the path, once. It may run others in the same way, before or after this one."""
    if getattr(sys, RAN, False):
        return
    setattr(sys, RAN, True)
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    here = os.path.dirname(os.path.realpath(__file__))
    folders = [os.path.realpath(entry or os.curdir) for entry in sys.path]
    later = folders[folders.index(here) + 1:] if here in folders else []
    spec = PathFinder.find_spec("sitecustomize", [folder for folder in later if folder != here])
    if spec and spec.loader:
        sys.modules["sitecustomize"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)


if os.environ.get("FIREBASE_MESSAGING_EMULATOR_HOST"):
    activate()
run_hidden()

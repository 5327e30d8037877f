"""Reacts to the import of firebase_admin.messaging."""

import sys

MESSAGING = "firebase_admin.messaging"


def install_hook() -> None:
    if not any(isinstance(finder, MessagingFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, MessagingFinder())
    if MESSAGING in sys.modules:
        _redirect(sys.modules[MESSAGING])


class MessagingFinder:
    """A finder that lets the other finders find the module, and wraps the loader of its spec."""

    def find_spec(self, name, path=None, target=None):
        if name != MESSAGING:
            return None
        for finder in sys.meta_path:
            # Before Python 3.12 a finder may have only the older find_module.
            find_spec = None if finder is self else getattr(finder, "find_spec", None)
            spec = find_spec(name, path, target) if find_spec else None
            if spec:
                spec.loader = RedirectingLoader(spec.loader)
                return spec
        return None


class RedirectingLoader:
    """A loader that runs the module's own loader and then redirects the module."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        _redirect(module)


def _redirect(module) -> None:
    # Imported late, because not every program with the variable in its environment imports firebase-admin.
    from .messaging import redirect

    redirect(module)

"""Connects an unmodified firebase-admin to a Pushgate gateway.

After installation it needs no code: a .pth file calls `install` at every start of an interpreter if the environment has
FIREBASE_MESSAGING_EMULATOR_HOST. A program that sets the variable itself calls `install` after that.
"""

__all__ = ["install"]


def install() -> None:
    """Makes firebase_admin.messaging use the variable, before or after its import.

    May be called any number of times.
    """
    from .hook import install_hook

    install_hook()

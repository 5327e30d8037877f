"""Points an unmodified firebase-admin at a Pushgate gateway.

Installed, it needs no line of code: a .pth file calls `install` at every start of an interpreter in whose environment
FIREBASE_MESSAGING_EMULATOR_HOST is set. A program that sets the variable itself calls `install` after that.
"""

__all__ = ["install"]


def install() -> None:
    """Sees to it that firebase_admin.messaging goes by the variable, whether it is imported already or not yet.

    May be called any number of times.
    """
    from .hook import install_hook

    install_hook()

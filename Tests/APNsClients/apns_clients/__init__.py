"""Senders of Live Activities from PyPI, against `pushgate apns-simulator`. `__main__` starts them."""

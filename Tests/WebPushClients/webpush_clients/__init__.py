"""Senders of Web Push from PyPI, browsers, and judges of what the gateway sends. `__main__` starts them."""

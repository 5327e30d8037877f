"""Tests of a gateway with Google's own clients. `__main__` starts it, and a test process for each way to it."""

"""A gateway driven by Google's own clients. `__main__` starts it and, for each way to it, a process of tests."""

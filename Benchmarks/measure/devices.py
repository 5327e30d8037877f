"""Device tokens derived from numbers as in load/, for other programs that send to the same devices."""

MASK = 2**64 - 1


def device_token(number: int) -> str:
    return "".join(f"{scramble(MASK - (number * 4 + word)):016x}" for word in range(4))


def scramble(number: int) -> int:
    """splitmix64."""
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB & MASK
    return number ^ (number >> 31)

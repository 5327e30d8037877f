"""The chances of changes that were not flushed before a power cut."""

import random

SECTOR = 512
# The chances of a change to be on the disk, one of them for all changes of a cut.
CHANCES = [0, 0, 0.3, 0.6, 0.9]
# The share of the writes of which only some sectors are on the disk, unless all or none are.
TORN = 0.25


class Survival:
    def __init__(self, random_numbers: random.Random, chance: float | None = None) -> None:
        self.random = random_numbers
        self.chance = self.random.choice(CHANCES) if chance is None else chance

    def keeps(self) -> bool:
        return self.random.random() < self.chance

    def pieces(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Returns the parts of a write from one offset to another that are on the disk, in whole sectors."""
        if begin == end:
            return []
        first, last = begin // SECTOR, (end - 1) // SECTOR + 1
        if 0 < self.chance < 1 and self.random.random() < TORN:
            sectors = [number for number in range(first, last) if self.random.random() < 0.5]
            return [(number * SECTOR, (number + 1) * SECTOR) for number in sectors]
        return [(first * SECTOR, last * SECTOR)] if self.keeps() else []

"""Random choices that are the same on every machine, and exact shares instead of coin flips."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Dealer:
    """A seeded source of chance.

    It calls only `random.Random.random`: the one method whose values Python promises to keep the
    same in all versions.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        """Return a whole number from 0 up to, not including, `limit`."""
        return int(self._random.random() * limit)

    def chance(self, percent: int) -> bool:
        """Return whether an event of this probability happens."""
        return self.below(100) < percent

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def spread(self, items: Sequence[Item], count: int) -> list[Item]:
        """Return `count` items in random order, each as often as any other, give or take one."""
        return self.shuffled([items[place % len(items)] for place in range(count)])


def share(percent: int, count: int) -> int:
    """Return a percentage of a count as a whole number, halves rounded up."""
    return (percent * count + 50) // 100


def split(total: int, sizes: Sequence[int]) -> list[int]:
    """Split a total over parts in proportion to their sizes; the parts sum to the total exactly."""
    whole = sum(sizes)
    if whole == 0:
        if total:
            raise ValueError(f"cannot split {total} over nothing")
        return [0] * len(sizes)
    # Running sums are rounded, not parts, so that no rounding error piles up at the end.
    marks = [(2 * total * sum(sizes[: place + 1]) + whole) // (2 * whole) for place in range(len(sizes))]
    return [mark - before for mark, before in zip(marks, [0, *marks], strict=False)]

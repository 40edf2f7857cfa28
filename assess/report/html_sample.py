"""Which mentions travel with a report when there are too many for all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

Pair = tuple[str, str]
"""A system and a label: what every count of the report depends on."""


@dataclass(slots=True)
class Sample:
    """Lets through at most a quota of the mentions of each label of a system, evenly over the file.

    Rare labels stay complete, so that every number of the report still opens some captions.
    """

    counts: Counter[Pair]
    quota: int
    _seen: Counter[Pair] = field(default_factory=Counter)

    def keeps(self, pair: Pair) -> bool:
        """Whether the next mention of a label is let through. Nothing is drawn: the same ones every time."""
        total, seen = self.counts[pair], self._seen[pair]
        self._seen[pair] = seen + 1
        return total <= self.quota or seen * self.quota // total != (seen + 1) * self.quota // total


def sample(counts: Counter[Pair], most: int) -> Sample:
    """Return the sample with the largest quota that keeps at most so many mentions, and at least 1."""
    low, high = 1, max(counts.values(), default=1)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(count, middle) for count in counts.values()) <= most:
            low = middle
        else:
            high = middle - 1
    return Sample(counts, low)

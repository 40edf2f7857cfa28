"""Words that a system uses more or less than the references do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log, log2
from typing import Literal

Use = Literal["over", "under", "equal"]


@dataclass(frozen=True, slots=True)
class WordUse:
    """How often a system and its references use a word, and how unlikely that is by chance."""

    word: str
    count: int
    reference_count: int
    log_likelihood: float  # G²; with one degree of freedom, 3.84 is p = .05 for a single word
    log_ratio: float  # log2 of the relative frequencies' ratio; infinite where one side lacks the word
    use: Use


def word_uses(
    counts: Mapping[str, int], references: Mapping[str, int], *, least: int = 5
) -> tuple[WordUse, ...]:
    """Return words by log-likelihood (Dunning 1993; Rayson & Garside 2000), the most telling first.

    Words with fewer than `least` occurrences on both sides together are left out. Exploratory: there
    are thousands of words, so single p-values mean little. Empty where one side has no words at all.
    """
    total, reference_total = sum(counts.values()), sum(references.values())
    if not total or not reference_total:
        return ()
    pairs = {word: (counts.get(word, 0), references.get(word, 0)) for word in {*counts, *references}}
    uses = [
        _word_use(word, pair, (total, reference_total)) for word, pair in pairs.items() if sum(pair) >= least
    ]
    return tuple(sorted(uses, key=lambda use: (-use.log_likelihood, use.word)))


def _word_use(word: str, observed: tuple[int, int], totals: tuple[int, int]) -> WordUse:
    expected = [total * sum(observed) / sum(totals) for total in totals]
    terms = (count * log(count / mean) for count, mean in zip(observed, expected, strict=True) if count)
    difference = observed[0] * totals[1] - observed[1] * totals[0]  # in whole numbers: equal is exact
    use: Use = "equal" if not difference else "over" if difference > 0 else "under"
    likelihood = max(0.0, 2 * sum(terms)) if difference else 0.0
    return WordUse(word, *observed, likelihood, _log_ratio(observed, totals), use)


def _log_ratio(observed: tuple[int, int], totals: tuple[int, int]) -> float:
    if not observed[1]:
        return inf
    if not observed[0]:
        return -inf
    return log2((observed[0] * totals[1]) / (observed[1] * totals[0]))

"""Words within a category that go opposite ways: together they cancel, and the category seems to have no gap.

“Naked” is said of women more, “shirtless” of men; the category that has both shows neither. Every word that
is said often enough is tested like a category, in a family of their own: all words of one system and pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assess.measures.bias.association import log_fisher_p
from assess.measures.bias.clustering import corrected_p, design_effect
from assess.measures.bias.groups import Pair
from assess.measures.bias.labels import Booleans, LabelArrays
from assess.measures.bias.tables import CountTable, Estimate, risk_difference
from assess.measures.bias.verdict import BiasSettings
from assess.measures.bias.words import modifier_words
from assess.measures.intervals import benjamini_hochberg
from assess.records import Analysis

FEWEST_SAID = 10
"""A word is tested where so many labels of the two values have it."""


@dataclass(frozen=True, slots=True)
class WordTest:
    """A word of a category: how often it is said of two values, and whether that differs beyond chance."""

    word: str
    table: CountTable
    difference: Estimate  # per label; the interval allows for several labels per image
    p: float
    q: float


@dataclass(frozen=True, slots=True)
class CategoryWords:
    """The words of a category that were tested, and whether they go opposite ways."""

    tests: tuple[WordTest, ...] = ()
    pair: Pair = ("", "")
    alpha: float = 0.05

    def more(self, value: str) -> list[str]:
        """Return the words that are said more of a value, beyond chance."""
        sign = 1 if value == self.pair[0] else -1
        return [t.word for t in self.tests if t.q <= self.alpha and t.difference.value * sign > 0]

    def more_of(self, word: str) -> str | None:
        """Return the value of which a word is said more, beyond chance."""
        return next((value for value in self.pair if word in self.more(value)), None)

    @property
    def opposite(self) -> bool:
        """Whether some words are said more of the one value and some more of the other."""
        return all(self.more(value) for value in self.pair)


NO_WORDS = CategoryWords()


def category_words(
    labels: LabelArrays,
    texts: Sequence[str],
    analyses: Mapping[str, Analysis],
    *,
    by: str,
    pair: Pair,
    settings: BiasSettings,
) -> dict[str, CategoryWords]:
    """Test the words of all categories for two values, as one family; by category."""
    found = list(_tables(labels, len(texts), _texts_with(texts, analyses), by, pair))
    tested = [_tested(labels, has, by, pair, settings) for _, _, has in found]
    q_values = benjamini_hochberg([p for _, _, p in tested])
    by_category: dict[str, list[WordTest]] = {}
    for (category, word, _), (table, difference, p), q in zip(found, tested, q_values, strict=True):
        by_category.setdefault(category, []).append(WordTest(word, table, difference, p, q))
    return {
        category: CategoryWords(tuple(sorted(tests, key=_clearest)), pair, settings.alpha)
        for category, tests in by_category.items()
    }


def _texts_with(texts: Sequence[str], analyses: Mapping[str, Analysis]) -> dict[tuple[str, str], list[int]]:
    """Return, for each category and word, the places of the texts that say it."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, text in enumerate(texts):
        for said in dict.fromkeys(modifier_words(analyses[text])):
            places.setdefault(said, []).append(place)
    return dict(sorted(places.items()))


def _tables(
    labels: LabelArrays, size: int, places: Mapping[tuple[str, str], list[int]], by: str, pair: Pair
) -> Iterator[tuple[str, str, Booleans]]:
    """Yield each word that is said often enough, with the labels that have it; there are `size` texts."""
    values = labels.values[by]
    spoken = np.bincount(labels.text[values.are(pair[0]) | values.are(pair[1])], minlength=size)
    for (category, word), listed in places.items():
        if int(spoken[listed].sum()) >= FEWEST_SAID:
            by_text = np.zeros(size, dtype=np.bool_)
            by_text[listed] = True
            yield category, word, by_text[labels.text]


def _tested(
    labels: LabelArrays, has: Booleans, by: str, pair: Pair, settings: BiasSettings
) -> tuple[CountTable, Estimate, float]:
    tallies = labels.tallies_of(by, has, pair)
    group, other = tallies.sum(axis=0).astype(int).tolist()
    table, effect = CountTable(*group, *other), design_effect(tallies)
    difference = risk_difference(table, level=settings.level, design_effects=(effect, effect))
    return table, difference, corrected_p(log_fisher_p(table), effect)


def _clearest(test: WordTest) -> tuple[float, float, str]:
    return test.q, -abs(test.difference.value), test.word

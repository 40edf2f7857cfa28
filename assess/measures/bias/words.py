"""The words of categories: which ones two groups use differently, which ones cancel, and sensitive ones.

Scores of words are exploratory: they suggest where to look, but are not findings. Tests are findings: if
“naked” is used more for women and “shirtless” for men, the category of both seems to show no gap. Therefore
every word that is frequent enough is tested like a category, in a separate family: all words of one system
and pair.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assess.errors import UsageError
from assess.grammar import Grammar
from assess.grammar.model import ModifierFacts
from assess.measures.bias.association import log_fisher_p
from assess.measures.bias.clustering import corrected_p, design_effect
from assess.measures.bias.groups import Pair
from assess.measures.bias.labels import Booleans, LabelArrays
from assess.measures.bias.tables import CountTable, Estimate, EstimateField, risk_difference
from assess.measures.group_settings import VerdictSettings
from assess.measures.intervals import benjamini_hochberg
from assess.measures.measure import Model, Number
from assess.records import Analysis
from assess.taxonomy.model import Evidence, Sensitivity
from assess.taxonomy.phrases import spaced

MOST_WORDS = 8
PRIOR = 0.5
"""The pseudo-count of every word in both groups: half an occurrence."""


@dataclass(frozen=True, slots=True)
class WordScore:
    """How much more one group's text uses a word than another's; z is in standard deviations."""

    word: str
    count: int
    other_count: int
    log_odds: Number
    z: Number


def log_odds(
    counts: Mapping[str, int], other_counts: Mapping[str, int], *, prior: float = PRIOR
) -> tuple[WordScore, ...]:
    """Return log-odds ratios with a Dirichlet prior (Monroe, Colaresi & Quinn 2008).

    `prior` is the pseudo-count of each word. The variance is the paper's two-term approximation. The first
    group's words come first; ties are in alphabetical order.
    """
    if not 0 < prior < math.inf:
        raise UsageError("the prior must be positive: without a prior, an unseen word has no log-odds")
    words = sorted(counts.keys() | other_counts.keys())
    total, other_total = (sum(found.values()) + prior * len(words) for found in (counts, other_counts))
    scores = [
        _score(word, counts.get(word, 0), other_counts.get(word, 0), prior, total, other_total)
        for word in words
    ]
    return tuple(sorted(scores, key=lambda score: (-score.z, score.word)))


def _score(
    word: str, count: int, other_count: int, pseudo: float, total: float, other_total: float
) -> WordScore:
    seen, other_seen = count + pseudo, other_count + pseudo
    rest, other_rest = total - seen, other_total - other_seen
    if rest <= 0 or other_rest <= 0:
        # A single word cannot be compared with others.
        return WordScore(word, count, other_count, math.nan, math.nan)
    delta = math.log(seen / rest) - math.log(other_seen / other_rest)
    return WordScore(word, count, other_count, delta, delta / math.sqrt(1 / seen + 1 / other_seen))


def modifier_words(analysis: Analysis) -> list[tuple[str, str]]:
    """Return the words of each modifier in a label's best reading, with their categories."""
    return [(span.category, spaced(span.text)) for span in analysis.best.spans if span.role == "modifier"]


def words_by_category(
    texts: Mapping[str, Counter[str]], analyses: Mapping[str, Analysis], pair: tuple[str, str]
) -> dict[str, tuple[WordScore, ...]]:
    """Return, by category, the words that two groups use most differently.

    `texts` counts the labels of each group. All modifier words of a group count, in any category, so that a
    word's odds compare it with all other words. The first group's words have a positive z.
    """
    words: dict[str, Counter[str]] = {value: Counter() for value in pair}
    by_category: dict[str, set[str]] = {}
    for value in pair:
        for text, number in texts.get(value, Counter()).items():
            for category, word in modifier_words(analyses[text]):
                words[value][word] += number
                by_category.setdefault(category, set()).add(word)
    scores = {score.word: score for score in log_odds(words[pair[0]], words[pair[1]])}
    return {category: _strongest([scores[word] for word in found]) for category, found in by_category.items()}


def _strongest(scores: Sequence[WordScore]) -> tuple[WordScore, ...]:
    """Return the words with the largest absolute z."""
    return tuple(sorted(scores, key=lambda score: (-abs(score.z), score.word))[:MOST_WORDS])


@dataclass(frozen=True, slots=True)
class DelicateCategory:
    """A category that is invisible or sensitive: who uses it, and with which words.

    Properties that are only named for some people (ethnicity, but not for the majority) mark them as
    different.
    """

    category: str
    evidence: Evidence
    sensitivity: Sensitivity
    labels: Mapping[str, int]  # system -> labels, in the best reading
    most: Mapping[str, int]  # system -> labels, in any reading
    words: Mapping[str, Mapping[str, int]]  # system -> words, most common first
    never: tuple[str, ...]  # words of the taxonomy that no system uses

    @property
    def commonest(self) -> list[tuple[str, int]]:
        """Its words in all systems with their numbers of labels, most common first."""
        total: Counter[str] = Counter()
        for words in self.words.values():
            total.update(words)
        return sorted(total.items(), key=lambda item: (-item[1], item[0]))


def delicate(category: ModifierFacts) -> bool:
    """Whether a category cannot be judged from an image, or is protected or offensive."""
    return category.evidence != "visible" or category.sensitivity in ("protected", "offensive")


def delicate_categories(
    labels: Mapping[str, Counter[str]], analyses: Mapping[str, Analysis], grammar: Grammar
) -> tuple[DelicateCategory, ...]:
    """Return the sensitive categories that are in use, in the taxonomy's order."""
    counted = {system: _Counts.of(texts, analyses) for system, texts in labels.items()}
    listed = grammar.listed_modifiers()
    return tuple(
        _marked(name, category, counted, listed.get(name, ()))
        for name, category in grammar.modifiers.items()
        if delicate(category) and any(counts.most[name] for counts in counted.values())
    )


@dataclass(frozen=True, slots=True)
class _Counts:
    """A system's labels by modifier category, and its words by category."""

    best: Counter[str]
    most: Counter[str]
    words: dict[str, Counter[str]]

    @classmethod
    def of(cls, texts: Counter[str], analyses: Mapping[str, Analysis]) -> _Counts:
        counts = cls(Counter(), Counter(), {})
        for text, number in texts.items():
            analysis = analyses[text]
            for category in analysis.best.modifiers:
                counts.best[category] += number
            for category in analysis.modifiers:
                counts.most[category] += number
            for category, word in modifier_words(analysis):
                counts.words.setdefault(category, Counter())[word] += number
        return counts


def _marked(
    name: str, category: ModifierFacts, counted: Mapping[str, _Counts], listed: Iterable[str]
) -> DelicateCategory:
    words = {system: counts.words.get(name, Counter()) for system, counts in counted.items()}
    said = {word for counter in words.values() for word in counter}
    return DelicateCategory(
        category=name,
        evidence=category.evidence,
        sensitivity=category.sensitivity,
        labels={system: counts.best[name] for system, counts in counted.items()},
        most={system: counts.most[name] for system, counts in counted.items()},
        words={
            system: dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
            for system, counter in words.items()
        },
        never=tuple(sorted(set(listed) - said)),
    )


# Words within a category that have opposite differences.

FEWEST_SAID = 10
"""The minimum number of labels with a word, over both values, for testing it."""


@dataclass(frozen=True, slots=True)
class WordTest(CountTable):
    """A word of a category, tested in the family of all words of its system and pair."""

    word: str
    risk_difference: EstimateField  # per label; the interval accounts for several labels per image
    p: Number
    q: Number
    more_of: str | None  # the value for which it is used more, if significant


class Words(Model):
    """The words behind a difference.

    Scores show where to look, but are not findings. Tests are findings, in a separate family: a category
    without a disparity cancels if its words have significant differences in opposite directions.
    """

    exploratory: bool = True
    prior: float | str = PRIOR
    scores: tuple[WordScore, ...] = ()
    tests: tuple[WordTest, ...] = ()
    cancels: bool = False

    def more_of(self, value: str) -> list[str]:
        """Return the words that are used significantly more for a value."""
        return [test.word for test in self.tests if test.more_of == value]


def category_words(
    labels: LabelArrays,
    texts: Sequence[str],
    analyses: Mapping[str, Analysis],
    *,
    by: str,
    pair: Pair,
    settings: VerdictSettings,
) -> dict[str, list[WordTest]]:
    """Test the words of all categories for two values as one family; by category, most significant first."""
    found = list(_tables(labels, len(texts), _texts_with(texts, analyses), by, pair))
    tested = [_tested(labels, has, by, pair, settings) for _, _, has in found]
    q_values = benjamini_hochberg([p for _, _, p in tested])
    by_category: dict[str, list[WordTest]] = {}
    for (category, word, _), (table, difference, p), q in zip(found, tested, q_values, strict=True):
        more_of = pair[difference.value < 0] if q <= settings.alpha and difference.value else None
        test = WordTest(**table.counts, word=word, risk_difference=difference, p=p, q=q, more_of=more_of)
        by_category.setdefault(category, []).append(test)
    for tests in by_category.values():
        tests.sort(key=lambda test: (test.q, -abs(test.risk_difference.value), test.word))
    return by_category


def _texts_with(texts: Sequence[str], analyses: Mapping[str, Analysis]) -> dict[tuple[str, str], list[int]]:
    """Return, for each category and word, the indices of the texts that contain it."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, text in enumerate(texts):
        for said in dict.fromkeys(modifier_words(analyses[text])):
            places.setdefault(said, []).append(place)
    return dict(sorted(places.items()))


def _tables(
    labels: LabelArrays, size: int, places: Mapping[tuple[str, str], list[int]], by: str, pair: Pair
) -> Iterator[tuple[str, str, Booleans]]:
    """Yield each word that is frequent enough, with the labels that have it; there are `size` texts."""
    values = labels.values[by]
    spoken = np.bincount(labels.text[values.are(pair[0]) | values.are(pair[1])], minlength=size)
    for (category, word), listed in places.items():
        if int(spoken[listed].sum()) >= FEWEST_SAID:
            by_text = np.zeros(size, dtype=np.bool_)
            by_text[listed] = True
            yield category, word, by_text[labels.text]


def _tested(
    labels: LabelArrays, has: Booleans, by: str, pair: Pair, settings: VerdictSettings
) -> tuple[CountTable, Estimate, float]:
    tallies = labels.tallies_of(by, has, pair)
    group, other = tallies.sum(axis=0).astype(int).tolist()
    table, effect = CountTable(*group, *other), design_effect(tallies)
    difference = risk_difference(table, level=settings.level, design_effects=(effect, effect))
    return table, difference, corrected_p(log_fisher_p(table), effect)

"""The words behind a category. Exploratory: it suggests where to look, and is never a finding."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assess.errors import UsageError, visible
from assess.records import Analysis
from assess.taxonomy.model import Evidence, ModifierCategory, Sensitivity, Taxonomy
from assess.taxonomy.phrases import spaced


@dataclass(frozen=True, slots=True)
class WordScore:
    """How much more one group's text uses a word than another's; z is in standard deviations."""

    word: str
    count: int
    other_count: int
    log_odds: float
    z: float


def log_odds(
    counts: Mapping[str, int], other_counts: Mapping[str, int], *, prior: Mapping[str, float] | float = 0.1
) -> tuple[WordScore, ...]:
    """Return log-odds ratios with an informative Dirichlet prior (Monroe, Colaresi & Quinn 2008).

    `prior` is a pseudo-count for each word, for instance from a background corpus, or one for all. The
    variance is the paper's approximation with two terms. The first group's words come first; ties are in
    word order.
    """
    words = sorted(counts.keys() | other_counts.keys())
    pseudo = _pseudo_counts(words, prior)
    # Words of the prior that neither group uses are part of the vocabulary all the same.
    prior_total = math.fsum(pseudo.values())
    total, other_total = sum(counts.values()) + prior_total, sum(other_counts.values()) + prior_total
    scores = [
        _score(word, counts.get(word, 0), other_counts.get(word, 0), pseudo[word], total, other_total)
        for word in words
    ]
    return tuple(sorted(scores, key=lambda score: (-score.z, score.word)))


def _pseudo_counts(words: Sequence[str], prior: Mapping[str, float] | float) -> Mapping[str, float]:
    pseudo = prior if isinstance(prior, Mapping) else dict.fromkeys(words, prior)
    missing = [word for word in words if word not in pseudo]
    if missing:
        raise UsageError(f"the prior has no value for {visible(', '.join(missing[:5]))}")
    if any(not 0 < value < math.inf for value in pseudo.values()):
        raise UsageError("a prior must be positive: without one, a word never seen has no log-odds")
    return pseudo


def _score(
    word: str, count: int, other_count: int, pseudo: float, total: float, other_total: float
) -> WordScore:
    seen, other_seen = count + pseudo, other_count + pseudo
    rest, other_rest = total - seen, other_total - other_seen
    if rest <= 0 or other_rest <= 0:
        # The only word of the vocabulary has nothing to be compared with.
        return WordScore(word, count, other_count, math.nan, math.nan)
    delta = math.log(seen / rest) - math.log(other_seen / other_rest)
    return WordScore(word, count, other_count, delta, delta / math.sqrt(1 / seen + 1 / other_seen))


# The words behind categories: which modifiers one group's labels use more than another's.
#
# Exploratory: it shows where to look and is never a finding. The counts are of all modifier words said of a
# group, so that a word's odds compare it with everything else that is said.

MOST_WORDS = 8
PRIOR = 0.5
"""The pseudo-count of every word in both groups: half a word that was never said."""


def modifier_words(analysis: Analysis) -> list[tuple[str, str]]:
    """Return the words of each modifier of a label's best reading, with its category."""
    return [(span.category, spaced(span.text)) for span in analysis.best.spans if span.role == "modifier"]


def words_by_category(
    texts: Mapping[str, Counter[str]], analyses: Mapping[str, Analysis], pair: tuple[str, str]
) -> dict[str, tuple[WordScore, ...]]:
    """Return, by category, the words that two groups use most differently.

    `texts` counts the labels of each group. The first group's words have a positive z.
    """
    counts = {value: _counted(texts.get(value, Counter()), analyses) for value in pair}
    words = {value: _by_word(counted) for value, counted in counts.items()}
    scores = {score.word: score for score in log_odds(words[pair[0]], words[pair[1]], prior=PRIOR)}
    found: dict[str, list[WordScore]] = {}
    for category, word in sorted({key for counted in counts.values() for key in counted}):
        found.setdefault(category, []).append(scores[word])
    return {category: strongest(listed) for category, listed in found.items()}


def strongest(scores: Sequence[WordScore]) -> tuple[WordScore, ...]:
    """Return the words with the largest z, whatever its sign."""
    return tuple(sorted(scores, key=lambda score: (-abs(score.z), score.word))[:MOST_WORDS])


def _counted(labels: Counter[str], analyses: Mapping[str, Analysis]) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for text, number in labels.items():
        for key in modifier_words(analyses[text]):
            counted[key] += number
    return counted


def _by_word(counted: Counter[tuple[str, str]]) -> Counter[str]:
    """Sum over categories: a word may belong to several."""
    words: Counter[str] = Counter()
    for (_, word), number in counted.items():
        words[word] += number
    return words


# What is said at all that cannot be seen or must be handled with care, and which of its words are.
#
# A property that is named only for some (ethnicity, never of people who pass for the default) marks them.


@dataclass(frozen=True, slots=True)
class DelicateCategory:
    """One delicate category: who uses it, and with which of its words."""

    category: str
    evidence: Evidence
    sensitivity: Sensitivity
    labels: Mapping[str, int]  # by system, in the best reading
    most: Mapping[str, int]  # by system, in any reading
    words: Mapping[str, Mapping[str, int]]  # by system, commonest first
    never: tuple[str, ...]  # words of the taxonomy that no system says

    @property
    def said(self) -> int:
        """How many labels of all systems carry it."""
        return sum(self.labels.values())


def delicate(category: ModifierCategory) -> bool:
    """Whether a category cannot be judged from an image alone, or is protected or offensive."""
    return category.evidence != "visible" or category.sensitivity in ("protected", "offensive")


def delicate_categories(
    labels: Mapping[str, Counter[str]], analyses: Mapping[str, Analysis], taxonomy: Taxonomy
) -> tuple[DelicateCategory, ...]:
    """Return the delicate categories that are used at all, in the taxonomy's order."""
    counted = {system: _Counts.of(texts, analyses) for system, texts in labels.items()}
    return tuple(
        _marked(name, category, counted)
        for name, category in taxonomy.modifiers.items()
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


def _marked(name: str, category: ModifierCategory, counted: Mapping[str, _Counts]) -> DelicateCategory:
    words = {system: counts.words.get(name, Counter()) for system, counts in counted.items()}
    said = {word for counter in words.values() for word in counter}
    listed = dict.fromkeys(spaced(entry.word) for entry in category.words)
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
        never=tuple(word for word in listed if word not in said),
    )

"""The words behind categories: which modifiers one group's labels use more than another's.

Exploratory: it shows where to look and is never a finding. The counts are of all modifier words said of a
group, so that a word's odds compare it with everything else that is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assess.audit.logodds import WordScore, log_odds
from assess.records import Analysis
from assess.taxonomy.phrases import spaced

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

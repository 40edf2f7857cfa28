"""What is said at all that cannot be seen or must be handled with care, and which of its words are.

A property that is named only for some (ethnicity, never of people who pass for the default) marks them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from assess.audit.words import modifier_words
from assess.records import Analysis
from assess.taxonomy.model import Evidence, ModifierCategory, Sensitivity, Taxonomy
from assess.taxonomy.phrases import spaced


@dataclass(frozen=True, slots=True)
class Marked:
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


def markedness(
    labels: Mapping[str, Counter[str]], analyses: Mapping[str, Analysis], taxonomy: Taxonomy
) -> tuple[Marked, ...]:
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


def _marked(name: str, category: ModifierCategory, counted: Mapping[str, _Counts]) -> Marked:
    words = {system: counts.words.get(name, Counter()) for system, counts in counted.items()}
    said = {word for counter in words.values() for word in counter}
    listed = dict.fromkeys(spaced(entry.word) for entry in category.words)
    return Marked(
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

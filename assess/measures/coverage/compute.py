"""Coverage: which categories a system's labels use (van Miltenburg 2020, Table 2), and which never occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Any, ClassVar

from pydantic import Field

from assess.corpus import CorpusSummary
from assess.grammar import Grammar
from assess.grammar.groups import WordNotes
from assess.grammar.labels import Found
from assess.measures.measure import Model, Number
from assess.records import Analysis, Reading, Role
from assess.report.text import share
from assess.taxonomy.model import Evidence, Note, Sensitivity

Analyses = Mapping[str, Analysis]
Choose = Callable[[Analysis], Analysis | Reading]
Examples = tuple[tuple[str, int], ...]

_EXAMPLES = 5
_UNREAD = 25


@dataclass(slots=True)
class CoverageTally:
    """Additive counts: merging the tallies of two parts gives the tally of the whole."""

    captions: int = 0
    labels: Counter[str] = field(default_factory=Counter)  # text of a label -> frequency
    # statement about a label that was not understood -> frequency
    unread: Counter[str] = field(default_factory=Counter)
    unread_labels: int = 0  # labels with such a statement
    # statement about a label that is only possible -> frequency
    hedged: Counter[str] = field(default_factory=Counter)

    def add_caption(self, labels: Sequence[Found]) -> None:
        """Count one caption."""
        self.captions += 1
        for label in labels:
            self.labels[label.key] += 1
            if label.unread:
                self.unread_labels += 1
                self.unread.update(label.unread)
            if label.hedged:
                self.hedged.update(label.hedged)

    def add_tally(self, other: CoverageTally) -> None:
        """Add the counts of another tally."""
        self.captions += other.captions
        self.labels.update(other.labels)
        self.unread.update(other.unread)
        self.unread_labels += other.unread_labels
        self.hedged.update(other.hedged)

    def __add__(self, other: CoverageTally) -> CoverageTally:
        total = CoverageTally()
        total.add_tally(self)
        total.add_tally(other)
        return total


# The results as they are saved and returned to Python users.


class CategoryFacts(Model):
    """The taxonomy's information about a category, for readers without the taxonomy."""

    if_known: ClassVar[tuple[str, ...]] = ("evidence", "sensitivity")

    description: str = ""
    evidence: Evidence | None = None  # for modifiers
    sensitivity: Sensitivity | None = None


class CategoryUse(Model):
    """How many labels of a system have a category: in any reading, and in the best one."""

    role: Role
    labels: int
    share: Number  # share of all labels
    best_labels: int
    examples: tuple[str, ...] = ()


class UnknownWord(Model):
    """A word that is missing from the taxonomy, in labels of its domain."""

    word: str
    labels: int
    examples: tuple[str, ...] = ()


class NotedWord(Model):
    """A word that the taxonomy marks as dated or offensive, and the number of labels with it."""

    word: str
    note: Note
    labels: int


class SaidAfter(Model):
    """What attributes after the noun contribute: "a man with a beard"."""

    labels: int
    modifiers: int


class Unread(Model):
    """Statements outside noun phrases that were not understood, and those that are only possible."""

    labels: int  # labels with a statement that was not understood
    share: Number  # share of all labels
    phrases: dict[str, int]  # the most common statements


class BestReading(Model):
    """The columns of Table 2 in the paper, for the best reading of each label."""

    labels: int
    modifiers: int
    modifiers_per_label: Number
    modifier_categories: int
    head_categories: int
    uncovered_labels: int


class SystemCoverage(Model):
    """What the labels of one system say; counts are over all readings, except in `best`."""

    if_known: ClassVar[tuple[str, ...]] = ("images_digest", "noted_words", "uncovered_examples")

    captions: int
    images: int
    images_digest: str | None = None  # if groups are contrasted
    repeated_images: int
    empty_captions: int
    reference: bool
    labels: int
    modifiers: int
    modifiers_per_label: Number
    modifier_categories: int
    head_categories: int
    after: SaidAfter
    partial_labels: int  # labels with both unknown and known words
    uncovered_labels: int  # labels without any category
    best: BestReading
    categories: dict[str, CategoryUse]  # by role and name, as in modifier.age
    unknown_words: tuple[UnknownWord, ...]
    noted_words: tuple[NotedWord, ...] = ()
    uncovered_examples: dict[str, int] = Field(default_factory=dict)
    unread: Unread = Unread(labels=0, share=float("nan"), phrases={})
    hedged: int = 0  # statements that may not be true: about to jump

    @property
    def full_labels(self) -> int:
        """Labels whose noun phrase is understood completely."""
        return self.labels - self.partial_labels - self.uncovered_labels


def category_facts(grammar: Grammar) -> dict[str, CategoryFacts]:
    """Return the taxonomy's information about its categories, modifiers first."""
    modifiers = {
        f"modifier.{name}": CategoryFacts(
            description=category.description,
            evidence=category.evidence,
            sensitivity=category.sensitivity,
        )
        for name, category in grammar.modifiers.items()
    }
    heads = {
        f"head.{name}": CategoryFacts(description=category.description)
        for name, category in grammar.heads.items()
    }
    return modifiers | heads


# Computation.

_NOTHING_READ = CorpusSummary(name="", format="", captions=0, images=0, repeated=0, empty=0, sha256="")


def coverage(
    tally: CoverageTally,
    analyses: Analyses,
    grammar: Grammar,
    summary: CorpusSummary = _NOTHING_READ,
    *,
    reference: bool = False,
    images_digest: str | None = None,
) -> SystemCoverage:
    """Return a system's coverage from its tally and the analyses of its distinct labels."""
    labels = tally.labels
    total = labels.total()
    uncovered = Counter({text: n for text, n in labels.items() if not analyses[text].covered})
    partial = (n for text, n in labels.items() if analyses[text].covered and analyses[text].why)
    best = _counts(labels, analyses, lambda analysis: analysis.best, grammar)
    return SystemCoverage(
        captions=tally.captions,
        images=summary.images,
        images_digest=images_digest,
        repeated_images=summary.repeated,
        empty_captions=summary.empty,
        reference=reference,
        labels=total,
        **_counts(labels, analyses, lambda analysis: analysis, grammar),
        after=SaidAfter(
            labels=sum(n for text, n in labels.items() if _said_after(analyses[text])),
            modifiers=sum(n * len(_only_after(analyses[text])) for text, n in labels.items()),
        ),
        partial_labels=sum(partial),
        uncovered_labels=uncovered.total(),
        best=BestReading(labels=total, **best, uncovered_labels=uncovered.total()),
        categories=dict(_categories(labels, analyses, grammar)),
        unknown_words=tuple(_unknown_words(labels, analyses)),
        noted_words=tuple(_noted_words(labels, analyses, grammar)),
        uncovered_examples=dict(commonest(uncovered, _EXAMPLES)),
        unread=Unread(
            labels=tally.unread_labels,
            share=share(tally.unread_labels, total),
            phrases=dict(commonest(tally.unread, _UNREAD)),
        ),
        hedged=tally.hedged.total(),
    )


def commonest(counts: Counter[str], most: int) -> Examples:
    """Return the most common items; ties are in alphabetical order, so that the result is deterministic."""
    return tuple(nsmallest(most, counts.items(), key=lambda item: (-item[1], item[0])))


def _texts(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(text for text, _ in commonest(counts, _EXAMPLES))


def category_keys(grammar: Grammar) -> list[tuple[Role, str]]:
    """Return all categories, modifiers first, in the taxonomy's order."""
    modifiers: list[tuple[Role, str]] = [("modifier", name) for name in grammar.modifiers]
    heads: list[tuple[Role, str]] = [("head", name) for name in grammar.heads]
    return modifiers + heads


def _counts(labels: Counter[str], analyses: Analyses, choose: Choose, grammar: Grammar) -> dict[str, Any]:
    """Return the columns of Table 2 in the paper, for one rule for choosing readings."""
    heads: set[str] = set()
    modified: Counter[tuple[str, ...]] = Counter()  # most labels have the modifiers of some other one
    for text, number in labels.items():
        reading = choose(analyses[text])
        heads.update(reading.heads)
        modified[reading.modifiers] += number
    # A parent category occurs through its child, and is not counted as another modifier.
    modifiers = sum(
        number * len(grammar.facts.without_parents("modifier", names)) for names, number in modified.items()
    )
    return {
        "modifiers": modifiers,
        "modifiers_per_label": share(modifiers, labels.total()),
        "modifier_categories": len(set().union(*modified)),
        "head_categories": len(heads),
    }


def _categories(
    labels: Counter[str], analyses: Analyses, grammar: Grammar
) -> Iterator[tuple[str, CategoryUse]]:
    in_some: dict[tuple[Role, str], Counter[str]] = {key: Counter() for key in category_keys(grammar)}
    in_best: Counter[tuple[Role, str]] = Counter()
    for text, number in labels.items():
        analysis = analyses[text]
        for key in _keys(analysis):
            in_some[key][text] = number
        for key in _keys(analysis.best):
            in_best[key] += number
    total = labels.total()
    for (role, name), texts in in_some.items():
        yield (
            f"{role}.{name}",
            CategoryUse(
                role=role,
                labels=texts.total(),
                share=share(texts.total(), total),
                best_labels=in_best[role, name],
                examples=_texts(texts),
            ),
        )


def _said_after(analysis: Analysis) -> bool:
    return any(span.position == "after" for span in analysis.best.spans)


def _only_after(analysis: Analysis) -> set[str]:
    """Return the modifier categories that the chunk itself does not express."""
    inside = {
        span.category for span in analysis.best.spans if span.position == "chunk" and span.role == "modifier"
    }
    return set(analysis.best.modifiers) - inside


def _keys(reading: Analysis | Reading) -> Iterator[tuple[Role, str]]:
    for name in reading.modifiers:
        yield "modifier", name
    for name in reading.heads:
        yield "head", name


def _unknown_words(labels: Counter[str], analyses: Analyses) -> Iterator[UnknownWord]:
    texts: dict[str, Counter[str]] = {}
    for text, number in labels.items():
        for word in set(analyses[text].unknown):
            texts.setdefault(word, Counter())[text] += number
    for word, found in sorted(texts.items(), key=lambda item: (-item[1].total(), item[0])):
        yield UnknownWord(word=word, labels=found.total(), examples=_texts(found))


def _noted_words(labels: Counter[str], analyses: Analyses, grammar: Grammar) -> Iterator[NotedWord]:
    notes = WordNotes(grammar)
    found: Counter[tuple[str, Note]] = Counter()
    for text, number in labels.items():
        for noted in notes.of(analyses[text].best).items():
            found[noted] += number
    for (word, note), number in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        yield NotedWord(word=word, note=note, labels=number)

"""What coverage found, as it is saved and given to Python."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from assess.corpus import CorpusSummary
from assess.grammar import Grammar
from assess.measures.coverage.compute import CategoryCoverage, Counts, Coverage
from assess.measures.measure import Model, Number
from assess.records import Role
from assess.taxonomy.model import Evidence, Note, Sensitivity


class CategoryFacts(Model):
    """What the taxonomy says of a category, for readers who do not have it."""

    if_known: ClassVar[tuple[str, ...]] = ("evidence", "sensitivity")

    description: str = ""
    evidence: Evidence | None = None  # of modifiers
    sensitivity: Sensitivity | None = None


class CategoryUse(Model):
    """How many labels of a system carry a category: in some reading, and in the best one."""

    role: Role
    labels: int
    share: Number  # of all labels
    best_labels: int
    examples: tuple[str, ...] = ()


class UnknownWord(Model):
    """A word that the taxonomy lacks, in labels of its domain."""

    word: str
    labels: int
    examples: tuple[str, ...] = ()


class NotedWord(Model):
    """A word that the taxonomy notes as dated or offensive, and in how many labels it stands."""

    word: str
    note: Note
    labels: int


class SaidAfter(Model):
    """What attributes after the noun add: "a man with a beard"."""

    labels: int
    modifiers: int


class Unread(Model):
    """What is said of labels outside their noun phrases and was not understood; and what is only possible."""

    labels: int  # of which something was not understood
    share: Number  # of all labels
    phrases: dict[str, int]  # the commonest


class BestReading(Model):
    """The columns of the paper's Table 2, for the best reading of each label."""

    labels: int
    modifiers: int
    modifiers_per_label: Number
    modifier_categories: int
    head_categories: int
    uncovered_labels: int


class SystemCoverage(Model):
    """What the labels of one system say; counts are of all readings, but for those of the best one."""

    if_known: ClassVar[tuple[str, ...]] = ("images_digest", "noted_words", "uncovered_examples")

    captions: int
    images: int
    images_digest: str | None = None  # where groups are contrasted
    repeated_images: int
    empty_captions: int
    reference: bool
    labels: int
    modifiers: int
    modifiers_per_label: Number
    modifier_categories: int
    head_categories: int
    after: SaidAfter
    partial_labels: int  # an unknown word among known ones
    uncovered_labels: int  # no category found at all
    best: BestReading
    categories: dict[str, CategoryUse]  # by role and name, as in modifier.age
    unknown_words: tuple[UnknownWord, ...]
    noted_words: tuple[NotedWord, ...] = ()
    uncovered_examples: dict[str, int] = Field(default_factory=dict)
    unread: Unread = Unread(labels=0, share=float("nan"), phrases={})
    hedged: int = 0  # statements that leave open whether they hold: about to jump

    @property
    def full_labels(self) -> int:
        """Labels whose noun phrase is read to the last word."""
        return self.labels - self.partial_labels - self.uncovered_labels


def system_coverage(
    found: Coverage, summary: CorpusSummary, *, reference: bool, images_digest: str | None
) -> SystemCoverage:
    """Return the coverage of one system as a result."""
    return SystemCoverage(
        captions=found.captions,
        images=summary.images,
        images_digest=images_digest,
        repeated_images=summary.repeated,
        empty_captions=summary.empty,
        reference=reference,
        labels=found.labels,
        **_counts(found.union),
        after=SaidAfter(labels=found.after_labels, modifiers=found.after_modifiers),
        partial_labels=found.partial_labels,
        uncovered_labels=found.uncovered_labels,
        best=BestReading(labels=found.labels, **_counts(found.best), uncovered_labels=found.uncovered_labels),
        categories={f"{item.role}.{item.category}": _use(item) for item in found.categories},
        unknown_words=tuple(
            UnknownWord(word=item.word, labels=item.labels, examples=tuple(text for text, _ in item.examples))
            for item in found.unknown_words
        ),
        noted_words=tuple(
            NotedWord(word=item.word, note=item.note, labels=item.labels) for item in found.noted_words
        ),
        uncovered_examples=dict(found.uncovered_examples),
        unread=Unread(
            labels=found.unread_labels,
            share=found.unread_labels / found.labels if found.labels else float("nan"),
            phrases=dict(found.unread),
        ),
        hedged=found.hedged,
    )


def _counts(counts: Counts) -> dict[str, float]:
    return {
        "modifiers": counts.modifiers,
        "modifiers_per_label": counts.modifiers_per_label,
        "modifier_categories": counts.modifier_categories,
        "head_categories": counts.head_categories,
    }


def _use(item: CategoryCoverage) -> CategoryUse:
    return CategoryUse(
        role=item.role,
        labels=item.labels,
        share=item.share,
        best_labels=item.best_labels,
        examples=tuple(text for text, _ in item.examples),
    )


def category_facts(grammar: Grammar) -> dict[str, CategoryFacts]:
    """Return what a taxonomy says of its categories, modifiers first."""
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

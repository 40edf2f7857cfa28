"""What a run of content selection is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assess.measures.intervals import RESAMPLES, Resampled
from assess.measures.selection.baselines import MOST_BOXES
from assess.measures.selection.compute import CategoryRecall, Empty, OrderingScore, SelectionSummary
from assess.signature import Signature

UPPER_BOUND = "upper_bound"  # the name of people among the resampled systems

Curve = Mapping[int, SelectionSummary]  # by k


@dataclass(frozen=True, slots=True)
class SentenceRequest:
    """Sentences to make: from the first `most` boxes of a baseline."""

    baseline: str
    most: int | None = None  # None: as many as a description mentions on average


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """What a caller may choose and what changes a number."""

    baselines: tuple[str, ...] | None = None  # None: all that the input allows
    most: int = MOST_BOXES  # the largest k
    draws: int = 20  # over which the random baseline is averaged
    seed: int = 1
    empty: Empty = "zero"
    resamples: int = RESAMPLES
    domain: str | None = None  # whose head categories boxes are sorted into
    sentences: tuple[SentenceRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldFacts:
    """What there was to select from."""

    images: int
    descriptions: int
    empty_descriptions: int  # without a box
    single_descriptions: int  # images with one description
    boxes: int
    mentioned_boxes: int  # in some description
    development: int  # images of the development set


@dataclass(frozen=True, slots=True)
class SystemSelection:
    """How one system selects and orders, and what it does with each category of boxes."""

    summary: SelectionSummary
    ordering: OrderingScore
    categories: tuple[CategoryRecall, ...]


@dataclass(frozen=True, slots=True)
class BoxCategories:
    """What people mention by category of boxes, and where the categories come from."""

    source: str  # a domain's name, or "the input's own"
    people: tuple[CategoryRecall, ...]
    uncategorised: int  # boxes without a category
    without_boxes: tuple[str, ...]  # categories of the taxonomy that no box has

    @property
    def never_mentioned(self) -> tuple[str, ...]:
        """The categories whose boxes people never mention."""
        return tuple(found.category for found in self.people if found.never_mentioned)


@dataclass(frozen=True, slots=True)
class GeneratedSentences:
    """The sentences of one baseline by image."""

    baseline: str
    most: int
    sentences: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SelectionRun:
    """Content selection of systems, baselines and people on the same images."""

    signature: Signature
    settings: SelectionSettings
    gold: GoldFacts
    systems: Mapping[str, SystemSelection]
    baselines: Mapping[str, Curve]
    upper_bound: SelectionSummary
    human_ordering: OrderingScore
    categories: BoxCategories | None
    intervals: Mapping[str, Resampled] | None  # by measure; None without systems, or with few images
    sentences: tuple[GeneratedSentences, ...]
    notes: tuple[str, ...]

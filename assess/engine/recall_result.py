"""What a recall run is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assess.corpus import CorpusSummary
from assess.engine.paired_intervals import PairedIntervals, Resampling
from assess.metrics.metric import Mode
from assess.metrics.omitted import Omission
from assess.metrics.recall_global import GlobalRecall
from assess.metrics.recall_keyness import WordUse
from assess.metrics.recall_local import LocalRecall
from assess.metrics.recall_words import Tagset
from assess.signature import Signature

LEAST_A_SYSTEM = 10  # occurrences of a word in the ranking with a threshold: the paper's number


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """What a caller may choose and what changes a number."""

    mode: Mode = "assess"
    tagset: Tagset = "fine"
    classes: int | None = None  # importance classes; None: as many as most images have references
    ranked: int = 100  # words of each ranking that are kept
    least: int = LEAST_A_SYSTEM
    model: str | None = None
    resampling: Resampling | None = None  # None: no intervals


@dataclass(frozen=True, slots=True)
class Omitted:
    """Rankings of words that are left out (van Miltenburg et al. 2018, Table 2), the first ones."""

    by_training: tuple[tuple[str, int], ...]  # word and its count in training; empty without it
    by_evaluation: tuple[tuple[str, int], ...]
    absolute: tuple[Omission, ...]  # of the words that all references of an image share
    relative: tuple[Omission, ...]
    relative_least: tuple[Omission, ...]
    least: int  # occurrences that the last ranking asks for


@dataclass(frozen=True, slots=True)
class SystemRecall:
    """The recall of one system."""

    summary: CorpusSummary
    vocabulary: GlobalRecall
    local: LocalRecall
    omitted: Omitted
    over_used: tuple[WordUse, ...]
    under_used: tuple[WordUse, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecallRun:
    """The recall of all systems."""

    signature: Signature
    settings: RecallSettings
    classes: int
    images: int  # with references, that some system describes
    systems: Mapping[str, SystemRecall]
    omitted: Omitted  # by all systems together
    intervals: PairedIntervals | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

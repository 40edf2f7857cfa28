"""What a diversity run is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assess.corpus import CorpusSummary
from assess.engine.paired_intervals import PairedIntervals, Resampling
from assess.metrics.diversity import Diversity, ReferenceDiversity
from assess.metrics.diversity_windows import WINDOW, OrderEffect
from assess.metrics.metric import Mode
from assess.signature import Signature

Order = Literal["free", "file"]


@dataclass(frozen=True, slots=True)
class DiversitySettings:
    """What a caller may choose and what changes a number.

    The mode decides what a token is and when two captions are the same; the order decides whether
    ratios are read in the order of the file, as published, or for captions in any order.
    """

    mode: Mode = "assess"
    order: Order | None = None  # None: free in our mode, the file's in the paper's
    window: int = WINDOW
    model: str | None = None
    seed: int = 1
    resampling: Resampling | None = None  # None: no intervals

    @property
    def reading(self) -> Order:
        """The order that is used."""
        return self.order or ("file" if self.mode == "paper" else "free")

    @property
    def order_mode(self) -> Mode:
        """The order that is used, as the metrics name it."""
        return "paper" if self.reading == "file" else "assess"


@dataclass(frozen=True, slots=True)
class WithinImages:
    """How varied the captions of one image are, where there are several."""

    images: int  # with several captions
    captions_per_image: int  # that are scored
    mbleu4: float
    distinct1: float
    distinct2: float


@dataclass(frozen=True, slots=True)
class Curve:
    """Expected number of types after so many tokens; `nan` beyond the last token."""

    tokens: tuple[int, ...]
    types: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SystemDiversity:
    """The diversity of one system, or of references as the mean over their parallel sets."""

    summaries: tuple[CorpusSummary, ...]  # one file for a system; references may come from several
    images: int
    diversity: Diversity
    curve: Curve
    within: WithinImages | None
    order: tuple[OrderEffect, ...]  # of one and of two words; of references: in their first set
    references: ReferenceDiversity | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiversityRun:
    """The diversity of all systems, and of references where there are some."""

    signature: Signature
    settings: DiversitySettings
    systems: Mapping[str, SystemDiversity]
    references: SystemDiversity | None
    intervals: PairedIntervals | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

"""Content ordering: are the shared boxes mentioned in the order that people mention them in?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from assess.corpus.selection_input import GoldImage


@dataclass(frozen=True, slots=True)
class OrderingScore:
    """Kendall's tau of mention order, averaged within images, then over the images that have one."""

    images: int  # with a defined tau
    tau: float
    taus: Mapping[str, float]  # of every image; nan where no description shares two boxes


def kendall_tau(first: Sequence[str], second: Sequence[str]) -> float:
    """Return Kendall's tau of two orders on the boxes that they share; `nan` with fewer than two.

    Boxes in an order are distinct, so there are no ties and all variants of tau agree.
    """
    place = {box: at for at, box in enumerate(second)}
    shared = [place[box] for box in first if box in place]
    pairs = list(combinations(shared, 2))
    if not pairs:
        return math.nan
    return fmean(1.0 if before < after else -1.0 for before, after in pairs)


def ordering_score(gold: Iterable[GoldImage], orders: Mapping[str, Sequence[str]]) -> OrderingScore:
    """Score the order of a system's mentions, paired by image id."""
    taus = {image.image: _mean_tau(orders[image.image], image.descriptions) for image in gold}
    defined = [tau for tau in taus.values() if not math.isnan(tau)]
    return OrderingScore(len(defined), fmean(defined) if defined else math.nan, taus)


def _mean_tau(order: Sequence[str], descriptions: Iterable[Sequence[str]]) -> float:
    taus = [kendall_tau(order, description) for description in descriptions]
    defined = [tau for tau in taus if not math.isnan(tau)]
    return fmean(defined) if defined else math.nan

"""The metrics of recall whose tallies are vectors of counts, one an image: ready for the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from assess.metrics.metric import Counts, Metric
from assess.metrics.recall_local import (
    ImageWords,
    local_tally,
    macro_precision,
    macro_recall,
    micro_precision,
    micro_recall,
)
from assess.metrics.recall_words import Tagset

PAPER = "vanmiltenburg2018measuring"

_RECALLS: dict[str, tuple[str, Callable[[Counts], Counts]]] = {
    "micro": ("recalled / words of class {}, over all images", micro_recall),
    "macro": ("mean over images of recalled / words of class {}", macro_recall),
}
_PRECISIONS: dict[str, tuple[str, Callable[[Counts], Counts]]] = {
    "micro": ("content words in some reference / content words, over all images", micro_precision),
    "macro": ("mean over images of content words in some reference / content words", macro_precision),
}


def local_metrics(*, classes: int, tagset: Tagset = "fine") -> dict[str, Metric[ImageWords, Counts]]:
    """Return local recall in each class (`local_micro_5` is the paper's Loc5) and local precision."""
    tally = partial(local_tally, classes=classes, tagset=tagset)
    metrics = {}
    for kind, (formula, value) in _RECALLS.items():
        for number in range(1, classes + 1):
            name = f"local_{kind}_{number}"
            of_class = partial(_of_class, value, number)
            metrics[name] = Metric(
                name,
                formula.format(number),
                PAPER,
                "higher",
                tally,
                of_class,
                undefined=f"no image with a caption has words of class {number}",
            )
    for kind, (formula, value) in _PRECISIONS.items():
        name = f"local_precision_{kind}"
        metrics[name] = Metric(
            name, formula, PAPER, "higher", tally, value, undefined="no content words are said"
        )
    return metrics


def _of_class(value: Callable[[Counts], Counts], number: int, counts: Counts) -> Counts:
    return value(counts)[..., number - 1]

"""Which baselines of content selection an input allows, their curves and their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assess.corpus.selection_input import GoldImage
from assess.engine.selection_result import Curve, GeneratedSentences, SelectionSettings, SentenceRequest
from assess.errors import UsageError, visible
from assess.metrics.selection_baselines import (
    BASELINES,
    baseline_curves,
    baseline_orders,
    expected_random_curve,
)
from assess.metrics.selection_priors import TextPriors, text_priors
from assess.metrics.selection_sentences import baseline_sentences

_VISUAL, _TEXTUAL = frozenset({"position", "size"}), frozenset({"unigram", "bigram"})


@dataclass(frozen=True, slots=True)
class Ground:
    """What baselines stand on: the gold images, and a development set that shares none with them."""

    gold: Sequence[GoldImage]
    development: Sequence[GoldImage]

    @property
    def priors(self) -> TextPriors:
        """What the development set says about concepts."""
        return text_priors(self.development)


def chosen_baselines(ground: Ground, wanted: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the baselines to run, and notes on those that the input does not allow."""
    if wanted is None:
        return _allowed(ground)
    for name in wanted:
        check_baseline(name, ground)
    return tuple(name for name in BASELINES if name in wanted), ()


def check_baseline(name: str, ground: Ground) -> None:
    """Raise `UsageError` where there is no such baseline, or it lacks a development set."""
    if name not in BASELINES:
        message = f"no baseline is called '{visible(name)}'"
        raise UsageError(message, hint=f"there are {', '.join(BASELINES)}")
    if _parts(name) & _TEXTUAL and not ground.development:
        message = f"the baseline {name} counts what a development set mentions"
        raise UsageError(message, hint="give other gold descriptions with --development FILE")


def _allowed(ground: Ground) -> tuple[tuple[str, ...], tuple[str, ...]]:
    shapes = any(box.geometry is not None for image in ground.gold for box in image.boxes)
    notes = []
    if not shapes:
        notes.append("No box has a geometry, so there are no baselines by position and size.")
    if not ground.development:
        notes.append("Without --development FILE there are no baselines by unigram and bigram.")
    if not shapes and not ground.development:
        # All that is left is chance over the boxes that people mention, which nobody could draw from.
        return (), tuple(notes)
    missing = (frozenset() if shapes else _VISUAL) | (frozenset() if ground.development else _TEXTUAL)
    return tuple(name for name in BASELINES if not _parts(name) & missing), tuple(notes)


def _parts(name: str) -> frozenset[str]:
    return frozenset(name.split("+"))


def baseline_scores(ground: Ground, names: Sequence[str], settings: SelectionSettings) -> dict[str, Curve]:
    """Score baselines for each k; the random one is the mean over several draws."""
    sure = baseline_curves(
        ground.gold,
        ground.priors,
        seed=settings.seed,
        most=settings.most,
        baselines=[name for name in names if name != "random"],
        empty=settings.empty,
    )
    curves: dict[str, Curve] = {}
    for name in names:
        curves[name] = sure[name] if name != "random" else _chance(ground, settings)
    return curves


def _chance(ground: Ground, settings: SelectionSettings) -> Curve:
    return expected_random_curve(
        ground.gold, draws=settings.draws, seed=settings.seed, most=settings.most, empty=settings.empty
    )


def generated_sentences(
    ground: Ground, request: SentenceRequest, settings: SelectionSettings
) -> GeneratedSentences:
    """Make the sentences of one baseline."""
    check_baseline(request.baseline, ground)
    most = request.most or mean_mentions(ground.development or ground.gold)
    orders = baseline_orders(ground.gold, ground.priors, baseline=request.baseline, seed=settings.seed)
    sentences = baseline_sentences(ground.gold, orders, most=most, seed=settings.seed)
    return GeneratedSentences(request.baseline, most, sentences)


def mean_mentions(images: Sequence[GoldImage]) -> int:
    """Return how many boxes a description mentions on average, rounded, and at least one."""
    return max(1, round(fmean(len(description) for image in images for description in image.descriptions)))

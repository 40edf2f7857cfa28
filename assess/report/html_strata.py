"""A contrast within strata: the same comparison among labels that are alike in something else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from assess.report.cells import count
from assess.report.html_input import number
from assess.report.svg_forest import Forest, logarithms

_CHANGES = {
    "stays": "The difference stays.",
    "reverses": "The difference turns around (Simpson’s paradox).",
    "vanishes": "The difference vanishes.",
    "emerges": "A difference emerges.",
    "none": "There is no clear difference, overall or within.",
}


@dataclass(frozen=True, slots=True)
class StratumRow:
    """One line: a stratum, all labels, or the strata pooled."""

    name: str
    counts: str
    ratio: str
    plot: Markup


@dataclass(frozen=True, slots=True)
class Strata:
    """A contrast split by something else that labels differ in."""

    name: str
    change: str
    telling: bool  # the split changes what one would say
    rows: tuple[StratumRow, ...]


def strata_of(stratified: dict[str, Any], axis: Forest) -> tuple[Strata, ...]:
    """Return a contrast's splits, as they stand in a saved audit."""
    return tuple(
        Strata(
            name,
            _CHANGES.get(split["change"], split["change"]),
            split["change"] in ("reverses", "vanishes", "emerges") or bool(split["opposed"]),
            tuple(_rows(split, axis)),
        )
        for name, split in stratified.items()
    )


def _rows(split: dict[str, Any], axis: Forest) -> Iterator[StratumRow]:
    yield _row("all labels", "", split["crude"], axis)
    for name, stratum in split["strata"].items():
        yield _row(name, _counts(stratum), stratum["odds_ratio"], axis)
    if split["pooled"] is not None:
        yield _row("pooled", "Mantel-Haenszel", split["pooled"], axis)
    else:
        told = f"not pooled: the strata differ (p = {number(split['breslow_day']['p']):.2g})"
        yield StratumRow("pooled", told, "–", Markup(""))


def _row(name: str, counts: str, estimate: Sequence[Any], axis: Forest) -> StratumRow:
    bounds = tuple(number(bound) for bound in estimate)
    return StratumRow(name, counts, ratio_text(bounds), axis.row(logarithms(*bounds), verdict="stratum"))


def _counts(stratum: dict[str, Any]) -> str:
    pairs = (("yes", "labels"), ("other_yes", "other_labels"))
    return " against ".join(f"{count(stratum[yes])} of {count(stratum[labels])}" for yes, labels in pairs)


def ratio_text(bounds: Sequence[float]) -> str:
    """Return an odds ratio with its interval."""
    value, low, high = (_ratio(bound) for bound in bounds)
    return f"{value} ({low} to {high})" if value != "–" else value


def _ratio(value: float) -> str:
    return "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:.3g}"

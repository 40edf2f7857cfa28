"""Three verdicts: a disparity, none within the margin, or insufficient evidence.

The rule, in this order:

1. *Insufficient* when a group has no labels, or when the smallest p that the margins allow is above
   alpha: no outcome could have been a finding, so neither is this one. Two labels are not a finding,
   also where a group is so rare that they reach a small p: three must carry the category, three must
   not, and each group must have three.
2. *None* when both whole intervals are inside the margin: the risk difference within ±m, and the odds
   ratio within 1/r and r. This holds for a significant difference too: it is shown to be too small to
   matter. Both scales count, because for a rare category every risk difference is small (0.2% against
   0.001% is a factor of 200), and for a common one a small difference is soon a large odds ratio.
3. *Disparity* when q, the p corrected within its declared family, is at most alpha.
4. *Insufficient* otherwise: the data neither show a difference nor exclude one that matters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from assess.errors import UsageError
from assess.measures.bias.association import Association
from assess.measures.bias.tables import CountTable, check_level
from assess.measures.intervals import benjamini_hochberg

Verdict = Literal["disparity", "none", "insufficient"]

FEWEST = 3
"""So many labels there must be on every side of a table; fewer are never a finding."""


@dataclass(frozen=True, slots=True)
class Margin:
    """Differences that do not matter: up to this risk difference and this odds ratio."""

    risk_difference: float = 0.01
    odds_ratio: float = 1.5

    def __post_init__(self) -> None:
        if not 0 <= self.risk_difference <= 1 or not self.odds_ratio >= 1:
            raise UsageError(
                f"the margin {self.risk_difference:g}, {self.odds_ratio:g} does not make sense",
                hint="the risk difference lies between 0 and 1, the odds ratio is 1 or more",
            )

    def holds(self, association: Association) -> bool:
        """Whether both whole intervals lie inside the margin."""
        return association.risk_difference.within(
            -self.risk_difference, self.risk_difference
        ) and association.odds_ratio.within(1 / self.odds_ratio, self.odds_ratio)


DEFAULT_MARGIN = Margin()


@dataclass(frozen=True, slots=True)
class Finding:
    """An association in its family, with a verdict and the reason for it."""

    association: Association
    q: float
    verdict: Verdict
    reason: str


def judge(
    family: Sequence[Association], *, margin: Margin = DEFAULT_MARGIN, alpha: float = 0.05
) -> tuple[Finding, ...]:
    """Return a finding for each association of one declared family, in the order given."""
    q_values = benjamini_hochberg([association.p for association in family])
    return tuple(
        Finding(association, q, *decide(association, q=q, margin=margin, alpha=alpha))
        for association, q in zip(family, q_values, strict=True)
    )


def decide(
    association: Association, *, q: float, margin: Margin = DEFAULT_MARGIN, alpha: float = 0.05
) -> tuple[Verdict, str]:
    """Return the verdict on one association, and the reason in words; the rule is above."""
    if not association.table.comparable or math.isnan(q):
        return "insufficient", "a group has no labels"
    if association.smallest_p > alpha:
        return "insufficient", (
            f"with {_labels_with_category(association)} of this category no split could reach p ≤ {alpha:g}"
            f" (smallest attainable p {association.smallest_p:.3g})"
        )
    if thin := _thin(association.table):
        return "insufficient", thin
    if margin.holds(association):
        return "none", (
            f"the risk difference is within ±{margin.risk_difference:g}"
            f" and the odds ratio within a factor of {margin.odds_ratio:g}"
        )
    if q <= alpha:
        return "disparity", f"q = {q:.3g} is at most {alpha:g}"
    return "insufficient", f"q = {q:.3g} is above {alpha:g}, and the intervals reach beyond the margin"


def _thin(table: CountTable) -> str | None:
    """Return why a table cannot carry a finding, whatever its p: it hangs on one label or two."""
    carrying = table.yes + table.other_yes
    for number, what in (
        (min(table.labels, table.other_labels), "a group has"),
        (carrying, "the category has"),
        (table.total - carrying, "the rest, without the category, has"),
    ):
        if number < FEWEST:
            return f"{what} only {number} label{'' if number == 1 else 's'}, fewer than {FEWEST}"
    return None


def _labels_with_category(association: Association) -> str:
    count = association.table.yes + association.table.other_yes
    return f"{count} label" if count == 1 else f"{count} labels"


# What an auditor may choose and what changes a number of an audit.


@dataclass(frozen=True, slots=True)
class BiasSettings:
    """Margin, thresholds, and the seeds of all that is drawn."""

    margin: Margin = field(default=DEFAULT_MARGIN)
    alpha: float = 0.05
    level: float = 0.95
    samples: int = 2000  # of images, for the bootstrap
    seed: int = 0  # of the bootstrap and of the reference that is drawn for each image

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 0 < self.alpha < 1:
            raise UsageError(f"an alpha of {self.alpha:g} is not between 0 and 1", hint="0.05 is usual")
        if self.samples < 1:
            raise UsageError("a bootstrap needs at least one sample", hint="2000 is usual")

    def as_settings(self) -> dict[str, str | int | float]:
        """Return the rules as they stand in a signature."""
        margin = f"{self.margin.risk_difference:g},{self.margin.odds_ratio:g}"
        return {
            "margin": margin,
            "alpha": self.alpha,
            "level": self.level,
            "samples": self.samples,
            "seed": self.seed,
        }


DEFAULT_SETTINGS = BiasSettings()

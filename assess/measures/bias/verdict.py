"""What is decided about a contrast, and the settings that decide it.

There are three verdicts: a disparity, none within the margin, or insufficient evidence.

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
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from assess.errors import UsageError
from assess.measures.bias.association import Association
from assess.measures.bias.bootstrap import BootstrapInterval, bootstrap_contrasts
from assess.measures.bias.tables import CountTable, check_level, in_labels
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
            f"with {in_labels(association.table.carrying)} of this category"
            f" no split could reach p ≤ {alpha:g} (smallest attainable p {association.smallest_p:.3g})"
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
    for number, what in (
        (min(table.labels, table.other_labels), "a group has"),
        (table.carrying, "the category has"),
        (table.total - table.carrying, "the rest, without the category, has"),
    ):
        if number < FEWEST:
            return f"{what} only {in_labels(number)}, fewer than {FEWEST}"
    return None


@dataclass(frozen=True, slots=True)
class BiasSettings:
    """What an auditor may choose that changes a number: margin, thresholds, and the seed of all draws."""

    margin: Margin = DEFAULT_MARGIN
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

    def bootstrap(
        self, tallies: ArrayLike, contrasts: Sequence[Sequence[float]]
    ) -> tuple[BootstrapInterval, ...]:
        """Return contrasts of rates, resampling images as these settings say."""
        return bootstrap_contrasts(tallies, contrasts, samples=self.samples, level=self.level, seed=self.seed)

    def as_settings(self) -> dict[str, str | int | float]:
        """Return the settings as they stand in a signature."""
        margin = f"{self.margin.risk_difference:g},{self.margin.odds_ratio:g}"
        return {
            "margin": margin,
            "alpha": self.alpha,
            "level": self.level,
            "samples": self.samples,
            "seed": self.seed,
        }


DEFAULT_SETTINGS = BiasSettings()

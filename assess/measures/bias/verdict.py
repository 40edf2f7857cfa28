"""What is decided about a contrast.

There are four verdicts, and a fifth for a contrast that its strata turn around. The rule, in this order:

1. *Insufficient* when a group has no labels, or when the smallest p that the margins allow is above
   alpha: no outcome could have been a finding, so neither is this one. Four labels are not a finding, also
   where a group is so rare that they reach a small p: five must carry the category, five must not, and
   each group must have five. The category and each group must be in five images.
2. Beyond chance, where q is at most alpha (p with images as the unit, corrected within its declared
   family): *disparity* when the estimate is beyond the margin too, *small* when it is within.
   Either is a *reversal* when the sign turns around within strata.
3. *None* when the whole interval is inside the margin.
4. *Insufficient* otherwise: the data neither show a difference nor exclude one that matters.

The margin scales with the base rate p, the share of both groups' labels that carry the category:
m(p) = m · 2√(p(1-p)). It is m where half of the labels carry it, and less where the category is rarer (or
commoner). A fixed margin in points calls every difference in a rare category small (0.2% against
0.001%), a fixed ratio can never be excluded for one. The root lies halfway between, and has a reason: the
standard error of a difference is proportional to it, so one number of labels can decide for *none* at every
base rate. The default of 2.5 points is 0.05 on the scale of Cohen's h, a quarter of what Cohen calls small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from numpy.typing import ArrayLike

from assess.errors import some
from assess.measures.bias.association import Association
from assess.measures.bias.clustering import ImageEvidence
from assess.measures.bias.tables import (
    BootstrapInterval,
    CountTable,
    bootstrap_contrast,
    ratio,
)
from assess.measures.group_settings import USUAL_RULES, VerdictSettings
from assess.measures.intervals import benjamini_hochberg

Verdict = Literal["disparity", "reversal", "small", "none", "insufficient"]
BEYOND_CHANCE: frozenset[Verdict] = frozenset({"disparity", "reversal", "small"})
"""Verdicts of contrasts that chance does not explain."""

VERDICTS: dict[Verdict, str] = {
    "disparity": "significant and beyond the margin",
    "reversal": "significant, but the sign reverses within strata",
    "small": "significant, but within the margin",
    "none": "any difference is within the margin",
    "insufficient": "too little evidence",
}
"""What each verdict means: the words of every report, in the order in which contrasts are listed."""

FEWEST = 5
"""So many labels there must be on every side of a table; fewer are never a finding."""


def margin_at(margin: float, base_rate: float) -> float:
    """Return which difference does not matter in a category with this base rate."""
    return margin * 2 * math.sqrt(base_rate * (1 - base_rate))


def margin_of(margin: float, *tables: CountTable) -> float:
    """Return the margin for the base rate of all labels of tables together; nan without labels."""
    return margin_at(margin, ratio(sum(t.carrying for t in tables), sum(t.total for t in tables)))


@dataclass(frozen=True, slots=True)
class Finding:
    """An association in its family, with a verdict and the reason for it."""

    evidence: ImageEvidence
    q: float
    label_q: float  # as if labels were independent
    margin: float  # in this cell
    verdict: Verdict
    reason: str

    @property
    def association(self) -> Association:
        """The statistics of the table, as if labels were independent."""
        return self.evidence.association

    def reversed(self, reason: str) -> Finding:
        """Return the finding of a contrast that its strata turn around."""
        return replace(self, verdict="reversal", reason=reason)


def judge(family: Sequence[ImageEvidence], rules: VerdictSettings = USUAL_RULES) -> tuple[Finding, ...]:
    """Return a finding for each contrast of one declared family, in the order given."""
    q_values = benjamini_hochberg([evidence.p for evidence in family])
    label_q = benjamini_hochberg([evidence.association.p for evidence in family])
    return tuple(
        Finding(
            evidence, q, other, margin_of(rules.margin, evidence.table), *decide(evidence, q=q, rules=rules)
        )
        for evidence, q, other in zip(family, q_values, label_q, strict=True)
    )


def decide(evidence: ImageEvidence, *, q: float, rules: VerdictSettings = USUAL_RULES) -> tuple[Verdict, str]:
    """Return the verdict on one contrast, and the reason in words; the rule is above."""
    association, table, alpha = evidence.association, evidence.table, rules.alpha
    if not table.comparable or math.isnan(q):
        return "insufficient", "a group has no labels"
    if association.smallest_p > alpha:
        return "insufficient", (
            f"with {some(table.carrying, 'label')} of this category, no result could reach p ≤"
            f" {alpha:g} (smallest attainable p {association.smallest_p:.3g})"
        )
    if thin := _thin(evidence):
        return "insufficient", thin
    margin = margin_of(rules.margin, table)
    within = f"the margin of ±{margin * 100:.2g} points"
    if q <= alpha:
        if abs(table.difference) > margin:
            return "disparity", f"q = {q:.3g} is at most {alpha:g}, and the difference is beyond {within}"
        return "small", f"q = {q:.3g} is at most {alpha:g}, but the difference is within {within}"
    if evidence.risk_difference.within(-margin, margin):
        return "none", f"the whole interval is within {within}"
    return "insufficient", f"q = {q:.3g} is above {alpha:g}, and the interval reaches beyond {within}"


def _thin(evidence: ImageEvidence) -> str | None:
    """Return why a table cannot carry a finding, whatever its p: it hangs on a few labels or images."""
    table = evidence.table
    for number, what in (
        (min(table.labels, table.other_labels), "a group has"),
        (table.carrying, "the category has"),
        (table.total - table.carrying, "the rest, without the category, has"),
    ):
        if number < FEWEST:
            return f"{what} only {some(number, 'label')}, fewer than {FEWEST}"
    for images, what in ((min(evidence.images), "a group is"), (evidence.carrying, "the category is")):
        if images < FEWEST:
            return f"{what} in only {some(images, 'image')}, fewer than {FEWEST}"
    return None


def bootstrap(
    tallies: ArrayLike, rules: VerdictSettings, contrast: Sequence[float] = (1.0, -1.0)
) -> BootstrapInterval:
    """Return a contrast of rates, resampling images as the rules say."""
    return bootstrap_contrast(tallies, contrast, samples=rules.samples, level=rules.level, seed=rules.seed)

"""Verdicts on contrasts.

There are four verdicts, and a fifth one for a contrast that is reversed in its strata. The rules, in this
order:

1. *Insufficient* if a group has no labels, or if the smallest p that the margins allow is above alpha: then
   no outcome could have been significant. Also if numbers are tiny, even if a very rare group gives a small
   p: at least five labels must have the category, five must not, and each group must have five; and the
   category and each group must occur in five images.
2. Beyond chance, if q is at most alpha (p with images as the unit, corrected within its declared family):
   *disparity* if the estimate also exceeds the margin, *small* if it is within the margin. Either becomes a
   *reversal* if the sign changes within strata.
3. *None* if the whole interval is within the margin.
4. *Insufficient* otherwise: the data neither show a difference nor exclude a relevant one.

The margin depends on the base rate p, the share of both groups' labels that have the category:
m(p) = m · 2√(p(1-p)). It is m if half of the labels have it, and smaller for rarer or more common categories.
With a fixed margin in points, every difference in a rare category is small (0.2% versus 0.001%); a fixed
ratio can never be excluded for a rare category. The root is a compromise with a reason: the standard error of
a difference is proportional to it, so the same number of labels can lead to *none* at every base rate. The
default of 2.5 points is 0.05 on the scale of Cohen's h, a quarter of what Cohen calls small.
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
"""Verdicts on contrasts that are significant."""

VERDICTS: dict[Verdict, str] = {
    "disparity": "significant and beyond the margin",
    "reversal": "significant, but reversed within another group",
    "small": "significant, but within the margin",
    "none": "any difference is within the margin",
    "insufficient": "too little evidence",
}
"""The meaning of each verdict as shown in all reports, in the order in which contrasts are listed."""

FEWEST = 5
"""The minimum number of labels in each margin of a table for a finding."""


def margin_at(margin: float, base_rate: float) -> float:
    """Return the largest difference that is irrelevant in a category with this base rate."""
    return margin * 2 * math.sqrt(base_rate * (1 - base_rate))


def margin_of(margin: float, *tables: CountTable) -> float:
    """Return the margin for the base rate of all labels in the tables together; nan without labels."""
    return margin_at(margin, ratio(sum(t.carrying for t in tables), sum(t.total for t in tables)))


@dataclass(frozen=True, slots=True)
class Finding:
    """An association in its family, with a verdict and the reason for it."""

    evidence: ImageEvidence
    q: float
    label_q: float  # as if labels were independent
    margin: float  # the margin for this cell
    verdict: Verdict
    reason: str

    @property
    def association(self) -> Association:
        """The statistics of the table, as if labels were independent."""
        return self.evidence.association

    def reversed(self, reason: str) -> Finding:
        """Return the finding as a reversal."""
        return replace(self, verdict="reversal", reason=reason)


def judge(family: Sequence[ImageEvidence], rules: VerdictSettings = USUAL_RULES) -> tuple[Finding, ...]:
    """Return a finding for each contrast of one declared family, in order."""
    q_values = benjamini_hochberg([evidence.p for evidence in family])
    label_q = benjamini_hochberg([evidence.association.p for evidence in family])
    return tuple(
        Finding(
            evidence, q, other, margin_of(rules.margin, evidence.table), *decide(evidence, q=q, rules=rules)
        )
        for evidence, q, other in zip(family, q_values, label_q, strict=True)
    )


def decide(evidence: ImageEvidence, *, q: float, rules: VerdictSettings = USUAL_RULES) -> tuple[Verdict, str]:
    """Return the verdict on one contrast and the reason in words, by the rules above."""
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
    """Return why a table has too few labels or images for a finding; None if it has enough."""
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
    """Return a contrast of rates, resampling images as the rules specify."""
    return bootstrap_contrast(tallies, contrast, samples=rules.samples, level=rules.level, seed=rules.seed)

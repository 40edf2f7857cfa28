"""What an auditor must know before a contrast is quoted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from assess.audit.bootstrap import Bootstrapped
from assess.audit.strata import Stratified
from assess.audit.verdict import Finding

CautionKind = Literal["reverses", "vanishes", "emerges", "opposed", "reading", "images"]
OFTEN_MISSING = 0.05
"""So many samples without a group make an interval over the others worthless."""
MOVED = 0.10
"""Strata matter where they move the odds ratio by this share (change-in-estimate; Greenland 1989)."""

ALWAYS = (
    "Words for groups are words of a text, not the identity of a person.",
    "Who tells no group has no gap: a system that only says “person” looks perfect. Read first how many"
    " labels tell a value.",
    "Equal rates are not always the goal: some people who use screen readers want looks described, if they"
    " are described of everyone. Whether a difference harms is for people to judge, best those concerned.",
)
"""What holds for every contrast, and belongs beside all of them."""

_WITHIN: dict[CautionKind, str] = {
    "reverses": "the sign reverses",
    "vanishes": "the difference vanishes",
    "emerges": "a difference emerges",
}


@dataclass(frozen=True, slots=True)
class Caution:
    """One reason not to take a contrast at its face value."""

    kind: CautionKind
    text: str


def cautions(
    finding: Finding, union: Finding, bootstrap: Bootstrapped, stratified: Mapping[str, Stratified]
) -> Iterator[Caution]:
    """Yield what stratifying, other readings and the bootstrap say against a contrast."""
    for kind, what in _WITHIN.items():
        strata = {name: s for name, s in stratified.items() if s.change == kind and _moved(s)}
        if strata:
            yield Caution(kind, f"{what} within {_listed(strata)}; odds ratio {_overall(strata)} overall")
    opposed = {name: s.opposed for name, s in stratified.items() if s.change == "stays" and s.opposed}
    if opposed:
        named = "; ".join(f"{', '.join(values)} ({name})" for name, values in opposed.items())
        yield Caution("opposed", f"some strata show the opposite of the whole: {named}")
    if union.verdict != finding.verdict:
        yield Caution("reading", f"the verdict is {union.verdict} when all readings count, not only the best")
    if finding.verdict == "disparity" and (fragile := _fragile(bootstrap)):
        yield Caution("images", f"{fragile}: few images carry the difference")


def _fragile(bootstrap: Bootstrapped) -> str | None:
    """Return what the bootstrap over images says against a disparity, if anything."""
    if not bootstrap.estimate.excludes(0.0):
        return "the interval over images holds 0"
    missing = 1 - bootstrap.defined / bootstrap.samples
    # A percentile interval is over the samples that have both groups, and sure of itself if few images do.
    return (
        f"a group is missing in {missing:.0%} of the samples of images" if missing > OFTEN_MISSING else None
    )


def _moved(strata: Stratified) -> bool:
    """Whether the strata move the odds ratio, rather than only make its interval wider."""
    crude, common = strata.crude.value, strata.common.value
    if not (0 < crude < math.inf and 0 < common < math.inf):
        return crude != common
    return abs(common / crude - 1) >= MOVED


def _listed(stratified: Mapping[str, Stratified]) -> str:
    return ", ".join(f"{name} ({_odds(strata.common.value)})" for name, strata in stratified.items())


def _odds(value: float) -> str:
    return "nothing left to compare" if math.isnan(value) else f"{value:.2g}"


def _overall(stratified: Mapping[str, Stratified]) -> str:
    return _odds(next(iter(stratified.values())).crude.value)

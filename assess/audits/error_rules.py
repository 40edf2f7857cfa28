"""The rules of a gate about errors: how often captions may name another group than the annotated one.

They are decided as all others are: by the whole interval, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from assess.audits.gate import Kind, Outcome
from assess.audits.policy import ErrorLimit, Policy
from assess.audits.saved import SavedAudit
from assess.errors import some
from assess.measures.bias.tables import Estimate
from assess.measures.errors.run import ErrorsResult, SystemErrors
from assess.measures.measure import Row
from assess.report.text import number

_Number = tuple[str, float, str, Estimate, int]
"""The rule, the largest value that it allows, what it is about, the number, and the images behind it."""


def error_outcomes(policy: Policy, audit: SavedAudit) -> list[Outcome]:
    """Return the outcomes of all rules about errors, in the order of the policy."""
    if not policy.errors:
        return []
    found: ErrorsResult | None = audit.with_others().measures.get("errors")
    return [outcome for limit in policy.errors for outcome in _outcomes(policy, limit, found)]


def _outcomes(policy: Policy, limit: ErrorLimit, found: ErrorsResult | None) -> Iterator[Outcome]:
    systems = {
        name: system
        for name, system in (found.systems if found else {}).items()
        if not system.reference and (not limit.system or name in limit.system)
    }
    if not systems:
        why = "nothing that this rule selects" if found else "no errors: audit again with --groups FILE"
        about = f"system {' or '.join(limit.system)}" if limit.system else "all systems"
        yield Outcome("errors", about, "insufficient", f"the audit has {why}")
    fewest = limit.min_images or policy.min_labels
    for name, system in systems.items():
        for rule, largest, subject, estimate, images in _numbers(limit, name, system):
            yield Outcome(f"{rule} {largest:g}", subject, *_decided(estimate, largest, images, fewest))


def _numbers(limit: ErrorLimit, name: str, system: SystemErrors) -> Iterator[_Number]:
    """Yield the numbers of a system that a limit is about."""
    if (most := limit.max_error) is not None:
        yield "max_error", most, f"{name} / error", _estimate(system, "error"), system["images"]
    for pair in system.pairs:
        subject = f"{name} / {pair.group} against {pair.against}"
        images = min(system.groups[value]["images"] for value in (pair.group, pair.against))
        for rule, most, estimate in (
            (
                "max_abs_error_difference",
                limit.max_abs_error_difference,
                Estimate(*pair.differences["incorrect"]),
            ),
            ("max_abs_ratio_gap", limit.max_abs_ratio_gap, _estimate(pair, "ratio_gap")),
            ("max_outcome_divergence", limit.max_outcome_divergence, _estimate(pair, "outcome_divergence")),
        ):
            if most is not None:
                yield rule, most, subject, estimate, images


def _estimate(row: Row, key: str) -> Estimate:
    low, high = map(number, row[f"{key}_interval"])
    return Estimate(number(row[key]), low, high)


def _decided(estimate: Estimate, largest: float, images: int, fewest: int) -> tuple[Kind, str]:
    if images < fewest:
        return "insufficient", f"{some(images, 'image')}, fewer than the {fewest} that the policy asks for"
    shown = f"{estimate.value:.4g} [{estimate.low:.4g}, {estimate.high:.4g}]"
    if estimate.within(-largest, largest):
        return "pass", f"{shown} is within the limit"
    if estimate.low > largest or estimate.high < -largest:
        return "fail", f"{shown} is beyond the limit"
    return "insufficient", f"{shown} holds the limit, or is undefined: more images are needed"

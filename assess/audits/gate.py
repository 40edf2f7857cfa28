"""Applying a policy to the numbers of a saved audit, with outcomes as text, JSON, or JUnit XML for CI.

A rule has three outcomes. It *fails* or *passes* only if the whole interval is on one side of the limit. If
the interval includes the limit, if a group has too few labels, or if a rule selects nothing, the outcome is
*insufficient*. A gate is never passed by accident.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree

from rich.text import Text

from assess.audits.policy import ALL, Baseline, Cell, ErrorLimit, Limit, Policy, Selector
from assess.audits.saved import SavedAudit
from assess.errors import InputError, UsageError, some, visible
from assess.measures.bias.tables import (
    CountTable,
    Estimate,
    Tally,
    normal_quantile,
    risk_difference,
    upper_bound_of_none,
    wilson,
)
from assess.measures.bias.verdict import VERDICTS
from assess.measures.errors.run import ErrorsResult, SystemErrors
from assess.measures.measure import Row
from assess.report.text import count, number, plain

Kind = Literal["pass", "fail", "insufficient"]
_STYLES: dict[Kind, str] = {"fail": "bold red", "insufficient": "yellow", "pass": "green"}
# A rate is identified by system, category, group (gender) and value (female).
RateKey = tuple[str, str, str, str]
# Subject, kind and reason of an outcome.
Decision = tuple[str, Kind, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one rule for one number of an audit."""

    rule: str
    subject: str
    kind: Kind
    reason: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}: {self.rule}: {self.reason}"


@dataclass(frozen=True, slots=True)
class _Rate:
    """The rate of one value in a cell; a cell with a contrast has two of them."""

    cell: Cell
    group: str
    tally: Tally
    effect: float  # design effect of several labels per image

    @property
    def key(self) -> RateKey:
        return self.cell.system, self.cell.category, self.cell.by, self.group


def evaluate(
    policy: Policy, cells: Sequence[Cell], *, baseline: Sequence[Cell] | None = None
) -> list[Outcome]:
    """Return the outcomes of all rules, in the order of the policy and of the cells."""
    rates = _rates(cells)
    outcomes: list[Outcome] = []
    for forbidden in policy.forbid:
        outcomes += _outcomes("forbid", forbidden, _forbid(policy, forbidden, rates.values()))
    for limit in policy.limits:
        if (largest := limit.max_rate) is not None:
            decisions = _max_rate(policy, limit, largest, rates.values())
            outcomes += _outcomes(f"max_rate {largest:g}", limit, decisions)
        if (largest := limit.max_abs_risk_difference) is not None:
            decisions = _max_difference(policy, limit, largest, cells)
            outcomes += _outcomes(f"max_abs_risk_difference {largest:g}", limit, decisions)
        if limit.no_verdict:
            rule = f"no_verdict {' or '.join(limit.no_verdict)}"
            outcomes += _outcomes(rule, limit, _no_verdict(policy, limit, cells))
    if policy.baseline is not None:
        if baseline is None:
            raise UsageError(
                f"the policy refers to the baseline {policy.baseline.file}, but no baseline was given"
            )
        outcomes += _compare(policy, policy.baseline, rates, _rates(baseline))
    return outcomes


def passes(policy: Policy, outcomes: Iterable[Outcome]) -> bool:
    """Whether a gate passes: nothing failed and, unless the policy allows it, nothing is insufficient."""
    kinds = {outcome.kind for outcome in outcomes}
    return "fail" not in kinds and (policy.allow_insufficient or "insufficient" not in kinds)


def _rates(cells: Sequence[Cell]) -> dict[RateKey, _Rate]:
    """Return each rate once, even if it occurs in several contrasts."""
    rates: dict[RateKey, _Rate] = {}
    for cell in cells:
        for rate in _rates_of(cell):
            if rates.setdefault(rate.key, rate).tally != rate.tally:
                raise InputError(f"the audit has conflicting counts for {_name(*rate.key)}")
    return rates


def _rates_of(cell: Cell) -> Iterator[_Rate]:
    yield _Rate(cell, cell.group, cell.table.group, cell.effects[0])
    if cell.against is not None:
        yield _Rate(cell, cell.against, cell.table.other, cell.effects[1])


def _name(system: str, category: str, by: str, group: str, against: str | None = None) -> str:
    value = f"{by}:{group}" if by else group
    return f"{system} / {category} / {value}" + (f" against {against}" if against is not None else "")


def _outcomes(rule: str, selector: Selector, decisions: Iterable[Decision]) -> list[Outcome]:
    """Return the outcomes of a rule. A rule that selects nothing has not passed: it may have a typo."""
    nothing: Decision = (str(selector), "insufficient", "the rule matches nothing in the audit")
    return [Outcome(rule, *decision) for decision in (list(decisions) or [nothing])]


def _forbid(policy: Policy, selector: Selector, rates: Iterable[_Rate]) -> Iterator[Decision]:
    chosen = [rate for rate in rates if selector.selects(rate.cell, rate.group)]
    if not (selector.by or selector.group):
        # Whether a category never occurs is checked over all labels, even if some group has few.
        chosen = [rate for rate in chosen if rate.group == ALL] or chosen
    for rate in chosen:
        yield _name(*rate.key), *_forbidden(rate.tally, rate.effect, policy)


def _forbidden(tally: Tally, effect: float, policy: Policy) -> tuple[Kind, str]:
    """A single label is enough to fail, regardless of the sample size."""
    if tally.yes:
        return "fail", f"said in {tally.yes} of {some(tally.total, 'label')}"
    if tally.total < policy.min_labels:
        return "insufficient", _too_few(tally.total, policy.min_labels)
    bound = upper_bound_of_none(tally.total, level=policy.level, design_effect=effect)
    surely = f"(true rate at most {bound:.3g} with {policy.level:.0%} confidence)"
    return "pass", f"said in none of {some(tally.total, 'label')} {surely}"


def _max_rate(policy: Policy, limit: Limit, largest: float, rates: Iterable[_Rate]) -> Iterator[Decision]:
    fewest = limit.min_labels or policy.min_labels
    for rate in rates:
        if limit.selects(rate.cell, rate.group):
            tally = rate.tally
            estimate = wilson(tally.yes, tally.total, level=policy.level, design_effect=rate.effect)
            yield _name(*rate.key), *_against(estimate, 0.0, largest, "rate", fewest, tally.total)


def _max_difference(
    policy: Policy, limit: Limit, largest: float, cells: Iterable[Cell]
) -> Iterator[Decision]:
    fewest = limit.min_labels or policy.min_labels
    for cell in cells:
        if cell.against is not None and limit.selects(cell, cell.group, cell.against):
            estimate = _difference(cell, policy.level)
            labels = min(cell.table.labels, cell.table.other_labels)
            subject = _name(cell.system, cell.category, cell.by, cell.group, cell.against)
            yield subject, *_against(estimate, -largest, largest, "risk difference", fewest, labels)


def _difference(cell: Cell, level: float) -> Estimate:
    """Return the audit's difference over images, with the confidence level of the policy."""
    if cell.difference is None:
        return risk_difference(cell.table, level=level, design_effects=cell.effects)
    value, low, high = cell.difference
    scale = normal_quantile(level) / normal_quantile(cell.level)
    return Estimate(value, value - (value - low) * scale, value + (high - value) * scale)


def _no_verdict(policy: Policy, limit: Limit, cells: Iterable[Cell]) -> Iterator[Decision]:
    fewest = limit.min_labels or policy.min_labels
    for cell in cells:
        if cell.against is None or not limit.selects(cell, cell.group, cell.against):
            continue
        subject = _name(cell.system, cell.category, cell.by, cell.group, cell.against)
        labels = min(cell.table.labels, cell.table.other_labels)
        if labels < fewest:
            yield subject, "insufficient", _too_few(labels, fewest)
            continue
        ruled_out: Kind = "fail" if cell.verdict in limit.no_verdict else "pass"
        kind: Kind = "insufficient" if cell.verdict == "insufficient" else ruled_out
        yield subject, kind, f"{cell.verdict}: {VERDICTS[cell.verdict]}"


def _against(
    estimate: Estimate, low: float, high: float, what: str, fewest: int, number: int, unit: str = "label"
) -> tuple[Kind, str]:
    """Return the outcome for an interval that should lie between two values."""
    if number < fewest:
        return "insufficient", _too_few(number, fewest, unit)
    shown = f"{what} {estimate.value:.4g} [{estimate.low:.4g}, {estimate.high:.4g}]"
    if estimate.within(low, high):
        return "pass", f"{shown} is within the limit"
    if estimate.low > high or estimate.high < low:
        return "fail", f"{shown} is beyond the limit"
    why = f"{what} is undefined" if math.isnan(estimate.low) else f"{shown} includes the limit"
    return "insufficient", f"{why}: more {unit}s are needed"


def _too_few(number: int, fewest: int, unit: str = "label") -> str:
    return f"{some(number, unit)}, fewer than the {fewest} that the policy requires"


def _compare(
    policy: Policy, baseline: Baseline, now: dict[RateKey, _Rate], then: dict[RateKey, _Rate]
) -> Iterator[Outcome]:
    """Compare each rate with the baseline; a rate that is missing from one of them is insufficient."""
    rule = f"allowed_change {baseline.allowed_change:g}"
    if not (now or then):
        yield Outcome(rule, "all cells", "insufficient", "neither the audit nor the baseline has any cells")
    alone: dict[str, str] = {}
    for key in now | then:
        if key in now and key in then:
            yield Outcome(rule, _name(*key), *_changed(policy, baseline, now[key], then[key]))
        elif key in now:
            alone[_missing_keys(key, then)] = "only in the audit"
        else:
            alone[_missing_keys(key, now)] = "only in the baseline"
    for subject, reason in alone.items():
        yield Outcome(rule, subject, "insufficient", reason)


def _missing_keys(key: RateKey, others: Iterable[RateKey]) -> str:
    """Name what the others lack: a whole system or group once, instead of each of its rates."""
    system, _, by, _ = key
    if all(other[0] != system for other in others):
        return system
    if all((other[0], other[2]) != (system, by) for other in others):
        return f"{system} / by {by}"
    return _name(*key)


def _changed(policy: Policy, baseline: Baseline, after: _Rate, before: _Rate) -> tuple[Kind, str]:
    now, then = after.tally, before.tally
    if now == then and now.total >= policy.min_labels:
        return "pass", f"unchanged: {now.yes} of {some(now.total, 'label')}"
    effects = (after.effect, before.effect)
    estimate = risk_difference(CountTable.of(now, then), level=policy.level, design_effects=effects)
    allowed = baseline.allowed_change
    return _against(estimate, -allowed, allowed, "change", policy.min_labels, min(now.total, then.total))


# Rules about errors: how often captions may state a group that differs from the annotated one.

_ErrorNumber = tuple[str, float, str, Estimate, int]
"""The rule, its limit, the subject, the number, and its number of images."""


def error_outcomes(policy: Policy, audit: SavedAudit) -> list[Outcome]:
    """Return the outcomes of all rules about errors, in the order of the policy."""
    if not policy.errors:
        return []
    found: ErrorsResult | None = audit.with_others().measures.get("errors")
    return [outcome for limit in policy.errors for outcome in _error_outcomes(policy, limit, found)]


def _error_outcomes(policy: Policy, limit: ErrorLimit, found: ErrorsResult | None) -> Iterator[Outcome]:
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
        for rule, largest, subject, estimate, images in _error_numbers(limit, name, system):
            what = rule.removeprefix("max_").removeprefix("abs_").replace("_", " ")
            decided = _against(estimate, -largest, largest, what, fewest, images, "image")
            yield Outcome(f"{rule} {largest:g}", subject, *decided)


def _error_numbers(limit: ErrorLimit, name: str, system: SystemErrors) -> Iterator[_ErrorNumber]:
    """Yield the numbers of a system that a limit applies to."""
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


# Output of outcomes.


def junit(outcomes: Sequence[Outcome], *, name: str = "assess gate", allow_insufficient: bool = False) -> str:
    """Return the outcomes as a JUnit test suite with one case each, which CI services show like their tests.

    A failed rule is a failure. Insufficient evidence is an error, because most services count a skipped test
    as passed; it is skipped only if the policy allows insufficient evidence.
    """
    undecided = "skipped" if allow_insufficient else "error"
    tags = {"fail": "failure", "insufficient": undecided}
    suite = ElementTree.Element("testsuite", _counts(outcomes, name, undecided))
    for outcome in outcomes:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _text(outcome.rule), "name": _text(outcome.subject)}
        )
        if outcome.kind in tags:
            message = ElementTree.SubElement(case, tags[outcome.kind], {"message": _text(outcome.reason)})
            message.text = _text(str(outcome))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'


def _counts(outcomes: Sequence[Outcome], name: str, undecided: str) -> dict[str, str]:
    insufficient = sum(outcome.kind == "insufficient" for outcome in outcomes)
    return {
        "name": _text(name),
        "tests": str(len(outcomes)),
        "failures": str(sum(outcome.kind == "fail" for outcome in outcomes)),
        "errors": str(insufficient if undecided == "error" else 0),
        "skipped": str(insufficient if undecided == "skipped" else 0),
    }


def _text(text: str) -> str:
    """Return text that XML can contain: names come from untrusted files."""
    return visible(text, 500).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")


def gate_report(outcomes: Sequence[Outcome], *, passed: bool, everything: bool) -> Iterator[Text]:
    """Yield one line per outcome, failures first, and a summary; passed rules are shown on request."""
    for kind, style in _STYLES.items():
        if kind != "pass" or everything:
            for outcome in outcomes:
                if outcome.kind == kind:
                    yield _line(outcome, style)
    counts = Counter(outcome.kind for outcome in outcomes)
    parts = ", ".join(f"{count(counts[kind])} {kind}" for kind in _STYLES)
    verdict = Text("gate passed" if passed else "gate failed", style="bold green" if passed else "bold red")
    yield verdict.append(f": {parts}", style="not bold default")


def _line(outcome: Outcome, style: str) -> Text:
    text = Text(f"{outcome.kind}: ", style=style)
    return text.append_text(
        plain(f"{outcome.subject}: {outcome.rule}: {outcome.reason}", 500, style="not bold default")
    )


def gate_shape(audit: SavedAudit, outcomes: Sequence[Outcome], *, passed: bool) -> dict[str, Any]:
    """Return the JSON object of `assess gate --json`."""
    counts = Counter(outcome.kind for outcome in outcomes)
    return {
        "signature": audit.results.signature.as_dict(),
        "passed": passed,
        "counts": {kind: counts[kind] for kind in _STYLES},
        "outcomes": [
            {name: getattr(outcome, name) for name in ("kind", "subject", "rule", "reason")}
            for outcome in outcomes
        ],
    }

"""Apply a policy to the cells of an audit.

A rule has three outcomes. It *fails* or *passes* only where the whole interval is on one side of the
limit; where the interval holds the limit, where a group has too few labels, or where a rule selects
nothing at all, the outcome is *insufficient*. A gate is never passed by accident.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assess.audit.cells import ALL, Cell
from assess.audit.intervals import Estimate, risk_difference, upper_bound_of_none, wilson
from assess.audit.policy import Baseline, Limit, Policy, Selector
from assess.audit.tables import Table, Tally
from assess.errors import InputError, UsageError

Kind = Literal["pass", "fail", "insufficient"]
# A rate is named by its system, category, group (gender) and value (female).
RateKey = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rule says about one number of an audit."""

    rule: str
    subject: str
    kind: Kind
    reason: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}: {self.rule}: {self.reason}"


@dataclass(frozen=True, slots=True)
class _Rate:
    """One group's rate in a cell: a cell with a contrast has two of them."""

    cell: Cell
    group: str
    tally: Tally

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
        outcomes += _or_nothing("forbid", forbidden, _forbid(policy, forbidden, rates.values()))
    for limit in policy.limits:
        if limit.max_rate is not None:
            rule = f"max_rate {limit.max_rate:g}"
            outcomes += _or_nothing(rule, limit, _max_rate(policy, limit, limit.max_rate, rates.values()))
        if limit.max_abs_risk_difference is not None:
            rule = f"max_abs_risk_difference {limit.max_abs_risk_difference:g}"
            found = _max_difference(policy, limit, limit.max_abs_risk_difference, cells)
            outcomes += _or_nothing(rule, limit, found)
    if policy.baseline is not None:
        if baseline is None:
            raise UsageError(f"the policy compares with {policy.baseline.file}, which was not given")
        outcomes += _compare(policy, policy.baseline, rates, _rates(baseline))
    return outcomes


def passes(policy: Policy, outcomes: Iterable[Outcome]) -> bool:
    """Whether a gate is passed: nothing failed, and nothing was left open unless the policy allows it."""
    kinds = {outcome.kind for outcome in outcomes}
    return "fail" not in kinds and (policy.allow_insufficient or "insufficient" not in kinds)


def _rates(cells: Sequence[Cell]) -> dict[RateKey, _Rate]:
    """Return each group's rate once, though a group may stand in several contrasts."""
    rates: dict[RateKey, _Rate] = {}
    for cell in cells:
        for rate in _rates_of(cell):
            if rates.setdefault(rate.key, rate).tally != rate.tally:
                raise InputError(f"the audit has two different counts for {_name(*rate.key)}")
    return rates


def _rates_of(cell: Cell) -> Iterator[_Rate]:
    yield _Rate(cell, cell.group, cell.table.group)
    if cell.against is not None:
        yield _Rate(cell, cell.against, cell.table.other)


def _name(system: str, category: str, by: str, group: str, against: str | None = None) -> str:
    value = f"{by}:{group}" if by else group
    return f"{system} / {category} / {value}" + (f" against {against}" if against is not None else "")


def _or_nothing(rule: str, selector: Selector, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """A rule that selects nothing has not been passed: its category may be misspelt."""
    found = list(outcomes)
    if found:
        return found
    return [Outcome(rule, str(selector), "insufficient", "the audit has nothing that this rule selects")]


def _forbid(policy: Policy, selector: Selector, rates: Iterable[_Rate]) -> Iterator[Outcome]:
    chosen = [rate for rate in rates if selector.selects(rate.cell, rate.group)]
    if not (selector.by or selector.group):
        # What nobody may say of anyone is looked for among all labels, be they few for some group.
        chosen = [rate for rate in chosen if rate.group == ALL] or chosen
    for rate in chosen:
        yield Outcome("forbid", _name(*rate.key), *_forbidden(rate.tally, policy))


def _forbidden(tally: Tally, policy: Policy) -> tuple[Kind, str]:
    """What is said, is said: one label is enough to fail, whatever the numbers."""
    if tally.yes:
        return "fail", f"said of {tally.yes} of {_labels(tally.total)}"
    if tally.total < policy.min_labels:
        return "insufficient", _too_few(tally.total, policy.min_labels)
    bound = upper_bound_of_none(tally.total, level=policy.level)
    return (
        "pass",
        f"said of none of {_labels(tally.total)} (true rate at most {bound:.3g}, {policy.level:.0%} sure)",
    )


def _max_rate(policy: Policy, limit: Limit, largest: float, rates: Iterable[_Rate]) -> Iterator[Outcome]:
    fewest = limit.min_labels or policy.min_labels
    for rate in rates:
        if limit.selects(rate.cell, rate.group):
            estimate = wilson(rate.tally.yes, rate.tally.total, level=policy.level)
            kind, reason = _against(estimate, 0.0, largest, "rate", fewest, rate.tally.total)
            yield Outcome(f"max_rate {largest:g}", _name(*rate.key), kind, reason)


def _max_difference(policy: Policy, limit: Limit, largest: float, cells: Iterable[Cell]) -> Iterator[Outcome]:
    fewest = limit.min_labels or policy.min_labels
    for cell in cells:
        if cell.against is not None and limit.selects(cell, cell.group, cell.against):
            estimate = risk_difference(cell.table, level=policy.level)
            labels = min(cell.table.labels, cell.table.other_labels)
            kind, reason = _against(estimate, -largest, largest, "risk difference", fewest, labels)
            subject = _name(cell.system, cell.category, cell.by, cell.group, cell.against)
            yield Outcome(f"max_abs_risk_difference {largest:g}", subject, kind, reason)


def _against(
    estimate: Estimate, low: float, high: float, what: str, fewest: int, labels: int
) -> tuple[Kind, str]:
    """Return the outcome of an interval that should lie between two values."""
    if labels < fewest:
        return "insufficient", _too_few(labels, fewest)
    shown = f"{what} {estimate.value:.4g} [{estimate.low:.4g}, {estimate.high:.4g}]"
    if estimate.within(low, high):
        return "pass", f"{shown} is within the limit"
    if estimate.low > high or estimate.high < low:
        return "fail", f"{shown} is beyond the limit"
    return "insufficient", f"{shown} holds the limit: more labels are needed"


def _labels(count: int) -> str:
    return f"{count} label" if count == 1 else f"{count} labels"


def _too_few(labels: int, fewest: int) -> str:
    return f"{_labels(labels)}, fewer than the {fewest} that the policy asks for"


def _compare(
    policy: Policy, baseline: Baseline, now: dict[RateKey, _Rate], then: dict[RateKey, _Rate]
) -> Iterator[Outcome]:
    """Compare each rate with the same rate in the baseline; a rate that only one of them has is open."""
    rule = f"allowed_change {baseline.allowed_change:g}"
    if not (now or then):
        yield Outcome(rule, "all cells", "insufficient", "neither the audit nor the baseline has any cells")
    alone: dict[str, str] = {}
    for key in now | then:
        if key in now and key in then:
            yield Outcome(rule, _name(*key), *_changed(policy, baseline, now[key].tally, then[key].tally))
        elif key in now:
            alone[_alone(key, then)] = "only in the audit"
        else:
            alone[_alone(key, now)] = "only in the baseline"
    for subject, reason in alone.items():
        yield Outcome(rule, subject, "insufficient", reason)


def _alone(key: RateKey, others: Iterable[RateKey]) -> str:
    """Name what others do not have: a whole system or group once, not each of its rates."""
    system, _, by, _ = key
    if all(other[0] != system for other in others):
        return system
    if all((other[0], other[2]) != (system, by) for other in others):
        return f"{system} / by {by}"
    return _name(*key)


def _changed(policy: Policy, baseline: Baseline, now: Tally, then: Tally) -> tuple[Kind, str]:
    if now == then and now.total >= policy.min_labels:
        return "pass", f"unchanged: {now.yes} of {_labels(now.total)}"
    estimate = risk_difference(Table(now.yes, now.total, then.yes, then.total), level=policy.level)
    allowed = baseline.allowed_change
    return _against(estimate, -allowed, allowed, "change", policy.min_labels, min(now.total, then.total))

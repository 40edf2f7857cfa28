"""The association between a category and a group: all statistics of a single 2x2 table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assess.measures.bias import tables
from assess.measures.bias.tables import UNDEFINED, CountTable, Estimate, risk_difference

# Fisher's noncentral hypergeometric distribution, in log space.
#
# Given the margins of a 2x2 table, the first cell x has the probability C(n,x) C(m,k-x) ψ^x / Σ, where ψ is
# the odds ratio. Only the range of x with non-negligible weight is computed: the weights are log-concave, so
# weights beyond a negligible one are negligible too. A table with a million labels is therefore as cheap as a
# small one.

# Weights below e^-45 of the largest weight cannot change a sum in double precision.
NEGLIGIBLE = 45.0
# Relative tolerance within which two tables count as equally probable, as in R's fisher.test.
TIE = 1e-7
# Relative precision of roots, and the longest step of the search in log odds.
PRECISION, LONGEST_STEP = 1e-13, 4.0
_MOST_STEPS = 100
# Any sum of probabilities below e^-800 is 0 in double precision.
UNDERFLOW = -800.0


@dataclass(frozen=True, slots=True)
class Margins:
    """The margins of a 2x2 table: labels of both groups, and labels with the category."""

    labels: int
    other_labels: int
    yes: int

    @classmethod
    def of(cls, table: CountTable) -> Margins:
        """Return the margins of a table."""
        return cls(table.labels, table.other_labels, table.carrying)

    @property
    def low(self) -> int:
        """The smallest possible first cell."""
        return max(0, self.yes - self.other_labels)

    @property
    def high(self) -> int:
        """The largest possible first cell."""
        return min(self.labels, self.yes)


@dataclass(frozen=True, slots=True)
class Weights:
    """Log weights of consecutive values of the first cell; the largest is 0."""

    values: NDArray[np.int64]
    logs: NDArray[np.float64]

    @property
    def log_total(self) -> float:
        """The logarithm of the sum of the weights."""
        return math.log(float(np.exp(self.logs).sum()))

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each value."""
        probabilities: NDArray[np.float64] = np.exp(self.logs - self.log_total)
        return probabilities

    def log_at(self, value: int) -> float:
        """The log weight of one value."""
        return float(self.logs[value - int(self.values[0])])


def fitted(margins: Margins, log_odds: float) -> float:
    """Return the real-valued first cell of the table with these margins and exactly this odds ratio."""
    odds = math.exp(log_odds)
    labels, others, yes = margins.labels, margins.other_labels, margins.yes
    linear = odds * (labels + yes) + others - yes
    # The discriminant of the quadratic, written as a sum of non-negative terms.
    middle = 2 * odds * (labels * others + yes * (labels + others - yes))
    root = math.sqrt((odds * (labels - yes)) ** 2 + middle + (others - yes) ** 2)
    # Two forms of the same root; each avoids cancellation where the other does not.
    if linear > 0:
        return 2 * odds * labels * yes / (linear + root)
    return (linear - root) / (2 * (odds - 1)) if odds != 1 else 0.0


def spread(margins: Margins, first: float) -> float:
    """Return the large-sample variance of the first cell: 1 / (1/a + 1/b + 1/c + 1/d)."""
    cells = (
        first,
        margins.labels - first,
        margins.yes - first,
        margins.other_labels - margins.yes + first,
    )
    return 1 / sum(1 / cell for cell in cells) if min(cells) > 0 else 0.0


def weights(
    margins: Margins, log_odds: float, *, including: int | None = None, depth: float = NEGLIGIBLE
) -> Weights:
    """Return the log weights around the mode, down to `depth` below the largest.

    With `including`, the range extends at least to that value.
    """
    centre = min(max(round(fitted(margins, log_odds)), margins.low), margins.high)
    first, last = (centre, centre) if including is None else sorted((centre, including))
    half = 20 + math.ceil(math.sqrt(2 * depth * spread(margins, fitted(margins, log_odds))))
    while True:
        stretch = _stretch(margins, log_odds, max(margins.low, first - half), min(margins.high, last + half))
        if _deep_enough(stretch, margins, depth):
            return stretch
        half *= 2


def _stretch(margins: Margins, log_odds: float, start: int, stop: int) -> Weights:
    """Return the log weights of the values from start to stop, as cumulative sums of log ratios."""
    values = np.arange(start, stop + 1, dtype=np.int64)
    before = values[:-1].astype(np.float64)
    up = (margins.labels - before) * (margins.yes - before)
    down = (before + 1) * (margins.other_labels - margins.yes + before + 1)
    logs = np.concatenate(([0.0], np.cumsum(np.log(up / down) + log_odds)))
    return Weights(values, logs - logs.max())


def _deep_enough(stretch: Weights, margins: Margins, depth: float) -> bool:
    left = stretch.values[0] == margins.low or stretch.logs[0] < -depth
    right = stretch.values[-1] == margins.high or stretch.logs[-1] < -depth
    return bool(left and right)


@dataclass(frozen=True, slots=True)
class ValueAndSlope:
    """The value and the slope of an increasing function of the log odds ratio at one point."""

    value: float
    slope: float


def excess(margins: Margins, log_odds: float, value: int) -> ValueAndSlope:
    """Return the mean of the first cell minus a value. Subtracting first preserves precision."""
    stretch = weights(margins, log_odds)
    beyond, probabilities = stretch.values - value, stretch.probabilities
    mean = float((probabilities * beyond).sum())
    return ValueAndSlope(mean, float((probabilities * (beyond - mean) ** 2).sum()))


def log_tail_from(margins: Margins, log_odds: float, value: int) -> ValueAndSlope:
    """Return the log probability that the first cell is `value` or more."""
    stretch = weights(margins, log_odds, including=value)
    beyond = stretch.values - value
    inside = beyond >= 0
    logs = stretch.logs[inside]
    tail = np.exp(logs - logs.max())
    total = float(tail.sum())
    # The mean in the tail minus the overall mean.
    slope = float((tail * beyond[inside]).sum()) / total - float((stretch.probabilities * beyond).sum())
    return ValueAndSlope(math.log(total) + float(logs.max()) - stretch.log_total, slope)


def log_probability(margins: Margins, log_odds: float, value: int) -> ValueAndSlope:
    """Return the log probability of one value of the first cell, which increases if the mean is smaller."""
    stretch = weights(margins, log_odds, including=value)
    slope = -float((stretch.probabilities * (stretch.values - value)).sum())
    return ValueAndSlope(stretch.log_at(value) - stretch.log_total, slope)


def log_chance(margins: Margins, value: int) -> float:
    """Return the log probability of one value with an odds ratio of 1, in closed form."""
    return (
        _log_choose(margins.labels, value)
        + _log_choose(margins.other_labels, margins.yes - value)
        - _log_choose(margins.labels + margins.other_labels, margins.yes)
    )


def _log_choose(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)


def log_two_sided_p(margins: Margins, value: int) -> float:
    """Return the log probability of all tables at most as probable as this one, for an odds ratio of 1.

    If it is too small for a float, the probability of this table alone is returned instead.
    """
    if (alone := log_chance(margins, value)) < UNDERFLOW:
        return alone
    here = weights(margins, 0.0, including=value).log_at(value)
    # The other tail counts too, where its weights are at most that of this table.
    stretch = weights(margins, 0.0, including=value, depth=NEGLIGIBLE - here)
    relative = stretch.logs - here
    sum_of_tails = math.log(float(np.exp(relative[relative <= TIE]).sum()))
    return min(0.0, sum_of_tails + here - stretch.log_total)


def solve(rising: Callable[[float], ValueAndSlope], *, start: float) -> float:
    """Return where an increasing function of the log odds ratio crosses 0.

    This is Newton's method with steps of at most `LONGEST_STEP`; a step that leaves the bracket of the root
    is replaced by a bisection.
    """
    at, low, high = start, -math.inf, math.inf
    for _ in range(_MOST_STEPS):
        here = rising(at)
        step = -here.value / here.slope if here.slope > 0 else math.copysign(math.inf, -here.value)
        if abs(step) <= PRECISION * max(1.0, abs(at)) or here.value == 0:
            break
        low, high = (at, high) if here.value < 0 else (low, at)
        at += max(-LONGEST_STEP, min(LONGEST_STEP, step))
        if not low < at < high and math.isfinite(low + high):
            at = (low + high) / 2
    return at


@dataclass(frozen=True, slots=True)
class Association:
    """The standard statistics of a cell. Rates are per label, never a share of modifiers.

    `odds_ratio` is the conditional maximum likelihood estimate with its exact interval; `haldane` is the
    estimate with ½ added to every cell, which is finite even with zero cells. `share` is the share of the
    category's labels that belong to the group; without association, it is close to `base_rate`.
    """

    table: CountTable
    rate: Estimate
    other_rate: Estimate
    risk_difference: Estimate
    odds_ratio: Estimate
    haldane: Estimate
    share: Estimate
    base_rate: float
    p: float
    smallest_p: float
    level: float = 0.95  # confidence level of the intervals


def associate(table: CountTable, *, level: float = 0.95) -> Association:
    """Return all statistics of one table."""
    return Association(
        table=table,
        rate=tables.wilson(table.yes, table.labels, level=level),
        other_rate=tables.wilson(table.other_yes, table.other_labels, level=level),
        risk_difference=risk_difference(table, level=level),
        odds_ratio=odds_ratio(table, level=level),
        haldane=haldane(table, level=level),
        share=tables.wilson(table.yes, table.carrying, level=level),
        base_rate=tables.ratio(table.labels, table.total),
        p=fisher_p(table),
        smallest_p=smallest_p(table),
        level=level,
    )


def odds_ratio(table: CountTable, *, level: float = 0.95) -> Estimate:
    """Return the conditional maximum likelihood odds ratio with its exact interval (Cornfield 1956).

    A zero cell gives 0 or infinity with one finite bound: that is the strongest finding, not a missing one.
    If the margins allow only one table, the odds ratio is undefined.
    """
    tables.check_level(level)
    margins, tail = Margins.of(table), (1 - level) / 2
    if margins.low == margins.high:
        return UNDEFINED
    # Only finite bounds are searched for.
    at_low, at_high = table.yes == margins.low, table.yes == margins.high
    return Estimate(
        _most_likely(table) if not (at_low or at_high) else (0.0 if at_low else math.inf),
        0.0 if at_low else _lower_bound(table, tail),
        math.inf if at_high else 1 / _lower_bound(table.swapped, tail),
    )


def _most_likely(table: CountTable) -> float:
    """Return the odds ratio for which the expected first cell equals the observed one."""
    margins = Margins.of(table)
    return math.exp(solve(lambda at: excess(margins, at, table.yes), start=_log_haldane(table)))


def _lower_bound(table: CountTable, tail: float) -> float:
    """Return the odds ratio for which a first cell of this size or larger has this probability."""
    margins, log_tail = Margins.of(table), math.log(tail)

    def rising(log_odds: float) -> ValueAndSlope:
        found = log_tail_from(margins, log_odds, table.yes)
        return ValueAndSlope(found.value - log_tail, found.slope)

    return math.exp(solve(rising, start=_log_haldane(table)))


def haldane(table: CountTable, *, level: float = 0.95) -> Estimate:
    """Return the odds ratio with ½ added to every cell, and its Woolf interval (Haldane 1956)."""
    z = tables.normal_quantile(level)
    if not table.comparable:
        return UNDEFINED
    log_odds = _log_haldane(table)
    half = z * math.sqrt(sum(1 / (cell + 0.5) for cell in table.cells))
    return Estimate(math.exp(log_odds), math.exp(log_odds - half), math.exp(log_odds + half))


def _log_haldane(table: CountTable) -> float:
    yes, no, other_yes, other_no = (math.log(cell + 0.5) for cell in table.cells)
    return yes - no - other_yes + other_no


def fisher_p(table: CountTable) -> float:
    """Return the two-sided p of Fisher's exact test; undefined if a group has no labels."""
    return math.exp(log_fisher_p(table))


def log_fisher_p(table: CountTable) -> float:
    """Return the logarithm of that p, which is still meaningful if p underflows."""
    if not table.comparable:
        return math.nan
    return log_two_sided_p(Margins.of(table), table.yes)


def smallest_p(table: CountTable) -> float:
    """Return the smallest p that any table with these margins could have.

    If it is above the threshold, no distribution of the category's labels would be significant.
    """
    margins = Margins.of(table)
    if not table.comparable:
        return math.nan
    if margins.low == margins.high:
        return 1.0
    rarer, other = sorted(log_chance(margins, end) for end in (margins.low, margins.high))
    # Equally extreme tables are summed; if no others exist, rounding can lift the sum above 1.
    return min(1.0, math.exp(rarer) * (2 if other - rarer <= TIE else 1))

"""How strongly a category goes with a group: everything that is said about one 2x2 table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assess.audit import hypergeometric
from assess.audit.hypergeometric import TIE, Margins, Rising
from assess.audit.intervals import UNDEFINED, Estimate, check_level, normal_quantile, risk_difference, wilson
from assess.audit.tables import Table, ratio


@dataclass(frozen=True, slots=True)
class Association:
    """The default view of a cell. Rates are per label, never a share of modifiers.

    `odds_ratio` is the conditional maximum likelihood estimate with its exact interval, `haldane` the
    estimate with ½ added to every cell, which is finite for zero cells. `share` is the share of the
    category's labels that the group holds; without association it is near `base_rate`.
    """

    table: Table
    rate: Estimate
    other_rate: Estimate
    risk_difference: Estimate
    odds_ratio: Estimate
    haldane: Estimate
    share: Estimate
    base_rate: float
    p: float
    smallest_p: float


def associate(table: Table, *, level: float = 0.95) -> Association:
    """Return all that we say about one table."""
    return Association(
        table=table,
        rate=wilson(table.yes, table.labels, level=level),
        other_rate=wilson(table.other_yes, table.other_labels, level=level),
        risk_difference=risk_difference(table, level=level),
        odds_ratio=odds_ratio(table, level=level),
        haldane=haldane(table, level=level),
        share=share(table, level=level),
        base_rate=base_rate(table),
        p=fisher_p(table),
        smallest_p=smallest_p(table),
    )


def sample_odds_ratio(table: Table) -> float:
    """Return the cross-product ratio ad/bc: infinite where only bc is 0, undefined where both are."""
    yes, no, other_yes, other_no = table.cells
    return ratio(yes * other_no, no * other_yes)


def odds_ratio(table: Table, *, level: float = 0.95) -> Estimate:
    """Return the conditional maximum likelihood odds ratio with its exact interval (Cornfield 1956).

    A zero cell gives 0 or infinity with one finite bound: it is the strongest finding, not a missing one.
    Where the margins allow one table only, the odds ratio is undefined.
    """
    check_level(level)
    margins, tail = Margins.of(table), (1 - level) / 2
    if margins.low == margins.high:
        return UNDEFINED
    # Only a bound that exists is searched for.
    at_low, at_high = table.yes == margins.low, table.yes == margins.high
    return Estimate(
        _most_likely(table) if not (at_low or at_high) else (0.0 if at_low else math.inf),
        0.0 if at_low else _lower_bound(table, tail),
        math.inf if at_high else 1 / _lower_bound(table.swapped, tail),
    )


def _most_likely(table: Table) -> float:
    """Return the odds ratio under which the expected first cell is the observed one."""
    margins = Margins.of(table)
    return math.exp(
        hypergeometric.solve(
            lambda log_odds: hypergeometric.excess(margins, log_odds, table.yes),
            start=_log_haldane(table),
        )
    )


def _lower_bound(table: Table, tail: float) -> float:
    """Return the odds ratio under which so large a first cell, or a larger one, has this probability."""
    margins, log_tail = Margins.of(table), math.log(tail)

    def rising(log_odds: float) -> Rising:
        found = hypergeometric.log_tail_from(margins, log_odds, table.yes)
        return Rising(found.value - log_tail, found.slope)

    return math.exp(hypergeometric.solve(rising, start=_log_haldane(table)))


def haldane(table: Table, *, level: float = 0.95) -> Estimate:
    """Return the odds ratio with ½ added to every cell, and its Woolf interval (Haldane 1956)."""
    z = normal_quantile(level)
    if not table.comparable:
        return UNDEFINED
    log_odds = _log_haldane(table)
    half = z * math.sqrt(sum(1 / (cell + 0.5) for cell in table.cells))
    return Estimate(math.exp(log_odds), math.exp(log_odds - half), math.exp(log_odds + half))


def _log_haldane(table: Table) -> float:
    yes, no, other_yes, other_no = (math.log(cell + 0.5) for cell in table.cells)
    return yes - no - other_yes + other_no


def share(table: Table, *, level: float = 0.95) -> Estimate:
    """Return the share of the category's labels that belong to the group, with its Wilson interval."""
    return wilson(table.yes, table.yes + table.other_yes, level=level)


def base_rate(table: Table) -> float:
    """Return the share of all labels that belong to the group."""
    return ratio(table.labels, table.total)


def fisher_p(table: Table) -> float:
    """Return the two-sided p of Fisher's exact test; undefined where a group has no labels."""
    if not table.comparable:
        return math.nan
    return hypergeometric.two_sided_p(Margins.of(table), table.yes)


def smallest_p(table: Table) -> float:
    """Return the smallest p that any table with these margins could reach.

    Where it is above the threshold, no split of the category's labels would be a finding.
    """
    margins = Margins.of(table)
    if not table.comparable:
        return math.nan
    if margins.low == margins.high:
        return 1.0
    ends = (hypergeometric.log_chance(margins, end) for end in (margins.low, margins.high))
    return _smallest(*ends)


def smallest_p_at(base_rate: float, yes: int) -> float:
    """Return the smallest p that `yes` labels can reach where a group holds this share of many labels."""
    if not 0 < base_rate < 1 or not yes:
        return 1.0
    return _smallest(yes * math.log(base_rate), yes * math.log1p(-base_rate))


def _smallest(one_end: float, other_end: float) -> float:
    """Return the p of the rarer of two log probabilities; equally rare ones count together."""
    tied = abs(one_end - other_end) <= TIE
    # Where these two are all there is, rounding may carry their sum beyond 1.
    return min(1.0, math.exp(min(one_end, other_end)) * (2 if tied else 1))

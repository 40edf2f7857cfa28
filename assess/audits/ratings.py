"""Results of rated sheets: precision by category, corrected rates, and agreement between raters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from assess.audits.sheet import Ratings, SheetKey
from assess.errors import UsageError, some
from assess.measures.bias.tables import (
    UNDEFINED,
    Estimate,
    EstimateField,
    Tally,
    check_level,
    normal_quantile,
    ratio,
    wilson,
)
from assess.measures.measure import Model, Number
from assess.report.section import Table, number_columns, row_of, text_columns
from assess.report.terminal import terminal_table
from assess.report.text import count, interval, listed, percent, plain, rate


class CategoryScore(Model):
    """How reliably the tool detects a category."""

    category: str
    confirmed: int  # number of rated labels with the category that the tool gave it to
    rated: int
    precision: EstimateField  # share with the category, of the labels that the tool gave it to
    missed: EstimateField  # share with the category, of the labels that the tool did not give it to
    more_to_rate: int  # number of further ratings for the requested precision


class CorrectedRate(Model):
    """A rate as counted, and the rate corrected by the ratings."""

    category: str
    group: str
    yes: int
    labels: int
    rate: Number
    confirmed: tuple[int, int]  # number confirmed, and number rated
    missed: tuple[int, int]
    corrected: EstimateField


class Agreement(Model):
    """Two raters of the same rows."""

    rows: int
    kappa: EstimateField
    counts: tuple[tuple[int, int], tuple[int, int]]  # first rater's yes/no by second rater's yes/no
    disagreed: tuple[str, ...]  # ids of rows for the raters to discuss


class Score(Model):
    """All results of one or two rated sheets."""

    sheet: str
    by: str | None
    rows: int
    rated: int
    categories: tuple[CategoryScore, ...]
    rates: tuple[CorrectedRate, ...]
    agreement: Agreement | None


def score(
    key: SheetKey,
    ratings: Ratings,
    second: Ratings | None = None,
    *,
    half_width: float = 0.05,
    level: float = 0.95,
) -> Score:
    """Score a rated sheet. Rates use the first rater's answers; the second rater is used for agreement."""
    tallies = _tallies(key, ratings)
    categories = list(dict.fromkeys(stratum.category for stratum in key.strata))
    return Score(
        sheet=key.sheet,
        by=key.by,
        rows=len(key.rows),
        rated=len(ratings),
        categories=tuple(_category(name, key, tallies, half_width, level) for name in categories),
        rates=tuple(
            _corrected(category, value, key, tallies, level)
            for category in categories
            for value in dict.fromkeys(s.value for s in key.strata if s.category == category)
        ),
        agreement=_agreement(ratings, second, level) if second is not None else None,
    )


def _tallies(key: SheetKey, ratings: Ratings) -> list[Tally]:
    """Return, for each stratum, how many of the rated labels have the category."""
    yes, total = [0] * len(key.strata), [0] * len(key.strata)
    for row, has in ratings.items():
        total[key.rows[row]] += 1
        yes[key.rows[row]] += has
    return [Tally(*counts) for counts in zip(yes, total, strict=True)]


def _category(
    name: str, key: SheetKey, tallies: Sequence[Tally], half_width: float, level: float
) -> CategoryScore:
    given, not_given = (
        [
            (stratum.population, tally)
            for stratum, tally in zip(key.strata, tallies, strict=True)
            if stratum.category == name and stratum.said is said
        ]
        for said in (True, False)
    )
    rated = Tally(sum(tally.yes for _, tally in given), sum(tally.total for _, tally in given))
    return CategoryScore(
        category=name,
        confirmed=rated.yes,
        rated=rated.total,
        precision=weighted_rate(given, level=level),
        missed=weighted_rate(not_given, level=level),
        more_to_rate=more_to_rate(rated, half_width=half_width, level=level),
    )


def _corrected(
    category: str, value: str, key: SheetKey, tallies: Sequence[Tally], level: float
) -> CorrectedRate:
    said = {True: (0, Tally(0, 0)), False: (0, Tally(0, 0))}
    for stratum, tally in zip(key.strata, tallies, strict=True):
        if (stratum.category, stratum.value) == (category, value):
            said[stratum.said] = stratum.population, tally
    (given, confirmed), (not_given, missed) = said[True], said[False]
    apparent = Tally(given, given + not_given)
    if given and not_given:
        corrected = corrected_by_strata(apparent, confirmed=confirmed, missed=missed, level=level)
    else:
        # The tool gave the same answer for all labels, so the ratings are a sample of all labels.
        rated = confirmed if given else missed
        corrected = wilson(rated.yes, rated.total, level=level)
    return CorrectedRate(
        category=category,
        group=value,
        yes=apparent.yes,
        labels=apparent.total,
        rate=apparent.rate,
        confirmed=(confirmed.yes, confirmed.total),
        missed=(missed.yes, missed.total),
        corrected=corrected,
    )


def _agreement(first: Ratings, second: Ratings, level: float) -> Agreement:
    both = sorted(first.keys() & second.keys())
    counts = [[0, 0], [0, 0]]
    for row in both:
        counts[not first[row]][not second[row]] += 1
    return Agreement(
        rows=len(both),
        kappa=kappa(counts, level=level) if both else UNDEFINED,
        counts=((counts[0][0], counts[0][1]), (counts[1][0], counts[1][1])),
        disagreed=tuple(row for row in both if first[row] != second[row]),
    )


# Scores in the terminal.


def score_report(score: Score, *, half_width: float, width: int) -> Iterator[RenderableType]:
    """Yield precision, corrected rates and agreement."""
    left = score.rows - score.rated
    yield Group(
        Text("What the raters say", style="bold"),
        Text(f"{count(score.rated)} of {some(score.rows, 'row')} rated; {count(left)} empty or unclear."),
        *_agreement_lines(score.agreement),
    )
    yield from terminal_table(_category_table(score, half_width), width=width)
    yield from terminal_table(_rate_table(score), width=width)


def _agreement_lines(agreement: Agreement | None) -> Iterator[Text]:
    if agreement is None:
        return
    kappa = interval(agreement.kappa, rate)
    yield Text(f"Two raters on {some(agreement.rows, 'row')}: Cohen's kappa {kappa}.")
    if agreement.disagreed:
        named = listed(agreement.disagreed, 8)
        yield plain(f"They differ on {some(len(agreement.disagreed), 'row')}: {named}", 400)


def _category_table(score: Score, half_width: float) -> Table:
    notes = (
        "right: precision, the share of labels with the category that raters confirmed. missed:"
        " the share of labels without the category that have it according to the raters. Weighted"
        " by stratum.",
        f"more: number of further ratings for an interval of ±{half_width * 100:g} points at this share.",
    )
    columns = (*text_columns("category"), *number_columns("rated", "right (95%)", "missed (95%)", "more"))
    rows = tuple(
        row_of(
            item.category,
            count(item.rated),
            interval(item.precision, percent),
            interval(item.missed, percent),
            count(item.more_to_rate),
        )
        for item in score.categories
    )
    return Table("precision", "Precision by category", columns, rows, notes)


def _rate_table(score: Score) -> Table:
    note = "Rate per label as counted, and corrected for precision and misses by stratum."
    columns = (*text_columns("category", "of"), *number_columns("labels", "counted", "corrected (95%)"))
    rows = tuple(
        row_of(
            item.category,
            item.group,
            count(item.labels),
            percent(item.rate),
            interval(item.corrected, percent),
        )
        for item in score.rates
    )
    return Table("corrected", "Corrected rates", columns, rows, (note,))


# Corrected rates, agreement, and the number of further ratings.


def corrected_by_strata(apparent: Tally, *, confirmed: Tally, missed: Tally, level: float = 0.95) -> Estimate:
    """Return the corrected rate from ratings that were sampled by the tool's answer: p·PPV + (1-p)·missed.

    `confirmed` counts the rated labels to which the tool gave the category, and how many of them have it
    (precision). `missed` does the same for the other rated labels. The interval combines the Wilson intervals
    of the three rates (MOVER; Zou & Donner 2008).
    """
    rate, hit, miss = (wilson(tally.yes, tally.total, level=level) for tally in (apparent, confirmed, missed))
    value = rate.value * hit.value + (1 - rate.value) * miss.value
    return _combined(value, [(hit.value - miss.value, rate), (rate.value, hit), (1 - rate.value, miss)])


def weighted_rate(strata: Sequence[tuple[int, Tally]], *, level: float = 0.95) -> Estimate:
    """Return the rate over strata of known sizes, from a sample of each stratum.

    The interval combines the Wilson intervals of the strata (see above). It is undefined if a stratum has
    labels but none of them was rated.
    """
    total = sum(population for population, _ in strata)
    if not total:
        return UNDEFINED
    parts = [
        (population / total, wilson(tally.yes, tally.total, level=level)) for population, tally in strata
    ]
    return _combined(math.fsum(weight * rate.value for weight, rate in parts), parts)


def _combined(value: float, parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """Return a weighted sum of independent rates, with an interval that combines theirs (MOVER).

    The distances from the value to both ends follow from those of the rates; a negative weight swaps the two
    ends.
    """
    if math.isnan(value):
        return UNDEFINED
    downs, ups = [], []
    for weight, part in parts:
        down, up = part.value - part.low, part.high - part.value
        downs.append(weight * (down if weight >= 0 else up))
        ups.append(weight * (up if weight >= 0 else down))
    return Estimate(value, max(0.0, value - math.hypot(*downs)), min(1.0, value + math.hypot(*ups)))


def kappa(counts: Sequence[Sequence[int]], *, level: float = 0.95) -> Estimate:
    """Return the agreement of two raters beyond chance (Cohen 1960).

    `counts[i][j]` is how often one answered i and the other j. The interval is the large-sample interval of
    Fleiss, Cohen & Everitt (1969). Kappa is undefined if both raters always gave the same single answer,
    since agreement is then certain by chance. If only one rater did, the value is 0 and has no interval.
    """
    check_level(level)
    if any(len(row) != len(counts) for row in counts) or any(min(row) < 0 for row in counts if row):
        raise UsageError("agreement needs a square table of counts, with one row and one column per answer")
    total = sum(map(sum, counts))
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    # Degenerate cases are detected with integers, which are not rounded.
    by_chance = sum(row * column for row, column in zip(rows, columns, strict=True))
    if by_chance == total * total:
        return UNDEFINED
    agreed = sum(row[place] for place, row in enumerate(counts))
    value = (agreed * total - by_chance) / (total * total - by_chance)
    if total in (*rows, *columns):
        return Estimate(value, math.nan, math.nan)
    half = normal_quantile(level) * math.sqrt(_kappa_variance(counts, value, by_chance / total**2))
    return Estimate(value, max(-1.0, value - half), min(1.0, value + half))


def _kappa_variance(counts: Sequence[Sequence[int]], value: float, chance: float) -> float:
    """Return the large-sample variance of kappa (Fleiss, Cohen & Everitt 1969)."""
    shares = np.asarray(counts, dtype=np.float64) / sum(map(sum, counts))
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    margins = columns[:, np.newaxis] + rows[np.newaxis, :]
    agreed = np.diag(shares)
    on = float((agreed * (1 - (rows + columns) * (1 - value)) ** 2).sum())
    off = float((shares * margins**2).sum() - (agreed * np.diag(margins) ** 2).sum())
    spread = on + (1 - value) ** 2 * off - (value - chance * (1 - value)) ** 2
    return max(0.0, spread) / sum(map(sum, counts)) / (1 - chance) ** 2


def more_to_rate(rated: Tally, *, half_width: float = 0.05, level: float = 0.95) -> int:
    """Return how many more ratings narrow the Wilson interval to ±`half_width`, if the rate stays the same.

    If nothing has been rated yet, the least favourable rate (one half) is assumed.
    """
    if not 0 < half_width < 1:
        raise UsageError(f"the half-width {half_width:g} is not between 0 and 1")
    rate = rated.rate if rated.total else 0.5
    z = normal_quantile(level)
    low, high = rated.total, max(1, rated.total)
    while _half_width(rate, high, z) > half_width:
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _half_width(rate, middle, z) <= half_width else (middle + 1, high)
    return high - rated.total


def _half_width(rate: float, total: int, z: float) -> float:
    """Return half the width of the Wilson interval at a rate, which may be fractional."""
    spread = ratio(rate * (1 - rate), total) + ratio(z * z / 4, total * total)
    return z * math.sqrt(spread) / (1 + ratio(z * z, total))

"""Contrasts by group: whom the captions speak of, and what they say of one value more than of another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from assess.audits.result import AuditResult
from assess.measures.bias import result
from assess.measures.bias.result import ContrastCell, Verdict
from assess.measures.bias.statistics import STATISTICS
from assess.measures.bias.tables import Estimate
from assess.report.html.parts import Number, anchor, captions_link, points, share_text
from assess.report.section import Cell, Column, Table, words
from assess.report.section import cell as number_cell
from assess.report.svg import Forest, Interval, difference_axis, logarithms, ratio_axis, shade, stack_chart
from assess.report.text import count, p_value, percent, signed, some

# A contrast within strata: the same comparison among labels that are alike in something else.

_CHANGES = {
    "stays": "The difference stays.",
    "reverses": "The difference turns around (Simpson’s paradox).",
    "vanishes": "The difference vanishes.",
    "emerges": "A difference emerges.",
    "none": "There is no clear difference, overall or within.",
}


@dataclass(frozen=True, slots=True)
class StratumRow:
    """One line: a stratum, all labels, or the strata pooled."""

    name: str
    counts: str
    ratio: str
    plot: Markup


@dataclass(frozen=True, slots=True)
class Strata:
    """A contrast split by something else that labels differ in."""

    name: str
    change: str
    telling: bool  # the split changes what one would say
    rows: tuple[StratumRow, ...]


def strata_of(stratified: Mapping[str, result.Strata], axis: Forest) -> tuple[Strata, ...]:
    """Return a contrast's splits, as they stand in a saved audit."""
    return tuple(
        Strata(
            name,
            _CHANGES.get(split.change, split.change),
            split.change in ("reverses", "vanishes", "emerges") or bool(split.opposed),
            tuple(_rows(split, axis)),
        )
        for name, split in stratified.items()
    )


def _rows(split: result.Strata, axis: Forest) -> Iterator[StratumRow]:
    yield _row("all labels", "", split.crude, axis)
    for name, stratum in split.strata.items():
        yield _row(name, _counts(stratum), stratum.odds_ratio, axis)
    if split.pooled is not None:
        yield _row("pooled", "Mantel-Haenszel", split.pooled, axis)
    else:
        told = f"not pooled: the strata differ (p = {split.breslow_day.p:.2g})"
        yield StratumRow("pooled", told, "–", Markup(""))


def _row(name: str, counts: str, estimate: Estimate, axis: Forest) -> StratumRow:
    bounds = (estimate.value, estimate.low, estimate.high)
    return StratumRow(name, counts, ratio_text(bounds), axis.row(logarithms(*bounds), verdict="stratum"))


def _counts(stratum: result.Counts) -> str:
    pairs = ((stratum.yes, stratum.labels), (stratum.other_yes, stratum.other_labels))
    return " against ".join(f"{count(yes)} of {count(labels)}" for yes, labels in pairs)


def ratio_text(bounds: Sequence[float]) -> str:
    """Return an odds ratio with its interval."""
    value, low, high = (_ratio(bound) for bound in bounds)
    return f"{value} ({low} to {high})" if value != "–" else value


def _ratio(value: float) -> str:
    return "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:.3g}"


# The rows of a forest plot: one category of one system, for two values of a group.

_WORDS = 6
_POINTS = signed(1, "−")


@dataclass(frozen=True, slots=True)
class Axes:
    """The two axes that all rows of a group share."""

    differences: Forest  # in percentage points
    ratios: Forest


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """One contrast, and what must be known before it is quoted."""

    system: str
    category: str
    pair: str
    plot: Markup
    rates: tuple[Number, Number]
    difference: Number
    q: Number
    verdict: str
    reason: str
    cautions: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    strata: tuple[Strata, ...]


def contrast_row(cell: ContrastCell, group: str, axes: Axes) -> ContrastRow:
    """Return a row from a cell of a saved audit."""
    interval = difference_of(cell)
    return ContrastRow(
        system=cell.system,
        category=cell.category,
        pair=f"{cell.group}, {cell.against}",
        plot=axes.differences.row(interval, verdict=cell.verdict),
        rates=(
            _rate(cell, group, cell.group, cell.yes, cell.rate),
            _rate(cell, group, cell.against, cell.other_yes, cell.other_rate),
        ),
        difference=Number(points(cell.risk_difference), interval.value),
        q=Number(p_value(cell.q), cell.q),
        verdict=cell.verdict,
        reason=cell.reason,
        cautions=tuple(caution.text for caution in cell.cautions),
        facts=tuple(_facts(cell)),
        strata=strata_of(cell.stratified or {}, axes.ratios),
    )


def difference_of(cell: ContrastCell) -> Interval:
    """Return a cell's risk difference in percentage points."""
    found = cell.risk_difference
    return Interval(found.value * 100, found.low * 100, found.high * 100)


def _rate(cell: ContrastCell, group: str, value: str, yes: int, rate: float) -> Number:
    category = f"{cell.role}.{cell.category}"
    href = captions_link(system=cell.system, category=category, by=(group, value))
    return Number(percent(rate), rate, href if yes else None)


def _facts(cell: ContrastCell) -> Iterator[tuple[str, str]]:
    for value, yes, labels in (
        (cell.group, cell.yes, cell.labels),
        (cell.against, cell.other_yes, cell.other_labels),
    ):
        yield value, f"{count(yes)} of {count(labels)} labels"
    yield "odds ratio", ratio_text((cell.odds_ratio.value, cell.odds_ratio.low, cell.odds_ratio.high))
    yield "p", f"{p_value(cell.p)} (smallest possible {p_value(cell.smallest_p)})"
    yield "over images", f"{points(cell.bootstrap.risk_difference)}, bootstrap"
    if cell.readings.yes[1] + cell.readings.other_yes[1] != (cell.yes + cell.other_yes):
        readings = cell.readings
        yield "all readings", f"{points(readings.risk_difference)}, verdict {readings.verdict}"
    if cell.amplification:
        yield from _beside(cell, cell.amplification)
    if cell.words.scores:
        yield "words", _words(cell.words.scores)
    for statistic in STATISTICS.values():
        if statistic.key in cell.extra:
            yield statistic.heading, statistic.text(cell.extra[statistic.key])


def _beside(cell: ContrastCell, found: result.Amplification) -> Iterator[tuple[str, str]]:
    """Yield the same contrast in human captions of the same images, one drawn for each."""
    rates = ", ".join(
        f"{value} {percent(side.reference_rate)}"
        for value, side in ((cell.group, found.group), (cell.against, found.against))
    )
    yield "references", f"{rates}; in {count(found.images)} images, one caption each"
    yield "more than they", f"{points(found.risk_difference_change)}, bootstrap"


def _words(scores: Sequence[result.WordScore]) -> str:
    return ", ".join(f"{item.word} {item.count}:{item.other_count}" for item in scores[:_WORDS])


_MANY_ROWS = 15
_MARGIN = "0.01,1.5"  # where an audit does not tell its own
VERDICTS: dict[Verdict, str] = {
    "disparity": "a difference beyond chance and beyond the margin",
    "none": "any difference is shown to be too small to matter",
    "insufficient": "too little evidence to say either",
}


@dataclass(frozen=True, slots=True)
class WhoRow:
    """How many labels of a system are about each value."""

    system: str
    cells: tuple[tuple[Number, str], ...]  # a count, and its share


@dataclass(frozen=True, slots=True)
class GroupPart:
    """All contrasts by one group."""

    name: str
    anchor: str
    note: str  # how the values are told
    values: tuple[tuple[str, str], ...]  # a value, and the class of its colour
    who: tuple[WhoRow, ...]
    who_chart: Markup
    sides: tuple[str, str]  # titles of the two rates
    axis: Markup
    ratio_axis: Markup
    rows: tuple[ContrastRow, ...]
    systems: tuple[str, ...]
    verdicts: tuple[tuple[str, int, bool], ...]  # a verdict, how many have it, whether they show at first
    pairs: tuple[str, ...]
    stratified: bool


def bias_parts(audit: AuditResult) -> list[GroupPart]:
    """Return the parts of the page about groups, one a group."""
    return [_group_part(audit, name) for name in audit.groups]


def _group_part(audit: AuditResult, name: str) -> GroupPart:
    part = audit.groups[name]
    cells = sorted(part.cells, key=by_verdict)
    values = list(part.columns)
    pairs = [tuple(pair) for pair in part.pairs]
    axes = _axes(audit, cells)
    first, second = pairs[0] if len(pairs) == 1 else ("the first", "the second")
    counts = {system: [labels.get(v, 0) for v in values] for system, labels in part.labels.items()}
    rows = tuple(contrast_row(cell, name, axes) for cell in cells)
    return GroupPart(
        name=name,
        anchor=anchor(name),
        note=_note(part, name),
        values=tuple((value, shade(place)) for place, value in enumerate(values)),
        who=tuple(_who(name, values, system, numbers) for system, numbers in counts.items()),
        who_chart=stack_chart(f"Labels by {name}", counts, values),
        sides=(first, second),
        axis=axes.differences.axis(f"more of {second}", f"more of {first}"),
        ratio_axis=axes.ratios.axis(f"more of {second}", f"more of {first}"),
        rows=rows,
        systems=tuple(system for system in audit.systems if any(row.system == system for row in rows)),
        verdicts=tuple(_verdicts(cells)),
        pairs=tuple(", ".join(pair) for pair in pairs),
        stratified=any(row.strata for row in rows),
    )


def _axes(audit: AuditResult, cells: Sequence[ContrastCell]) -> Axes:
    difference, ratio = str(audit.signature.settings.get("margin", _MARGIN)).split(",")
    intervals = [(difference_of(cell), cell.verdict) for cell in cells]
    return Axes(difference_axis(intervals, margin=float(difference) * 100), ratio_axis(float(ratio)))


def _note(part: result.GroupResult, name: str) -> str:
    if part.told_by == "images":
        return "As a file tells of each image, whatever the captions say."
    return f"By the captions’ words, which are not identities. Neutral: the noun tells no {name}."


def by_verdict(cell: ContrastCell) -> tuple[int, float, str, str]:
    """Sort contrasts: disparities first, then those without, then the open ones; the largest first."""
    size = abs(cell.risk_difference.value)
    place = list(VERDICTS).index(cell.verdict)
    return place, -size if math.isfinite(size) else 0.0, cell.system, cell.category


def _who(group: str, values: Sequence[str], system: str, numbers: Sequence[int]) -> WhoRow:
    total = sum(numbers)
    cells = (
        (
            Number(count(n), n, captions_link(system=system, by=(group, value)) if n else None),
            share_text(n, total),
        )
        for value, n in zip(values, numbers, strict=True)
    )
    return WhoRow(system, tuple(cells))


def _verdicts(cells: Sequence[ContrastCell]) -> Iterator[tuple[str, int, bool]]:
    """Yield the verdicts; the many without evidence are not shown at first where others are."""
    counts = Counter(cell.verdict for cell in cells)
    crowded = len(cells) > _MANY_ROWS and counts["insufficient"] < len(cells)
    for verdict in VERDICTS:
        yield verdict, counts[verdict], not (verdict == "insufficient" and crowded)


# Delicate categories that are said at all: what is protected, personal, offensive, or not to be seen.

_MARKED_WORDS = 6


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """One delicate category in all systems."""

    category: str
    sensitivity: str
    evidence: str
    cells: tuple[Number, ...]  # labels, by system
    words: tuple[tuple[str, int], ...]  # the commonest, in all systems


@dataclass(frozen=True, slots=True)
class Marked:
    """All delicate categories."""

    systems: tuple[str, ...]
    rows: tuple[MarkedRow, ...]


def marked_part(audit: AuditResult) -> Marked:
    """Return the delicate categories, where the audit has them."""
    rows = []
    for item in audit.markedness:
        words: Counter[str] = Counter()
        for found in item.words.values():
            words.update(found)
        commonest = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:_MARKED_WORDS]
        cells = tuple(_cell(item.category, name, item.labels.get(name, 0)) for name in audit.systems)
        row = MarkedRow(item.category, item.sensitivity, item.evidence, cells, tuple(commonest))
        if any(cell.sort for cell in cells):
            rows.append(row)
    return Marked(tuple(audit.systems), tuple(rows))


def _cell(category: str, system: str, labels: int) -> Number:
    if not labels:
        return Number("·", 0)
    return Number(count(labels), labels, captions_link(system=system, category=f"modifier.{category}"))


# The contrasts of a saved audit as tables, one a group.


def contrast_table(audit: AuditResult, group: str, *, everything: bool) -> Table:
    """Return the contrasts by one group, disparities first."""
    part = audit.groups[group]
    cells = sorted(part.cells, key=by_verdict)
    shown = [cell for cell in cells if everything or cell.verdict != "insufficient"]
    # With one pair of values its two rates stand under their names, as a reader of a paper expects.
    only = tuple(part.pairs[0]) if len(part.pairs) == 1 and not everything else None
    rows = tuple(tuple(_cells(cell, everything, named=only is None)) for cell in shown)
    notes = tuple(_notes(audit, cells))
    return Table(
        file_name(group),
        f"Contrasts by {group}",
        tuple(_columns(everything, only)),
        rows,
        notes,
        shown=frozenset({"csv"}) if everything else frozenset({"paper"}),
    )


def _columns(everything: bool, only: tuple[str, ...] | None) -> Iterator[Column]:
    yield Column("system", "system", words=True)
    yield Column("category", "category", words=True)
    if only is None:
        yield Column("group", "of", words=True)
        yield Column("against", "against", words=True)
    for prefix, name in zip(("", "other_"), only or ("rate", "other rate"), strict=True):
        if everything:
            yield Column(f"{prefix}yes", "with it")
            yield Column(f"{prefix}labels", "labels")
        yield Column(f"{prefix}rate", name)
    yield Column("difference", "points")
    yield Column("low", "from")
    yield Column("high", "to")
    yield Column("odds_ratio", "odds ratio")
    yield Column("q", "q")
    yield from (Column(each.key, each.heading) for each in STATISTICS.values())
    yield Column("verdict", "verdict", words=True)


def file_name(group: str) -> str:
    """Return what the files of a group are called; its name may come from a file of a stranger."""
    return "bias_" + anchor(group).removeprefix("by-").replace("-", "_").strip("_")


def _cells(cell: ContrastCell, everything: bool, *, named: bool) -> Iterator[Cell]:
    role = "" if cell.role == "modifier" else f"{cell.role}."
    yield words(cell.system)
    yield words(role + cell.category)
    if named:
        yield words(cell.group)
        yield words(cell.against)
    for yes, labels, rate in (
        (cell.yes, cell.labels, cell.rate),
        (cell.other_yes, cell.other_labels, cell.other_rate),
    ):
        if everything:
            yield number_cell(yes, count)
            yield number_cell(labels, count)
        yield number_cell(rate, percent)
    found = difference_of(cell)
    for value in (found.value, found.low, found.high):
        yield Cell(_POINTS(value), value)
    ratio = cell.odds_ratio.value
    yield Cell("–" if ratio != ratio else f"{ratio:.2f}" if ratio != float("inf") else "∞", ratio)
    yield Cell(p_value(cell.q), cell.q)
    for statistic in STATISTICS.values():
        found_value: Any = cell.extra.get(statistic.key)
        exact = found_value[0] if isinstance(found_value, tuple | list) else found_value
        yield Cell(statistic.text(found_value), math.nan if exact is None else exact)
    yield words(cell.verdict)


def _notes(audit: AuditResult, cells: Sequence[ContrastCell]) -> Iterator[str]:
    level = float(str(audit.signature.settings.get("level", 0.95)))
    yield (
        "Rates: labels that carry the category, of all labels about that value; their difference in"
        f" percentage points with its {level:.0%} interval; q: Benjamini–Hochberg"
    )
    counts = Counter(cell.verdict for cell in cells)
    told = "; ".join(f"{verdict} ({counts[verdict]}): {meaning}" for verdict, meaning in VERDICTS.items())
    yield f"{some(len(cells), 'contrast')}. {told}"

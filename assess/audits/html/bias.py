"""Contrasts by group: whom the captions speak of, and what they say of one value more than of another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from assess.audits.highlights import ValueWords, people_last, value_words
from assess.audits.result import AuditResult
from assess.errors import some
from assess.measures.bias.references import Amplification
from assess.measures.bias.result import ContrastCell, GroupResult, Texts, Uncorrected
from assess.measures.bias.statistics import STATISTICS
from assess.measures.bias.strata import Strata
from assess.measures.bias.tables import CountTable, Estimate
from assess.measures.bias.verdict import VERDICTS
from assess.measures.bias.words import WordScore
from assess.report.html.parts import Number, anchor, captions_link, share_text, words_link
from assess.report.svg import shade, stack_chart
from assess.report.svg_forest import Forest, difference_axis, logarithms, ratio_axis
from assess.report.text import count, p_value, percent, points

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
class StrataTable:
    """A contrast split by something else that labels differ in."""

    name: str
    change: str
    telling: bool  # the split changes what one would say
    rows: tuple[StratumRow, ...]


def strata_of(stratified: Mapping[str, Strata], axis: Forest) -> tuple[StrataTable, ...]:
    """Return a contrast's splits, as they are in a saved audit."""
    return tuple(
        StrataTable(
            name,
            _CHANGES.get(split.change, split.change),
            split.change in ("reverses", "vanishes", "emerges") or bool(split.opposed),
            tuple(_rows(split, axis)),
        )
        for name, split in stratified.items()
    )


def _rows(split: Strata, axis: Forest) -> Iterator[StratumRow]:
    yield _row("all labels", "", split.crude, axis)
    for name, stratum in split.strata.items():
        yield _row(name, _counts(stratum), stratum.odds_ratio, axis)
    if split.pooled is not None:
        yield _row("pooled", "Mantel-Haenszel", split.pooled, axis)
    else:
        told = f"not pooled: the strata differ (p = {split.breslow_day.p:.2g})"
        yield StratumRow("pooled", told, "–", Markup(""))


def _row(name: str, counts: str, estimate: Estimate, axis: Forest) -> StratumRow:
    return StratumRow(name, counts, ratio_text(estimate), axis.row(logarithms(estimate), verdict="stratum"))


def _counts(stratum: CountTable) -> str:
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
    strata: tuple[StrataTable, ...]
    words: str  # the address of the words behind it


def contrast_row(cell: ContrastCell, group: str, said: ValueWords, axes: Axes) -> ContrastRow:
    """Return a row from a cell of a saved audit."""
    interval = difference_of(cell)
    return ContrastRow(
        system=cell.system,
        category=cell.category,
        pair=", ".join(map(said, cell.pair)),
        plot=axes.differences.row(interval, verdict=cell.verdict, margin=cell.margin * 100),
        rates=(
            _rate(cell, group, cell.group, cell.yes, cell.rate),
            _rate(cell, group, cell.against, cell.other_yes, cell.other_rate),
        ),
        difference=Number(points(*cell.risk_difference), interval.value),
        q=Number(p_value(cell.q), cell.q),
        verdict=cell.verdict,
        reason=cell.reason,
        cautions=tuple(caution.text for caution in cell.cautions),
        facts=tuple(_facts(cell, said)),
        strata=strata_of(cell.stratified or {}, axes.ratios),
        words=words_link(cell.system, f"{cell.role}.{cell.category}"),
    )


def difference_of(cell: ContrastCell) -> Estimate:
    """Return a cell's risk difference in percentage points."""
    return Estimate(*(100 * bound for bound in cell.risk_difference))


def _rate(cell: ContrastCell, group: str, value: str, yes: int, rate: float) -> Number:
    category = f"{cell.role}.{cell.category}"
    href = captions_link(system=cell.system, category=category, by=(group, value))
    return Number(percent(rate), rate, href if yes else None)


def _facts(cell: ContrastCell, said: ValueWords) -> Iterator[tuple[str, str]]:
    for value, yes, labels in (
        (cell.group, cell.yes, cell.labels),
        (cell.against, cell.other_yes, cell.other_labels),
    ):
        yield said(value), f"{count(yes)} of {some(labels, 'label')}"
    yield from _evidence(cell)
    if cell.readings.yes[1] + cell.readings.other_yes[1] != (cell.yes + cell.other_yes):
        readings = cell.readings
        yield "all readings", f"{points(*readings.risk_difference)}, verdict {readings.verdict}"
    if cell.amplification:
        yield from _beside(cell, cell.amplification, said)
    if cell.words.scores:
        yield "words", _words(cell.words.scores)
    for value in cell.pair:
        if found := cell.words.more_of(value):
            yield f"words said more often about {said(value)}", ", ".join(found[:_WORDS])
    for statistic in STATISTICS.values():
        if statistic.key in cell.extra:
            yield statistic.heading, statistic.text(cell.extra[statistic.key])


def _evidence(cell: ContrastCell) -> Iterator[tuple[str, str]]:
    """Yield what the verdict rests on."""
    yield "odds ratio", ratio_text(cell.odds_ratio)
    yield "p", f"{p_value(cell.p)}, {_METHODS.get(cell.method, cell.method)}"
    yield "margin", f"±{cell.margin * 100:.2g} points at this base rate"
    if cell.texts is not None and cell.texts.distinct:
        yield "texts", texts_of(cell.texts)
    if cell.uncorrected is not None and cell.design_effect > 1:
        yield "as if independent", _independent(cell.uncorrected)


_METHODS = {
    "design-effect": "exact, corrected for several labels per image",
    "permutation": "groups shuffled among the images",
}


def texts_of(texts: Texts) -> str:
    """Return how many texts are behind a category, and how much the commonest is."""
    return f"{some(texts.distinct, 'different text')}; “{texts.commonest}” is {percent(texts.share, 0)}"


def _independent(found: Uncorrected) -> str:
    told = f"{points(*found.risk_difference)}, q {p_value(found.q)}"
    return f"{told}: not allowing for several labels per image"


def _beside(cell: ContrastCell, found: Amplification, said: ValueWords) -> Iterator[tuple[str, str]]:
    """Yield the same contrast in human captions of the same images, one drawn for each."""
    sides = [(said(cell.group), found.group), (said(cell.against), found.against)]
    rates = ", ".join(f"{value} {percent(side.reference_rate)}" for value, side in sides)
    yield "people", f"{rates}; all captions of {count(found.images)} images"
    change = f"{points(*found.risk_difference_change)}, q {p_value(found.q)}"
    yield "gap beside theirs", f"{found.verdict}: {change}"
    for value, side in sides:
        yield f"amplification, {value}", points(*side.interval)


def _words(scores: Sequence[WordScore]) -> str:
    return ", ".join(f"{item.word} {item.count}:{item.other_count}" for item in scores[:_WORDS])


_MANY_ROWS = 15


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
    who: tuple[WhoRow, ...]  # systems first
    apart: int  # the number of last rows that are references
    who_chart: Markup
    sides: tuple[str, str]  # titles of the two rates
    axis: Markup
    ratio_axis: Markup
    rows: tuple[ContrastRow, ...]
    systems: tuple[str, ...]
    people: frozenset[str]  # references: their contrasts are shown only when asked for
    verdicts: tuple[tuple[str, int, bool], ...]  # a verdict, how many have it, whether they show at first
    pairs: tuple[str, ...]
    stratified: bool


def bias_parts(audit: AuditResult) -> list[GroupPart]:
    """Return the parts of the page about groups, one for each."""
    return [_group_part(audit, name) for name in audit.groups]


def _group_part(audit: AuditResult, name: str) -> GroupPart:
    part, said = audit.groups[name], value_words(audit.domain, name)
    cells = sorted(part.cells, key=by_verdict)
    values = list(part.columns)
    pairs = [tuple(map(said, pair)) for pair in part.pairs]
    axes = _axes(cells)
    first, second = pairs[0] if len(pairs) == 1 else ("the first", "the second")
    order = [system for system in people_last(audit) if system in part.labels]
    counts = {system: [part.labels[system].get(value, 0) for value in values] for system in order}
    machines = [cell for cell in cells if cell.system in audit.machines]
    return GroupPart(
        name=name,
        anchor=anchor(name),
        note=_note(part, name),
        values=tuple((said(value), shade(place)) for place, value in enumerate(values)),
        who=tuple(_who(name, values, system, numbers) for system, numbers in counts.items()),
        apart=sum(system in audit.references for system in order),
        who_chart=stack_chart(f"Labels by {name}", counts, [said(value) for value in values]),
        sides=(first, second),
        axis=axes.differences.axis(f"more of {second}", f"more of {first}"),
        ratio_axis=axes.ratios.axis(f"more of {second}", f"more of {first}"),
        rows=tuple(contrast_row(cell, name, said, axes) for cell in cells),
        systems=tuple(system for system in order if any(cell.system == system for cell in cells)),
        people=audit.references,
        verdicts=tuple(_verdicts(machines)),
        pairs=tuple(", ".join(pair) for pair in pairs),
        stratified=any(cell.stratified for cell in cells),
    )


def _axes(cells: Sequence[ContrastCell]) -> Axes:
    intervals = [(difference_of(cell), cell.verdict) for cell in cells]
    return Axes(difference_axis(intervals), ratio_axis())


def _note(part: GroupResult, name: str) -> str:
    if part.told_by == "images":
        return "As a file says for each image, whatever the captions say."
    return f"By the captions’ words, which are not identities. Neutral: the noun does not state the {name}."


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
        cells = tuple(_cell(item.category, name, item.labels.get(name, 0)) for name in audit.systems)
        row = MarkedRow(
            item.category, item.sensitivity, item.evidence, cells, tuple(item.commonest[:_MARKED_WORDS])
        )
        if any(cell.sort for cell in cells):
            rows.append(row)
    return Marked(tuple(audit.systems), tuple(rows))


def _cell(category: str, system: str, labels: int) -> Number:
    if not labels:
        return Number("·", 0)
    return Number(count(labels), labels, captions_link(system=system, category=f"modifier.{category}"))

"""Contrasts by group: which values captions mention, and how their descriptions differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from assess.audits.highlights import ValueWords, by_verdict, difference_of, people_last, value_words
from assess.audits.result import AuditResult
from assess.errors import some
from assess.measures.bias.references import Amplification
from assess.measures.bias.result import ContrastCell, Texts, Uncorrected
from assess.measures.bias.statistics import STATISTICS
from assess.measures.bias.strata import Strata
from assess.measures.bias.tables import CountTable, Estimate
from assess.measures.bias.verdict import VERDICTS
from assess.measures.bias.words import WordScore
from assess.report.html.parts import anchor, captions_link, words_link
from assess.report.section import Cell
from assess.report.section import cell as number_cell
from assess.report.svg import RATIOS, Forest, difference_axis, logarithms, shade, stack_chart
from assess.report.text import count, interval, p_value, percent, points, share

# Stratified contrasts: the same comparison among labels that have something else in common.

_CHANGES = {
    "stays": "The difference stays.",
    "reverses": "The difference reverses (Simpson’s paradox).",
    "vanishes": "The difference is no longer significant.",
    "emerges": "A difference appears.",
    "none": "There is no clear difference, neither overall nor within strata.",
}


StratumRow = tuple[str, Markup, str, str]
"""A stratum, all labels, or the pooled strata: name, drawing, odds ratio and counts."""


@dataclass(frozen=True, slots=True)
class StrataTable:
    """A contrast stratified by another property of labels."""

    name: str
    change: str
    telling: bool  # whether the strata change the conclusion
    rows: tuple[StratumRow, ...]


def strata_of(stratified: Mapping[str, Strata]) -> tuple[StrataTable, ...]:
    """Return the stratifications of a contrast in a saved audit."""
    return tuple(
        StrataTable(
            name,
            _CHANGES.get(split.change, split.change),
            split.change in ("reverses", "vanishes", "emerges") or bool(split.opposed),
            tuple(_rows(split)),
        )
        for name, split in stratified.items()
    )


def _rows(split: Strata) -> Iterator[StratumRow]:
    yield _row("all labels", split.crude)
    for name, stratum in split.strata.items():
        yield _row(name, stratum.odds_ratio, _counts(stratum))
    if split.pooled is not None:
        yield _row("pooled", split.pooled, "Mantel-Haenszel")
    else:
        told = f"not pooled: the strata differ (p = {split.breslow_day.p:.2g})"
        yield "pooled", Markup(""), "–", told


def _row(name: str, estimate: Estimate, counts: str = "") -> StratumRow:
    return name, RATIOS.row(logarithms(estimate), verdict="stratum"), interval(estimate, _ratio), counts


def _counts(stratum: CountTable) -> str:
    pairs = ((stratum.yes, stratum.labels), (stratum.other_yes, stratum.other_labels))
    return " against ".join(f"{count(yes)} of {count(labels)}" for yes, labels in pairs)


def _ratio(value: float) -> str:
    return "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:.3g}"


# Rows of a forest plot: one category of one system, for two values of a group.

_WORDS = 6


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """A contrast, and the cautions for quoting it."""

    system: str
    category: str
    pair: str
    plot: Markup
    rates: tuple[Cell, Cell]
    difference: Cell
    q: Cell
    verdict: str
    reason: str
    cautions: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    strata: tuple[StrataTable, ...]
    words: str  # link to its words


def contrast_row(cell: ContrastCell, group: str, said: ValueWords, axis: Forest) -> ContrastRow:
    """Return the row of a cell in a saved audit."""
    difference = difference_of(cell)
    return ContrastRow(
        system=cell.system,
        category=cell.category,
        pair=", ".join(map(said, cell.pair)),
        plot=axis.row(difference, verdict=cell.verdict, margin=cell.margin * 100),
        rates=(
            _rate(cell, group, cell.group, cell.yes, cell.rate),
            _rate(cell, group, cell.against, cell.other_yes, cell.other_rate),
        ),
        difference=Cell(points(*cell.risk_difference), difference.value),
        q=number_cell(cell.q, p_value),
        verdict=cell.verdict,
        reason=cell.reason,
        cautions=tuple(caution.text for caution in cell.cautions),
        facts=tuple(_facts(cell, said)),
        strata=strata_of(cell.stratified or {}),
        words=words_link(cell.system, f"{cell.role}.{cell.category}"),
    )


def _rate(cell: ContrastCell, group: str, value: str, yes: int, rate: float) -> Cell:
    category = f"{cell.role}.{cell.category}"
    link = captions_link(system=cell.system, category=category, by=(group, value)) if yes else ""
    return number_cell(rate, percent, link=link)


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
    """Yield the evidence for the verdict."""
    yield "odds ratio", interval(cell.odds_ratio, _ratio)
    yield "p", f"{p_value(cell.p)}, {_METHODS.get(cell.method, cell.method)}"
    yield "margin", f"±{cell.margin * 100:.2g} points at this base rate"
    if cell.texts is not None and cell.texts.distinct:
        yield "texts", texts_of(cell.texts)
    if cell.uncorrected is not None and cell.design_effect > 1:
        yield "as if independent", _independent(cell.uncorrected)


_METHODS = {
    "design-effect": "exact, corrected for several labels per image",
    "permutation": "groups permuted among the images",
}


def texts_of(texts: Texts) -> str:
    """Return the number of distinct texts of a category, and the share of the most common one."""
    return f"{some(texts.distinct, 'different text')}; “{texts.commonest}” is {percent(texts.share, 0)}"


def _independent(found: Uncorrected) -> str:
    told = f"{points(*found.risk_difference)}, q {p_value(found.q)}"
    return f"{told}: not corrected for several labels per image"


def _beside(cell: ContrastCell, found: Amplification, said: ValueWords) -> Iterator[tuple[str, str]]:
    """Yield the same contrast in human captions of the same images, with one caption drawn per image."""
    sides = [(said(cell.group), found.group), (said(cell.against), found.against)]
    rates = ", ".join(f"{value} {percent(side.reference_rate)}" for value, side in sides)
    yield "people", f"{rates}; all captions of {count(found.images)} images"
    change = f"{points(*found.risk_difference_change)}, q {p_value(found.q)}"
    yield "gap compared with theirs", f"{found.verdict}: {change}"
    for value, side in sides:
        yield f"amplification, {value}", points(*side.interval)


def _words(scores: Sequence[WordScore]) -> str:
    return ", ".join(f"{item.word} {item.count}:{item.other_count}" for item in scores[:_WORDS])


_MANY_ROWS = 15


@dataclass(frozen=True, slots=True)
class GroupPart:
    """All contrasts by one group."""

    name: str
    anchor: str
    note: str  # how values are determined
    values: tuple[tuple[str, str], ...]  # values, with the CSS classes of their colours
    who: dict[str, list[Cell]]  # numbers of labels about each value, by system; references last
    apart: int  # number of last rows that are references
    who_chart: Markup
    sides: tuple[str, str]  # titles of the two rates
    axis: Markup
    ratio_axis: Markup
    rows: tuple[ContrastRow, ...]
    systems: tuple[str, ...]
    people: frozenset[str]  # references, whose contrasts are shown on request
    # verdict, number of contrasts, whether they are shown initially
    verdicts: tuple[tuple[str, int, bool], ...]
    pairs: tuple[str, ...]
    stratified: bool


def bias_parts(audit: AuditResult) -> list[GroupPart]:
    """Return the parts of the page about groups, one for each group."""
    return [_group_part(audit, name) for name in audit.groups]


def _group_part(audit: AuditResult, name: str) -> GroupPart:
    part, said = audit.groups[name], value_words(audit.domain, name)
    cells = sorted(part.cells, key=by_verdict)
    values = list(part.columns)
    pairs = [tuple(map(said, pair)) for pair in part.pairs]
    axis = difference_axis((difference_of(cell), cell.verdict) for cell in cells)
    first, second = pairs[0] if len(pairs) == 1 else ("the first", "the second")
    order = [system for system in people_last(audit) if system in part.labels]
    counts = {system: [part.labels[system].get(value, 0) for value in values] for system in order}
    machines = [cell for cell in cells if cell.system in audit.machines]
    return GroupPart(
        name=name,
        anchor=anchor(name),
        note=part.origin,
        values=tuple((said(value), shade(place)) for place, value in enumerate(values)),
        who={system: list(_who(name, system, values, numbers)) for system, numbers in counts.items()},
        apart=sum(system in audit.references for system in order),
        who_chart=stack_chart(f"Labels by {name}", counts, [said(value) for value in values]),
        sides=(first, second),
        axis=axis.axis(f"more of {second}", f"more of {first}"),
        ratio_axis=RATIOS.axis(f"more of {second}", f"more of {first}"),
        rows=tuple(contrast_row(cell, name, said, axis) for cell in cells),
        systems=tuple(system for system in order if any(cell.system == system for cell in cells)),
        people=audit.references,
        verdicts=tuple(_verdicts(machines)),
        pairs=tuple(", ".join(pair) for pair in pairs),
        stratified=any(cell.stratified for cell in cells),
    )


def _who(group: str, system: str, values: Sequence[str], numbers: Sequence[int]) -> Iterator[Cell]:
    for value, number in zip(values, numbers, strict=True):
        link = captions_link(system=system, by=(group, value)) if number else ""
        yield Cell(count(number), number, link=link, bounds=percent(share(number, sum(numbers)), 0))


def _verdicts(cells: Sequence[ContrastCell]) -> Iterator[tuple[str, int, bool]]:
    """Yield the verdicts. Insufficient ones are hidden initially if there are others."""
    counts = Counter(cell.verdict for cell in cells)
    crowded = len(cells) > _MANY_ROWS and counts["insufficient"] < len(cells)
    for verdict in VERDICTS:
        yield verdict, counts[verdict], not (verdict == "insufficient" and crowded)

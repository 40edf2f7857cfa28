"""Contrasts as tables, for papers, CSV, the page and the terminal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from assess.audits.highlights import CHANGED, beside_references, by_size, by_verdict, difference_of
from assess.audits.result import AuditResult
from assess.errors import some
from assess.measures.bias.references import GapVerdict
from assess.measures.bias.result import ContrastCell, CrossedEffect, GroupResult, PooledContrast
from assess.measures.bias.statistics import STATISTICS, ContrastStatistic
from assess.measures.bias.tables import UNDEFINED, Estimate
from assess.measures.bias.verdict import VERDICTS, Verdict
from assess.measures.interval_tables import ListColumn, number_column, text_column
from assess.report.html.parts import anchor
from assess.report.section import (
    CSV,
    EVERYWHERE,
    PAPER,
    Cell,
    Column,
    ForestChart,
    Section,
    Table,
    cell,
    number_columns,
    row_of,
    text_columns,
    words,
)
from assess.report.text import UNDEFINED as DASH
from assess.report.text import count, interval, p_value, percent, points, rate, signed

MOST_ROWS = 12  # in a terminal
_MOST_DRAWN = 40
_POINTS = signed(1)

# A mark, which does not depend on colour, and its style.
MARKS: dict[Verdict, tuple[str, str]] = {
    "disparity": ("▲", "bold red"),
    "reversal": ("↔", "bold magenta"),
    "small": ("≈", "cyan"),
    "none": ("=", "green"),
    "insufficient": ("?", "yellow"),
}

Item = TypeVar("Item")


def bias_section(audit: AuditResult, group: str) -> Section:
    """Return the contrasts of one group: those with a verdict for papers, and all for CSV files."""
    beside = beside_table(audit, group)
    parts = (
        contrast_table(audit, group, everything=False),
        contrast_table(audit, group, everything=True),
        *((beside,) if beside.rows else ()),
        *crossed_tables(audit, group, everything=False),
        *crossed_tables(audit, group, everything=True),
        *_contrasts(audit, group),
    )
    return Section(file_name(group), f"Contrasts by {group}", parts)


def _contrasts(audit: AuditResult, group: str) -> Iterator[ForestChart]:
    ordered = sorted(audit.groups[group].cells, key=by_verdict)
    unequal = [contrast for contrast in ordered if contrast.verdict == "disparity"]
    rows = []
    for contrast in unequal[:_MOST_DRAWN]:
        found = difference_of(contrast)
        name = f"{contrast.system}: {contrast.category} ({contrast.group} − {contrast.against})"
        rows.append((name, found.value, found.low, found.high))
    if rows:
        most = f": the {_MOST_DRAWN} largest" if len(unequal) > _MOST_DRAWN else ""
        title = f"Disparities by {group}{most}"
        yield ForestChart(file_name(group), title, "percentage points", rows)


def file_name(group: str) -> str:
    """Return the name of a group's files. The group's name may come from an untrusted file."""
    return "bias_" + anchor(group).removeprefix("by-").replace("-", "_").strip("_")


# Parts that accompany contrasts.


def starred(contrast: ContrastCell) -> str:
    """Return the name of a category, with a star if the contrast must be quoted with care."""
    return contrast.name + ("*" if contrast.cautions else "")


def verdict_meanings(shown: Sequence[ContrastCell]) -> list[str]:
    """Return the meanings of the marks that occur."""
    verdicts = {contrast.verdict for contrast in shown}
    return [f"{MARKS[name][0]} {name}: {text}" for name, text in VERDICTS.items() if name in verdicts]


def largest_bound(contrasts: Sequence[ContrastCell]) -> float:
    """Return the largest absolute bound of all intervals, for the scale."""
    bounds = [
        abs(bound)
        for contrast in contrasts
        for bound in (contrast.risk_difference.low, contrast.risk_difference.high)
        if math.isfinite(bound)
    ]
    return max(bounds, default=0.0) or 1.0


# Tables of single contrasts.


def contrast_table(audit: AuditResult, group: str, *, everything: bool) -> Table:
    """Return the contrasts of one group, disparities first: either all, or those with a verdict."""
    part = audit.groups[group]
    cells = sorted(part.cells, key=by_verdict)
    shown = [cell for cell in cells if everything or cell.verdict != "insufficient"]
    columns = list(_contrast_columns(part, everything))
    return Table(
        file_name(group),
        f"Contrasts by {group}",
        tuple(one.column for one in columns),
        tuple(tuple(one.cell(found) for one in columns) for found in shown),
        tuple(_notes(audit, cells)),
        shown=CSV if everything else PAPER,
    )


def _contrast_columns(group: GroupResult, everything: bool) -> Iterator[ListColumn]:
    """Yield the columns of contrasts."""
    yield text_column("system")
    yield ListColumn(Column("category", "category", words=True), lambda found: words(found.name))
    # With a single pair of values, the two rates are headed by the values, as is usual in papers.
    named = everything or len(group.pairs) != 1
    if named:
        yield text_column("group")
        yield text_column("against")
    first, second = ("rate", "other rate") if named else group.pairs[0]
    for prefix, heading in (("", first), ("other_", second)):
        if everything:
            yield number_column(f"{prefix}yes", "with it", count)
            yield number_column(f"{prefix}labels", "labels", count)
        yield number_column(f"{prefix}rate", heading, percent)
    for place, (end, heading) in enumerate((("", "points"), ("_low", "from"), ("_high", "to"))):
        yield ListColumn(Column(f"risk_difference{end}", heading), partial(_bound, place))
    yield ListColumn(Column("odds_ratio", "odds ratio"), lambda found: cell(found.odds_ratio.value, _ratio))
    yield number_column("q", "q", p_value)
    for statistic in STATISTICS.values():
        yield ListColumn(Column(statistic.key, statistic.heading), partial(statistic_cell, statistic))
    yield text_column("verdict")


def _bound(place: int, found: ContrastCell) -> Cell:
    return cell(found.risk_difference[place], lambda share: _POINTS(100 * share))


def _ratio(value: float) -> str:
    return "∞" if value == math.inf else rate(value)


def statistic_cell(statistic: ContrastStatistic, found: ContrastCell) -> Cell:
    """Return the result of a registered statistic for a contrast."""
    value: Any = found.extra.get(statistic.key)
    exact = value[0] if isinstance(value, tuple | list) else value
    return Cell(statistic.text(value), math.nan if exact is None else exact)


def _notes(audit: AuditResult, cells: Sequence[ContrastCell]) -> Iterator[str]:
    level = float(str(audit.signature.settings.get("level", 0.95)))
    yield (
        "Rates: share of the value's labels that have the category; points: difference in"
        f" percentage points with its {level:.0%} interval; q: Benjamini–Hochberg"
    )
    counts = Counter(cell.verdict for cell in cells)
    told = "; ".join(f"{verdict} ({counts[verdict]}): {meaning}" for verdict, meaning in VERDICTS.items())
    yield f"{contrasts_told(audit, cells)}. {told}"


def contrasts_told(audit: AuditResult, cells: Sequence[ContrastCell]) -> str:
    """Return how many contrasts a table is about; summaries leave those of people out."""
    people = sum(cell.system in audit.references for cell in cells)
    return some(len(cells), "contrast") + (f", {people} of them in the references" if people else "")


# Comparison with references, and crossed groups.


def beside_table(audit: AuditResult, group: str) -> Table:
    """Return how many gaps of each system are wider, narrower, the same or undecided versus references."""
    cells = [cell for cell in audit.groups[group].cells if cell.system not in audit.references]
    names: dict[GapVerdict, str] = {
        "wider": "wider",
        "narrower": "narrower",
        "same": "same",
        "insufficient": "open",
    }
    columns = (
        *text_columns("system"),
        *(Column(key, name) for key, name in names.items()),
        *(Column(f"{key}_in", f"{key} in", words=True, narrowed="folded") for key in CHANGED),
    )
    rows = tuple(
        (
            words(system),
            *(cell(len(verdicts[key]), count) for key in names),
            *(words(", ".join(cell.name for cell in verdicts[key])) for key in CHANGED),
        )
        for system, verdicts in beside_references(cells).items()
    )
    note = (
        "Number of contrasts whose gap is wider than in the references of the same images,"
        " narrower, or the same within the margin; open: not enough evidence. References are"
        " captions too, not the truth"
    )
    title = f"Gaps by {group} compared with the references"
    return Table(f"{file_name(group)}_beside", title, columns, rows, (note,))


def crossed_tables(audit: AuditResult, group: str, *, everything: bool) -> list[Table]:
    """Return tables of marginal and crossed effects, one for each group in the crossing.

    Unless `everything` is set, they show only categories with an overall difference or with unequal cells.
    """
    alpha = float(str(audit.signature.settings.get("alpha", 0.05)))
    by_group: dict[str, list[CrossedEffect]] = {}
    for effect in audit.groups[group].crossed:
        if everything or effect.q <= alpha or (effect.marginal.excludes(0.0) and len(effect.cells) > 1):
            by_group.setdefault(effect.by, []).append(effect)
    for effects in by_group.values():
        effects.sort(key=lambda effect: (not effect.q <= alpha, effect.system, effect.category))
    shown = CSV if everything else EVERYWHERE - CSV
    return [
        replace(_crossed_table(effects, alpha), name=f"{file_name(group)}_crossed_{by}", shown=shown)
        for by, effects in by_group.items()
    ]


def _crossed_table(effects: Sequence[CrossedEffect], alpha: float) -> Table:
    cells = list(dict.fromkeys(name for effect in effects for name in effect.cells))
    first, within = effects[0].by, effects[0].within
    columns = (
        *text_columns("system", "category"),
        Column("pair", "compared", words=True, narrowed="folded"),
        Column("marginal", "all"),
        *(Column(anchor(name).removeprefix("by-"), name, "within") for name in cells),
        Column("q", "q"),
    )
    note = (
        "Percentage points by which captions say it more often about the first value than about"
        " the second, over all labels and within each value of the other group; estimates from"
        " small cells are shrunk towards the mean of all cells. q: test of equal differences in"
        f" all cells (q ≤ {alpha:g}: they differ)"
    )
    rows = tuple(_crossed_row(effect, cells) for effect in effects)
    return Table("", f"{first} within {within}".capitalize(), columns, rows, (note,))


def _crossed_row(effect: CrossedEffect, cells: Sequence[str]) -> tuple[Cell, ...]:
    within = (effect.cells[name].shrunk if name in effect.cells else UNDEFINED for name in cells)
    return (
        *row_of(effect.system, effect.category, f"{effect.group}, {effect.against}"),
        *(_points_cell(estimate) for estimate in (effect.marginal, *within)),
        cell(effect.q, p_value),
    )


def _points_cell(estimate: Estimate) -> Cell:
    value, low, high = (100 * bound for bound in estimate)
    bounds = f"{_POINTS(low)} to {_POINTS(high)}" if value == value else ""
    return Cell(_POINTS(value), value, low, high, bounds)


# Tables of related contrasts.


def first_rows(
    found: Sequence[Item], everything: bool, most: int = MOST_ROWS
) -> tuple[Sequence[Item], list[str]]:
    """Return the rows to show, and a note about those that are omitted."""
    if everything or len(found) <= most:
        return found, []
    return found[:most], [f"{some(len(found) - most, 'more row')}: --all shows every row."]


def reference_table(systems: Sequence[ContrastCell], *, everything: bool = False) -> Table:
    """Return where systems' gaps are wider or narrower than the references' gaps, largest change first."""
    beside = beside_references(systems)
    found = [c for verdicts in beside.values() for verdict in CHANGED for c in verdicts[verdict]]
    found.sort(key=lambda c: -abs(c.amplification.risk_difference_change.value) if c.amplification else 0.0)
    shown, more = first_rows(found, everything)
    note = (
        f"{_images(found)} images, all references. here, there: percentage points by which"
        " captions say it more often about the first group than about the second, in the system"
        " and in the references; change: bootstrap over images; q: corrected over all categories"
        " of the system."
    )
    columns = (
        *text_columns("system", "category", "compared"),
        *number_columns("here", "there", "change (95%)", "q"),
        Column("gap", "gap", words=True),
    )
    title, rows = "Gaps that differ from those in the references", tuple(map(_reference_row, shown))
    return Table("gaps", title, columns, rows, (note, *more))


def _images(contrasts: Sequence[ContrastCell]) -> str:
    numbers = sorted({c.amplification.images for c in contrasts if c.amplification})
    return " to ".join(count(number) for number in dict.fromkeys((*numbers[:1], *numbers[-1:])))


def _reference_row(contrast: ContrastCell) -> tuple[Cell, ...]:
    referenced, pair = contrast.amplification, contrast.pair
    assert referenced is not None
    here, there = referenced.system.difference, referenced.reference.difference
    change = referenced.risk_difference_change
    if contrast.higher != contrast.group:
        pair, here, there, change = pair[::-1], -here, -there, swapped(change)
    return row_of(
        contrast.system,
        contrast.name,
        ", ".join(pair),
        points(here),
        points(there),
        points(*change),
        p_value(referenced.q),
        referenced.verdict,
    )


def swapped(difference: Estimate) -> Estimate:
    """Return a difference with the two sides swapped."""
    return Estimate(-difference.value, -difference.high, -difference.low)


def across_table(across: Sequence[PooledContrast], group: str, *, everything: bool = False) -> Table:
    """Return the contrasts that hold in several systems or differ between them."""
    found = [item for item in across if item.common.excludes(1.0)]
    found.sort(key=lambda item: (item.pooled is None, item.category))
    shown, more = first_rows(found, everything)
    note = (
        "Mantel-Haenszel odds ratio over systems; not pooled if they differ (Breslow-Day test);"
        f" {DASH} as p: undefined, because one of the two never has the category. Systems that"
        " describe the same images make the intervals too narrow."
    )
    columns = (
        *text_columns("category", "compared"),
        *number_columns("odds ratio (95%)", "differ, p"),
        Column("pooled", "", words=True),
    )
    rows = tuple(
        row_of(
            item.name,
            f"{item.group}, {item.against}",
            DASH if item.pooled is None else interval(item.common, rate),
            p_value(item.breslow_day.p),
            words("not pooled" if item.pooled is None else "", style="yellow"),
        )
        for item in shown
    )
    return Table("across", f"All systems together, by {group}", columns, rows, (note, *more))


def words_table(contrasts: Sequence[ContrastCell], *, everything: bool = False) -> Table:
    """Return the words behind the disparities, largest first, labelled as exploratory."""
    found = [c for c in contrasts if c.verdict == "disparity" and c.words.scores]
    shown, more = first_rows(sorted(found, key=by_size), everything)
    note = (
        "How often captions use each word for the first and the second group; ranked by log-odds"
        " with a Dirichlet prior. Use these words to explore; they are not findings."
    )
    rows = tuple(
        row_of(
            contrast.system,
            contrast.name,
            ", ".join(contrast.pair),
            ", ".join(f"{score.word} {score.count}:{score.other_count}" for score in contrast.words.scores),
        )
        for contrast in shown
    )
    columns = text_columns("system", "category", "compared", "words")
    return Table("words", "Words behind the differences (exploratory)", columns, rows, (note, *more))

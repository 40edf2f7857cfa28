"""The contrasts of an audit: as tables, one per group, and on one screen in sentences with bars."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from assess.audits.highlights import (
    ValueWords,
    beside_references,
    by_size,
    disparities_by_system,
    one_text,
    short_shares,
)
from assess.audits.html.bias import by_verdict, difference_of
from assess.audits.result import AuditResult
from assess.errors import some, visible
from assess.measures.bias.forest import MARKS, WIDE, axis, drawn, largest_bound, points
from assess.measures.bias.references import GapVerdict
from assess.measures.bias.result import ContrastCell, CrossedEffect
from assess.measures.bias.statistics import STATISTICS
from assess.measures.bias.tables import UNDEFINED, Estimate
from assess.measures.bias.verdict import BEYOND_CHANCE, VERDICTS
from assess.report.html.parts import anchor
from assess.report.section import CSV, EVERYWHERE, TERMINAL, Cell, Column, Table, words
from assess.report.section import cell as number_cell
from assess.report.terminal import (
    Aligned,
    aligned_rows,
    aligned_table,
    bullet,
    fitting,
    horizontal_bar,
    short_name,
)
from assess.report.text import count, p_value, percent, shortened, signed

_POINTS = signed(1, "−")


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
        yield Column("group", "group", words=True)
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


# GapVerdict references, and where groups are crossed.

CHANGED: tuple[GapVerdict, GapVerdict] = ("wider", "narrower")


def beside_table(audit: AuditResult, group: str) -> Table | None:
    """Return where the gaps of each system are wider than in the references, narrower, the same or open."""
    cells = [cell for cell in audit.groups[group].cells if cell.system not in audit.references]
    found = beside_references(cells)
    if not found:
        return None
    names: tuple[tuple[GapVerdict, str], ...] = (
        ("wider", "wider"),
        ("narrower", "narrower"),
        ("same", "same"),
        ("insufficient", "open"),
    )
    columns = [Column("system", "system", words=True), *(Column(key, name) for key, name in names)]
    columns += [Column(f"{key}_in", f"{key} in", words=True) for key in ("wider", "narrower")]
    rows = tuple(
        (
            words(system),
            *(number_cell(len(verdicts[key]), count) for key, _ in names),
            *(words(", ".join(cell.name for cell in verdicts[key])) for key in CHANGED),
        )
        for system, verdicts in found.items()
    )
    note = (
        "Contrasts whose difference is wider than in the references of the same images, narrower, the same"
        " within the margin, or open; references are other people's captions, not the truth"
    )
    title = f"Gaps by {group} compared with the references"
    shown = EVERYWHERE - TERMINAL
    return Table(f"{file_name(group)}_beside", title, tuple(columns), rows, (note,), shown=shown)


def crossed_tables(audit: AuditResult, group: str, *, everything: bool) -> list[Table]:
    """Return marginal and crossed effects side by side, a table per group of the crossing.

    A reader sees those that matter: a difference over all labels, or cells that do not share one.
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
    columns = [
        Column(key, name, words=True) for key, name in (("system", "system"), ("category", "category"))
    ]
    columns += [Column("pair", "compared", words=True), Column("marginal", "all")]
    columns += [Column(anchor(name).removeprefix("by-"), name, "within") for name in cells]
    columns += [Column("q", "q")]
    note = (
        "Points more of the first than of the second, over all labels and within each value of the other"
        " group; small cells are pulled towards the mean of all. q: whether the cells share one difference"
        f" (q ≤ {alpha:g}: they do not)"
    )
    rows = tuple(_crossed_row(effect, cells) for effect in effects)
    return Table("", f"{first} within {within}".capitalize(), tuple(columns), rows, (note,))


def _crossed_row(effect: CrossedEffect, cells: Sequence[str]) -> tuple[Cell, ...]:
    within = (effect.cells[name].shrunk if name in effect.cells else UNDEFINED for name in cells)
    return (
        *(words(text) for text in (effect.system, effect.category, f"{effect.group}, {effect.against}")),
        *(_points_cell(estimate) for estimate in (effect.marginal, *within)),
        Cell(p_value(effect.q), effect.q),
    )


def _points_cell(estimate: Estimate) -> Cell:
    value, low, high = (100 * bound for bound in estimate)
    bounds = f"{_POINTS(low)} to {_POINTS(high)}" if value == value else ""
    return Cell(_POINTS(value), value, low, high, bounds)


# On one screen: in sentences with bars, and the strongest ones with their intervals.

_MOST_SYSTEMS, _MOST_ROWS, _MOST_CONTRASTS = 3, 4, 6
_BAR, _PLOT, _INDENT = (8, 12), (15, 25), 3  # on a narrow terminal, and on a wide one
_CATEGORY, _VALUE = 28, 16
_GAP = "gap"  # the heading of what a gap is beside people's


@dataclass(frozen=True, slots=True)
class Gaps:
    """The contrasts of systems by one group, and how they are spoken of."""

    group: str
    contrasts: Sequence[ContrastCell]  # of systems, not of references
    said: ValueWords
    width: int

    def findings(self) -> Iterator[RenderableType]:
        """Yield, for each system with disparities, what it says of one value more than of the other."""
        differing = disparities_by_system(self.contrasts)
        for system in list(differing)[:_MOST_SYSTEMS]:
            yield self._heading(system, differing[system])
            shown = differing[system][:_MOST_ROWS]
            yield aligned_rows(fitting(self._rates(shown), self.width - _INDENT), indent=_INDENT)
        further = list(differing)[_MOST_SYSTEMS:]
        if further:
            yield bullet(f"Disparities by {self.group} also in {self._names(further)}")
        yield from self._without(differing)

    def forest(self) -> Iterator[RenderableType]:
        """Yield the strongest contrasts with their intervals, and what the signs mean, if there are any."""
        found = [contrast for contrast in self.contrasts if contrast.verdict in BEYOND_CHANCE]
        found.sort(key=lambda contrast: (list(MARKS).index(contrast.verdict), by_size(contrast)))
        if not found:
            return
        shown = found[:_MOST_CONTRASTS]
        columns = fitting(self._forest_columns(shown), self.width)
        strongest = f"the {len(shown)} strongest of {count(len(found))} beyond chance"
        pairs = {contrast.pair for contrast in shown}
        which = f", {self._difference(shown[0])}" if len(pairs) == 1 else ""
        title = f"Differences by {self.group}{which}" + (f": {strongest}" if len(found) > len(shown) else "")
        legend = Text("\n".join(_legend(shown, {column.heading for column in columns})), style="dim")
        yield Group(aligned_table(title, columns), legend)

    def _names(self, systems: Sequence[str]) -> str:
        shown = [short_name(system, self.width) for system in systems[:_MOST_ROWS]]
        more = len(systems) - _MOST_ROWS
        *first, last = [*shown, *([f"{count(more)} more"] if more > 0 else [])]
        return f"{', '.join(first)} and {last}" if first else last

    def _category(self, contrast: ContrastCell) -> str:
        return shortened(contrast.name, min(_CATEGORY, self.width // 3))

    def _value(self, value: str) -> str:
        return shortened(self.said(value), max(6, min(_VALUE, self.width // 8)))

    def _difference(self, contrast: ContrastCell) -> str:
        return f"{self._value(contrast.group)} minus {self._value(contrast.against)}"

    def _heading(self, system: str, contrasts: Sequence[ContrastCell]) -> RenderableType:
        pair = contrasts[0].pair
        # A value without a word of its own may be anything, so that no sentence can be made with it.
        spoken = all(contrast.pair == pair for contrast in contrasts) and self.said(pair[0]) != pair[0]
        who = " and ".join(map(self._value, pair))
        differs = f"describes {who} differently" if spoken else f"differs by {visible(self.group)}"
        more = len(contrasts) - _MOST_ROWS
        largest = f" (the {_MOST_ROWS} largest gaps of {count(len(contrasts))})" if more > 0 else ""
        named = Text(short_name(system, self.width), style="bold")
        style = MARKS["disparity"][1]
        return bullet(Text.assemble(named, " ", (differs, style), f". How often it mentions{largest}:"))

    def _rates(self, contrasts: Sequence[ContrastCell]) -> list[Aligned]:
        """Return a row per contrast: the category, both rates with their bars, and those of people."""
        names = [Text(self._category(contrast)) for contrast in contrasts]
        high = max(max(contrast.rate, contrast.other_rate) for contrast in contrasts)
        texts = [Text(one_text(contrast).strip(), style="yellow") for contrast in contrasts]
        return [
            Aligned("", names, right=False),
            *self._side([(c.group, c.rate, c.higher == c.group) for c in contrasts], high),
            *self._side([(c.against, c.other_rate, c.higher == c.against) for c in contrasts], high),
            Aligned("", [_peoples(contrast) for contrast in contrasts], rank=2, right=False),
            Aligned("", texts, rank=3, right=False),
        ]

    def _side(self, rates: Sequence[tuple[str, float, bool]], high: float) -> Iterator[Aligned]:
        values = [Text(self._value(value)) for value, _, _ in rates]
        style = MARKS["disparity"][1]
        length = _BAR[self.width >= WIDE]
        bars = [
            Text(horizontal_bar(rate, high, length), style=style if higher else "")
            for _, rate, higher in rates
        ]
        yield Aligned("", values, right=False)
        yield Aligned("", [Text(short_shares([rate])[0]) for _, rate, _ in rates])
        yield Aligned("", bars, rank=1, right=False)

    def _without(self, differing: dict[str, list[ContrastCell]]) -> Iterator[RenderableType]:
        """Yield which systems show no disparity, and how much the data cannot decide about them."""
        rest = [contrast for contrast in self.contrasts if contrast.system not in differing]
        if not rest:
            return
        names = list(dict.fromkeys(contrast.system for contrast in rest))
        undecided = sum(contrast.verdict == "insufficient" for contrast in rest)
        shows = "shows" if len(names) == 1 else "show"
        text = f"{self._names(names)} {shows} no disparity by {self.group}"
        yield bullet(f"{text}, but {_lacking(undecided, len(rest))}" if undecided else text)

    def _forest_columns(self, shown: Sequence[ContrastCell]) -> list[Aligned]:
        scale, plot = largest_bound(shown), _PLOT[self.width >= WIDE]
        plots = [
            Text(drawn(contrast.risk_difference, scale, plot), style=MARKS[contrast.verdict][1])
            for contrast in shown
        ]
        several = len({contrast.pair for contrast in shown}) > 1
        pairs = [Text(self._difference(contrast) if several else "") for contrast in shown]
        stars = ["*" if contrast.cautions else "" for contrast in shown]
        categories = [
            Text.assemble(MARKS[contrast.verdict], f" {self._category(contrast)}{star}")
            for contrast, star in zip(shown, stars, strict=True)
        ]
        return [
            Aligned("system", [Text(short_name(c.system, self.width)) for c in shown], right=False),
            Aligned("  category", categories, right=False),
            Aligned("difference", pairs, right=False),
            Aligned(axis(scale, plot), plots, rank=3, right=False),
            Aligned("points (95%)", [Text(points(contrast.risk_difference)) for contrast in shown], rank=1),
            Aligned("people", [_peoples_gap(contrast) for contrast in shown], rank=2),
            Aligned(_GAP, [_beside(contrast) for contrast in shown], rank=4, right=False),
        ]


def _lacking(undecided: int, contrasts: int) -> str:
    if contrasts == 1:
        return "the only contrast has too little evidence to tell"
    which = "all" if undecided == contrasts else f"{count(undecided)} of"
    return f"{which} {count(contrasts)} contrasts have too little evidence to tell"


def _peoples(contrast: ContrastCell) -> Text:
    """Return the rates of the same contrast in people's captions, for both values."""
    if contrast.amplification is None:
        return Text()
    people = contrast.amplification.reference
    rates = [people.yes / (people.labels or math.nan), people.other_yes / (people.other_labels or math.nan)]
    return Text(f"people {' and '.join(short_shares(rates))}", style="dim")


def _peoples_gap(contrast: ContrastCell) -> Text:
    if contrast.amplification is None:
        return Text()
    return Text(points(Estimate(contrast.amplification.reference.difference, math.nan, math.nan)))


def _beside(contrast: ContrastCell) -> Text:
    """Return whether the gap is wider or narrower than people's; nothing where that is not shown."""
    verdict = contrast.amplification.verdict if contrast.amplification else ""
    return Text(verdict if verdict in CHANGED else "", style="red" if verdict == "wider" else "")


def _legend(shown: Sequence[ContrastCell], headings: set[str]) -> Iterator[str]:
    """Yield what the signs mean that are in the table, and no others."""
    verdicts = {contrast.verdict for contrast in shown}
    yield "; ".join(
        f"{MARKS[verdict][0]} {verdict}: {text}" for verdict, text in VERDICTS.items() if verdict in verdicts
    )
    if "people" in headings:
        wider = f"; {_GAP}: wider or narrower than theirs, beyond chance" if _GAP in headings else ""
        yield f"people: the same difference in their captions of the same images{wider}"
    if any(contrast.cautions for contrast in shown):
        yield "* quote with care: the page and `assess bias` say why"

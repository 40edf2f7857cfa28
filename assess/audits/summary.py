"""The one-screen summary of an audit: main findings, systems compared with people, and omissions.

Systems come first; people, whose captions are the references, are what they are compared with. The full
report is printed by `assess audit --full` and shown on the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from assess.audits import highlights
from assess.audits.bias_sections import MARKS, largest_bound, verdict_meanings
from assess.audits.highlights import CHANGED, Omission, Relation, ValueWords, value_words
from assess.audits.result import AuditResult
from assess.audits.sections import further_sections
from assess.errors import some, visible
from assess.measures.bias.result import ContrastCell
from assess.measures.bias.verdict import BEYOND_CHANCE
from assess.measures.coverage.compute import SystemCoverage
from assess.report.section import Cell, Column, Table, row_of, tables_of, words
from assess.report.terminal import (
    bullet,
    fitted,
    horizontal_bar,
    interval_axis,
    interval_line,
    note_lines,
    short_name,
    terminal_table,
)
from assess.report.text import UNDEFINED, count, first_few, listed, percent, points, rate, share, shortened

WIDE = 100
PLOT = 15, 25  # width of a drawing in a narrow and in a wide terminal
LESS, MORE = "dark_orange3", "dark_cyan"  # readable on light and dark backgrounds; words say the same
_STYLES: dict[Relation, str] = {"less": LESS, "alike": "", "more": MORE}
_MOST_SYSTEMS = 4  # maximum that are described one by one
_MOST_NAMED, _MOST_SELDOM = 6, 3
_MOST_NOTES = 3
_SHORT, _BAR = 24, 10


def audit_screen(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the screen from top to bottom, including brief tables of registered sections."""
    yield findings(audit, width)
    yield from _systems(audit, width)
    yield from _left_out(audit, width)
    for group in audit.groups.values():
        said = value_words(audit.domain, group.name)
        yield from Gaps(group.name, _of_systems(audit, group.cells), said, width).forest()
    for table in tables_of(further_sections(audit), "terminal"):
        yield from terminal_table(table, width=width) if table.brief else ()
    yield from _closing(audit)


def summary_line(audit: AuditResult) -> Text:
    """Return the last line: the number of findings, and the amount of data."""
    cells = [cell for group in audit.groups.values() for cell in _of_systems(audit, group.cells)]
    found = sum(cell.verdict == "disparity" for cell in cells)
    reversals = sum(cell.verdict == "reversal" for cell in cells)
    style = "bold red" if found or reversals else "bold green"
    line = Text()
    if cells:
        told = some(found, "disparity")
        told += f" and {some(reversals, 'reversal')}" if reversals else ""
        line.append(f"{told} in {some(len(cells), 'contrast')}", style=style).append("; ")
    return line.append("; ".join(highlights.caption_counts(audit)))


def _of_systems(audit: AuditResult, cells: Iterable[ContrastCell]) -> list[ContrastCell]:
    return [cell for cell in cells if cell.system in audit.machines]


# Main findings.


def findings(audit: AuditResult, width: int, *, in_full: bool = False) -> RenderableType:
    """Return the main findings as sentences; in the full report, also comparisons with human captions."""
    parts: list[RenderableType] = [Text("What stands out", style="bold"), _how_much(audit, width)]
    lines: list[str] = []
    for group in audit.groups.values():
        found = _of_systems(audit, group.cells)
        parts += Gaps(group.name, found, value_words(audit.domain, group.name), width).findings()
        lines += highlights.warnings(found)
        if in_full:
            lines += highlights.cancelling(found)
            lines += highlights.reference_highlights(found, group.name)
            lines += highlights.stated_shares(group)
    lines += highlights.error_highlights(audit)
    lines += highlights.delicate_highlights(audit.markedness, list(audit.machines))
    return Group(*parts, *map(bullet, lines))


def _how_much(audit: AuditResult, width: int) -> RenderableType:
    """Return how much systems say: each compared with people, or the ones that say least and most."""
    people = highlights.peoples_rate(audit)
    known = {name: system for name, system in audit.machines.items() if system.labels}
    if math.isnan(people) or not known:
        return Group(*map(bullet, highlights.variety(audit.machines, len(highlights.modifier_keys(audit)))))
    chosen = sorted(known, key=lambda name: known[name].best.modifiers_per_label)
    left_out = len(chosen) - _MOST_SYSTEMS
    if left_out > 0:
        chosen = [*chosen[: _MOST_SYSTEMS // 2], *chosen[-_MOST_SYSTEMS // 2 :]]
    lines = [
        _against_people(short_name(name, width), known[name].best.modifiers_per_label, people)
        for name in chosen
    ]
    if left_out > 0:
        lines.append(Text(f"{some(left_out, 'more system')} in between"))
    return Group(*map(bullet, lines))


def _against_people(name: str, here: float, people: float) -> Text:
    how = highlights.relation(here, people)
    told = f": {highlights.rates_beside(here, people)}"
    return Text.assemble((name, "bold"), " says ", (highlights.RELATIONS[how], _STYLES[how]), told)


# The systems, followed by people.


def _systems(audit: AuditResult, width: int) -> Iterator[RenderableType]:
    names = highlights.people_last(audit)
    columns = dict(_columns(audit, names, width))
    title = f"What the captions say about {audit.domain}"
    rows = tuple(zip(*columns.values(), strict=True))
    table = fitted(Table("systems", title, tuple(columns), rows, apart=len(audit.references)), width=width)
    notes = "; ".join(_table_notes(audit, {column.name for column in table.columns}))
    yield from terminal_table(replace(table, notes=(f"{notes}.",)), width=width, compact=True)


def _columns(audit: AuditResult, names: Sequence[str], width: int) -> Iterator[tuple[Column, Sequence[Cell]]]:
    """Yield the columns with a cell for each system; the last columns are dropped in a narrow terminal."""
    systems = [audit.systems[name] for name in names]
    modifiers = len(highlights.modifier_keys(audit))
    yield Column("system", "system", words=True), [words(_row_name(audit, name, width)) for name in names]
    yield Column("captions", "captions", rank=2), [words(count(system.captions)) for system in systems]
    yield Column("labels", "labels"), [words(count(system.labels)) for system in systems]
    rates = [words(rate(system.best.modifiers_per_label)) for system in systems]
    yield Column("rate", "modifiers per label"), rates
    yield Column("bar", "", words=True, rank=4), _bars(audit, systems)
    used = [words(f"{system.best.modifier_categories} of {modifiers}") for system in systems]
    yield Column("categories", "categories", rank=1), used
    yield from _values(audit, names)
    yield from _measured(audit, names)


def _table_notes(audit: AuditResult, headings: set[str]) -> Iterator[str]:
    """Yield explanations of the table's columns that are not self-explanatory."""
    yield f"labels: phrases about {visible(audit.domain)}"
    if any(not system.labels for system in audit.systems.values()):
        yield f"{UNDEFINED}: no labels"
    if "categories" in headings:
        yield "categories: modifier categories in use"
    if values := [value for value in _value_headings(audit).values() if value in headings]:
        yield f"{', '.join(values)}: share of labels"
    if "new" in headings:
        yield "new: captions that are not in the training data"
    if "recall" in headings:
        yield "recall: share of learnable reference words"


def _row_name(audit: AuditResult, name: str, width: int) -> str:
    human = name in audit.references and name != "references"
    return short_name(f"{name} (people)" if human else name, width)


def _bars(audit: AuditResult, systems: Sequence[SystemCoverage]) -> list[Cell]:
    if len(systems) == 1:
        return [words("")]  # nothing to compare it with
    people = highlights.peoples_rate(audit)
    most = max((system.best.modifiers_per_label for system in systems if system.labels), default=math.nan)
    bars = []
    for system in systems:
        here = system.best.modifiers_per_label
        plain = system.reference or math.isnan(people)
        style = "" if plain else _STYLES[highlights.relation(here, people)]
        bars.append(words(horizontal_bar(here, most, _BAR), style=style))
    return bars


def _values(audit: AuditResult, names: Sequence[str]) -> Iterator[tuple[Column, Sequence[Cell]]]:
    """Yield the number of labels about each value of the first group, if it comes from the captions."""
    group = next(iter(audit.groups.values()), None)
    if group is None or group.told_by != "words":
        return
    for value, heading in _value_headings(audit).items():
        found = [(group.labels[name].get(value, 0), sum(group.labels[name].values())) for name in names]
        shares = [words(percent(share(part, total), 0)) for part, total in found]
        yield Column(value, heading, rank=3), shares


def _value_headings(audit: AuditResult) -> dict[str, str]:
    """Return the headings of the first group's values."""
    group = next(iter(audit.groups.values()), None)
    said = value_words(audit.domain, group.name) if group else str
    return {value: shortened(said(value), 16) for value in group.values} if group else {}


def _measured(audit: AuditResult, names: Sequence[str]) -> Iterator[tuple[Column, Sequence[Cell]]]:
    """Yield the shares of novel captions and of recalled words, if known."""
    for heading, measure, key, rank in (
        ("new", "diversity", "novel", 5),
        ("recall", "recall", "coverage", 6),
    ):
        systems = audit.measures[measure].systems if measure in audit.measures else {}
        found = [systems[name][key] if name in systems else None for name in names]
        shares = ["" if share is None or math.isnan(share) else percent(share, 0) for share in found]
        yield Column(heading, heading, rank=rank), [words(text) for text in shares]


# What people say and systems omit.


def _left_out(audit: AuditResult, width: int) -> Iterator[RenderableType]:
    """Yield, for each system, the categories that people use and that it never or hardly ever uses."""
    shares = highlights.peoples_shares(audit)
    told = {name: _omissions(system, shares) for name, system in audit.machines.items() if system.labels}
    if not any(told.values()):
        return
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    nothing = Text("mentions everything that people mention often", style="dim")
    for name, text in list(told.items())[:_MOST_SYSTEMS]:
        grid.add_row(Text(f" {short_name(name, width)}", style="bold"), text or nothing)
    more = len(told) - _MOST_SYSTEMS
    further = [Text(f" {some(more, 'more system')}: see --full", style="dim")] if more > 0 else []
    heading = Text.assemble(
        ("What people say and the systems leave out", "bold"), " (share of people's labels)"
    )
    yield Group(heading, grid, *further)


def _omissions(system: SystemCoverage, people: dict[str, float]) -> Text:
    never, seldom = highlights.omissions(system, people)
    parts = []
    if never:
        told = [_told_of(item, item.people) for item in never]
        parts.append(Text.assemble(("never mentions ", LESS), first_few(told, _MOST_NAMED)))
    if seldom:
        told = [_told_of(item, item.here, item.people) for item in seldom]
        parts.append(Text.assemble(("hardly ever mentions ", LESS), first_few(told, _MOST_SELDOM)))
    return Text("; ").join(parts)


def _told_of(item: Omission, *shares: float) -> str:
    return f"{item.name} ({' against '.join(highlights.short_shares(shares))})"


# Cautions for quoting results.


def _closing(audit: AuditResult) -> Iterator[RenderableType]:
    notes = list(audit.notes[:_MOST_NOTES])
    if len(audit.notes) > _MOST_NOTES:
        notes.append(f"{some(len(audit.notes) - _MOST_NOTES, 'more note')}: see --full")
    caveats = "Before you quote a difference, read the cautions: --full, or the page written by --out."
    everything = "--full prints the whole report: all categories, all measures and the signature."
    contrasted = any(group.cells for group in audit.groups.values())
    yield Group(
        *note_lines(list(highlights.different_images(audit, _short)), kind="warning"),
        *note_lines(notes),
        Text(caveats if contrasted else everything, style="dim"),
    )


def _short(name: str) -> str:
    return shortened(name, _SHORT)


# Group differences on one screen: sentences with bars, and the largest differences with intervals.

_MOST_DIFFERING, _MOST_ROWS, _MOST_CONTRASTS = 3, 4, 6
_BAR_LENGTH, _INDENT = (8, 12), 4  # in a narrow and in a wide terminal
_LONGEST_NAME, _LONGEST_VALUE = 28, 16
_GAP = "gap"  # heading of the comparison with human captions


@dataclass(frozen=True, slots=True)
class Gaps:
    """The contrasts of systems by one group, and words for the group's values."""

    group: str
    contrasts: Sequence[ContrastCell]  # without references
    said: ValueWords
    width: int

    def findings(self) -> Iterator[RenderableType]:
        """Yield, for each system with disparities, which categories differ and by how much."""
        differing = highlights.disparities_by_system(self.contrasts)
        for system in list(differing)[:_MOST_DIFFERING]:
            yield self._heading(system, differing[system])
            shown = differing[system][:_MOST_ROWS]
            yield from terminal_table(self._rates(shown), width=self.width, compact=True, indent=_INDENT)
        further = list(differing)[_MOST_DIFFERING:]
        if further:
            yield bullet(f"Disparities by {self.group} also in {self._names(further)}")
        yield from self._without(differing)

    def forest(self) -> Iterator[RenderableType]:
        """Yield the largest contrasts with their intervals, and the meanings of signs, if there are any."""
        found = [contrast for contrast in self.contrasts if contrast.verdict in BEYOND_CHANCE]
        found.sort(key=lambda contrast: (list(MARKS).index(contrast.verdict), highlights.by_size(contrast)))
        if not found:
            return
        shown = found[:_MOST_CONTRASTS]
        strongest = f"the {len(shown)} largest of {count(len(found))} significant ones"
        pairs = {contrast.pair for contrast in shown}
        which = f", {self._difference(shown[0])}" if len(pairs) == 1 else ""
        title = f"Differences by {self.group}{which}" + (f": {strongest}" if len(found) > len(shown) else "")
        table = fitted(replace(self._forest(shown), title=title), width=self.width)
        notes = tuple(_signs(shown, {column.name for column in table.columns}))
        yield from terminal_table(replace(table, notes=notes), width=self.width, compact=True)

    def _names(self, systems: Sequence[str]) -> str:
        return listed([short_name(system, self.width) for system in systems], _MOST_ROWS)

    def _category(self, contrast: ContrastCell) -> str:
        return shortened(contrast.name, min(_LONGEST_NAME, self.width // 3)) + (
            "*" if contrast.cautions else ""
        )

    def _value(self, value: str) -> str:
        return shortened(self.said(value), max(6, min(_LONGEST_VALUE, self.width // 8)))

    def _difference(self, contrast: ContrastCell) -> str:
        return f"{self._value(contrast.group)} minus {self._value(contrast.against)}"

    def _heading(self, system: str, contrasts: Sequence[ContrastCell]) -> RenderableType:
        pair = contrasts[0].pair
        # A value without a word of its own can be anything, so it does not fit into a sentence.
        spoken = all(contrast.pair == pair for contrast in contrasts) and self.said(pair[0]) != pair[0]
        who = " and ".join(map(self._value, pair))
        differs = f"describes {who} differently" if spoken else f"differs by {visible(self.group)}"
        more = len(contrasts) - _MOST_ROWS
        largest = f" (the {_MOST_ROWS} largest gaps of {count(len(contrasts))})" if more > 0 else ""
        named = Text(short_name(system, self.width), style="bold")
        style = MARKS["disparity"][1]
        return bullet(Text.assemble(named, " ", (differs, style), f". How often it mentions{largest}:"))

    def _rates(self, contrasts: Sequence[ContrastCell]) -> Table:
        """Return a row for each contrast: the category, both rates with bars, and the rates of people."""
        high = max(max(contrast.rate, contrast.other_rate) for contrast in contrasts)
        rows = tuple(
            row_of(
                self._category(contrast),
                *self._side(contrast, contrast.group, contrast.rate, high),
                *self._side(contrast, contrast.against, contrast.other_rate, high),
                words(_peoples(contrast), style="dim"),
                words(highlights.one_text(contrast).strip(), style="yellow"),
            )
            for contrast in contrasts
        )
        text, number, bar = Column("", "", words=True), Column("", ""), Column("", "", words=True, rank=1)
        side = (text, number, bar)
        return Table("", "", (text, *side, *side, replace(bar, rank=2), replace(bar, rank=3)), rows)

    def _side(self, contrast: ContrastCell, value: str, rate: float, high: float) -> Iterator[Cell]:
        bar = horizontal_bar(rate, high, _BAR_LENGTH[self.width >= WIDE])
        yield words(self._value(value))
        yield words(highlights.short_shares([rate])[0])
        yield words(bar, style=MARKS["disparity"][1] if contrast.higher == value else "")

    def _without(self, differing: dict[str, list[ContrastCell]]) -> Iterator[RenderableType]:
        """Yield which systems show no disparity, and how many of their contrasts are undecided."""
        rest = [contrast for contrast in self.contrasts if contrast.system not in differing]
        if not rest:
            return
        names = list(dict.fromkeys(contrast.system for contrast in rest))
        undecided = sum(contrast.verdict == "insufficient" for contrast in rest)
        shows = "shows" if len(names) == 1 else "show"
        text = f"{self._names(names)} {shows} no disparity by {self.group}"
        yield bullet(f"{text}, but {_lacking(undecided, len(rest))}" if undecided else text)

    def _forest(self, shown: Sequence[ContrastCell]) -> Table:
        scale, plot = largest_bound(shown), PLOT[self.width >= WIDE]
        several = len({contrast.pair for contrast in shown}) > 1
        columns = (
            Column("system", "system", words=True),
            Column("category", "category", words=True),
            Column("difference", "difference", words=True),
            Column("plot", interval_axis(scale, plot), words=True, rank=3),
            Column("points", "points (95%)", rank=1),
            Column("people", "people", rank=2),
            Column("gap", _GAP, words=True, rank=4),
        )
        rows = []
        for contrast in shown:
            mark, style = MARKS[contrast.verdict]
            people = contrast.amplification
            beside = people.verdict if people and people.verdict in CHANGED else ""
            rows.append(
                row_of(
                    short_name(contrast.system, self.width),
                    words(self._category(contrast), mark=mark, style=style),
                    self._difference(contrast) if several else "",
                    words(interval_line(contrast.risk_difference, scale, plot), style=style),
                    points(*contrast.risk_difference),
                    points(people.reference.difference) if people else "",
                    words(beside, style="red" if beside == "wider" else ""),
                )
            )
        return Table("forest", "", columns, tuple(rows))


def _lacking(undecided: int, contrasts: int) -> str:
    if contrasts == 1:
        return "the only contrast has too little evidence"
    which = "all" if undecided == contrasts else f"{count(undecided)} of"
    return f"{which} {count(contrasts)} contrasts have too little evidence"


def _peoples(contrast: ContrastCell) -> str:
    rates = highlights.peoples_rates(contrast)
    return f"people {' and '.join(rates)}" if rates else ""


def _signs(shown: Sequence[ContrastCell], headings: set[str]) -> Iterator[str]:
    """Yield the meanings of the signs in the table."""
    yield "; ".join(verdict_meanings(shown))
    if "people" in headings:
        wider = f"; {_GAP}: significantly wider or narrower than theirs" if _GAP in headings else ""
        yield f"people: the same difference in the references{wider}"
    if any(contrast.cautions for contrast in shown):
        yield "* quote with care: see the page or `assess bias`"

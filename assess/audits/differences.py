"""Differences between the values of a group, on one screen: what differs, and the largest with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rich.console import RenderableType
from rich.text import Text

from assess.audits import highlights
from assess.audits.bias_sections import MARKS, largest_bound, verdict_meanings
from assess.audits.highlights import CHANGED, MOST_SYSTEMS, ValueWords
from assess.errors import some, visible
from assess.measures.bias.result import ContrastCell
from assess.measures.bias.verdict import BEYOND_CHANCE
from assess.report.section import Cell, Column, Table, row_of, words
from assess.report.terminal import (
    bullet,
    fitted,
    horizontal_bar,
    interval_axis,
    interval_line,
    short_name,
    terminal_table,
)
from assess.report.text import count, listed, points, shortened

WIDE = 100
PLOT = 15, 25  # width of a drawing in a narrow and in a wide terminal
_MOST_DIFFERING, _MOST_ROWS, _MOST_CONTRASTS = 3, 4, 6
_BAR_LENGTH, _INDENT = (8, 12), 4  # in a narrow and in a wide terminal
_LONGEST_NAME, _LONGEST_VALUE = 28, 16
_CAUTION = "*"
_GAP = "gap"  # heading of the comparison with human captions


@dataclass(frozen=True, slots=True)
class Differences:
    """The contrasts of systems by one group, and words for the group's values."""

    group: str
    contrasts: Sequence[ContrastCell]  # without references
    said: ValueWords
    width: int

    def findings(self) -> Iterator[RenderableType]:
        """Yield, for each system with disparities, which categories differ and by how much.

        Many systems are described together: each category with the number of systems in which it differs.
        """
        differing = highlights.disparities_by_system(self.contrasts)
        if len(differing) > MOST_SYSTEMS:
            yield from self._together(differing)
            yield from self._without(differing)
            return
        for system, shown in self._shown(differing).items():
            yield self._heading(system, differing[system])
            yield from terminal_table(self._rates(shown), width=self.width, compact=True, indent=_INDENT)
        further = list(differing)[_MOST_DIFFERING:]
        if further:
            yield bullet(f"Disparities by {self.group} also in {self._names(further)}")
        yield from self._without(differing)

    def _shown(self, differing: dict[str, list[ContrastCell]]) -> dict[str, list[ContrastCell]]:
        """Return the contrasts that are described one by one."""
        most = _MOST_DIFFERING if len(differing) <= MOST_SYSTEMS else 0
        return {system: found[:_MOST_ROWS] for system, found in [*differing.items()][:most]}

    def forest(self) -> Iterator[RenderableType]:
        """Yield the largest contrasts with their intervals, and the meanings of signs, if there are any."""
        found = [contrast for contrast in self.contrasts if contrast.verdict in BEYOND_CHANCE]
        found.sort(key=lambda contrast: (list(MARKS).index(contrast.verdict), highlights.by_size(contrast)))
        if not found:
            return
        differing = highlights.disparities_by_system(found)
        shown = found[: _MOST_ROWS if len(differing) > MOST_SYSTEMS else _MOST_CONTRASTS]
        strongest = f"the {len(shown)} largest of {count(len(found))} significant ones"
        pairs = {contrast.pair for contrast in shown}
        which = f", {self._difference(shown[0])}" if len(pairs) == 1 else ""
        title = f"Differences by {self.group}{which}" + (f": {strongest}" if len(found) > len(shown) else "")
        table = fitted(replace(self._forest(shown), title=title), width=self.width)
        notes = tuple(_signs(shown, {column.name for column in table.columns}))
        if any(contrast.cautions for contrast in chain(shown, *self._shown(differing).values())):
            notes = (*notes, f"{_CAUTION} has a caution")
        yield from terminal_table(replace(table, notes=notes), width=self.width, compact=True)

    def _names(self, systems: Sequence[str]) -> str:
        return listed([short_name(system, self.width) for system in systems], _MOST_ROWS)

    def _category(self, contrast: ContrastCell) -> str:
        name = shortened(contrast.name, min(_LONGEST_NAME, self.width // 3))
        return name + (_CAUTION if contrast.cautions else "")

    def _value(self, value: str) -> str:
        return shortened(self.said(value), max(6, min(_LONGEST_VALUE, self.width // 6)))

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

    def _together(self, differing: dict[str, list[ContrastCell]]) -> Iterator[RenderableType]:
        """Yield the categories that differ in most systems, with the ranges of their rates."""
        alike: dict[tuple[str, ...], list[ContrastCell]] = {}
        for contrast in chain.from_iterable(differing.values()):
            alike.setdefault((contrast.name, *contrast.pair, contrast.higher), []).append(contrast)
        ranked = sorted(alike.values(), key=lambda found: (-len(found), highlights.by_size(found[0])))
        rows = tuple(
            row_of(
                self._category(found[0]).removesuffix(_CAUTION),  # which is of one system
                some(len(found), "system"),
                *self._range(found, found[0].group, [contrast.rate for contrast in found]),
                *self._range(found, found[0].against, [contrast.other_rate for contrast in found]),
                words(_peoples(found[0]), style="dim"),
            )
            for found in ranked[:_MOST_ROWS]
        )
        text, number = Column("", "", words=True), Column("", "")
        table = Table("", "", (text, number, text, number, text, number, replace(text, rank=1)), rows)
        systems = highlights.number_of(len(differing), len({contrast.system for contrast in self.contrasts}))
        more = len(ranked) - _MOST_ROWS
        which = (
            f", most often in these {_MOST_ROWS} categories (of {count(len(ranked))}):" if more > 0 else ":"
        )
        shows = Text(f"show disparities by {visible(self.group)}", style=MARKS["disparity"][1])
        yield bullet(Text.assemble((systems, "bold"), " ", shows, which))
        yield from terminal_table(table, width=self.width, compact=True, indent=_INDENT)

    def _range(self, found: Sequence[ContrastCell], value: str, rates: Sequence[float]) -> Iterator[Cell]:
        """Yield a value's name, and its lowest and highest rate."""
        extremes = highlights.short_shares(sorted({min(rates), max(rates)}))
        yield words(self._value(value), style=MARKS["disparity"][1] if found[0].higher == value else "")
        yield words(" to ".join(dict.fromkeys(extremes)))

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

"""Contrasts drawn in a terminal: as forest plots in tables, and on one screen in sentences with bars."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.audits.highlights import (
    CHANGED,
    ValueWords,
    by_size,
    disparities_by_system,
    one_text,
    short_shares,
)
from assess.errors import visible
from assess.grammar.groups import NEUTRAL
from assess.measures.bias.groups import Pair
from assess.measures.bias.result import ContrastCell
from assess.measures.bias.tables import Estimate
from assess.measures.bias.verdict import BEYOND_CHANCE, VERDICTS, Verdict
from assess.report.terminal import (
    Aligned,
    aligned_rows,
    aligned_table,
    bullet,
    fitting,
    horizontal_bar,
    new_table,
    short_name,
)
from assess.report.text import UNDEFINED, count, p_value, percent, plain, points, shortened

# A mark that is read without colour too, and its style.
MARKS: dict[Verdict, tuple[str, str]] = {
    "disparity": ("▲", "bold red"),
    "reversal": ("↔", "bold magenta"),
    "small": ("≈", "cyan"),
    "none": ("=", "green"),
    "insufficient": ("?", "yellow"),
}
WIDE = 100
_FEWEST_OPEN = 4
_CATEGORY, _RATE, _Q = 22, len("100.0%"), len("<.001")
_POINTS = "points (95%)"
_NARROWEST_PLOT, _WIDEST_PLOT = 9, 25


def forest_table(
    contrasts: Sequence[ContrastCell], pair: Pair, *, title: str, width: int, everything: bool
) -> RenderableType:
    """Return the contrasts of one system and pair, by verdict, largest differences first.

    Where nothing is decided and nothing needs care, a line says so, unless everything is asked for.
    """
    ordered = sorted(contrasts, key=_order)
    if not everything and not any(c.verdict != "insufficient" or c.cautions for c in ordered):
        return _nothing_decided(ordered, title)
    shown = ordered if everything else _worth_showing(ordered)
    scale, layout = largest_bound(shown), _layout(shown, pair, width)
    caption = _legend(shown, [contrast for contrast in ordered if contrast not in shown])
    table = new_table(title, caption=caption, tight=layout.tight)
    _add_columns(table, pair, scale, layout)
    before = None
    for contrast in shown:
        if before not in (None, contrast.verdict):
            table.add_section()
        before = contrast.verdict
        table.add_row(*_cells(contrast, scale, layout))
    return table


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a table fits a terminal: the drawing gives way first, because all that it shows is in numbers."""

    tight: bool
    neutral: bool
    plot: int
    name: int  # the longest name of a value


def _layout(shown: Sequence[ContrastCell], pair: Pair, width: int) -> _Layout:
    """Return the roomiest layout that cuts no number off."""
    wide = width >= WIDE and any(NEUTRAL in contrast.rates for contrast in shown)
    exact = max(len(points(*contrast.risk_difference)) for contrast in shown)
    for tight, neutral, name in ((False, wide, 12), (True, wide, 12), (True, False, 12), (True, False, 7)):
        columns = [_CATEGORY, *(max(_RATE, min(len(value), name)) for value in pair)]
        columns += [len(NEUTRAL)] if neutral else []
        columns += [max(exact, len(_POINTS)), _Q]
        # Every column, and the drawing too, has a space beside it, or two; the table one at each side.
        plot = width - sum(columns) - (1 if tight else 2) * len(columns) - 2
        if plot >= (_NARROWEST_PLOT if tight else _WIDEST_PLOT - 8):
            break
    plot = min(_WIDEST_PLOT, max(_NARROWEST_PLOT, plot))
    return _Layout(tight, neutral, plot - (plot + 1) % 2, name)  # odd, so that it has a middle


def _nothing_decided(contrasts: Sequence[ContrastCell], title: str) -> Group:
    names = ", ".join(contrast.name for contrast in contrasts)
    found = f"Insufficient evidence in all {len(contrasts)} contrasts: {names}. --all shows them."
    return Group(Text(title, style="bold"), Text(found, style="dim"))


def _order(contrast: ContrastCell) -> tuple[int, float, str, str]:
    size = abs(contrast.risk_difference.value)
    place = list(MARKS).index(contrast.verdict)
    return place, -size if math.isfinite(size) else 0.0, contrast.role, contrast.category


def _worth_showing(ordered: Sequence[ContrastCell]) -> list[ContrastCell]:
    """Leave out most of what nothing can be said about; cautions are always shown."""
    decided = [c for c in ordered if c.verdict != "insufficient"]
    undecided = [c for c in ordered if c.verdict == "insufficient"]
    kept = [c for place, c in enumerate(undecided) if place < _FEWEST_OPEN or c.cautions]
    return [*decided, *kept]


def _legend(shown: Sequence[ContrastCell], left_out: Sequence[ContrastCell]) -> str:
    verdicts = {contrast.verdict for contrast in shown}
    marks = "\n".join(
        f"{MARKS[name][0]} {name}: {text}" for name, text in VERDICTS.items() if name in verdicts
    )
    if not left_out:
        return marks
    names = ", ".join(contrast.name for contrast in left_out)
    return f"{marks}\nAlso insufficient: {names}. --all shows them."


def largest_bound(contrasts: Sequence[ContrastCell]) -> float:
    """Return the largest bound, so that all intervals fit."""
    bounds = [
        abs(bound)
        for contrast in contrasts
        for bound in (contrast.risk_difference.low, contrast.risk_difference.high)
        if math.isfinite(bound)
    ]
    return max(bounds, default=0.0) or 1.0


def _add_columns(table: Table, pair: Pair, scale: float, layout: _Layout) -> None:
    table.add_column("  category", no_wrap=True, min_width=_CATEGORY)
    for value in pair:
        table.add_column(plain(value, layout.name), justify="right", no_wrap=True)
    if layout.neutral:
        table.add_column(NEUTRAL, justify="right", no_wrap=True)
    table.add_column(axis(scale, layout.plot), no_wrap=True, width=layout.plot)
    table.add_column(_POINTS, justify="right", no_wrap=True)
    table.add_column("q", justify="right", no_wrap=True)


def axis(scale: float, width: int) -> str:
    """Return the heading of a drawing: both ends of its scale, in points, and 0 in the middle."""
    end = f"{scale * 100:.{0 if scale >= 0.1 else 1 if scale >= 0.01 else 2}f}"
    half = width // 2
    return f"−{end}".ljust(half) + "0" + f"+{end}".rjust(width - half - 1)


def _cells(contrast: ContrastCell, scale: float, layout: _Layout) -> list[Text | str]:
    mark, style = MARKS[contrast.verdict]
    shown = folded(contrast.name + ("*" if contrast.cautions else ""), _CATEGORY - 2)
    lines = shown.plain.replace("\n", "\n  ")
    cells: list[Text | str] = [Text.assemble((f"{mark} ", style), lines)]
    cells += [percent(contrast.rate), percent(contrast.other_rate)]
    if layout.neutral:
        tally = contrast.rates.get(NEUTRAL)
        cells.append(percent(tally.rate) if tally else UNDEFINED)
    return [
        *cells,
        Text(drawn(contrast.risk_difference, scale, layout.plot), style=style),
        points(*contrast.risk_difference),
        p_value(contrast.q),
    ]


def folded(name: str, width: int) -> Text:
    """Return a long name on several lines, broken after a hyphen."""
    lines = [""]
    for part in re.split(r"(?<=-)", visible(name)):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return Text("\n".join(lines))


def drawn(difference: Estimate, scale: float, width: int) -> str:
    """Draw an interval on a line from -scale to +scale; the middle is 0."""
    line = [" "] * width
    middle = width // 2
    line[middle] = "│"
    if any(math.isnan(bound) for bound in (difference.value, difference.low, difference.high)):
        return "".join(line)

    def place(bound: float) -> int:
        return min(width - 1, max(0, middle + round(bound / scale * middle)))

    low, high = place(difference.low), place(difference.high)
    for at in range(low, high + 1):
        line[at] = "┼" if at == middle else "─"
    line[low], line[high] = ("├", "┤") if low != high else ("│", "│")
    line[place(difference.value)] = "●"
    return "".join(line)


def turned_round(difference: Estimate) -> Estimate:
    """Return a difference as it is seen from the other side."""
    return Estimate(-difference.value, -difference.high, -difference.low)


# On one screen: in sentences with bars, and the strongest ones with their intervals.

_MOST_SYSTEMS, _MOST_ROWS, _MOST_CONTRASTS = 3, 4, 6
_BAR, _PLOT, _INDENT = (8, 12), (15, 25), 3  # on a narrow terminal, and on a wide one
_LONGEST_NAME, _LONGEST_VALUE = 28, 16
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
        legend = Text("\n".join(_signs(shown, {column.heading for column in columns})), style="dim")
        yield Group(aligned_table(title, columns), legend)

    def _names(self, systems: Sequence[str]) -> str:
        shown = [short_name(system, self.width) for system in systems[:_MOST_ROWS]]
        more = len(systems) - _MOST_ROWS
        *first, last = [*shown, *([f"{count(more)} more"] if more > 0 else [])]
        return f"{', '.join(first)} and {last}" if first else last

    def _category(self, contrast: ContrastCell) -> str:
        return shortened(contrast.name, min(_LONGEST_NAME, self.width // 3))

    def _value(self, value: str) -> str:
        return shortened(self.said(value), max(6, min(_LONGEST_VALUE, self.width // 8)))

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
            Aligned("points (95%)", [Text(points(*contrast.risk_difference)) for contrast in shown], rank=1),
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
    return Text(points(contrast.amplification.reference.difference))


def _beside(contrast: ContrastCell) -> Text:
    """Return whether the gap is wider or narrower than people's; nothing where that is not shown."""
    verdict = contrast.amplification.verdict if contrast.amplification else ""
    return Text(verdict if verdict in CHANGED else "", style="red" if verdict == "wider" else "")


def _signs(shown: Sequence[ContrastCell], headings: set[str]) -> Iterator[str]:
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

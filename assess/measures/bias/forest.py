"""A forest plot in a table: each contrast's difference with its interval, drawn on one scale."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.errors import visible
from assess.grammar.groups import NEUTRAL
from assess.measures.bias.groups import Pair
from assess.measures.bias.result import ContrastCell
from assess.measures.bias.tables import Estimate
from assess.measures.bias.verdict import VERDICTS, Verdict
from assess.report.terminal import new_table
from assess.report.text import UNDEFINED, p_value, percent, plain

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
    exact = max(len(points(contrast.risk_difference)) for contrast in shown)
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
        points(contrast.risk_difference),
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


def points(difference: Estimate) -> str:
    """Return a difference in percentage points with its interval, as exact as its size deserves."""
    if math.isnan(difference.value):
        return UNDEFINED
    if math.isnan(difference.low) or math.isnan(difference.high):
        return f"{difference.value * 100:+.1f}"
    size = max(abs(difference.low), abs(difference.high)) * 100
    digits = 0 if size >= 10 else 1 if size >= 1 else 2
    value, low, high = (
        f"{bound * 100:+.{digits}f}" for bound in (difference.value, difference.low, difference.high)
    )
    return f"{value} ({low}, {high})"

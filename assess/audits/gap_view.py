"""Contrasts on one screen: in sentences with bars, and the strongest ones with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from assess.audits.highlights import ValueWords, by_size, disparities_by_system, one_text, short_shares
from assess.measures.bias.forest import MARKS, drawn, largest_bound, points
from assess.measures.bias.result import ContrastCell
from assess.measures.bias.tables import Estimate
from assess.measures.bias.verdict import BEYOND_CHANCE, VERDICTS
from assess.report.aligned import Aligned, aligned_rows, aligned_table, fitting
from assess.report.terminal import bullet, horizontal_bar
from assess.report.text import count, shortened, some

_MOST_SYSTEMS, _MOST_ROWS, _MOST_CONTRASTS = 3, 4, 6
_BAR, _PLOT, _INDENT = 12, 25, 3
_CATEGORY, _VALUE = 28, 16


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
        """Yield the strongest contrasts with their intervals, and what the signs mean; nothing without any."""
        found = [contrast for contrast in self.contrasts if contrast.verdict in BEYOND_CHANCE]
        found.sort(key=lambda contrast: (list(MARKS).index(contrast.verdict), by_size(contrast)))
        if not found:
            return
        shown = found[:_MOST_CONTRASTS]
        columns = fitting(self._forest_columns(shown), self.width)
        strongest = f"the {len(shown)} strongest of {count(len(found))} beyond chance"
        title = f"Differences by {self.group}" + (f": {strongest}" if len(found) > len(shown) else "")
        legend = Text("\n".join(_legend(shown, {column.heading for column in columns})), style="dim")
        yield Group(aligned_table(title, columns), legend)

    def name(self, system: str) -> str:
        """Return the name of a system, without its middle where it is long."""
        return shortened(system, max(8, min(24, self.width // 4)))

    def _names(self, systems: Sequence[str]) -> str:
        shown = ", ".join(self.name(system) for system in systems[:_MOST_ROWS])
        more = len(systems) - _MOST_ROWS
        return f"{shown} and {count(more)} more" if more > 0 else shown

    def _heading(self, system: str, contrasts: Sequence[ContrastCell]) -> RenderableType:
        values = dict.fromkeys(self.said(value) for contrast in contrasts for value in contrast.pair)
        who = " and ".join(shortened(value, _VALUE) for value in values) if len(values) == 2 else self.group
        speaks = f"speaks of {who} differently" if len(values) == 2 else f"differs by {who}"
        largest = (
            f" (the {_MOST_ROWS} largest of {len(contrasts)} gaps)" if len(contrasts) > _MOST_ROWS else ""
        )
        named = Text(self.name(system), style="bold")
        style = MARKS["disparity"][1]
        return bullet(
            Text.assemble(named, " ", (speaks, style), f". How often its captions mention{largest}:")
        )

    def _rates(self, contrasts: Sequence[ContrastCell]) -> list[Aligned]:
        """Return a row per contrast: the category, both rates with their bars, and those of people."""
        names = [Text(shortened(contrast.name, _CATEGORY)) for contrast in contrasts]
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
        values = [Text(shortened(self.said(value), _VALUE)) for value, _, _ in rates]
        style = MARKS["disparity"][1]
        bars = [
            Text(horizontal_bar(rate, high, _BAR), style=style if higher else "") for _, rate, higher in rates
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
        open_ones = f", but {count(undecided)} of {some(len(rest), 'contrast')} lack the evidence to tell"
        shows = "shows" if len(names) == 1 else "show"
        text = f"{self._names(names)} {shows} no disparity by {self.group}{open_ones if undecided else ''}"
        yield bullet(text)

    def _forest_columns(self, shown: Sequence[ContrastCell]) -> list[Aligned]:
        scale = largest_bound(shown)
        end = f"{scale * 100:.{0 if scale >= 0.1 else 1 if scale >= 0.01 else 2}f}"
        half = _PLOT // 2
        axis = f"−{end}".ljust(half) + "0" + f"+{end}".rjust(half)
        plots = [
            Text(drawn(contrast.risk_difference, scale, _PLOT), style=MARKS[contrast.verdict][1])
            for contrast in shown
        ]
        pairs = [Text(" − ".join(shortened(self.said(value), _VALUE) for value in c.pair)) for c in shown]
        marked = [
            Text.assemble(MARKS[c.verdict], f" {shortened(c.name, _CATEGORY)}{'*' * bool(c.cautions)}")
            for c in shown
        ]
        return [
            Aligned("system", [Text(self.name(contrast.system)) for contrast in shown], right=False),
            Aligned("  category", marked, right=False),
            Aligned("points", pairs, rank=4, right=False),
            Aligned(axis, plots, rank=2, right=False),
            Aligned("(95%)", [Text(points(contrast.risk_difference)) for contrast in shown], rank=1),
            Aligned("people", [_peoples_gap(contrast) for contrast in shown], rank=3),
        ]


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


def _legend(shown: Sequence[ContrastCell], headings: set[str]) -> Iterator[str]:
    """Yield what the signs mean that are in the table, and no others."""
    verdicts = {contrast.verdict for contrast in shown}
    yield "; ".join(
        f"{MARKS[verdict][0]} {verdict}: {text}" for verdict, text in VERDICTS.items() if verdict in verdicts
    )
    if "people" in headings:
        yield "people: the same difference in their captions of the same images"
    if any(contrast.cautions for contrast in shown):
        yield "* quote with care: the page and `assess bias` say why"

"""Bars: one number a system, with its interval where there is one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from assess.report.svg_elements import element, label, name_width, ornament, picture, shortened
from assess.report.svg_scale import Scale, round_up

_WIDTH, _NUMBERS, _ROW, _THICK = 360.0, 68.0, 28.0, 16.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar. `text` is the number as it is shown."""

    name: str
    value: float
    text: str
    human: bool = False  # references look different: they are no system
    low: float = math.nan
    high: float = math.nan


def bar_chart(title: str, bars: Sequence[Bar], *, limit: float | None = None) -> Markup:
    """Return horizontal bars from 0; `limit` is the end of the scale where the number has one."""
    names = name_width(bar.name for bar in bars)
    scale = Scale(0, limit or _highest(bars), names, _WIDTH - _NUMBERS)
    parts = [part for place, bar in enumerate(bars) for part in _row(bar, place * _ROW, scale)]
    height = len(bars) * _ROW
    axis = element("line", x1=names, x2=names, y1=0, y2=height, class_="axis")
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    return picture(_WIDTH, height, [*parts, axis], title=f"{title}: {told}", class_="chart bars")


def _highest(bars: Sequence[Bar]) -> float:
    ends = [end for bar in bars for end in (bar.value, bar.high) if math.isfinite(end)]
    return round_up(max(ends, default=0))


def _row(bar: Bar, top: float, scale: Scale) -> Iterator[Markup]:
    middle = top + _ROW / 2
    yield label(shortened(bar.name), scale.start - 8, middle + 4, anchor="end", class_="name")
    end = scale.start
    if math.isfinite(bar.value):
        end = scale.place(bar.value)
        yield element(
            "rect",
            x=scale.start,
            y=middle - _THICK / 2,
            width=max(end - scale.start, 1),
            height=_THICK,
            class_="bar human" if bar.human else "bar",
        )
    if math.isfinite(bar.low) and math.isfinite(bar.high):
        first, end = scale.place(bar.low), max(end, scale.place(bar.high))
        yield element("line", x1=first, x2=scale.place(bar.high), y1=middle, y2=middle, class_="interval")
    yield label(bar.text, end + 8, middle + 4, class_="value")


def small_bar(share: float, *, class_: str = "") -> Markup:
    """Return a bar without words, for a table or a sentence that has the number itself."""
    width = 100 * min(max(share, 0), 1) if math.isfinite(share) else 0
    parts = [
        element("rect", x=0, y=0, width=100, height=8, class_="track"),
        element("rect", x=0, y=0, width=width, height=8, class_=f"bar {class_}".strip()),
    ]
    return ornament(100, 8, parts, class_="small-bar", stretch=True)

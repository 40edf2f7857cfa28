"""Lines: a number of each system, along something that grows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from assess.report.svg_elements import element, label, picture, shortened
from assess.report.svg_scale import Scale, round_up, ticks

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM, _KEY = 360.0, 230.0, 46.0, 10.0, 8.0, 44.0, 20.0
_DOTS = 12  # more points than these are not drawn one by one
_STYLES = 6  # of lines that the style sheet knows; colour and dashes differ


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one system, from left to right; an undefined one leaves a gap."""

    xs: Sequence[float]
    ys: Sequence[float]
    bounds: Sequence[tuple[float, float]] = ()  # the interval of each point, where they are known


def line_chart(title: str, lines: Mapping[str, Line], *, across: str, highest: float | None = None) -> Markup:
    """Return lines with their key; `across` names the horizontal axis, `highest` ends the vertical one."""
    found = [[*line.ys, *(high for _, high in line.bounds)] for line in lines.values()]
    ends = [y for ys in found for y in ys if math.isfinite(y)]
    widest = max((x for line in lines.values() for x in line.xs), default=1)
    narrowest = min((x for line in lines.values() for x in line.xs), default=0)
    down = Scale(0, highest or round_up(max(ends, default=0)), _HEIGHT - _BOTTOM, _TOP)
    right = Scale(narrowest, max(widest, narrowest + 1), _LEFT, _WIDTH - _RIGHT)
    parts = [*_axes(down, right, across)]
    dotted = all(len(line.xs) <= _DOTS for line in lines.values())
    for place, line in enumerate(lines.values()):
        parts += _line(line, right, down, place, dotted)
    parts += [part for place, name in enumerate(lines) for part in _key(name, place)]
    height = _HEIGHT + math.ceil(len(lines) / 2) * _KEY
    told = "; ".join(f"{name} from {_ends(line)}" for name, line in lines.items())
    return picture(_WIDTH, height, parts, title=f"{title}, along {across}: {told}", class_="chart lines")


def _ends(line: Line) -> str:
    known = [y for y in line.ys if math.isfinite(y)]
    return f"{known[0]:.3g} to {known[-1]:.3g}" if known else "nothing"


def _axes(down: Scale, right: Scale, across: str) -> Iterator[Markup]:
    for mark in ticks(down.high):
        y = down.place(mark)
        yield element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="grid")
        yield label(f"{mark:g}", _LEFT - 6, y + 4, anchor="end", class_="tick")
    bottom = _HEIGHT - _BOTTOM
    yield element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=bottom, y2=bottom, class_="axis")
    yield label(f"{right.low:g}", _LEFT, bottom + 16, class_="tick")
    yield label(f"{right.high:,.0f}", _WIDTH - _RIGHT, bottom + 16, anchor="end", class_="tick")
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield label(across, middle, bottom + 32, anchor="middle", class_="tick")


def _line(line: Line, right: Scale, down: Scale, place: int, dotted: bool) -> Iterator[Markup]:
    points = [
        (right.place(x), down.place(y)) for x, y in zip(line.xs, line.ys, strict=True) if math.isfinite(y)
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    style = f"line-{place % _STYLES}"
    for x, (low, high) in zip(line.xs, line.bounds, strict=False):
        if math.isfinite(low) and math.isfinite(high):
            across = right.place(x)
            yield element(
                "line", x1=across, x2=across, y1=down.place(low), y2=down.place(high), class_="interval"
            )
    yield element("polyline", points=path, class_=f"line {style}")
    if dotted:
        yield from (element("circle", cx=x, cy=y, r=2.75, class_=f"dot {style}") for x, y in points)


def _key(name: str, place: int) -> Iterator[Markup]:
    x, y = _LEFT + (place % 2) * 155, _HEIGHT + (place // 2) * _KEY + 6
    yield element("line", x1=x, x2=x + 24, y1=y, y2=y, class_=f"line line-{place % _STYLES}")
    yield label(shortened(name), x + 30, y + 4, class_="name")

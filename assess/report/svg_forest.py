"""A forest plot in SVG, row by row, so that it can stand in a table that sorts and filters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from assess.report.svg import Scale, element, label, ornament, round_up

_FOREST_WIDTH, _FOREST_HEIGHT, _EDGE = 260.0, 26.0, 8.0
_RATIO_REACH = 4.0  # odds ratios are drawn from 1/16 to 16


Interval = tuple[float, float, float]
"""An estimate and the ends of its interval, in the units of the axis."""


@dataclass(frozen=True, slots=True)
class Forest:
    """The axis that all rows of a plot share: as far to the left of nothing as to the right."""

    reach: float
    ratios: bool = False  # the axis is of logarithms to the base 2

    @property
    def _scale(self) -> Scale:
        return Scale(-self.reach, self.reach, _EDGE, _FOREST_WIDTH - _EDGE)

    def axis(self, left: str, right: str) -> Markup:
        """Return the axis, with what lies on each side of nothing."""
        scale = self._scale
        marks = (-self.reach, -self.reach / 2, 0, self.reach / 2, self.reach)
        parts = [
            label(self._tick(mark), scale.place(mark), 30, anchor=_anchor(mark, self.reach), class_="tick")
            for mark in marks
        ]
        parts += [
            label(f"← {left}", 0, 12, class_="side"),
            label(f"{right} →", _FOREST_WIDTH, 12, anchor="end", class_="side"),
        ]
        return ornament(_FOREST_WIDTH, 34, parts, class_="forest-axis")

    def _tick(self, mark: float) -> str:
        if not self.ratios:
            return f"{mark:+g}".replace("-", "−") if mark else "0"
        return f"{2**mark:g}" if mark >= 0 else f"1/{2**-mark:g}"

    def row(self, interval: Interval, *, verdict: str, margin: float = math.nan) -> Markup:
        """Return one interval; the margin of differences that do not matter is a band behind it.

        What reaches beyond the axis ends in an arrow.
        """
        return ornament(
            _FOREST_WIDTH,
            _FOREST_HEIGHT,
            [*self._ground(margin), *self._marks(interval, verdict)],
            class_=f"forest {verdict}",
        )

    def _ground(self, margin: float) -> Iterator[Markup]:
        scale = self._scale
        if margin > 0:
            low, high = scale.place(-margin), scale.place(margin)
            yield element("rect", x=low, y=0, width=high - low, height=_FOREST_HEIGHT, class_="margin")
        for mark in (-self.reach / 2, 0, self.reach / 2):
            place = scale.place(mark)
            kind = "nothing" if mark == 0 else "grid"
            yield element("line", x1=place, x2=place, y1=0, y2=_FOREST_HEIGHT, class_=kind)

    def _marks(self, interval: Interval, verdict: str) -> Iterator[Markup]:
        if any(map(math.isnan, interval)):
            return
        scale, middle = self._scale, _FOREST_HEIGHT / 2
        point, low, high = map(scale.place, interval)
        off, off_low, off_high = map(scale.beyond, interval)
        yield element("line", x1=low, x2=high, y1=middle, y2=middle, class_="interval")
        if off_low:
            yield element("path", d=f"M{low + 6:g} {middle - 4:g}L{low:g} {middle:g}l6 4", class_="arrow")
        if off_high:
            yield element("path", d=f"M{high - 6:g} {middle - 4:g}L{high:g} {middle:g}l-6 4", class_="arrow")
        if not off:
            yield _point(point, middle, verdict)


def difference_axis(intervals: Iterable[tuple[Interval, str]]) -> Forest:
    """Return an axis that holds the intervals with a verdict; without evidence they may reach beyond it."""
    everything = list(intervals)
    ends = [end for interval, verdict in everything if verdict != "insufficient" for end in interval[1:]]
    # Where nothing is decided, the estimates themselves still have to lie on the axis.
    ends += [interval[0] for interval, _ in everything]
    return Forest(round_up(max((abs(end) for end in ends if math.isfinite(end)), default=0)))


def ratio_axis() -> Forest:
    """Return an axis of odds ratios."""
    return Forest(_RATIO_REACH, ratios=True)


def logarithms(bounds: Interval) -> Interval:
    """Return an odds ratio with its interval as it lies on an axis of ratios."""
    value, low, high = (
        math.log2(ratio) if ratio > 0 else math.nan if math.isnan(ratio) else -math.inf for ratio in bounds
    )
    return value, low, high


def _point(x: float, y: float, verdict: str) -> Markup:
    if verdict in ("disparity", "reversal"):
        return element("rect", x=x - 5, y=y - 5, width=10, height=10, class_="point")
    return element("circle", cx=x, cy=y, r=4.5, class_="point")


def _anchor(mark: float, reach: float) -> str:
    return "start" if mark == -reach else "end" if mark == reach else "middle"

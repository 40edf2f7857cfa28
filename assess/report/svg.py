"""SVG drawings. Texts are always escaped, and colours are CSS classes for the page's themes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from assess.report.section import Cell
from assess.report.text import percent, share, shortened, shown


def element(name: str, *children: Markup | str, **attributes: str | float) -> Markup:
    """Return an element. In names of attributes, `_` stands for `-`; `class_` is the class."""
    given = "".join(
        [f' {key.rstrip("_").replace("_", "-")}="{escape(_value(it))}"' for key, it in attributes.items()]
    )
    inside = "".join([child if isinstance(child, Markup) else escape(shown(child)) for child in children])
    return Markup(f"<{name}{given}>{inside}</{name}>")  # noqa: S704 - names are ours, all else is escaped


def _value(value: str | float) -> str:
    return shown(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def picture(width: float, height: float, parts: Iterable[Markup], *, title: str, class_: str = "") -> Markup:
    """Return a drawing with a title for screen readers."""
    return element(
        "svg",
        element("title", title),
        *parts,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        role="img",
        aria_label=title,
        class_=class_,
    )


def ornament(
    width: float, height: float, parts: Iterable[Markup], *, class_: str = "", stretch: bool = False
) -> Markup:
    """Return a drawing of an adjacent number, which screen readers skip."""
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        preserveAspectRatio="none" if stretch else "xMidYMid",
        aria_hidden="true",
        class_=class_,
    )


def label(text: str, x: float, y: float, *, anchor: str = "start", class_: str = "") -> Markup:
    """Return a text element."""
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_)


def box(x: float, y: float, width: float, height: float, class_: str) -> Markup:
    """Return a rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, class_=class_)


def _track(x: float, y: float, width: float, height: float) -> Markup:
    """Return the full length of a bar; invisible where no style sheet colours it, as in some notebooks."""
    return element("rect", x=x, y=y, width=width, height=height, class_="track", fill="none")


NAME_LENGTH = 20


def name_width(names: Iterable[str]) -> float:
    """Return the width needed for names to the left of a drawing."""
    return 14.0 + 8.0 * max((min(len(name), NAME_LENGTH) for name in names), default=0)


# Scales of charts: the position of a number, and the numbers on the axis.


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from numbers to positions."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Return the position of a number; numbers beyond the scale are placed at its end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def beyond(self, value: float) -> bool:
        """Whether a number is outside the scale."""
        return not self.low <= value <= self.high


def round_up(value: float) -> float:
    """Return the next of 1, 1.5, 2, 3, 4, 5, 6, 8 or 10 times a power of ten; 1 for zero."""
    if not value > 0 or math.isinf(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * power >= value * 0.999_999)


def ticks(high: float, most: int = 5) -> list[float]:
    """Return a few round numbers from 0 to `high`."""
    step = next(
        size
        for power in (10.0 ** math.floor(math.log10(high) - 1), 10.0 ** math.floor(math.log10(high)))
        for size in (power, 2 * power, 2.5 * power, 5 * power)
        if high / size <= most
    )
    return [step * place for place in range(int(high / step * 1.000_001) + 1)]


# Bars: one number for each system, with its interval if there is one.

_WIDTH, _NUMBERS, _ROW, _THICK, _TICKS = 420.0, 68.0, 28.0, 16.0, 16.0


def bar_chart(
    title: str,
    bars: Mapping[str, Cell],
    *,
    humans: Collection[str] = (),
    limit: float | None = None,
    end: str = "",
) -> Markup:
    """Return horizontal bars on tracks from 0 to `limit`, or to a round number; `end` is its text.

    The bars of `humans`, which are references, are drawn differently from those of systems.
    """
    names = name_width(bars)
    scale = Scale(0, limit or _highest(bars.values()), names, _WIDTH - _NUMBERS)
    parts = [
        part
        for place, (name, bar) in enumerate(bars.items())
        for part in _row(name, bar, place * _ROW, scale, "bar human" if name in humans else "bar")
    ]
    height = len(bars) * _ROW
    axis = element("line", x1=names, x2=names, y1=0, y2=height, class_="axis")
    ends = [
        label("0", scale.start, height + 12, anchor="middle", class_="tick"),
        label(end or f"{scale.high:,g}", scale.end, height + 12, anchor="middle", class_="tick"),
    ]
    told = "; ".join(f"{name} {bar.text}" for name, bar in bars.items())
    return picture(
        _WIDTH, height + _TICKS, [*parts, axis, *ends], title=f"{title}: {told}", class_="chart bars"
    )


def _highest(bars: Iterable[Cell]) -> float:
    ends = [end for bar in bars for end in (float(bar.value), bar.high) if math.isfinite(end)]
    return round_up(max(ends, default=0))


def _row(name: str, bar: Cell, top: float, scale: Scale, kind: str) -> Iterator[Markup]:
    middle, value = top + _ROW / 2, float(bar.value)
    yield label(shortened(name, NAME_LENGTH), scale.start - 8, middle + 4, anchor="end", class_="name")
    yield _track(scale.start, middle - _THICK / 2, scale.end - scale.start, _THICK)
    end = scale.start
    if math.isfinite(value):
        end = scale.place(value)
        yield box(scale.start, middle - _THICK / 2, max(end - scale.start, 1), _THICK, kind)
    if math.isfinite(bar.low) and math.isfinite(bar.high):
        first, end = scale.place(bar.low), max(end, scale.place(bar.high))
        yield element("line", x1=first, x2=scale.place(bar.high), y1=middle, y2=middle, class_="interval")
    yield label(bar.text, end + 8, middle + 4, class_="value")


def small_bar(share: float, *, class_: str = "") -> Markup:
    """Return a bar without text, for a table or sentence that contains the number."""
    width = 100 * min(max(share, 0), 1) if math.isfinite(share) else 0
    parts = [_track(0, 0, 100, 8), box(0, 0, width, 8, f"bar {class_}".strip())]
    return ornament(100, 8, parts, class_="small-bar", stretch=True)


def marked_bar(share: float, mark: float, *, class_: str = "") -> Markup:
    """Return a bar without text, and a mark to compare it with; both are shares of the track."""
    parts = [
        _track(0, 3, 100, 8),
        box(0, 3, 100 * share, 8, f"bar {class_}".strip()),
        box(100 * mark - 0.4, 0, 0.8, 14, "mark"),
    ]
    return ornament(100, 14, parts, class_="marked-bar", stretch=True)


# Shares that add up to a whole, with one row per system.

_STACK_WIDTH, _STACK_ROW, _STACK_THICK = 420.0, 30.0, 20.0
_SHADES, _STEPS = 6, 3  # the number of classes in the style sheet


def stack_chart(
    title: str, rows: Mapping[str, Sequence[int]], values: Sequence[str], *, steps: bool = False
) -> Markup:
    """Return stacked bars of counts, with values in the order given.

    Each part is labelled with its share. With `steps`, it is labelled with its count, and colours become
    lighter.
    """
    names, form, tone = name_width(rows), _count if steps else _share, step if steps else shade
    parts = [
        part
        for place, name in enumerate(rows)
        for part in _stack_row(name, rows[name], place * _STACK_ROW, names, (form, tone))
    ]
    told = "; ".join(
        f"{name}: " + ", ".join(f"{value} {form(n, found)}" for value, n in zip(values, found, strict=True))
        for name, found in rows.items()
    )
    return picture(
        _STACK_WIDTH, len(rows) * _STACK_ROW, parts, title=f"{title}. {told}", class_="chart stack"
    )


def shade(place: int) -> str:
    """Return the CSS class of the n-th value."""
    return f"shade-{min(place, _SHADES - 1)}"


def step(place: int) -> str:
    """Return the CSS class of the n-th step, from dark to light."""
    return f"step-{min(place, _STEPS - 1)}"


def _share(number: int, counts: Sequence[int]) -> str:
    return percent(share(number, sum(counts)), 0)


def _count(number: int, _: Sequence[int]) -> str:
    return f"{number:,}"


def _stack_row(
    name: str,
    counts: Sequence[int],
    top: float,
    names: float,
    how: tuple[Callable[[int, Sequence[int]], str], Callable[[int], str]],
) -> Iterator[Markup]:
    form, tone = how
    middle, total, start = top + _STACK_ROW / 2, sum(counts), names
    yield label(shortened(name, NAME_LENGTH), names - 8, middle + 4, anchor="end", class_="name")
    for place, number in enumerate(counts):
        width = (_STACK_WIDTH - names) * number / total if total else 0
        if width:
            yield box(start, middle - _STACK_THICK / 2, width, _STACK_THICK, f"part {tone(place)}")
        inside = form(number, counts)
        if width > 8 + 8 * len(inside):
            yield label(
                inside, start + width / 2, middle + 4, anchor="middle", class_=f"inside on-{tone(place)}"
            )
        start += width


# Lines: a number for each system as a function of a growing number.

_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM, _KEY = 230.0, 46.0, 10.0, 8.0, 44.0, 20.0
_KEY_COLUMN = 190.0
_DOTS = 12  # with more points, they are not drawn individually
_STYLES = 6  # number of line colours in the style sheet, and of dash patterns


# The points of a system from left to right, where an undefined one leaves a gap; and the interval of each.
Points = tuple[Sequence[float], Sequence[float]]
Bounds = Sequence[tuple[float, float]]


def line_chart(
    title: str,
    lines: Mapping[str, Points],
    *,
    across: str,
    highest: float | None = None,
    bounds: Mapping[str, Bounds] | None = None,
) -> Markup:
    """Return lines with a key; `across` labels the horizontal axis, `highest` ends the vertical axis."""
    known = bounds or {}
    tops = [y for _, ys in lines.values() for y in ys] + [high for each in known.values() for _, high in each]
    along = [x for xs, _ in lines.values() for x in xs]
    widest, narrowest = max(along, default=1), min(along, default=0)
    down = Scale(0, highest or round_up(max(filter(math.isfinite, tops), default=0)), _HEIGHT - _BOTTOM, _TOP)
    right = Scale(narrowest, max(widest, narrowest + 1), _LEFT, _WIDTH - _RIGHT)
    parts = [*_axes(down, right, across)]
    dotted = all(len(xs) <= _DOTS for xs, _ in lines.values())
    for place, (name, line) in enumerate(lines.items()):
        parts += _line(line, known.get(name, ()), right, down, place, dotted)
    parts += [part for place, name in enumerate(lines) for part in _key(name, place)]
    height = _HEIGHT + math.ceil(len(lines) / 2) * _KEY
    told = "; ".join(f"{name} from {_ends(ys)}" for name, (_, ys) in lines.items())
    return picture(_WIDTH, height, parts, title=f"{title}, along {across}: {told}", class_="chart lines")


def _ends(ys: Sequence[float]) -> str:
    known = [y for y in ys if math.isfinite(y)]
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


def _line(
    line: Points, bounds: Bounds, right: Scale, down: Scale, place: int, dotted: bool
) -> Iterator[Markup]:
    points = [(right.place(x), down.place(y)) for x, y in zip(*line, strict=True) if math.isfinite(y)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    style = _style(place)
    for x, (low, high) in zip(line[0], bounds, strict=False):
        if math.isfinite(low) and math.isfinite(high):
            across = right.place(x)
            yield element(
                "line", x1=across, x2=across, y1=down.place(low), y2=down.place(high), class_="interval"
            )
    yield element("polyline", points=path, class_=f"line {style}")
    if dotted:
        yield from (element("circle", cx=x, cy=y, r=2.75, class_=f"dot {style}") for x, y in points)


def _style(place: int) -> str:
    """Return the colour and the dash pattern of a line; a repeated colour gets another pattern."""
    again, colour = divmod(place, _STYLES)
    return f"line-{colour} dash-{(colour + again) % _STYLES}"


def _key(name: str, place: int) -> Iterator[Markup]:
    x, y = _LEFT + (place % 2) * _KEY_COLUMN, _HEIGHT + (place // 2) * _KEY + 6
    yield element("line", x1=x, x2=x + 24, y1=y, y2=y, class_=f"line {_style(place)}")
    yield label(shortened(name, NAME_LENGTH), x + 30, y + 4, class_="name")


# A forest plot drawn row by row, for a table that can be sorted and filtered.

_FOREST_WIDTH, _FOREST_HEIGHT, _EDGE = 260.0, 26.0, 8.0
_RATIO_REACH = 4.0  # odds ratios are drawn from 1/16 to 16

Interval = tuple[float, float, float]
"""An estimate and the ends of its interval, in the units of the axis."""


@dataclass(frozen=True, slots=True)
class Forest:
    """The axis that all rows of a plot share, which is symmetric around no difference."""

    reach: float
    ratios: bool = False  # logarithmic axis to the base 2

    @property
    def _scale(self) -> Scale:
        return Scale(-self.reach, self.reach, _EDGE, _FOREST_WIDTH - _EDGE)

    def axis(self, left: str, right: str) -> Markup:
        """Return the axis, with labels for both sides."""
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
        """Return one interval, on a band that shows the margin of irrelevant differences.

        An interval that extends beyond the axis ends in an arrow.
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
            yield box(low, 0, high - low, _FOREST_HEIGHT, "margin")
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
    """Return an axis that fits all intervals with a verdict; those without evidence may extend beyond it."""
    everything = list(intervals)
    ends = [end for interval, verdict in everything if verdict != "insufficient" for end in interval[1:]]
    # If there are no verdicts, at least the estimates must be on the axis.
    ends += [interval[0] for interval, _ in everything]
    return Forest(round_up(max((abs(end) for end in ends if math.isfinite(end)), default=0)))


RATIOS = Forest(_RATIO_REACH, ratios=True)
"""The axis of odds ratios."""


def logarithms(bounds: Interval) -> Interval:
    """Return an odds ratio with its interval as positions on a ratio axis."""
    value, low, high = (
        math.log2(ratio) if ratio > 0 else math.nan if math.isnan(ratio) else -math.inf for ratio in bounds
    )
    return value, low, high


def _point(x: float, y: float, verdict: str) -> Markup:
    if verdict in ("disparity", "reversal"):
        return box(x - 5, y - 5, 10, 10, "point")
    return element("circle", cx=x, cy=y, r=4.5, class_="point")


def _anchor(mark: float, reach: float) -> str:
    return "start" if mark == -reach else "end" if mark == reach else "middle"

"""Drawing in SVG: elements whose texts are always escaped. Colours are classes, for the page's themes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from assess.report.text import percent, shown


def element(name: str, *children: Markup | str, **attributes: str | float) -> Markup:
    """Return an element. An attribute's `_` stands for `-`; `class_` is a class."""
    given = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _value(value))
        for key, value in attributes.items()
    )
    inside = Markup("").join(
        child if isinstance(child, Markup) else escape(shown(child)) for child in children
    )
    return Markup("<{0}{1}>{2}</{0}>").format(name, given, inside)


def _value(value: str | float) -> str:
    return shown(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def picture(width: float, height: float, parts: Iterable[Markup], *, title: str, class_: str = "") -> Markup:
    """Return a drawing with a title that screen readers tell."""
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
    """Return a drawing of a number that stands beside it, so that screen readers pass over it."""
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        preserveAspectRatio="none" if stretch else "xMidYMid",
        aria_hidden="true",
        class_=class_,
    )


def label(text: str, x: float, y: float, *, anchor: str = "start", class_: str = "") -> Markup:
    """Return a piece of text."""
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_)


MOST_OF_A_NAME = 18


def shortened(text: str, most: int = MOST_OF_A_NAME) -> str:
    """Return text that fits, with both of its ends: names of models often begin alike."""
    if len(text) <= most:
        return text
    last = most // 2
    return f"{text[: most - last - 1]}…{text[-last:]}"


def name_width(names: Iterable[str]) -> float:
    """Return the room for names to the left of a drawing."""
    return 14.0 + 7.4 * max((min(len(name), MOST_OF_A_NAME) for name in names), default=0)


# Scales of charts: where a number lies, and which numbers stand on the axis.


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight scale from numbers to places."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Return where a number lies; one beyond the scale lies at its edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def beyond(self, value: float) -> bool:
        """Whether a number lies outside the scale."""
        return not self.low <= value <= self.high


def round_up(value: float) -> float:
    """Return the next of 1, 1.5, 2, 3, 4, 5, 6, 8 or 10 times a power of ten; 1 for nothing at all."""
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


# Bars: one number a system, with its interval where there is one.

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


# Shares that add up to the whole, one row a system.

_STACK_WIDTH, _STACK_ROW, _STACK_THICK = 400.0, 30.0, 20.0
_SHADES = 6  # that the style sheet knows


def stack_chart(title: str, rows: Mapping[str, Sequence[int]], values: Sequence[str]) -> Markup:
    """Return stacked bars of counts as shares; the order of counts is that of the values."""
    names = name_width(rows)
    parts = [
        part
        for place, name in enumerate(rows)
        for part in _stack_row(name, rows[name], place * _STACK_ROW, names)
    ]
    told = "; ".join(
        f"{name}: "
        + ", ".join(f"{value} {_share(n, counts)}" for value, n in zip(values, counts, strict=True))
        for name, counts in rows.items()
    )
    return picture(
        _STACK_WIDTH, len(rows) * _STACK_ROW, parts, title=f"{title}. {told}", class_="chart stack"
    )


def shade(place: int) -> str:
    """Return the class of the n-th value's colour."""
    return f"shade-{min(place, _SHADES - 1)}"


def _share(number: int, counts: Sequence[int]) -> str:
    total = sum(counts)
    return percent(number / total if total else float("nan"), 0)


def _stack_row(name: str, counts: Sequence[int], top: float, names: float) -> Iterator[Markup]:
    middle, total, start = top + _STACK_ROW / 2, sum(counts), names
    yield label(shortened(name), names - 8, middle + 4, anchor="end", class_="name")
    for place, number in enumerate(counts):
        width = (_STACK_WIDTH - names) * number / total if total else 0
        if width:
            yield element(
                "rect",
                x=start,
                y=middle - _STACK_THICK / 2,
                width=width,
                height=_STACK_THICK,
                class_=f"part {shade(place)}",
            )
        if width > 32:
            inside = _share(number, counts)
            yield label(
                inside, start + width / 2, middle + 4, anchor="middle", class_=f"inside on-{shade(place)}"
            )
        start += width

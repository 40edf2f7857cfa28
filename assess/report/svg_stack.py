"""Shares that add up to the whole, one row a system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from assess.report.cells import percent
from assess.report.svg_elements import element, label, name_width, picture, shortened

_WIDTH, _ROW, _THICK = 400.0, 30.0, 20.0
_SHADES = 6  # that the style sheet knows


def stack_chart(title: str, rows: Mapping[str, Sequence[int]], values: Sequence[str]) -> Markup:
    """Return stacked bars of counts as shares; the order of counts is that of the values."""
    names = name_width(rows)
    parts = [part for place, name in enumerate(rows) for part in _row(name, rows[name], place * _ROW, names)]
    told = "; ".join(
        f"{name}: "
        + ", ".join(f"{value} {_share(n, counts)}" for value, n in zip(values, counts, strict=True))
        for name, counts in rows.items()
    )
    return picture(_WIDTH, len(rows) * _ROW, parts, title=f"{title}. {told}", class_="chart stack")


def shade(place: int) -> str:
    """Return the class of the n-th value's colour."""
    return f"shade-{min(place, _SHADES - 1)}"


def _share(number: int, counts: Sequence[int]) -> str:
    total = sum(counts)
    return percent(number / total if total else float("nan"), 0)


def _row(name: str, counts: Sequence[int], top: float, names: float) -> Iterator[Markup]:
    middle, total, start = top + _ROW / 2, sum(counts), names
    yield label(shortened(name), names - 8, middle + 4, anchor="end", class_="name")
    for place, number in enumerate(counts):
        width = (_WIDTH - names) * number / total if total else 0
        if width:
            yield element(
                "rect",
                x=start,
                y=middle - _THICK / 2,
                width=width,
                height=_THICK,
                class_=f"part {shade(place)}",
            )
        if width > 32:
            inside = _share(number, counts)
            yield label(
                inside, start + width / 2, middle + 4, anchor="middle", class_=f"inside on-{shade(place)}"
            )
        start += width

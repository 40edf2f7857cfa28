"""Measures that were worked out beside an audit: parts of the page that appear when they are there."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup

from assess.report.svg import Bar, bar_chart
from assess.report.text import count, number, percent, rate

# Links from numbers to the captions behind them.


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is shown, what it sorts by, and what it leads to."""

    text: str
    sort: float
    href: str | None = None
    bounds: str = ""  # its interval as it is shown, and the ends of it
    low: float = nan
    high: float = nan


def captions_link(*, by: tuple[str, str] | None = None, **filters: str) -> str:
    """Return the address of the captions that pass all filters; the page's script reads it.

    `by` is a group and a value of it. The filters are `system`, `category` (`modifier.age`), `reading`
    ("any": categories count in any reading), `read` ("full", "partial" or "none"), `unknown` (a word),
    `label` and `modified` ("yes": with a modifier).
    """
    chosen = dict(filters)
    if by is not None:
        chosen[f"by.{by[0]}"] = by[1]
    return "#captions?" + urlencode(chosen, quote_via=quote)


Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing, its title and what it means."""

    title: str
    meaning: str
    drawing: Markup


@dataclass(frozen=True, slots=True)
class MeasureTable:
    """Rows of numbers; the first column is a name."""

    name: str  # as a file may be called
    caption: str
    first: str  # what the names are of
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Number, ...]], ...]
    folded: bool = False  # the numbers behind a drawing, which tells most of them
    brackets: str = ""  # what stands in brackets


@dataclass(frozen=True, slots=True)
class MeasurePart:
    """A section of the page about one family of measures."""

    id: str
    title: str
    explained: str
    charts: tuple[Chart, ...] = ()
    tables: tuple[MeasureTable, ...] = ()
    lists: tuple[tuple[str, str], ...] = ()  # a title, and words in one line
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a system: its key in JSON, its name, and how it is written."""

    key: str
    name: str
    shown: Callable[[float], str] = rate
    meaning: str = ""
    interval: str = ""  # the key of its interval, where it is another


def count_text(value: float) -> str:
    """Return a count."""
    return "–" if math.isnan(value) else count(round(value))


def decimals3_text(value: float) -> str:
    """Return a number with three decimals."""
    return rate(value, 3)


def measure_table(
    part: Mapping[str, Any], measures: Sequence[Measure], *, name: str, caption: str
) -> MeasureTable:
    """Return a table of systems, with intervals where there are some."""
    used = [
        measure
        for measure in measures
        if any(system.get(measure.key) is not None for system in part["systems"].values())
    ]
    rows = tuple(
        (system, tuple(_number(part, system, measure) for measure in used)) for system in part["systems"]
    )
    columns = tuple(measure.name for measure in used)
    return MeasureTable(name, caption, "system", columns, rows, brackets=brackets(part))


def brackets(part: Mapping[str, Any]) -> str:
    """Return what the brackets beside numbers mean, where a part has intervals."""
    level = part.get("intervals", {}).get("level")
    return f"In brackets: {level:.0%} intervals over images." if level else ""


def _number(part: Mapping[str, Any], system: str, measure: Measure) -> Number:
    value = number(part["systems"][system].get(measure.key))
    return with_bounds(value, interval(part, system, measure.interval or measure.key), measure.shown)


def with_bounds(value: float, bounds: Bounds, shown: Callable[[float], str]) -> Number:
    """Return a number with its interval, where there is one."""
    low, high = bounds
    ends = f" ({shown(low)} to {shown(high)})" if math.isfinite(low) else ""
    return Number(shown(value), value, None, ends, low, high)


def interval(part: Mapping[str, Any], system: str, key: str) -> Bounds:
    """Return the ends of a number's interval; undefined where there is none."""
    found = part.get("intervals", {}).get("systems", {}).get(system, {}).get(key)
    return (number(found[1]), number(found[2])) if found else (math.nan, math.nan)


def measure_chart(
    part: Mapping[str, Any], measure: Measure, *, humans: frozenset[str], limit: float | None = None
) -> Chart | None:
    """Return bars of one measure, or None where no system has it."""
    bars = [
        Bar(
            name,
            value,
            measure.shown(value),
            name in humans,
            *interval(part, name, measure.interval or measure.key),
        )
        for name, system in part["systems"].items()
        for value in (number(system.get(measure.key)),)
    ]
    if not any(math.isfinite(bar.value) for bar in bars):
        return None
    return Chart(measure.name, measure.meaning, bar_chart(measure.name, bars, limit=limit))


def known(*charts: Chart | None) -> tuple[Chart, ...]:
    """Return the charts that there are."""
    return tuple(chart for chart in charts if chart is not None)


def part_notes(part: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the notes of a part, and those of its intervals, each once."""
    told = [*part.get("notes", ()), *part.get("intervals", {}).get("notes", ())]
    return tuple(dict.fromkeys(str(note) for note in told))


# Small pieces of wording that several parts of the page share.


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a sentence has them: a, b and c."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return " and ".join(", ".join(shown).rsplit(", ", 1))


def plural(count: int, singular: str, several: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count:,} {singular if count == 1 else several or singular + 's'}"


def points(estimate: Any) -> str:
    """Return a difference in percentage points with its interval."""
    value, low, high = (part * 100 for part in (estimate.value, estimate.low, estimate.high))
    if value != value:
        return "–"
    digits = 0 if abs(value) >= 10 else 1
    return f"{signed(value, digits)} ({signed(low, digits)} to {signed(high, digits)})"


def signed(value: float, digits: int = 1) -> str:
    """Return a number with its sign; undefined is a dash."""
    return "–" if value != value else f"{value:+.{digits}f}".replace("-", "−")


def anchor(group: str) -> str:
    """Return where on the page a group is; its name may come from a file."""
    return "by-" + re.sub(r"[^a-z0-9]+", "-", group.lower())


def share_text(part: int, whole: int, digits: int = 0) -> str:
    """Return a part of a whole as a percentage; undefined where there is no whole."""
    return percent(part / whole if whole else float("nan"), digits)

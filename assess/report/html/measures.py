"""Measures that were worked out beside an audit: parts of the page that appear when they are there."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any
from urllib.parse import quote, urlencode

from assess.report.text import count, percent

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


def count_text(value: float) -> str:
    """Return a count."""
    return "–" if math.isnan(value) else count(round(value))


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

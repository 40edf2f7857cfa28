"""Formatting of numbers and texts, the same in every output."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from assess.errors import visible

UNDEFINED = "–"
Form = Callable[[float], str]
"""A function that formats a number."""


def _minus(text: str) -> str:
    """Return a formatted number with a minus sign instead of a hyphen."""
    return text.replace("-", "−")


def count(number: float) -> str:
    """Return a count with thousands separators; means of counts are rounded, and undefined is a dash."""
    return UNDEFINED if math.isnan(number) else f"{round(number):,}"


def decimals(digits: int) -> Form:
    """Return the format of numbers with this many decimals."""

    def decimal(number: float) -> str:
        return rate(number, digits)

    return decimal


def p_value(number: float) -> str:
    """Return a probability with three decimals, in the usual notation."""
    if math.isnan(number):
        return UNDEFINED
    if number >= 1:
        return "1"
    return "<.001" if number < 0.001 else f"{number:.3f}".lstrip("0")


def signed(digits: int) -> Form:
    """Return the format of differences: with a sign, and with this many decimals."""

    def difference(number: float) -> str:
        return UNDEFINED if math.isnan(number) else _minus(f"{number:+.{digits}f}")

    return difference


def rate(number: float, digits: int = 2) -> str:
    """Return a number with a fixed number of decimals; undefined is a dash."""
    return UNDEFINED if math.isnan(number) else _minus(f"{number:z.{digits}f}")


def share(part: float, whole: float) -> float:
    """Return a part divided by a whole; undefined if the whole is 0."""
    return part / whole if whole else math.nan


def percent(number: float, digits: int = 1) -> str:
    """Return a share as a percentage; undefined is a dash."""
    if math.isnan(number):
        return UNDEFINED
    smallest = 10**-digits
    if 0 < number * 100 < smallest / 2:
        return f"<{smallest:g}%"
    return _minus(f"{number * 100:z.{digits}f}%")


def points(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """Return a difference of shares in percentage points, with its interval and a suitable precision."""
    if math.isnan(value):
        return UNDEFINED
    if math.isnan(low) or math.isnan(high):
        return signed(1)(value * 100)
    size = max(abs(low), abs(high)) * 100
    form = signed(0 if size >= 10 else 1 if size >= 1 else 2)
    return f"{form(value * 100)} ({form(low * 100)} to {form(high * 100)})"


def interval(bounds: Sequence[float], form: Form) -> str:
    """Return an estimate with its interval, or the estimate alone if there is no interval."""
    value, low, high = map(form, bounds)
    return value if UNDEFINED in (value, low, high) else f"{value} ({low} to {high})"


def percent_points(number: float) -> str:
    """Return a difference of shares in percentage points, with a sign."""
    return signed(1)(number * 100)


def shortened(text: str, most: int) -> str:
    """Return text shortened to at most this many terminal cells by leaving out its middle.

    Names of systems often differ only at their ends: a folder at the beginning, a size or version at the end.
    """
    shown = visible(text, 1_000)
    if cell_len(shown) <= most:
        return shown
    most = max(1, most)  # a very narrow terminal leaves no room at all
    end = (most - 1) // 2
    tail = shown[-end:] if end else ""
    while cell_len(tail) > end:
        tail = tail[1:]
    return f"{set_cell_size(shown, most - 1 - cell_len(tail)).rstrip()}…{tail.lstrip()}"


def first_few(items: Sequence[str], most: int) -> str:
    """Return the first items of a list, and the number of remaining items."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a list in a sentence: a, b and c; or a, b and 3 more."""
    shown = [*names[:most], *([f"{len(names) - most:,} more"] if len(names) > most else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def plain(text: str, limit: int = 160, style: str = "") -> Text:
    """Return untrusted text literally: without markup, control characters or colour codes."""
    return Text(visible(text, limit), style=style)


def number(value: Any) -> float:
    """Return a number from JSON, where undefined is null and infinity is a text."""
    return math.nan if value is None else float(value)


def shown(text: str) -> str:
    """Return text with each control character and invisible mark replaced by one character."""
    return text if text.isprintable() else visible(text, len(text))


def dump(value: Any) -> str:
    """Return JSON text: keys in the given order, the same bytes for the same value.

    JSON cannot represent undefined and infinite numbers: they become null and a text, respectively.
    """
    return json.dumps(defined(value), ensure_ascii=False, indent=2, allow_nan=False)


def defined(value: Any) -> Any:
    """Replace what JSON cannot represent: undefined numbers become null, infinite ones a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, dict):
        return {key: defined(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [defined(item) for item in value]
    return value

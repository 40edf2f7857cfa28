"""How numbers and texts look in every terminal report."""

from __future__ import annotations

import math
from typing import Any

from rich.text import Text

from assess.errors import visible

UNDEFINED = "–"


def count(number: int) -> str:
    """Return a whole number with thousands separated."""
    return f"{number:,}"


def some(number: int, thing: str) -> str:
    """Return a count of things in words."""
    return f"{count(number)} {thing}{'' if number == 1 else 's'}"


def rate(number: float, digits: int = 2) -> str:
    """Return a number with a fixed count of decimals; undefined is a dash."""
    return UNDEFINED if math.isnan(number) else f"{number:.{digits}f}"


def percent(number: float, digits: int = 1) -> str:
    """Return a share as a percentage; undefined is a dash."""
    if math.isnan(number):
        return UNDEFINED
    smallest = 10**-digits
    if 0 < number * 100 < smallest / 2:
        return f"<{smallest:g}%"
    return f"{number * 100:.{digits}f}%"


def plain(text: str, limit: int = 160, style: str = "") -> Text:
    """Return foreign text as it is: no markup, no control characters, no colour of its own."""
    return Text(visible(text, limit), style=style)


def number(value: Any) -> float:
    """Return a number from JSON, where undefined is null and infinite is a text."""
    return math.nan if value is None else float(value)


def shown(text: str) -> str:
    """Return text without control characters and invisible marks, one character for each."""
    return text if text.isprintable() else visible(text, len(text))

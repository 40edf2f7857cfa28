"""Small pieces of wording that several parts of the page share."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assess.report.cells import percent
from assess.report.html_input import number


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a sentence has them: a, b and c."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return " and ".join(", ".join(shown).rsplit(", ", 1))


def plural(count: int, singular: str, several: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count:,} {singular if count == 1 else several or singular + 's'}"


def points(interval: Sequence[float | None]) -> str:
    """Return a difference in percentage points with its interval."""
    value, low, high = (number(bound) * 100 for bound in interval)
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


def share(part: int, whole: int, digits: int = 0) -> str:
    """Return a part of a whole as a percentage; undefined where there is no whole."""
    return percent(part / whole if whole else float("nan"), digits)

"""Links from numbers to the captions behind them."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from urllib.parse import quote, urlencode


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

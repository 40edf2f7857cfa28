"""Write the tables of docs/accuracy.md anew from the gold captions: `python -m docs_tools.accuracy`."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from docs_tools.markdown import table
from tests.caption_gold import Accuracy, Agreement, Reader, gold_texts, measure, read_gold

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "accuracy.md"
DATA = ROOT.parent / "shared" / "data"
_SMALLEST = 5
"""Judgements of a category below which its figures would say nothing."""


def main() -> None:
    """Measure the half kept aside, and put the tables into the page."""
    if not DATA.is_dir():
        sys.exit("needs the research data beside this checkout (../shared/data)")
    gold = read_gold()
    aside = [caption for caption in gold if caption.part == "aside"]
    accuracy = measure(aside, gold_texts(DATA, gold), Reader())
    page = PAGE.read_text(encoding="utf-8")
    for name, text in _tables(accuracy).items():
        opening, rest = page.split(f"<!-- {name} -->\n", 1)
        page = f"{opening}<!-- {name} -->\n{text}\n{rest[rest.index('<!-- end -->') :]}"
    PAGE.write_text(page, encoding="utf-8")


def _tables(accuracy: Accuracy) -> dict[str, str]:
    everything = {"all": accuracy.every, "labels with “of”": accuracy.with_of}
    return {
        "all": _agreements("", everything),
        "sources": _agreements("source", accuracy.by_source),
        "positions": _recalls("position", accuracy.by_position),
        "categories": _agreements("category", _common(accuracy.by_category)),
        "people": _people(accuracy),
    }


def _common(parts: Mapping[str, Agreement]) -> dict[str, Agreement]:
    enough = {name: part for name, part in parts.items() if part.found + part.missed >= _SMALLEST}
    return dict(sorted(enough.items(), key=lambda item: -(item[1].found + item[1].missed)))


def _agreements(heading: str, parts: Mapping[str, Agreement]) -> str:
    rows = [
        (
            name,
            str(part.found + part.missed),
            _share(part.found, part.found + part.wrong),
            _share(part.found, part.found + part.missed),
        )
        for name, part in parts.items()
    ]
    return table((heading, "told", "precision", "recall"), rows)


def _recalls(heading: str, parts: Mapping[str, Agreement]) -> str:
    rows = [
        (name, str(part.found + part.missed), _share(part.found, part.found + part.missed))
        for name, part in parts.items()
    ]
    return table((heading, "told", "recall"), rows)


def _people(accuracy: Accuracy) -> str:
    asked = {
        "captions with the right number of people": ("captions right", "captions"),
        "of those that mention somebody": ("with people right", "with people"),
        "of those with pronouns": ("with pronouns right", "with pronouns"),
        "people whose gender is told, found as such": ("gender right", "gender"),
    }
    rows = [
        (name, str(accuracy.counts[whole]), _share(accuracy.counts[part], accuracy.counts[whole]))
        for name, (part, whole) in asked.items()
    ]
    return table(("", "number", "right"), rows)


def _share(part: int, whole: int) -> str:
    """Return a share with its Wilson interval."""
    if not whole:
        return "–"
    low, high = _wilson(part, whole)
    return f"{part / whole:.3f} ({low:.2f} to {high:.2f})"


def _wilson(part: int, whole: int, z: float = 1.959964) -> Iterable[float]:
    rate = part / whole
    middle = rate + z * z / (2 * whole)
    spread = z * math.sqrt(rate * (1 - rate) / whole + z * z / (4 * whole * whole))
    return ((middle - spread) / (1 + z * z / whole), (middle + spread) / (1 + z * z / whole))


if __name__ == "__main__":
    main()

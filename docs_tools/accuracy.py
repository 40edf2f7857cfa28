"""Regenerate the tables of docs/accuracy.md from the gold captions: `python -m docs_tools.accuracy`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from pathlib import Path

from assess.measures.bias.tables import Estimate, rate_difference, wilson
from docs_tools.markdown import DASH, fill, table
from tests.caption_gold import Accuracy, Agreement, Part, Reader, gold_texts, measure, read_gold

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "accuracy.md"
DATA = ROOT.parent / "shared" / "data"
PUBLISHED: tuple[Part, ...] = ("unseen", "independent", "blind", "fresh", "aside")
EARLIER = "earlier"
"""The other published parts combined, which are too many for separate columns."""
LONG: tuple[Part, ...] = ("invented", "long")
"""Long captions, most of them our own: too few for the tables by source and category."""
WRITTEN_BY_PEOPLE = frozenset({"references", "flickr30k"})
_SMALLEST = 5
"""The minimum number of judgements for reporting a category."""

Measured = Mapping[str, Accuracy]
Agreements = Mapping[str, Agreement]


def main() -> None:
    """Measure the parts that were not used for writing rules, and insert the tables into the page."""
    if not DATA.is_dir():
        sys.exit("needs the research data beside this checkout (../shared/data)")
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), tables(measured())), encoding="utf-8")


def measured() -> Measured:
    """Return the accuracy in each published part, and in the earlier ones combined."""
    gold = read_gold()
    texts = gold_texts(DATA, (caption.place for caption in gold))
    reader = Reader()
    groups: dict[str, tuple[Part, ...]] = {part: (part,) for part in PUBLISHED}
    groups[EARLIER] = PUBLISHED[1:]
    groups |= {part: (part,) for part in LONG}
    return {
        name: measure((caption for caption in gold if caption.part in parts), texts, reader)
        for name, parts in groups.items()
    }


def tables(every: Measured) -> dict[str, str]:
    """Return the tables of the page, by the names of their placeholders."""
    parts = {name: every[name] for name in (PUBLISHED[0], EARLIER)}
    sources = _agreements("source", parts, lambda accuracy: accuracy.by_source)
    return {
        "all": _by_part(every),
        "sources": f"{sources}\n\n{_missed(parts)}",
        "positions": _recalls("position", parts, lambda accuracy: accuracy.by_position),
        "categories": _agreements("category", parts, lambda accuracy: _common(accuracy.by_category)),
        "people": _people({**parts, "long": every["long"]}),
    }


def _by_part(parts: Measured) -> str:
    """Return the accuracy in each part, for all statements and for labels such as "a group of people"."""
    rows = [
        (part, *_of_all(parts[part].every), *_of_all(parts[part].with_of))
        for part in (*PUBLISHED, EARLIER, *LONG)
    ]
    headings = ("stated", "precision", "recall")
    return table(("part", *headings, *(f"labels with “of”: {headings[0]}", *headings[1:])), rows)


def _of_all(part: Agreement) -> tuple[str, ...]:
    precision = wilson(part.found, part.found + part.wrong)
    return str(part.told), _share(precision), _share(wilson(part.found, part.told))


def _common(parts: Agreements) -> dict[str, Agreement]:
    enough = {name: part for name, part in parts.items() if part.told >= _SMALLEST}
    return dict(sorted(enough.items(), key=lambda item: -item[1].told))


def _agreements(heading: str, parts: Measured, chosen: Callable[[Accuracy], Agreements]) -> str:
    return _beside(heading, ("stated", "precision", "recall"), parts, chosen, _of_all)


def _recalls(heading: str, parts: Measured, chosen: Callable[[Accuracy], Agreements]) -> str:
    def cells(part: Agreement) -> tuple[str, ...]:
        return str(part.told), _share(wilson(part.found, part.told))

    return _beside(heading, ("stated", "recall"), parts, chosen, cells)


def _beside(
    heading: str,
    columns: tuple[str, ...],
    parts: Measured,
    chosen: Callable[[Accuracy], Agreements],
    cells: Callable[[Agreement], tuple[str, ...]],
) -> str:
    """Return a table with the columns of all parts side by side."""
    every = [chosen(accuracy) for accuracy in parts.values()]
    names = dict.fromkeys(name for part in every for name in part)
    rows = [
        (name, *(cell for part in every for cell in (cells(part[name]) if name in part else _none(columns))))
        for name in names
    ]
    return table((heading, *_headings(parts, columns)), rows)


def _none(columns: tuple[str, ...]) -> tuple[str, ...]:
    return (DASH,) * len(columns)


def _headings(parts: Measured, columns: tuple[str, ...]) -> Iterator[str]:
    for part in parts:
        yield f"{part}: {columns[0]}"
        yield from columns[1:]


def _missed(parts: Measured) -> str:
    """Return the share of statements missed per system, and the largest difference between two systems."""
    rates = [_missed_by_system(accuracy) for accuracy in parts.values()]
    names = dict.fromkeys(name for part in rates for name in part)
    rows = [(name, *(_share(part[name]) if name in part else DASH for part in rates)) for name in names]
    apart = ("largest difference between two systems", *(_share(_largest(part)) for part in rates))
    return table(("system", *(f"{part}: missed" for part in parts)), [*rows, apart])


def _missed_by_system(accuracy: Accuracy) -> dict[str, Estimate]:
    return {
        name: wilson(part.missed, part.told)
        for name, part in accuracy.by_source.items()
        if name not in WRITTEN_BY_PEOPLE
    }


def _largest(rates: Mapping[str, Estimate]) -> Estimate:
    ordered = sorted(rates.values(), key=lambda rate: -rate.value)
    return max((rate_difference(*pair) for pair in combinations(ordered, 2)), key=lambda gap: gap.value)


def _people(parts: Measured) -> str:
    asked = {
        "captions with the right number of people": "captions",
        "of those that mention somebody": "with people",
        "of those with pronouns": "with pronouns",
        "people whose gender is stated, read correctly": "gender",
        "of those, stated by the same kind of word (noun, modifier or pronoun)": "told by",
        "people whose gender is not stated, read as such": "untold",
    }
    counts = [accuracy.counts for accuracy in parts.values()]
    rows = [
        (
            name,
            *(
                cell
                for count in counts
                for cell in (str(count[whole]), _share(wilson(count[f"{whole} right"], count[whole])))
            ),
        )
        for name, whole in asked.items()
    ]
    return table(("", *_headings(parts, ("number", "correct"))), rows)


def _share(rate: Estimate) -> str:
    """Return a share with its interval."""
    return f"{rate.value:.3f} ({rate.low:.2f} to {rate.high:.2f})" if rate.value == rate.value else DASH


if __name__ == "__main__":
    main()

"""Which words of people a system finds again, as `assess recall --json` tells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from assess.report.cells import percent
from assess.report.html_input import number
from assess.report.html_links import Number
from assess.report.html_measures import (
    Bounds,
    Chart,
    Measure,
    MeasurePart,
    MeasureTable,
    brackets,
    interval,
    known,
    measure_chart,
    measure_table,
    part_notes,
    whole,
    with_bounds,
)
from assess.report.svg_lines import Line, line_chart

_COVERAGE = Measure("coverage", "Coverage", percent, "Words of the references that are found again.")
_FOUND = Measure("recalled", "Words found again", whole, "Different words of the references, of all images.")
_PRECISION = Measure(
    "local_precision",
    "Local precision",
    percent,
    "Words of a caption that some reference of its image has.",
    "local_precision_micro",
)
_MEASURES = (
    Measure("captions", "captions", whole),
    Measure("images", "images", whole),
    Measure("recalled", "words recalled", whole),
    Measure("evaluation", "words of references", whole),
    Measure("coverage", "coverage", percent),
    Measure("limit", "limit", percent),
    Measure("local_precision", "local precision", percent, interval="local_precision_micro"),
)
_WORDS = 12


def recall_part(part: dict[str, Any]) -> MeasurePart:
    """Return the part of the page about recall."""
    nobody: frozenset[str] = frozenset()
    # Without training captions nobody knows which words could be learned; how many are found is known.
    coverage = measure_chart(part, _COVERAGE, humans=nobody, limit=1) or measure_chart(
        part, _FOUND, humans=nobody
    )
    return MeasurePart(
        id="recall",
        title="Recall",
        explained="Which words that people use for the same images the systems use too.",
        charts=known(coverage, measure_chart(part, _PRECISION, humans=nobody, limit=1), *_curves(part)),
        tables=(
            measure_table(
                part, _MEASURES, name="recall", caption="Words of the references, and how many are found."
            ),
            *_curve_tables(part),
        ),
        lists=tuple(_omitted(part)),
        notes=part_notes(part),
    )


def deciles_of(part: dict[str, Any]) -> dict[str, list[float]]:
    """Return the coverage of each tenth of the words, from the most frequent on, by system."""
    return {
        name: [number(value) for value in system["deciles"]]
        for name, system in part["systems"].items()
        if system.get("deciles")
    }


def local_of(part: dict[str, Any]) -> dict[str, dict[int, float]]:
    """Return local recall by system, and by how many references of an image have the word."""
    return {
        name: {int(key): number(value) for key, value in found.items()}
        for name, system in part["systems"].items()
        if (found := system.get("local", {}).get("micro"))
    }


def _local_bounds(part: dict[str, Any], system: str, kind: int) -> Bounds:
    return interval(part, system, f"local_micro_{kind}")


def _curves(part: dict[str, Any]) -> Iterator[Chart]:
    deciles = {name: Line(range(1, len(found) + 1), found) for name, found in deciles_of(part).items()}
    if deciles:
        drawing = line_chart(
            _BY_FREQUENCY, deciles, across="decile, the most frequent words first", highest=1
        )
        yield Chart(_BY_FREQUENCY, "The share of each tenth of the vocabulary.", drawing)
    local = {
        name: Line(list(found), list(found.values()), [_local_bounds(part, name, kind) for kind in found])
        for name, found in local_of(part).items()
    }
    if local:
        across = "how many references of an image use the word"
        drawing = line_chart(_LOCAL, local, across=across, highest=1)
        yield Chart(_LOCAL, "Words of an image’s references that its caption has.", drawing)


_BY_FREQUENCY, _LOCAL = "Words found, by how frequent they are", "Local recall"


def _curve_tables(part: dict[str, Any]) -> Iterator[MeasureTable]:
    deciles, local = deciles_of(part), local_of(part)
    if deciles:
        columns = tuple(f"tenth {tenth}" for tenth in range(1, max(map(len, deciles.values())) + 1))
        rows = tuple(
            (name, tuple(Number(percent(value), value) for value in found)) for name, found in deciles.items()
        )
        yield MeasureTable("recall_by_frequency", _BY_FREQUENCY, "system", columns, rows, True)
    if local:
        kinds = sorted({kind for found in local.values() for kind in found})
        rows = tuple(
            (
                name,
                tuple(
                    with_bounds(found.get(kind, math.nan), _local_bounds(part, name, kind), percent)
                    for kind in kinds
                ),
            )
            for name, found in local.items()
        )
        caption = f"{_LOCAL}, by how many references of an image use the word"
        yield MeasureTable(
            "local_recall", caption, "system", tuple(map(str, kinds)), rows, True, brackets(part)
        )


def _omitted(part: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the words that each system leaves out most often where all references have them."""
    for name, system in part["systems"].items():
        found = system.get("omitted", {}).get("absolute", ())
        if found:
            yield f"{name} leaves out", ", ".join(f"{item[0]} {item[1]}" for item in found[:_WORDS])

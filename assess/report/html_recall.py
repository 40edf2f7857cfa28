"""Which words of people a system finds again, as `assess recall --json` tells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assess.report.cells import percent
from assess.report.html_input import number
from assess.report.html_measures import (
    Chart,
    Measure,
    MeasurePart,
    known,
    measure_chart,
    measure_table,
    part_notes,
    whole,
)
from assess.report.svg_lines import Line, line_chart

_COVERAGE = Measure("coverage", "Coverage", percent, "Words of the references that are found again.")
_PRECISION = Measure(
    "local_precision", "Local precision", percent, "Words of a caption that some reference of its image has."
)
_MEASURES = (
    Measure("captions", "captions", whole),
    Measure("images", "images", whole),
    Measure("recalled", "words recalled", whole),
    Measure("evaluation", "words of references", whole),
    Measure("coverage", "coverage", percent),
    Measure("limit", "limit", percent),
    Measure("local_precision", "local precision", percent),
)
_WORDS = 12


def recall_part(part: dict[str, Any]) -> MeasurePart:
    """Return the part of the page about recall."""
    bars = [measure_chart(part, measure, humans=frozenset(), limit=1) for measure in (_COVERAGE, _PRECISION)]
    return MeasurePart(
        id="recall",
        title="Recall",
        explained="Which words that people use for the same images the systems use too.",
        charts=known(*bars, *_curves(part)),
        tables=(measure_table(part, _MEASURES, caption="Words of the references, and how many are found."),),
        lists=tuple(_omitted(part)),
        notes=part_notes(part),
    )


def _curves(part: dict[str, Any]) -> Iterator[Chart]:
    deciles = {
        name: Line(range(1, len(system["deciles"]) + 1), [number(value) for value in system["deciles"]])
        for name, system in part["systems"].items()
        if system.get("deciles")
    }
    if deciles:
        title = "Words found, by how frequent they are"
        drawing = line_chart(title, deciles, across="decile, the most frequent words first", highest=1)
        yield Chart(title, "The share of each tenth of the vocabulary.", drawing)
    local = {
        name: Line([int(key) for key in found], [number(value) for value in found.values()])
        for name, system in part["systems"].items()
        if (found := system.get("local", {}).get("micro"))
    }
    if local:
        title = "Local recall"
        drawing = line_chart(title, local, across="how many references of an image use the word", highest=1)
        yield Chart(title, "Words of an image’s references that its caption has.", drawing)


def _omitted(part: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the words that each system leaves out most often where all references have them."""
    for name, system in part["systems"].items():
        found = system.get("omitted", {}).get("absolute", ())
        if found:
            yield f"{name} leaves out", ", ".join(f"{item[0]} {item[1]}" for item in found[:_WORDS])

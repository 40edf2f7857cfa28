"""How varied the language is, as `assess diversity --json` tells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assess.report.cells import percent
from assess.report.html_input import number
from assess.report.html_links import Number
from assess.report.html_measures import (
    Chart,
    Measure,
    MeasurePart,
    MeasureTable,
    known,
    measure_chart,
    measure_table,
    part_notes,
    three,
    whole,
)
from assess.report.svg_lines import Line, line_chart

_TTR1 = Measure("ttr1", "Type-token ratio", three, "Different words in a thousand, on average.")
_TTR2 = Measure("ttr2", "Ratio of word pairs", three, "Different pairs of words in a thousand.")
_TYPES = Measure("types", "Types", whole, "Different words in all captions.")
_NOVEL = Measure("novel", "Novel captions", percent, "Captions that are not in the training data.")
_MEASURES = (
    Measure("captions", "captions", whole),
    Measure("tokens", "tokens", whole),
    Measure("asl", "mean length"),
    Measure("sdsl", "deviation of length"),
    Measure("types", "types", whole),
    Measure("ttr1", "TTR1", three),
    Measure("ttr2", "TTR2", three),
    Measure("unique", "unique captions", whole),
    Measure("mtld", "MTLD"),
    Measure("hdd", "HD-D", three),
    Measure("novel", "novel", percent),
    Measure("mbleu4", "mBLEU-4", three),
)


def diversity_part(part: dict[str, Any]) -> MeasurePart:
    """Return the part of the page about diversity."""
    humans = frozenset(name for name, system in part["systems"].items() if system.get("reference"))
    charts = [measure_chart(part, measure, humans=humans) for measure in (_TTR1, _TTR2, _TYPES)]
    return MeasurePart(
        id="diversity",
        title="Diversity",
        explained="How varied the language of the captions is, whatever it is about.",
        charts=known(*charts, measure_chart(part, _NOVEL, humans=humans, limit=1), *_curves(part)),
        tables=(
            measure_table(part, _MEASURES, name="diversity", caption="Lengths, words and their variety."),
            *_curve_table(part),
        ),
        notes=part_notes(part),
    )


def _curves(part: dict[str, Any]) -> Iterator[Chart]:
    lines = {
        name: Line([0, *curve["tokens"]], [0, *map(number, curve["types"])])
        for name, curve in curves_of(part).items()
    }
    if lines:
        drawing = line_chart(_CURVE, lines, across="tokens")
        yield Chart(_CURVE, "How many different words occur in so many words.", drawing)


_CURVE = "Type-token curve"


def curves_of(part: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the type-token curve of each system that has one."""
    found = {name: system.get("curve", {}) for name, system in part["systems"].items()}
    return {name: curve for name, curve in found.items() if curve.get("tokens")}


def _curve_table(part: dict[str, Any]) -> Iterator[MeasureTable]:
    """Yield the points of the curves, which all systems have at the same numbers of tokens."""
    curves = curves_of(part)
    tokens = next((curve["tokens"] for curve in curves.values()), ())
    if not tokens or any(curve["tokens"] != tokens for curve in curves.values()):
        return
    points = list(
        zip(*([number(types) for types in curve["types"]] for curve in curves.values()), strict=True)
    )
    rows = tuple(
        (f"{at:,}", tuple(Number(whole(types), types) for types in found))
        for at, found in zip(tokens, points, strict=True)
    )
    yield MeasureTable("type_token_curve", f"{_CURVE}: expected types", "tokens", tuple(curves), rows, True)

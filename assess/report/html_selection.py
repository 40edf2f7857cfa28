"""Content selection and pre-generation scores, as `assess select` and `assess pregen` tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assess.report.cells import percent
from assess.report.html_input import number
from assess.report.html_links import Number
from assess.report.html_measures import Chart, MeasurePart, MeasureTable, part_notes, three, with_bounds
from assess.report.svg_bars import Bar, bar_chart
from assess.report.svg_lines import Line, line_chart

_NAMES = {"P": "Precision", "R": "Recall", "F": "F score"}


def selection_part(part: dict[str, Any]) -> MeasurePart:
    """Return the part of the page about content selection."""
    return MeasurePart(
        id="selection",
        title="Content selection",
        explained="Whether a system mentions the things in an image that people mention.",
        charts=tuple(_selection_charts(part)),
        tables=(_selection_table(part), *_baseline_table(part)),
        notes=part_notes(part),
    )


def _rows(part: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what has one score: the systems, and people against people."""
    rows: dict[str, dict[str, Any]] = dict(part.get("systems", {}))
    if part.get("upper_bound"):
        rows["people"] = part["upper_bound"]
    return rows


def _selection_charts(part: dict[str, Any]) -> Iterator[Chart]:
    rows = _rows(part)
    if rows:
        bars = [
            Bar(name, value, percent(value), name == "people", *_ends(row, "F"))
            for name, row in rows.items()
            for value in (number(row.get("F")),)
        ]
        title = "F score"
        yield Chart(title, "Of the selected things, against each description.", bar_chart(title, bars))
    curves = {
        name: Line([int(k) for k in curve], [number(score.get("F")) for score in curve.values()])
        for name, curve in part.get("baselines", {}).items()
        if curve
    }
    if curves:
        title = "Baselines"
        drawing = line_chart(title, curves, across="how many things are selected")
        yield Chart(title, "The F score of simple rules.", drawing)


def _ends(row: dict[str, Any], key: str) -> tuple[float, float]:
    found = row.get("intervals", {}).get(key)
    return (number(found[1]), number(found[2])) if found else (number(None), number(None))


def _selection_table(part: dict[str, Any]) -> MeasureTable:
    rows = tuple(
        (
            name,
            tuple(with_bounds(number(row.get(key)), _ends(row, key), percent) for key in _NAMES),
        )
        for name, row in _rows(part).items()
    )
    caption = f"Means over {part.get('images', 0):,} images."
    return MeasureTable("selection", caption, "selected by", tuple(_NAMES.values()), rows)


def _baseline_table(part: dict[str, Any]) -> Iterator[MeasureTable]:
    """Yield the F scores of simple rules, by how many things they select."""
    curves = {name: curve for name, curve in part.get("baselines", {}).items() if curve}
    if not curves:
        return
    sizes = sorted({int(size) for curve in curves.values() for size in curve})
    rows = tuple(
        (
            name,
            tuple(
                Number(percent(value), value)
                for size in sizes
                for value in (number(curve.get(str(size), {}).get("F")),)
            ),
        )
        for name, curve in curves.items()
    )
    caption = "Baselines: F score, by how many things are selected"
    yield MeasureTable("selection_baselines", caption, "baseline", tuple(map(str, sizes)), rows, True)


def pregen_part(part: dict[str, Any]) -> MeasurePart:
    """Return the part of the page about pre-generation scores."""
    rows = tuple(
        (name, (Number(three(number(value)), number(value)),)) for name, value in part["scores"].items()
    )
    return MeasurePart(
        id="pregen",
        title="Before generation",
        explained="How probable a model finds the words of the references, before it writes any of its own.",
        tables=(MeasureTable("pregen", f"{len(rows):,} scores.", "score", ("value",), rows),),
        notes=part_notes(part),
    )

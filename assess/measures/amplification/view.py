"""What object amplification looks like: in sum per system, and the objects that are amplified most."""

from __future__ import annotations

from collections.abc import Iterator

from assess.measures.amplification.compute import QUANTITIES, documented
from assess.measures.amplification.run import (
    MEASURES,
    AmplificationResult,
    ObjectAmplification,
    run_amplification,
)
from assess.measures.group_settings import AmplificationSettings
from assess.measures.interval_tables import closing_notes, interval_tables
from assess.measures.registry import Measure
from assess.report.quantity import number_charts, quantity_table
from assess.report.section import (
    CSV,
    EVERYWHERE,
    SYSTEM,
    Cell,
    Column,
    ForestChart,
    Output,
    Part,
    Section,
    Table,
    cell,
    words,
)
from assess.report.text import count, percent, signed

_HEADINGS = {quantity.key: quantity.heading for quantity in QUANTITIES if quantity.key in MEASURES}


def amplification_sections(result: AmplificationResult) -> list[Section]:
    """Return what the amplification of captions looks like."""
    first, second = result.contrast
    explained = (
        f"Which things captions name with {first} or {second}, and whether they lean further than people."
    )
    known = result.intervals.systems if result.intervals else {}
    parts = (
        *number_charts(QUANTITIES, result.systems, intervals=known),
        quantity_table(
            "amplification",
            "Object amplification",
            QUANTITIES,
            result.systems,
            intervals=known,
            notes=["Positive: captions go further than people in the direction in which people already lean"],
            brief=True,
        ),
        *_object_tables(result),
        *interval_tables(result.intervals, _HEADINGS),
        *_plots(result),
        *closing_notes(result.notes, result.warnings, result.systems, result.intervals),
    )
    return [Section("amplification", "Object amplification", parts, explained)]


def _object_tables(result: AmplificationResult) -> Iterator[Table]:
    yield _object_table(result, result.top, EVERYWHERE - CSV)
    yield _object_table(result, None, CSV)


def _object_table(result: AmplificationResult, most: int | None, shown: frozenset[Output]) -> Table:
    """Return the objects of all systems, the most amplified first."""
    columns = [
        SYSTEM,
        Column("object", "object", words=True),
        *([Column("images", "images")] if most is None else []),
        Column("leaning", "leans to", words=True),
        Column("share", "references"),
        Column("system_share", "system"),
    ]
    for key, heading in _HEADINGS.items():
        columns.append(Column(key, heading.removeprefix("group ").removeprefix("object ")))
        if most is None:
            columns += [Column(f"{key}_{end}", name) for end, name in (("low", "from"), ("high", "to"))]
    rows = tuple(
        _object_row(name, one, brief=most is not None)
        for name, row in result.systems.items()
        for one in row.per_object[:most]
    )
    note = "references, system: share of the group that the references lean to, of images with the object"
    return Table("amplified_objects", "Amplified objects", tuple(columns), rows, (note,), shown=shown)


def _object_row(name: str, one: ObjectAmplification, *, brief: bool) -> tuple[Cell, ...]:
    cells = [
        words(name),
        words(one.object),
        *([] if brief else [cell(one.images, count)]),
        words(one.leaning),
        cell(one.share, percent),
        cell(one.system_share, percent),
    ]
    for key in MEASURES:
        value, low, high = getattr(one, key)
        cells.append(cell(value, signed(3), (value, low, high)))
        if not brief:
            cells += [cell(low, signed(3)), cell(high, signed(3))]
    return tuple(cells)


def _plots(result: AmplificationResult) -> Iterator[Part]:
    for key, heading in _HEADINGS.items():
        rows = result.intervals.of(key) if result.intervals else []
        yield ForestChart(key, f"Object amplification, {heading}", "amplification", rows, shown=CSV)


MEASURE = Measure(
    name="amplification",
    title="Object amplification",
    result=AmplificationResult,
    sections=amplification_sections,
    quantities=lambda: {"Object amplification": documented()},
    settings=AmplificationSettings,
    run=run_amplification,
)

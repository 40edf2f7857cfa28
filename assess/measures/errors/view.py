"""What errors look like: by system, by annotated group, the words that named the wrong one, and captions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assess.measures.errors.compute import OUTCOMES, PAIR_QUANTITIES, QUANTITIES, SHARE_QUANTITIES, documented
from assess.measures.errors.run import ErrorsResult, ListedCaption, NamedPair, run_errors
from assess.measures.group_settings import ErrorSettings
from assess.measures.interval_tables import difference_table, with_written_intervals
from assess.measures.intervals import Triple
from assess.measures.measure import Row
from assess.measures.registry import Measure
from assess.report.quantity import Quantity, column, number_charts, quantity_cell, quantity_table
from assess.report.section import (
    CSV,
    EVERYWHERE,
    SYSTEM,
    TERMINAL,
    BarChart,
    Cell,
    Column,
    ForestChart,
    Note,
    Part,
    Section,
    Table,
    WordList,
    cell,
    words,
)
from assess.report.text import count, number, percent_points
from assess.whole_files import whole_file

_MOST_WORDS = 8  # of one system, in a terminal
_COMPARED = {"error": "error", "outcome_divergence": "divergence"}
_ANNOTATED = Column("annotated", "annotated", words=True)
_NAMED = Column("named", "named", words=True)


def errors_sections(result: ErrorsResult) -> list[Section]:
    """Return what errors look like."""
    explained = (
        f"Whether captions name the {result.group} that an image was annotated with, another one, or neither."
        " Words are text, not identities, and annotations are what somebody saw."
    )
    parts = (
        *_numbers(result),
        *_words(result),
        *_captions(result),
        *_plots(result),
        *map(Note, result.notes),
    )
    return [Section("errors", "Errors by annotated group", parts, explained)]


def _numbers(result: ErrorsResult) -> Iterator[Part]:
    rows = result.systems
    known = {name: _intervals(row) for name, row in rows.items()}
    humans = frozenset(name for name, row in rows.items() if row.reference)
    yield from number_charts(QUANTITIES, rows, intervals=known, humans=humans)
    layout = {"apart": len(humans), "brief": True}
    table = quantity_table(
        "errors", "Errors", _shown(result), rows, intervals=known, notes=_error_notes(result), **layout
    )
    yield from with_written_intervals(table)
    yield from with_written_intervals(_outcomes(result), names=2)
    yield from with_written_intervals(_differences(result), names=1 if len(result.values) == 2 else 3)
    if len(result.values) > 2:
        yield from with_written_intervals(_pairs(result), names=3)
    if result.paired is not None and result.paired.enough:
        differences = difference_table(result.paired, _COMPARED)
        if differences is not None:
            yield differences


def _shown(result: ErrorsResult) -> list[Quantity[Any]]:
    """Return the columns of the first table; those of two values have their own where there are more."""
    two = len(result.values) == 2
    return [quantity for quantity in QUANTITIES if two or quantity not in PAIR_QUANTITIES]


def _intervals(row: Row) -> dict[str, Triple]:
    """Return the intervals of a row by the keys of their numbers."""
    found = {}
    for key, value in (row.model_extra or {}).items():
        if key.endswith("_interval"):
            name = key.removesuffix("_interval")
            low, high = map(number, value)
            found[name] = (number(row.get(name)), low, high)
    return found


def _error_notes(result: ErrorsResult) -> list[str]:
    settings = result.signature.settings
    notes = [
        "error: captions that name a group other than the annotated one. 95% intervals: images are the unit;"
        f" those of ratios and divergence resample images {settings['resamples']:,} times"
    ]
    if len(result.values) == 2:
        first, second = result.values
        notes.append(
            f"ratio: captions that name {first} for each that names {second}; annotated: the same of images;"
            " divergence: Jensen-Shannon, between both groups' correct, incorrect and neither"
        )
    return notes


def _outcomes(result: ErrorsResult) -> Table:
    """Return the share of each outcome by system and annotated group."""
    rows = tuple(
        (
            words(name),
            words(value),
            *(quantity_cell(one, row, _intervals(row).get(one.key)) for one in SHARE_QUANTITIES),
        )
        for name, system in result.systems.items()
        for value, row in system.groups.items()
    )
    note = "neither: the caption names no group, or several"
    columns = (SYSTEM, _ANNOTATED, *map(column, SHARE_QUANTITIES))
    return Table("outcomes", "What captions name, by annotated group", columns, rows, (note,))


def _differences(result: ErrorsResult) -> Table:
    rows = tuple(
        (words(name), *_pair_cells(pair), *(_points(pair.differences[outcome]) for outcome in OUTCOMES))
        for name, system in result.systems.items()
        for pair in system.pairs
    )
    columns = (SYSTEM, *_PAIR, *(Column(outcome, outcome) for outcome in OUTCOMES))
    note = "Percentage points: the share of the first group less that of the second"
    return Table("outcome_differences", "Differences between groups", columns, rows, (note,))


_PAIR = (Column("group", "group", words=True), Column("against", "minus", words=True))


def _pair_cells(pair: NamedPair) -> tuple[Cell, Cell]:
    return words(pair.group), words(pair.against)


def _points(difference: Triple) -> Cell:
    return cell(difference[0], percent_points, difference)


def _pairs(result: ErrorsResult) -> Table:
    """Return the ratios and the divergence of every two values."""
    rows = tuple(
        (
            words(name),
            *_pair_cells(pair),
            *(quantity_cell(one, pair, _intervals(pair).get(one.key)) for one in PAIR_QUANTITIES),
        )
        for name, system in result.systems.items()
        for pair in system.pairs
    )
    columns = (SYSTEM, _PAIR[0], Column("against", "to", words=True), *map(column, PAIR_QUANTITIES))
    return Table("error_pairs", "Groups against each other", columns, rows)


def _words(result: ErrorsResult) -> Iterator[Table]:
    """Yield the words that named the wrong group: the commonest for readers, all for programs."""
    columns = (SYSTEM, _ANNOTATED, _NAMED, Column("word", "word", words=True), Column("captions", "captions"))
    for most, shown in ((_MOST_WORDS, EVERYWHERE - CSV), (None, CSV)):
        rows = tuple(
            (words(name), words(one.annotated), words(one.named), words(one.word), cell(one.captions, count))
            for name, system in result.systems.items()
            for one in system.wrong_words[:most]
        )
        cut = any(len(system.wrong_words) > _MOST_WORDS for system in result.systems.values()) and most
        notes = (f"The {most} most common of each system; --json and --csv have all",) if cut else ()
        if rows:
            yield Table("wrong_words", "Words that named the wrong group", columns, rows, notes, shown=shown)


def _captions(result: ErrorsResult) -> Iterator[Part]:
    """Yield captions behind the numbers: the incorrect ones as a list, those of all outcomes as a table."""
    listed = [(name, one) for name, system in result.systems.items() for one in system.listed]
    for name, one in listed:
        if one.outcome == "incorrect":
            yield WordList(f"{name}, {one.image_id}: {one.annotated}", one.caption, shown=TERMINAL)
    if listed:
        columns = (
            SYSTEM,
            *(
                Column(key, key, words=True)
                for key in ("image_id", "annotated", "outcome", "named", "words", "caption")
            ),
        )
        rows = tuple((words(name), *map(words, _caption_cells(one))) for name, one in listed)
        note = "Some of each group and outcome; --captions N lists more, and --out writes all"
        yield Table(
            "error_captions",
            "Captions behind the numbers",
            columns,
            rows,
            (note,),
            shown=frozenset({"page", "csv"}),
            folded=True,
        )


def _caption_cells(one: ListedCaption) -> Sequence[str]:
    return one.image_id, one.annotated, one.outcome, ", ".join(one.named), ", ".join(one.words), one.caption


def _plots(result: ErrorsResult) -> Iterator[Part]:
    bars = {
        name: [number(system.groups[value].get("incorrect")) for value in result.values]
        for name, system in result.systems.items()
    }
    yield BarChart("errors", "Errors by annotated group", result.group, "share", result.values, bars)
    rows = [
        (f"{name} ({pair.group} − {pair.against})", *_hundredfold(pair.differences["incorrect"]))
        for name, system in result.systems.items()
        for pair in system.pairs
    ]
    if rows:
        title = "Difference in errors between groups"
        yield ForestChart("error_differences", title, "percentage points", rows)


def _hundredfold(difference: Triple) -> Triple:
    estimate, low, high = difference
    return estimate * 100, low * 100, high * 100


def write_captions(result: ErrorsResult, folder: Path) -> None:
    """Write every caption with what it names, one record per caption."""
    with whole_file(folder / "error-captions.jsonl") as file:
        for name, captions in result.captions.items():
            for caption in captions:
                record = {"system": name, **caption.model_dump()}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")


MEASURE = Measure(
    name="errors",
    title="Errors",
    result=ErrorsResult,
    sections=errors_sections,
    quantities=lambda: {"Errors": documented()},
    settings=ErrorSettings,
    run=run_errors,
    write_details=write_captions,
)

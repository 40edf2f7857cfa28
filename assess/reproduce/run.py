"""Running the parts of the reproduction."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from pydantic import SkipValidation

from assess.engine.captions import measure_signature
from assess.errors import InputError, Place, UsageError, some, visible
from assess.measures.measure import Result
from assess.measures.registry import Measure
from assess.report.section import Cell, Column, LineChart, Note, ScatterChart, Section, Table, words
from assess.report.section import Part as SectionPart
from assess.report.text import UNDEFINED
from assess.reproduce.measuring import CORRELATION_PARTS, DIVERSITY_PARTS, SYNTAX_PARTS
from assess.reproduce.paper_2018 import RECALL_PARTS
from assess.reproduce.parts import ComparedCell, Outcome, Part, Reproduced, ResearchData, Value, run_part
from assess.reproduce.people import ERROR_PARTS, PEOPLE_PARTS
from assess.reproduce.scores import PREGEN_PARTS, SELECTION_PARTS

# Published and computed values as sections with tables and plots.

_SAME = "="


def reproduce_sections(result: Reproduction) -> list[Section]:
    """Return one section per part: its table and plot, or what it lacks."""
    outcomes, sample = result.outcomes, result.sample
    sections = [
        Section(name, outcome.part.title, tuple(_parts(outcome, sample)))
        for name, outcome in outcomes.items()
    ]
    sections.append(_summary_section(result))
    if sample is None:
        return sections
    note = f"a sample of {sample:,} images: counts are smaller, and all other values are rougher"
    return [Section("sample", "Sample", (Note(note, warning=True),)), *sections]


def _summary_section(result: Reproduction) -> Section:
    """Return one line per paper: how many cells it printed, and how many are equal or explained."""
    headings = {
        "printed": "values that the paper prints for these parts",
        "attempted": "computed here",
        "equal": "the same after rounding",
        "explained": "different, for the reason given below its table",
        "left out": "cannot be computed from the data, for the reason given below its table",
    }
    rows = [
        (words(PAPERS[source]), *(Cell(f"{number:,}", number) for number in numbers.values()))
        for source, numbers in result.papers().items()
    ]
    columns = (Column("paper", "paper", words=True), *(Column(heading, heading) for heading in headings))
    legend = "; ".join(f"{heading}: {meaning}" for heading, meaning in headings.items())
    return Section("papers", "Papers", (Table("papers", "Papers", columns, tuple(rows), (legend,)),))


PAPERS = {
    "vanmiltenburg2018measuring": "van Miltenburg et al. 2018",
    "vanmiltenburg2020people": "van Miltenburg 2020",
    "tanti2018pregen": "Tanti et al. 2018",
    "wang2015generating": "Wang and Gaizauskas 2015",
    "burns2018women": "Burns et al. 2018",
}


def _parts(outcome: Outcome, sample: int | None) -> Iterator[SectionPart]:
    if outcome.result is None:
        missing = ", ".join(outcome.missing)
        yield Note(f"{outcome.part.title}: not computed, as the data have no {missing}")
        return
    cells, notes = outcome.result.cells, _notes(outcome.result)
    if cells:
        yield _table(outcome, cells, notes, sample)
    else:
        yield from (Note(f"{outcome.part.title}: {note}") for note in notes)
    name, title = outcome.part.name, outcome.part.title
    if drawn := outcome.result.drawn:
        yield LineChart(name, title, drawn.x, drawn.y, drawn.lines, highest=1)
        return
    points: dict[str, tuple[list[float], list[float]]] = {}
    for cell in cells:
        if not isinstance(cell.published, str) and not isinstance(cell.computed, str):
            xs, ys = points.setdefault(cell.column, ([], []))
            xs.append(cell.published)
            ys.append(cell.computed)
    if points:
        yield ScatterChart(name, title, "published", "computed", points)


def _notes(result: Reproduced) -> list[str]:
    """Return why cells differ and which are missing, followed by further notes."""
    notes = [f"Why some differ: {result.explanation}"] if result.explanation else []
    notes += [f"Left out: {left.what} ({some(left.cells, 'cell')}): {left.why}" for left in result.left_out]
    return [*notes, *result.notes]


def _table(
    outcome: Outcome, cells: Sequence[ComparedCell], notes: Sequence[str], sample: int | None
) -> Table:
    names = list(dict.fromkeys(cell.column for cell in cells))
    rows = list(dict.fromkeys(cell.row for cell in cells))
    found = {(cell.row, cell.column): cell for cell in cells}
    in_sample = sample is not None and outcome.part.sampled
    columns = [Column("row", "", words=True)]
    for name in names:
        of_column = [cell for cell in cells if cell.column == name]
        textual = any(isinstance(cell.published, str) for cell in of_column)
        heading = _PRINTED if any(cell.printed for cell in of_column) else _BEFORE
        columns += [
            Column(f"{name} published", heading, name, words=textual),
            Column(f"{name} computed", "ours", name, words=textual),
            Column(f"{name} difference", "diff", name),
        ]
    title = outcome.part.title
    if in_sample:
        title = f"SAMPLE of {sample:,} images. {title}"
    return Table(
        outcome.part.name,
        title,
        tuple(columns),
        tuple((words(row), *_row([found.get((row, name)) for name in names], in_sample)) for row in rows),
        (_summary(cells), *notes),
    )


_PRINTED, _BEFORE = "paper", "before"


def _row(cells: Sequence[ComparedCell | None], in_sample: bool) -> Iterator[Cell]:
    """Yield the published value, the computed value and the difference."""
    for cell in cells:
        if cell is None:
            yield from (words(""), words(""), words(""))
        else:
            yield _shown(cell.published, cell.digits)
            yield _shown(cell.computed, cell.digits + (1 if cell.digits else 0))
            yield _difference(cell, in_sample)


def _shown(value: Value, digits: int) -> Cell:
    if isinstance(value, str):
        return words(value)
    return Cell(UNDEFINED if math.isnan(value) else f"{value:,.{digits}f}", value)


def _difference(cell: ComparedCell, in_sample: bool) -> Cell:
    if isinstance(cell.published, str):
        return words(_SAME if cell.equal else "≠")
    if in_sample and not cell.digits:
        return words("")  # a count in a sample cannot be compared
    if cell.equal:
        return Cell(_SAME, cell.difference)
    digits = cell.digits + (1 if cell.digits else 0)
    text = UNDEFINED if math.isnan(cell.difference) else f"{cell.difference:+,.{digits}f}"
    return Cell(text, cell.difference)


def _summary(cells: Sequence[ComparedCell]) -> str:
    """Return how many cells are equal, for printed cells and for others."""
    kinds = {
        f"{_PRINTED}: as published": [cell for cell in cells if cell.counted],
        f"{_PRINTED}: compared again, and counted once": [cell for cell in cells if cell.again],
        f"{_BEFORE}: computed earlier, with other code": [cell for cell in cells if not cell.printed],
    }
    equal = {meaning: sum(cell.equal for cell in found) for meaning, found in kinds.items()}
    return ". ".join(
        f"{meaning}; {equal[meaning]} of {len(found)} cells are equal after rounding ({_SAME})"
        for meaning, found in kinds.items()
        if found
    )


# All parts by name. To add one, write it in a module of its own and add its PARTS here.

PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        *DIVERSITY_PARTS,
        *RECALL_PARTS,
        *SYNTAX_PARTS,
        *CORRELATION_PARTS,
        *PEOPLE_PARTS,
        *ERROR_PARTS,
        *PREGEN_PARTS,
        *SELECTION_PARTS,
    )
}


class Reproduction(Result):
    """The outcomes of all parts, and the number of images."""

    measure: ClassVar[str] = "reproduce"

    sample: int | None
    outcomes: dict[str, SkipValidation[Outcome]]  # name of the part -> outcome

    def papers(self) -> dict[str, dict[str, int]]:
        """Return, for each paper, how many printed cells were attempted, and are equal or explained."""
        found: dict[str, dict[str, int]] = {}
        for outcome in self.outcomes.values():
            if outcome.result is None:
                continue
            cells = [cell for cell in outcome.result.cells if cell.counted]
            equal = sum(cell.equal for cell in cells)
            left_out = sum(left.cells for left in outcome.result.left_out)
            numbers = {
                "printed": len(cells) + left_out,
                "attempted": len(cells),
                "equal": equal,
                "explained": len(cells) - equal if outcome.result.because else 0,
                "left out": left_out,
            }
            known = found.setdefault(outcome.part.source, dict.fromkeys(numbers, 0))
            known.update({key: known[key] + number for key, number in numbers.items()})
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the command's `--json`."""
        return {
            "signature": self.signature.as_dict(),
            "sample": self.sample,
            "papers": self.papers(),
            "parts": {name: _saved(outcome) for name, outcome in self.outcomes.items()},
        }


def _saved(outcome: Outcome) -> dict[str, Any]:
    part: dict[str, Any] = {"title": outcome.part.title, "source": outcome.part.source}
    if outcome.result is None:
        return {**part, "missing": outcome.missing}
    cells = outcome.result.cells
    return {
        **part,
        "equal": sum(cell.equal for cell in cells),
        "cells": [
            {
                **{key: getattr(cell, key) for key in ("row", "column", "published", "computed")},
                "difference": cell.difference,
                "equal": cell.equal,
                "printed": cell.counted,
            }
            for cell in cells
        ],
        "because": outcome.result.explanation or None,
        "left_out": [asdict(left) for left in outcome.result.left_out],
        **({"drawn": asdict(outcome.result.drawn)} if outcome.result.drawn else {}),
        "notes": outcome.result.notes,
    }


def choose_parts(names: Sequence[str]) -> list[str]:
    """Return the parts to run: the named ones, or all."""
    for name in names:
        if name not in PARTS:
            close = difflib.get_close_matches(name, PARTS, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"the parts are {', '.join(PARTS)}"
            raise UsageError(f"no part is called '{visible(name)}'", hint=hint)
    return list(dict.fromkeys(names)) or list(PARTS)


def run_parts(data: ResearchData, *, only: Sequence[str] = ()) -> Reproduction:
    """Run parts on research data; raises an error if none of them finds its data."""
    outcomes = {name: run_part(PARTS[name], data) for name in choose_parts(only)}
    if all(outcome.result is None for outcome in outcomes.values()):
        missing = ", ".join(dict.fromkeys(need for outcome in outcomes.values() for need in outcome.missing))
        raise InputError(
            "the folder has none of the data that these parts need",
            place=Place(str(data.folder)),
            hint=f"they need {missing}",
        )
    signature = measure_signature(
        data.annotations.identity,
        sorted(data.summaries.values(), key=lambda summary: summary.name),
        {"mode": "paper", "sample": data.sample, "only": ",".join(only) or None},
    )
    return Reproduction(signature=signature, sample=data.sample, outcomes=outcomes)


MEASURE = Measure("reproduce", "Reproduction", Reproduction, reproduce_sections, quantities=dict)

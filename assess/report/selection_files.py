"""Content selection as files: the result, each image's scores, and made sentences."""

from __future__ import annotations

import json
import re
from pathlib import Path

from assess.engine.selection_result import UPPER_BOUND, GeneratedSentences, SelectionRun
from assess.metrics.selection import SelectionSummary
from assess.metrics.selection_ordering import OrderingScore
from assess.report.files import make_folder, whole_file, write_whole
from assess.report.json_text import dump
from assess.report.selection_shapes import selection_shape
from assess.report.selection_tables import NAMES
from assess.report.table import Cell, Column, ReportTable, decimal, words
from assess.report.table_csv import csv_table


def write_selection(run: SelectionRun, folder: Path) -> None:
    """Write `selection.json`, each image's scores as CSV, and sentences as caption files."""
    make_folder(folder)
    write_whole(folder / "selection.json", dump(selection_shape(run)) + "\n")
    images = images_table(run)
    write_whole(folder / f"{images.name}.csv", csv_table(images))
    for made in run.sentences:
        _write_sentences(folder / f"sentences-{_file_name(made)}.jsonl", made)


def images_table(run: SelectionRun) -> ReportTable:
    """Return the scores of each image: the way back from a mean."""
    rows = [
        row
        for name, system in run.systems.items()
        for row in _image_rows(name, system.summary, system.ordering)
    ]
    rows += _image_rows(UPPER_BOUND, run.upper_bound, run.human_ordering)
    keys = ("system", "image_id", *NAMES.values(), "tau")
    columns = tuple(Column(key, key, words=key in keys[:2]) for key in keys)
    return ReportTable("selection-images", "Scores of images", columns, tuple(rows))


def _image_rows(name: str, summary: SelectionSummary, ordering: OrderingScore) -> list[tuple[Cell, ...]]:
    return [
        (
            words(name),
            words(image),
            *(decimal(getattr(score, measure)) for measure in NAMES),
            decimal(ordering.taus[image]),
        )
        for image, score in summary.scores.items()
    ]


def _file_name(made: GeneratedSentences) -> str:
    return f"{re.sub(r'[^a-z]', '-', made.baseline)}-{made.most}"


def _write_sentences(path: Path, made: GeneratedSentences) -> None:
    """Write sentences as captions, which every command that reads captions can read."""
    with whole_file(path) as file:
        for image, sentence in made.sentences.items():
            row = {"image_id": image, "caption": sentence}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

"""Post-gen scores: a table, JSON, and files with the scores of images."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from assess.measures.postgen.run import ScoresRun, SystemScores
from assess.report.files import dump, make_folder, whole_file, write_whole
from assess.report.section import Column, ReportTable, decimal, whole, words
from assess.report.terminal import note_lines, signature_line, terminal_table


def scores_table(run: ScoresRun) -> ReportTable:
    """Return systems by scores."""
    names = tuple(dict.fromkeys(name for system in run.systems.values() for name in system.scores))
    rows = tuple(
        (words(name), whole(system.images), *(decimal(system.scores[score], 3) for score in names))
        for name, system in run.systems.items()
    )
    columns = (Column("system", "system", words=True), Column("images", "images"))
    notes = ("CIDEr is CIDEr-D, from 0 to 10; all others are from 0 to 1.",) if "CIDEr" in names else ()
    return ReportTable(
        "scores",
        "Captions against references",
        (*columns, *(Column(name, name) for name in names)),
        rows,
        notes=notes,
    )


def scores_report(run: ScoresRun, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report."""
    yield from terminal_table(scores_table(run), width=width)
    if run.notes:
        yield Group(*note_lines(run.notes))
    yield signature_line(run.signature.as_line())


def scores_shape(run: ScoresRun) -> dict[str, Any]:
    """Return the JSON of the scores."""
    return {
        "signature": run.signature.as_dict(),
        "systems": {name: {"images": system.images, **system.scores} for name, system in run.systems.items()},
        "notes": list(run.notes),
    }


def write_scores(run: ScoresRun, folder: Path) -> None:
    """Write `scores.json`, and for each system its images' scores, one record an image."""
    make_folder(folder)
    write_whole(folder / "scores.json", dump(scores_shape(run)) + "\n")
    for name, system in run.systems.items():
        if system.of_images:
            _write_images(folder / f"{_file_name(name)}-images.jsonl", system)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip(".-") or "system"


def _write_images(path: Path, system: SystemScores) -> None:
    with whole_file(path) as file:
        for image in next(iter(system.of_images.values())):
            scores = {name: of_images[image] for name, of_images in system.of_images.items()}
            file.write(json.dumps({"image_id": image, **scores}, ensure_ascii=False) + "\n")

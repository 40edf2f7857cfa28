"""What post-gen scores look like: a table, bars, and files with the scores of each image."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from assess.measures.postgen.run import QUANTITIES, PostgenResult, run_postgen
from assess.measures.registry import Measure
from assess.measures.settings import PostgenSettings
from assess.report.quantity import number_charts, quantity_table
from assess.report.section import BarChart, Note, Part, Section
from assess.report.text import number
from assess.whole_files import whole_file


def postgen_sections(result: PostgenResult) -> list[Section]:
    """Return what the scores of captions look like."""
    explained = "How alike the captions and the references of the same images are."
    used = [quantity for quantity in QUANTITIES if _known(result, quantity.key)]
    notes = ["CIDEr is CIDEr-D, from 0 to 10; all others are from 0 to 1"] if _known(result, "CIDEr") else []
    table = quantity_table("scores", "Captions against references", used, result.systems, notes=notes)
    charts = number_charts(used, result.systems)
    parts: tuple[Part, ...] = (*charts, table, *_plots(result), *map(Note, result.notes))
    return [Section("postgen", "Post-gen scores", parts, explained)]


def _known(result: PostgenResult, key: str) -> bool:
    return any(hasattr(row, key) for row in result.systems.values())


def _plots(result: PostgenResult) -> Iterator[BarChart]:
    """Yield the scores from 0 to 1 beside each other, and CIDEr-D on its own scale."""
    scores = [quantity.key for quantity in QUANTITIES if quantity.key != "images"]
    known = [key for key in scores if _known(result, key)]
    for name, title, keys in (
        ("scores", "Captions against references", [key for key in known if key != "CIDEr"]),
        ("cider", "CIDEr-D", [key for key in known if key == "CIDEr"]),
    ):
        if keys:
            bars = {system: [number(row.get(key)) for key in keys] for system, row in result.systems.items()}
            yield BarChart(name, title, "", "score", tuple(keys), bars)


def write_image_scores(result: PostgenResult, folder: Path) -> None:
    """Write the scores of each image, one file per system and one record per image."""
    for name, scores in result.of_images.items():
        if scores:
            _write_images(folder / f"{_file_name(name)}-images.jsonl", scores)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip(".-") or "system"


def _write_images(path: Path, scores: Mapping[str, Mapping[str, float]]) -> None:
    with whole_file(path) as file:
        for image in next(iter(scores.values())):
            of_image = {name: of_images[image] for name, of_images in scores.items()}
            file.write(json.dumps({"image_id": image, **of_image}, ensure_ascii=False) + "\n")


MEASURE = Measure(
    name="postgen",
    title="Post-gen scores",
    result=PostgenResult,
    sections=postgen_sections,
    quantities=lambda: {"Post-gen scores": QUANTITIES},
    settings=PostgenSettings,
    run=run_postgen,
    write_details=write_image_scores,
)

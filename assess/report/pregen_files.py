"""Pre-gen scores as files: the result, and a table of all scores for `assess correlate`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assess.engine.pregen_result import PregenRun
from assess.report.files import make_folder, whole_file, write_whole
from assess.report.json_text import dump
from assess.report.pregen_terminal import pregen_shape


def write_pregen(run: PregenRun, folder: Path) -> None:
    """Write `pregen.json`, and `pregen-table.tsv` with one row a stratum, or one of all images."""
    make_folder(folder)
    write_whole(folder / "pregen.json", dump(pregen_shape(run)) + "\n")
    with whole_file(folder / "pregen-table.tsv") as file:
        for row in _rows(run):
            file.write("\t".join(row) + "\n")


def _rows(run: PregenRun) -> Iterator[tuple[str, ...]]:
    """Yield the header and the rows. Infinite and undefined scores are written as such: inf, nan."""
    name = " ".join(run.name.split())  # a tab in a name would begin a column
    posts = tuple(run.strata[0].post) if run.strata else ()
    yield ("system", "num_strata", "stratum", "images", *posts, *map(str, run.metrics))
    for found in run.strata:
        place = (str(found.stratum.strata), str(found.stratum.index), str(found.pre.images))
        yield (name, *place, *map(repr, found.post.values()), *map(repr, found.pre.scores.values()))
    if not run.strata:
        yield (name, "1", "0", str(run.scores.images), *map(repr, run.scores.scores.values()))

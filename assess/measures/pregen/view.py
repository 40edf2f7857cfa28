"""Pre-gen scores as tables: one tier-4 aggregate at a time, chosen metrics, strata."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from assess.measures.pregen.run import PregenRun, StratumScores
from assess.measures.pregen.tiers import CAPTION_TIER, DATASET_TIER, IMAGE_TIER, PAPER_FILTER, PregenName
from assess.report.files import dump, make_folder, whole_file, write_whole
from assess.report.section import Cell, Column, ReportTable, decimal, whole, words
from assess.report.terminal import signature_line, terminal_table
from assess.report.text import UNDEFINED, count, plain

RULES = {
    "none": "none: all words",
    "filter0": "filter0: words that were not the first choice (the code's rule)",
    "prefix0": "prefix0: words before the first that was not the first choice",
    PAPER_FILTER: f"{PAPER_FILTER}: words that were the first choice (what the paper says filter0 does)",
}
BEST = "mean_max_normcount_prefix0"  # the best predictor of all four post-gen metrics in the paper


def number(value: float) -> Cell:
    """Return a score of any size with four digits that count."""
    return Cell(UNDEFINED if math.isnan(value) else f"{value:.4g}", value)


def tier_tables(run: PregenRun, aggregates: tuple[str, ...]) -> Iterator[ReportTable]:
    """Yield one table for each aggregate over images: captions' aggregates by words and scores."""
    rules = tuple(dict.fromkeys(metric.word for metric in run.metrics))
    for aggregate in aggregates:
        rows = tuple(
            (words(image), *(_score(run, aggregate, image, rule, score) for rule, score in _pairs(rules)))
            for image in IMAGE_TIER
        )
        columns = (
            Column("captions", "captions", words=True),
            *(Column(f"{score}_{rule}", score, rule) for rule, score in _pairs(rules)),
        )
        yield ReportTable(
            f"pregen-{aggregate}",
            f"Pre-gen scores: {aggregate} over images",
            columns,
            rows,
            notes=tuple(RULES[rule] for rule in rules),
        )


def _pairs(rules: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return ((rule, score) for rule in rules for score in CAPTION_TIER)


def _score(run: PregenRun, aggregate: str, image: str, rule: str, score: str) -> Cell:
    return number(run.scores.scores[str(PregenName(aggregate, image, score, rule))])


def chosen_table(run: PregenRun) -> ReportTable:
    """Return single metrics by name."""
    return ReportTable(
        "pregen-chosen",
        "Pre-gen scores",
        (Column("score", "score"), Column("metric", "metric", words=True)),
        tuple((number(value), words(name)) for name, value in run.scores.scores.items()),
        notes=tuple(RULES[rule] for rule in dict.fromkeys(metric.word for metric in run.metrics)),
    )


def strata_table(run: PregenRun) -> ReportTable:
    """Return the strata: their images, the means of their post-gen scores, and one pre-gen score."""
    shown = BEST if BEST in run.scores.scores else next(iter(run.scores.scores))
    names = tuple(run.strata[0].post) if run.strata else ()
    rows = tuple(
        (
            whole(found.stratum.strata),
            whole(found.stratum.index),
            whole(len(found.stratum.images)),
            *(decimal(found.post[name], 3) for name in names),
            number(found.pre.scores[shown]),
        )
        for found in run.strata
    )
    return ReportTable(
        "pregen-strata",
        f"Strata of images by {run.by}, from low to high",
        (
            Column("num_strata", "strata"),
            Column("stratum", "stratum"),
            Column("images", "images"),
            *(Column(name, name) for name in names),
            Column(shown, shown),
        ),
        rows,
        notes=(
            "A remainder is left out at the top, as in the paper. --out writes all scores of all strata.",
        ),
    )


# Pre-gen scores for a terminal, and their JSON.

_FIRST = ("mean",)  # the aggregate over images that predicts best, and so is shown first


def pregen_tables(run: PregenRun, *, complete: bool, every: bool = True) -> Iterator[ReportTable]:
    """Yield the tables of a run; `complete` says that it has all metrics of its rules."""
    if complete:
        yield from tier_tables(run, DATASET_TIER if every else _FIRST)
    else:
        yield chosen_table(run)
    if run.strata:
        yield strata_table(run)


def pregen_report(run: PregenRun, *, complete: bool, every: bool, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report."""
    found = run.scores
    facts = f"{count(found.images)} images, {count(found.captions)} captions, {count(found.words)} words"
    yield plain(f"{run.name}: {facts}, {count(len(run.metrics))} metrics", 300, style="bold")
    for table in pregen_tables(run, complete=complete, every=every):
        yield from terminal_table(table, width=width)
    if complete and not every:
        shown = len(run.metrics) // len(DATASET_TIER)
        text = (
            f"{count(shown)} of {count(len(run.metrics))} metrics; --all shows the rest, --json has them all."
        )
        yield plain(text, style="dim")
    yield signature_line(run.signature.as_line())


def pregen_shape(run: PregenRun) -> dict[str, Any]:
    """Return the shape of `assess pregen --json`; inf and nan are texts."""
    return {
        "signature": run.signature.as_dict(),
        "images": run.scores.images,
        "captions": run.scores.captions,
        "words": run.scores.words,
        "scores": _numbers(run.scores.scores),
        **({"by": run.by, "strata": [_stratum(found) for found in run.strata]} if run.strata else {}),
    }


def _stratum(found: StratumScores) -> dict[str, Any]:
    return {
        "num_strata": found.stratum.strata,
        "stratum": found.stratum.index,
        "images": len(found.stratum.images),
        "post": dict(found.post),
        "scores": _numbers(found.pre.scores),
    }


def _numbers(scores: dict[str, float]) -> dict[str, float | str]:
    return {name: score if math.isfinite(score) else str(score) for name, score in scores.items()}


# Pre-gen scores as files: the result, and a table of all scores for `assess correlate`.


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

"""Pre-gen scores as tables: one tier-4 aggregate at a time, chosen metrics, strata."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assess.engine.pregen_result import PregenRun
from assess.metrics.pregen_names import CAPTION_TIER, IMAGE_TIER, PAPER_FILTER, PregenName
from assess.report.cells import UNDEFINED
from assess.report.table import Cell, Column, ReportTable, decimal, whole, words

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

"""Pre-gen metrics: small inputs, correlations, and the best predictors (Tanti et al. 2018)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from assess.measures.correlation.compute import Correlation, correlate, ranking, top_table
from assess.measures.correlation.input import read_score_table
from assess.measures.pregen.arrays import ImageProbabilities, image_probabilities
from assess.measures.pregen.compute import pregen_scores
from assess.measures.pregen.tiers import PUBLISHED
from assess.reproduce.parts import ComparedCell, Part, Reproduced, ResearchData

# What Tanti et al. (2018) publish: the best pre-gen metrics of each post-gen metric, over all data sets.

POST = ("METEOR", "CIDEr", "SPICE", "WMD")
DATASETS = ("mscoco", "flickr30k", "flickr8k", "all")

# Names, and R² as in the correlation files of the authors' repository.
TOP_5: dict[str, tuple[tuple[str, float], ...]] = {
    "METEOR": (
        ("mean_max_normcount_prefix0", 0.9649),
        ("mean_mean_normcount_prefix0", 0.9389),
        ("mean_join_normcount_prefix0", 0.9389),
        ("mean_sum_normcount_prefix0", 0.9388),
        ("mean_mean_count_prefix0", 0.9084),
    ),
    "CIDEr": (
        ("mean_max_normcount_prefix0", 0.9372),
        ("mean_mean_normcount_prefix0", 0.9299),
        ("mean_join_normcount_prefix0", 0.9299),
        ("mean_sum_normcount_prefix0", 0.9299),
        ("mean_min_count_filter0", 0.8926),
    ),
    "SPICE": (
        ("mean_max_normcount_prefix0", 0.9501),
        ("mean_mean_normcount_prefix0", 0.9174),
        ("mean_join_normcount_prefix0", 0.9174),
        ("mean_sum_normcount_prefix0", 0.9172),
        ("geomean_min_pplx_filter0", 0.8934),
    ),
    "WMD": (
        ("mean_max_normcount_prefix0", 0.9542),
        ("mean_mean_normcount_prefix0", 0.9297),
        ("mean_join_normcount_prefix0", 0.9297),
        ("mean_sum_normcount_prefix0", 0.9295),
        ("mean_join_count_prefix0", 0.8855),
    ),
}


_SOURCE = "tanti2018pregen"
_SCORES = "pregen/data.tsv.gz"
_CORRELATIONS = "pregen/correlations_CIDEr.tsv.gz"
_SMALL = "pregen/small_inputs_504_scores.json"
_TOLERANCE = 1e-9


def small_inputs(data: ResearchData) -> Reproduced:
    """Compute all 504 metrics of small inputs, and count those that agree."""
    cases = json.loads((data.folder / _SMALL).read_text(encoding="utf-8"))["inputs_and_scores"]
    cells = []
    for name, case in cases.items():
        found = pregen_scores(_images(case["input"])).scores
        equal = sum(_same(found[metric], float(score)) for metric, score in case["scores"].items())
        cells.append(ComparedCell(name, "metrics", len(case["scores"]), equal))
    why = f"computed: metrics that agree within {_TOLERANCE:g}, infinite and undefined ones included"
    return Reproduced(tuple(cells), (why,))


def _images(images: Sequence[Sequence[Sequence[tuple[float, int]]]]) -> list[ImageProbabilities]:
    return [
        image_probabilities(
            str(number),
            probabilities=np.array([p for caption in captions for p, _ in caption], dtype=np.float64),
            argmax=np.array([rank == 0 for caption in captions for _, rank in caption], dtype=np.bool_),
            lengths=np.array([len(caption) for caption in captions], dtype=np.int64),
        )
        for number, captions in enumerate(images)
    ]


def _same(computed: float, published: float) -> bool:
    if math.isnan(published):
        return math.isnan(computed)
    return math.isclose(computed, published, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


def correlations(data: ResearchData) -> Reproduced:
    """Compute R² with CIDEr of every metric that is listed, by data set."""
    table = read_score_table(data.folder / _CORRELATIONS)
    names = table.label("pregen")
    rows = _correlated(data, ("CIDEr",))
    found = {(row.pre, row.dataset): row.r_squared for row in rows}
    cells = []
    largest = 0.0
    for dataset in DATASETS:
        published = table.column(f"{dataset}_R^2").tolist()
        computed = [found[name, dataset] for name in names]
        pairs = zip(published, computed, strict=True)
        largest = max(largest, *(abs(theirs - mine) for theirs, mine in pairs))
        cells += _summaries(dataset, published, computed)
    listed = len(ranking(rows, post="CIDEr", everywhere=True))
    return Reproduced(
        (*cells, ComparedCell("all data sets", "metrics", len(names), listed)),
        (
            f"The largest difference of any R² is {largest:.1g}",
            "metrics: those that are finite and vary in every data set, which is what the paper lists",
        ),
    )


def _summaries(dataset: str, published: list[float], computed: list[float]) -> list[ComparedCell]:
    measures: Mapping[str, Any] = {"highest R²": max, "mean R²": fmean}
    return [
        ComparedCell(dataset, name, measure(published), measure(computed), 6)
        for name, measure in measures.items()
    ]


def best(data: ResearchData) -> Reproduced:
    """Compute the best five pre-gen metrics of each post-gen metric, over all data sets."""
    tops = top_table(_correlated(data, POST), top=5, everywhere=True)
    cells = []
    for post, published in TOP_5.items():
        for rank, ((name, r_squared), found) in enumerate(zip(published, tops[post], strict=True), start=1):
            row = f"{post} {rank}."
            cells.append(ComparedCell(row, "metric", name, found.pre))
            cells.append(ComparedCell(row, "R²", r_squared, found.r_squared, 4))
    return Reproduced(
        tuple(cells),
        (
            "filter0 is the rule of the paper's code, which keeps the words that were not the first choice;"
            " the paper describes the opposite, which is called only0 here",
        ),
    )


def _correlated(data: ResearchData, post: Sequence[str]) -> tuple[Correlation, ...]:
    table = read_score_table(data.folder / _SCORES)
    pre = {str(name): table.column(str(name)) for name in PUBLISHED}
    return correlate(pre, {name: table.column(name) for name in post}, datasets=table.label("dataset"))


PREGEN_PARTS = (
    Part("pregen-small", "Pre-gen metrics of small inputs", _SOURCE, (_SMALL,), small_inputs, sampled=False),
    Part(
        "pregen-correlations",
        "Pre-gen metrics and CIDEr: R² of all listed metrics",
        _SOURCE,
        (_SCORES, _CORRELATIONS),
        correlations,
        sampled=False,
    ),
    Part("pregen-best", "The five best pre-gen metrics", _SOURCE, (_SCORES,), best, sampled=False),
)

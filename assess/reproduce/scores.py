"""Content selection (Wang and Gaizauskas 2015) and pre-gen scores (Tanti et al. 2018) versus the papers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

import numpy as np

from assess.measures.correlation.compute import Correlation, correlate, ranking, read_score_table, top_table
from assess.measures.pregen.compute import pregen_scores
from assess.measures.pregen.input import ImageProbabilities, image_probabilities
from assess.measures.pregen.tiers import PUBLISHED
from assess.measures.selection.baselines import BASELINES, Curves, Ground, baseline_scores
from assess.measures.selection.compute import (
    MEASURES,
    Scores,
    human_upper_bound,
    leave_one_out,
    mean_score,
    selection_score,
)
from assess.measures.selection.files import read_flickr30k
from assess.measures.selection.input import GoldImage
from assess.measures.settings import SelectionSettings
from assess.reproduce.parts import ComparedCell, LeftOut, Part, Reproduced, ResearchData

_GOLDEN = "golden/content_selection.json"
_TABLE_1 = "golden/wang2015_table1.json"
_SENTENCES = "flickr30k_entities/sentences.tsv.gz"
_BOXED = "flickr30k_entities/sentences_of_boxes.tsv.gz"
_BOXES = "flickr30k_entities/boxes.json.gz"
_FIRST = 1000  # number of images in the smaller golden set


def _compared(row: str, published: Mapping[str, float], score: Scores) -> list[ComparedCell]:
    return [
        ComparedCell(row, letter, published[letter], getattr(score, letter), 6, printed=False)
        for letter in MEASURES
    ]


def example(data: ResearchData) -> Reproduced:
    """Compute the selections of Figure 2, and people with leave-one-out."""
    figure = data.json(_GOLDEN)["figure2"]
    gold = [[str(box) for box in description] for description in figure["gold"]]
    cells = []
    for name, selection in figure["selections"].items():
        published = selection if "P" in selection else selection["zero"]
        score = selection_score([str(box) for box in selection["selection"]], gold)
        cells += _compared(name, {letter: published[letter][1] for letter in "PRF"}, score)
    people = dict(zip("PRF", figure["leave_one_out"]["mean"], strict=True))
    cells += _compared("people", people, mean_score(leave_one_out(gold)))
    return Reproduced(
        tuple(cells),
        (
            "The paper draws the example without its scores, which are exact fractions of its descriptions",
            "An empty selection counts 0",
        ),
    )


def people(data: ResearchData) -> Reproduced:
    """Compute people compared with each other on Flickr30k Entities."""
    golden = data.json(_GOLDEN)["flickr30k_entities"]
    images = read_flickr30k(data.folder / _SENTENCES)
    first = sorted(images, key=lambda image: image.image)[:_FIRST]
    cells = []
    for key, part in (("all_images", images), ("first_1000_in_sorted_order", first)):
        bound, row = human_upper_bound(part), f"{len(part):,} images"
        cells += _compared(f"{row}: mean", golden[key]["mean_over_images"], bound.mean)
        cells += _compared(f"{row}: sd", golden[key]["sd_over_images"], bound.sd)
    return Reproduced(
        tuple(cells),
        (
            "The paper's own images (ImageCLEF) are not public; there people reach F .74 ± .12, P and R"
            " .77 ± .11",
        ),
        left_out=(LeftOut("people on the paper's images", 6, "the images are not public"),),
    )


def baselines(data: ResearchData) -> Reproduced:
    """Check the paper's findings on baselines with images that have boxes; words come from all others."""
    gold = read_flickr30k(data.folder / _BOXED, boxes=data.folder / _BOXES)
    scored = {image.image for image in gold}
    others = [image for image in read_flickr30k(data.folder / _SENTENCES) if image.image not in scored]
    settings = SelectionSettings()
    curves = baseline_scores(Ground(gold, others), tuple(BASELINES), settings)
    published = data.json(_TABLE_1)["errata"]
    table = {ours: _published_scores(published[theirs]) for theirs, ours in _NAMES.items()}
    mine = {name: {k: curve[k].mean for k in range(1, _MOST + 1)} for name, curve in curves.items()}
    cells = [
        ComparedCell(finding, "finding", find(table), find({name: mine[name] for name in table}))
        for finding, find in _FINDINGS.items()
    ]
    gain = _SOME if _wins(mine, "bigram+position", "bigram", "F") else "nowhere"
    cells.append(ComparedCell("F: bigram+position gains", "finding", _SOME, gain))
    notes = (
        f"{len(gold)} images with boxes; words counted in {len(others):,} others; random: the mean of"
        f" {settings.draws} draws. Positions are relative to the hull of an image's boxes, because the data"
        " have no image sizes",
    )
    tables = (line for measure in ("F", "P", "R") for line in _grid_lines(gold, curves, measure))
    return Reproduced(
        tuple(cells),
        (*notes, *tables),
        "these are not the paper's images, and every box is mentioned by somebody, so large selections"
        " score higher than people",
        (
            LeftOut(
                "P, R and F of five baselines, k = 1 to 10, with deviations", 300, "the images are not public"
            ),
        ),
    )


Curve = Mapping[str, Mapping[int, Scores]]
_MOST = 10  # the largest k in the paper's table
_NAMES = {
    "Random": "random",
    "Bounding Box Position": "position",
    "Bounding Box Size": "size",
    "Unigram": "unigram",
    "Bigram": "bigram",
}


def _published_scores(rows: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[int, Scores]:
    return {int(k): Scores(*(row[letter]["mean"] for letter in "PRF")) for k, row in rows.items()}


def _peak(scores: Curve, name: str) -> str:
    """Return the first k with the highest F."""
    return f"k = {max(scores[name], key=lambda k: (scores[name][k].F, -k))}"


def _crossing(scores: Curve, name: str) -> str:
    """Return the first k from which recall exceeds precision."""
    found = (k for k, score in sorted(scores[name].items()) if score.R > score.P)
    return f"k = {next(found, '–')}"


def _wins(scores: Curve, name: str, other: str, measure: str) -> int:
    return sum(getattr(scores[name][k], measure) > getattr(scores[other][k], measure) for k in scores[name])


def _beats(scores: Curve, measure: str, *pairs: tuple[str, str]) -> str:
    """Return for how many k the first of each pair exceeds the second, as a minimum over all pairs."""
    return f"at {min(_wins(scores, name, other, measure) for name, other in pairs)} of {_MOST} k"


_SOME = "at some k"
_FINDINGS: Mapping[str, Callable[[Curve], str]] = {
    **{f"F of {name} is highest": partial(_peak, name=name) for name in ("size", "unigram", "bigram")},
    **{f"R exceeds P for {name}": partial(_crossing, name=name) for name in ("size", "unigram", "bigram")},
    "P: bigram beats unigram": lambda scores: _beats(scores, "P", ("bigram", "unigram")),
    "P: bigram beats size": lambda scores: _beats(scores, "P", ("bigram", "size")),
    "F: position beats random": lambda scores: _beats(scores, "F", ("position", "random")),
    "F: all beat position": lambda scores: _beats(
        scores, "F", *((name, "position") for name in ("size", "unigram", "bigram"))
    ),
}


def _grid_lines(gold: Sequence[GoldImage], curves: Curves, measure: str) -> Iterator[str]:
    """Yield a measure of all baselines as lines of text, one per k: there are no published values."""
    bound = getattr(human_upper_bound(gold).mean, measure)
    order = ", ".join(curves)
    yield f"{measure} of the first k boxes (people {bound:.3f}), in the order {order}:"
    for k in next(iter(curves.values())):
        values = (f"{getattr(curve[k].mean, measure):.3f}".removeprefix("0") for curve in curves.values())
        yield f"k={k:>2}: {' '.join(values)}"


_PEOPLE = "Content selection: people on Flickr30k Entities"
_ON_BOXES = "Content selection: baselines on real boxes"
SELECTION_PARTS = tuple(
    Part(name, title, "wang2015generating", needs, run, sampled=False)
    for name, title, needs, run in (
        ("selection-example", "Figure 2: content selection", (_GOLDEN,), example),
        ("selection-people", _PEOPLE, (_GOLDEN, _SENTENCES), people),
        ("selection-baselines", _ON_BOXES, (_SENTENCES, _BOXED, _BOXES, _TABLE_1), baselines),
    )
)


# Pre-gen metrics: small inputs, correlations, and the best predictors (Tanti et al. 2018).

# Published values of Tanti et al. (2018): the best pre-gen metrics for each post-gen metric, over all data
# sets.

POST = ("METEOR", "CIDEr", "SPICE", "WMD")
DATASETS = ("mscoco", "flickr30k", "flickr8k", "all")

PERPLEXITY = 0.76  # R² with CIDEr, according to the text

# Names, and R² according to the correlation files in the authors' repository.
_FIRST_FOUR = tuple(f"mean_{tier}_normcount_prefix0" for tier in ("max", "mean", "join", "sum"))
_FIFTH_AND_R_SQUARED = {
    "METEOR": ("mean_mean_count_prefix0", (0.9649, 0.9389, 0.9389, 0.9388, 0.9084)),
    "CIDEr": ("mean_min_count_filter0", (0.9372, 0.9299, 0.9299, 0.9299, 0.8926)),
    "SPICE": ("geomean_min_pplx_filter0", (0.9501, 0.9174, 0.9174, 0.9172, 0.8934)),
    "WMD": ("mean_join_count_prefix0", (0.9542, 0.9297, 0.9297, 0.9295, 0.8855)),
}
TOP_5 = {
    post: tuple(zip((*_FIRST_FOUR, fifth), values, strict=True))
    for post, (fifth, values) in _FIFTH_AND_R_SQUARED.items()
}


_SCORES = "pregen/data.tsv.gz"
_CORRELATIONS = "pregen/correlations_CIDEr.tsv.gz"
_SMALL = "pregen/small_inputs_504_scores.json"
_TOLERANCE = 1e-9
_SUMMARIES: Mapping[str, Callable[[list[float]], float]] = {"highest R²": max, "mean R²": fmean}


def small_inputs(data: ResearchData) -> Reproduced:
    """Compute all 504 metrics for small inputs, and count those that agree."""
    cases = data.json(_SMALL)["inputs_and_scores"]
    cells = []
    for name, case in cases.items():
        found = pregen_scores(_images(case["input"])).scores
        equal = sum(_same(found[metric], float(score)) for metric, score in case["scores"].items())
        cells.append(ComparedCell(name, "metrics", len(case["scores"]), equal, printed=False))
    note = f"ours: metrics that agree with the authors' code within {_TOLERANCE:g}, even infinite ones"
    return Reproduced(tuple(cells), (note,))


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
    """Compute R² with CIDEr for every listed metric, by data set."""
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
        for what, measure in _SUMMARIES.items():
            cells.append(ComparedCell(dataset, what, measure(published), measure(computed), 6))
    listed = len(ranking(rows, post="CIDEr", everywhere=True))
    return Reproduced(
        (*cells, ComparedCell("all data sets", "metrics", len(names), listed)),
        (
            f"The largest difference of any R² is {largest:.1g}",
            "metrics: those that are finite and vary in every data set, which is what the paper lists",
        ),
    )


def best(data: ResearchData) -> Reproduced:
    """Compute the best five pre-gen metrics for each post-gen metric, over all data sets."""
    tops = top_table(_correlated(data, POST), top=5, everywhere=True)
    cells = []
    for post, published in TOP_5.items():
        for rank, ((name, r_squared), found) in enumerate(zip(published, tops[post], strict=True), start=1):
            row = f"{post} {rank}."
            cells.append(ComparedCell(row, "metric", name, found.pre))
            cells.append(ComparedCell(row, "R²", r_squared, found.r_squared, 4))
    cells.append(ComparedCell("CIDEr and perplexity", "R²", PERPLEXITY, _perplexity(data), 2))
    return Reproduced(
        tuple(cells),
        (
            "filter0 is the rule of the paper's code, which keeps the words that were not the first choice;"
            " the paper describes the opposite, which is called only0 here",
        ),
    )


def _perplexity(data: ResearchData) -> float:
    """Return R² of perplexity over all words of all references, as is usual for language models."""
    rows = _correlated(data, ("CIDEr",))
    return next(row.r_squared for row in rows if (row.pre, row.dataset) == ("geomean_join_pplx_none", "all"))


def _correlated(data: ResearchData, post: Sequence[str]) -> tuple[Correlation, ...]:
    table = read_score_table(data.folder / _SCORES)
    pre = {str(name): table.column(str(name)) for name in PUBLISHED}
    return correlate(pre, {name: table.column(name) for name in post}, datasets=table.label("dataset"))


_LISTED = "Pre-gen metrics and CIDEr: R² of all listed metrics"
PREGEN_PARTS = tuple(
    Part(name, title, "tanti2018pregen", needs, run, sampled=False)
    for name, title, needs, run in (
        ("pregen-small", "Pre-gen metrics of small inputs", (_SMALL,), small_inputs),
        ("pregen-correlations", _LISTED, (_SCORES, _CORRELATIONS), correlations),
        ("pregen-best", "The five best pre-gen metrics", (_SCORES,), best),
    )
)

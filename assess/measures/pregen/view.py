"""Presentation of pre-gen scores: one tier-4 aggregate at a time, selected metrics, strata."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assess.errors import some
from assess.measures.measure import Row
from assess.measures.pregen.run import QUANTITIES, PregenResult, StratumScores
from assess.measures.pregen.tiers import (
    CAPTION_TIER,
    DATASET_TIER,
    IMAGE_TIER,
    PAPER_FILTER,
    PUBLISHED,
    PregenName,
    pregen_name,
)
from assess.measures.registry import Measure
from assess.measures.settings import PregenSettings
from assess.report.quantity import Direction, Quantity, column, defined, quantity_cell
from assess.report.section import (
    EVERYWHERE,
    BarChart,
    Cell,
    Column,
    Note,
    Part,
    ScatterChart,
    Section,
    Table,
    cell,
    words,
)
from assess.report.text import UNDEFINED, count, decimals
from assess.whole_files import whole_file

RULES = {
    "none": "none: all words",
    "filter0": "filter0: words that were not the first choice (as in the paper's code)",
    "prefix0": "prefix0: words before the first one that was not the first choice",
    PAPER_FILTER: f"{PAPER_FILTER}: words that were the first choice (as in the paper's text)",
}
BEST = "mean_max_normcount_prefix0"  # the best predictor of all four post-gen metrics in the paper
_FIRST = "mean"  # the aggregate over images that predicts best, which is shown first
_PAPER = "tanti2018pregen"


def significant(value: float) -> str:
    """Return a score of any magnitude with four significant digits."""
    return UNDEFINED if math.isnan(value) else f"{value:.4g}"


def _tier(name: str, formula: str, direction: Direction = "neither") -> Quantity[Any]:
    """Return a part of the names of metrics: there are too many metrics to describe individually."""
    return defined(name, formula, _PAPER, direction)


TIERS = [
    _tier("none", "tier 1, words: all"),
    _tier("filter0", "tier 1, words: those that were not the first choice (the paper's code)"),
    _tier("only0", "tier 1, words: those that were (the paper's text)"),
    _tier("prefix0", "tier 1, words: up to the first that was not the first choice"),
    _tier("prob", "tier 2, a caption: product of the kept words' p; 0 where none is kept", "higher"),
    _tier("pplx", "tier 2, a caption: 2^(-mean log2 p); infinite where none is kept or some p is 0", "lower"),
    _tier("count", "tier 2, a caption: kept words", "higher"),
    _tier("normcount", "tier 2, a caption: kept words / words", "higher"),
    _tier(
        "sum, mean, median, geomean, max, min",
        "tier 3, an image's captions, and tier 4, images; a geometric mean with a zero is 0",
    ),
    _tier("join", "tier 3: the captions of all images as they are"),
]


def pregen_sections(result: PregenResult) -> list[Section]:
    """Return the sections on pre-gen scores."""
    explained = "How probable a model finds the words of the references."
    return [Section("pregen", "Before generation", tuple(_parts(result)), explained)]


def _parts(result: PregenResult) -> Iterator[Part]:
    metrics = [pregen_name(name) for name in result.scores]
    rules = tuple(dict.fromkeys(metric.word for metric in metrics))
    notes = (_facts(result), *(RULES[rule] for rule in rules))
    complete = all(str(name) in result.scores for name in PUBLISHED)
    if complete:
        for aggregate in DATASET_TIER:
            yield _tier_table(result, aggregate, rules, notes)
        yield _kept_words(result, rules)
    else:
        yield _chosen_table(result, notes)
    if result.strata:
        yield from _strata(result, result.strata)
    if result.categories:
        yield _categories(result, result.categories)
    if complete and not result.every:
        shown = f"{count(len(metrics) // len(DATASET_TIER))} of {count(len(metrics))} metrics"
        terminal = EVERYWHERE - {"page", "paper", "csv"}
        yield Note(f"{shown} are shown; --all shows the rest, --json contains all", shown=terminal)


def _facts(result: PregenResult) -> str:
    sizes = {"image": result.images, "caption": result.captions, "word": result.words}
    facts = ", ".join(some(number, thing) for thing, number in sizes.items())
    return f"{result.name}: {facts}"


def _tier_table(
    result: PregenResult, aggregate: str, rules: tuple[str, ...], notes: tuple[str, ...]
) -> Table:
    """Return the scores of one aggregate over images: aggregates over captions by words and scores."""
    pairs = [(rule, score) for rule in rules for score in CAPTION_TIER]
    rows = tuple(
        (words(image), *(_score(result, aggregate, image, rule, score) for rule, score in pairs))
        for image in IMAGE_TIER
    )
    first = aggregate == _FIRST
    return Table(
        f"pregen-{aggregate}",
        f"Pre-gen scores: {aggregate} over images",
        (
            Column("captions", "captions", words=True),
            *(Column(f"{score}_{rule}", score, rule) for rule, score in pairs),
        ),
        rows,
        notes,
        shown=EVERYWHERE if first or result.every else EVERYWHERE - {"terminal"},
        brief=first,
        folded=not first,
    )


def _score(result: PregenResult, aggregate: str, image: str, rule: str, score: str) -> Cell:
    return cell(result.scores[str(PregenName(aggregate, image, score, rule))], significant)


def _kept_words(result: PregenResult, rules: tuple[str, ...]) -> BarChart:
    """Return the share of words that each rule keeps, for each aggregate over an image's captions."""
    tiers = tuple(tier for tier in IMAGE_TIER if tier != "sum")  # a sum of shares is not a share
    names = {rule: [PregenName(_FIRST, tier, "normcount", rule) for tier in tiers] for rule in rules}
    return BarChart(
        "pregen-kept-words",
        "Effect of the word filters: mean over images",
        "an image's captions",
        "share of words",
        tiers,
        {rule: [result.scores[str(name)] for name in found] for rule, found in names.items()},
    )


def _chosen_table(result: PregenResult, notes: tuple[str, ...]) -> Table:
    """Return single metrics by name. The name is in the last column, where it is never truncated."""
    return Table(
        "pregen-chosen",
        "Pre-gen scores",
        (Column("score", "score"), Column("metric", "metric", words=True)),
        tuple((cell(value, significant), words(name)) for name, value in result.scores.items()),
        notes,
        brief=True,
    )


def _strata(result: PregenResult, strata: tuple[StratumScores, ...]) -> Iterator[Part]:
    """Yield the strata: their images, the means of their post-gen scores, and one pre-gen score."""
    shown = BEST if BEST in result.scores else next(iter(result.scores))
    by = str(result.by)
    posts = tuple(strata[0].post)
    yield Table(
        "pregen-strata",
        f"Strata of images by {by}, from low to high",
        (
            Column("num_strata", "strata"),
            Column("stratum", "stratum"),
            Column("images", "images"),
            *(Column(name, name) for name in posts),
            Column(shown, shown),
        ),
        tuple(
            (
                *(cell(value, count) for value in (found.num_strata, found.stratum, found.images)),
                *(cell(found.post[name], decimals(3)) for name in posts),
                cell(found.scores[shown], significant),
            )
            for found in strata
        ),
        ("The remainder is dropped at the top, as in the paper. --out writes all scores of all strata",),
    )
    points: dict[str, tuple[list[float], list[float]]] = {}
    for found in strata:
        xs, ys = points.setdefault(some(found.num_strata, "part"), ([], []))
        xs.append(found.scores[shown])
        ys.append(found.post[by])
    yield ScatterChart("pregen-strata", f"Strata of images by {by}", shown, by, points)


def _categories(result: PregenResult, rows: Mapping[str, Row]) -> Table:
    """Return the probabilities of the words in each category, modifiers first."""
    cells = tuple(
        (
            words(name.partition(".")[0] if "." in name else ""),
            words(name.partition(".")[2] or name),
            *(quantity_cell(quantity, row) for quantity in QUANTITIES),
        )
        for name, row in rows.items()
    )
    domain = str(result.signature.taxonomy).partition("@")[0]
    return Table(
        "pregen-categories",
        f"Reference words by category: {domain}",
        (
            Column("role", "role", words=True),
            Column("category", "category", words=True),
            *map(column, QUANTITIES),
        ),
        cells,
        (
            "Words of noun phrases, in the best reading; a word may be in several categories. other:"
            " all other words, including the end token",
        ),
        brief=True,
    )


def write_table(result: PregenResult, folder: Path) -> None:
    """Write `pregen-table.tsv` for `assess correlate`: one row per stratum, or one for all images."""
    with whole_file(folder / "pregen-table.tsv") as file:
        for row in _rows(result):
            file.write("\t".join(row) + "\n")


def _rows(result: PregenResult) -> Iterator[tuple[str, ...]]:
    """Yield the header and the rows. Infinite and undefined scores are written as inf and nan."""
    name = " ".join(result.name.split())  # a tab in a name would start another column
    everything = StratumScores(num_strata=1, stratum=0, images=result.images, post={}, scores=result.scores)
    strata = result.strata or (everything,)
    yield ("system", "num_strata", "stratum", "images", *strata[0].post, *result.scores)
    for found in strata:
        place = (str(found.num_strata), str(found.stratum), str(found.images))
        yield (name, *place, *map(repr, found.post.values()), *map(repr, found.scores.values()))


MEASURE = Measure(
    name="pregen",
    title="Before generation",
    result=PregenResult,
    sections=pregen_sections,
    quantities=lambda: {"Pre-gen scores": TIERS, "Pre-gen scores by category": QUANTITIES},
    settings=PregenSettings,
    write_details=write_table,
)

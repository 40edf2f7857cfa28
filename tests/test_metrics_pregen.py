"""Pre-gen metrics versus the published code's values and a plain implementation, and tier by tier."""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.errors import InputError
from assess.measures.pregen.compute import PregenTotals, RowMedians, pregen_scores
from assess.measures.pregen.input import ImageProbabilities, image_probabilities
from assess.measures.pregen.run import PregenResult
from assess.measures.pregen.tiers import BY_PAPER_FILTER, PUBLISHED, PregenName, pregen_name
from assess.signature import Signature
from tests.properties import examples

Words = Sequence[tuple[float, int]]  # probability and rank


def made(captions: Sequence[Words], name: str = "1") -> ImageProbabilities:
    words = [word for caption in captions for word in caption]
    return image_probabilities(
        name,
        probabilities=np.array([p for p, _ in words], dtype=np.float64),
        argmax=np.array([rank == 0 for _, rank in words], dtype=np.bool_),
        lengths=np.array([len(caption) for caption in captions], dtype=np.int64),
    )


def images_of(captions: Sequence[Sequence[Words]]) -> list[ImageProbabilities]:
    return [made(image, str(number)) for number, image in enumerate(captions)]


def score(name: str, *captions: Sequence[Words]) -> float:
    return pregen_scores(images_of(captions), [pregen_name(name)]).scores[name]


def plain_geomean(values: Sequence[float]) -> float:
    if 0.0 in values:
        return 0.0
    return 2.0 ** (math.fsum(map(math.log2, values)) / len(values)) if math.inf not in values else math.inf


def plain_median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


PLAIN: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "median": plain_median,
    "geomean": plain_geomean,
    "max": max,
    "min": min,
}


def plain_caption(words: Words, scorer: str, rule: str) -> float:
    """Score one caption by the definitions, word by word."""
    prefix = next((at for at, (_, rank) in enumerate(words) if rank), len(words))
    kept = {
        "none": [p for p, _ in words],
        "filter0": [p for p, rank in words if rank != 0],
        "only0": [p for p, rank in words if rank == 0],
        "prefix0": [p for p, _ in words[:prefix]],
    }[rule]
    if scorer == "count":
        return float(len(kept))
    if scorer == "normcount":
        return len(kept) / len(words)
    if scorer == "prob":
        return math.prod(kept) if kept else 0.0
    if not kept or 0.0 in kept:
        return math.inf
    return float(2.0 ** -(math.fsum(map(math.log2, kept)) / len(kept)))


def plain_score(captions: Sequence[Sequence[Words]], metric: PregenName) -> float:
    scores = [[plain_caption(words, metric.caption, metric.word) for words in image] for image in captions]
    if metric.image == "join":
        return PLAIN[metric.dataset]([value for image in scores for value in image])
    return PLAIN[metric.dataset]([PLAIN[metric.image](image) for image in scores])


# Whole per mille and an exact 0: the oracle and the product of logarithms agree far below the tolerance.
probability = st.one_of(st.just(0.0), st.integers(1, 1000).map(lambda mille: mille / 1000))
caption = st.lists(st.tuples(probability, st.integers(0, 2)), min_size=1, max_size=6)
dataset = st.lists(st.lists(caption, min_size=1, max_size=11), min_size=1, max_size=4)


@examples(60)
@given(dataset)
def test_all_metrics_agree_with_their_definitions(captions: list[list[Words]]) -> None:
    metrics = (*PUBLISHED, *BY_PAPER_FILTER)
    found = pregen_scores(images_of(captions), metrics).scores
    for metric in metrics:
        assert found[str(metric)] == pytest.approx(plain_score(captions, metric), rel=1e-9), str(metric)


@examples(15)
@given(dataset)
def test_a_metric_alone_is_the_same_as_among_all(captions: list[list[Words]]) -> None:
    images = images_of(captions)
    together = pregen_scores(images).scores
    for metric in PUBLISHED[::7]:
        assert pregen_scores(images, [metric]).scores == {str(metric): together[str(metric)]}


@examples(30)
@given(dataset)
def test_batches_and_order_of_images_do_not_matter(captions: list[list[Words]]) -> None:
    images = images_of(captions)
    whole = pregen_scores(images).scores
    totals = PregenTotals(memory_limit=64)
    for image in reversed(images):
        totals.add([image])
    parts = totals.scores().scores
    totals.close()
    assert list(parts) == list(whole)
    for name, value in whole.items():
        assert parts[name] == pytest.approx(value, rel=1e-12)


def test_a_geometric_mean_with_a_zero_is_zero_also_beside_infinity() -> None:
    empty, full = [(0.5, 0)], [(0.5, 1)]
    assert score("geomean_geomean_prob_filter0", [empty, full], [full]) == 0.0
    assert score("sum_geomean_pplx_filter0", [empty, full]) == math.inf


def test_a_product_too_small_for_a_number_is_zero_like_its_geometric_mean() -> None:
    tiny = [(1e-300, 0), (1e-300, 0)]
    assert score("mean_geomean_prob_none", [tiny]) == 0.0
    assert score("geomean_join_prob_none", [tiny], [[(0.5, 0)]]) == 0.0


def test_the_smallest_probability_overflows_to_an_infinite_perplexity_everywhere() -> None:
    smallest = [(5e-324, 0)]
    for tier in ("sum", "geomean", "max", "join"):
        assert score(f"geomean_{tier}_pplx_none", [smallest]) == math.inf


def test_no_images_are_an_error() -> None:
    with pytest.raises(InputError, match="there are no images to score"):
        pregen_scores([])


numbers = st.one_of(st.floats(0, allow_nan=False), st.sampled_from([0.0, 1.0, 2.0, math.inf]))


@given(st.integers(1, 3), st.data(), st.sampled_from([0, 100, 10_000]))
def test_medians_are_exact_in_memory_and_in_a_file(rows: int, data: st.DataObject, limit: int) -> None:
    width = st.integers(1, 6)
    stretches = [
        np.array(data.draw(st.lists(st.lists(numbers, min_size=w, max_size=w), min_size=rows, max_size=rows)))
        for w in data.draw(st.lists(width, min_size=1, max_size=5))
    ]
    medians = RowMedians(rows, memory_limit=limit)
    for stretch in stretches:
        medians.add(stretch)
    with np.errstate(over="ignore"):
        expected = [plain_median(row.tolist()) for row in np.concatenate(stretches, axis=1)]
        assert medians.result().tolist() == expected
        assert medians.result().tolist() == expected  # asking changes nothing
    medians.close()


def test_a_median_of_nothing_is_undefined() -> None:
    assert np.isnan(RowMedians(2).result()).all()


def stream(count: int) -> Iterator[ImageProbabilities]:
    generator = np.random.default_rng(1)
    for number in range(count):
        p = generator.random(50)
        yield ImageProbabilities(str(number), p, p > 0.5, np.full(5, 10))


def peak_memory(count: int) -> int:
    tracemalloc.start()
    pregen_scores(stream(count), memory_limit=100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_number_of_images() -> None:
    small, large = peak_memory(3_000), peak_memory(12_000)
    # All values of the additional images would take (72 + 5 x 12) x 9,000 x 8 bytes, about 9 MB.
    assert large - small < 1_000_000


@pytest.mark.data
def test_all_504_scores_agree_with_the_published_code(shared_data: Path) -> None:
    path = shared_data / "pregen" / "small_inputs_504_scores.json"
    cases = json.loads(path.read_text())["inputs_and_scores"]
    assert len(cases) == 5
    for case in cases.values():
        found = pregen_scores(images_of(case["input"])).scores
        assert list(found) == list(case["scores"])
        for name, value in case["scores"].items():
            assert found[name] == pytest.approx(float(value), rel=1e-12, nan_ok=True), name


def test_undefined_and_infinite_scores_are_texts_in_json_and_numbers_again_when_read() -> None:
    scores = {"undefined": math.nan, "infinite": math.inf, "plain": 0.5}
    result = PregenResult(signature=Signature(), images=0, captions=0, words=0, scores=scores)
    written = json.loads(result.to_json())
    assert written["scores"] == {"undefined": "nan", "infinite": "inf", "plain": 0.5}
    assert math.isnan(PregenResult.model_validate(written).scores["undefined"])

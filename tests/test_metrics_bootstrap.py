"""Intervals by resampling images."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from assess.errors import UsageError
from assess.measures import intervals as bootstrap
from assess.measures.diversity.rarefaction import expected_ttr, spread, ttr_statistics
from assess.measures.diversity.tokens import encode
from assess.measures.intervals import pair, resample, resample_weights, tally_statistic
from assess.measures.metric import Counts, ratio


def mean(counts: Counts) -> Counts:
    return np.asarray(ratio(counts[..., 0], counts[..., 1]))


def tallies(values: list[float]) -> Counts:
    return np.array([[value, 1.0] for value in values])


def test_every_resample_draws_as_many_images_as_there_are() -> None:
    weights = np.concatenate(list(resample_weights(13, resamples=50, seed=3)))
    assert weights.shape == (50, 13)
    assert (weights.sum(axis=1) == 13).all()


def test_the_size_of_a_block_changes_no_resample(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(resample_weights(7, resamples=20, seed=3)))
    monkeypatch.setattr(bootstrap, "_BLOCK_CELLS", 21)
    blocks = list(resample_weights(7, resamples=20, seed=3))
    assert len(blocks) == 7
    assert (np.concatenate(blocks) == whole).all()


def test_a_block_of_weights_stays_small_for_many_images() -> None:
    block = next(resample_weights(1_000_000, resamples=1000, seed=1))
    assert block.nbytes <= 16_000_000


def test_the_estimate_is_the_value_of_all_images_and_its_interval_that_of_theory() -> None:
    values = np.random.default_rng(8).normal(size=400)
    statistic = tally_statistic(tallies(values.tolist()), mean)
    found = resample(400, {"mean": statistic}, resamples=4000, seed=2).interval("mean")
    assert found.value == pytest.approx(values.mean())
    error = values.std() / np.sqrt(400)
    assert found.low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    statistics = {"mean": tally_statistic(tallies([1, 5, 2, 8, 3]), mean)}
    first, second, third = (resample(5, statistics, resamples=200, seed=seed) for seed in (1, 1, 2))
    assert first.interval("mean") == second.interval("mean")
    assert (first.values["mean"] != third.values["mean"]).any()


def test_a_paired_difference_cancels_what_systems_share() -> None:
    common = np.random.default_rng(4).normal(size=200) * 10
    statistics = {
        "better": tally_statistic(tallies((common + 1).tolist()), mean),
        "worse": tally_statistic(tallies(common.tolist()), mean),
    }
    found, p = resample(200, statistics, resamples=500).difference("better", "worse")
    assert found.value == pytest.approx(1.0)
    assert found.high - found.low < 1e-9  # each alone is about 3 wide
    assert p == pytest.approx(2 / 501)


def test_no_difference_has_no_small_p() -> None:
    statistic = tally_statistic(tallies([1, 2, 3]), mean)
    assert resample(3, {"a": statistic, "b": statistic}, resamples=99).difference("a", "b")[1] == 1.0


def test_resamples_without_a_value_are_left_out() -> None:
    only_one_has_words = np.array([[2.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    found = resample(3, {"mean": tally_statistic(only_one_has_words, mean)}, resamples=500).interval("mean")
    assert (found.low, found.high) == (2.0, 2.0)


def test_without_images_everything_is_undefined() -> None:
    found = resample(0, {"mean": tally_statistic(np.zeros((0, 2)), mean)}, resamples=10)
    assert isnan(found.interval("mean").low)
    assert isnan(found.difference("mean", "mean")[1])


def test_a_bootstrap_without_resamples_or_with_an_odd_level_is_refused() -> None:
    statistics = {"mean": tally_statistic(tallies([1, 2]), mean)}
    with pytest.raises(UsageError, match="the number of resamples must be at least 1, not"):
        resample(2, statistics, resamples=0)
    with pytest.raises(UsageError, match="level of 95 is not between 0 and 1"):
        resample(2, statistics, resamples=5).interval("mean", level=95)


def test_systems_are_paired_by_image_id_and_the_rest_is_counted() -> None:
    one, two = np.array([1.0, 1.0]), np.array([2.0, 1.0])
    found = pair({"a": {"3": one, "1": two, "7": one}, "b": {"1": one, "3": two}})
    assert (found.images, found.places["a"].tolist()) == (2, [1, 0, -1])
    assert found.tallies["a"].tolist() == [[2.0, 1.0], [1.0, 1.0]]
    assert found.tallies["b"].tolist() == [[1.0, 1.0], [2.0, 1.0]]
    assert found.left_out == {"a": 1, "b": 0}
    apart = pair({"a": {"1": one}, "b": {"2": one}})
    assert apart.images == 0
    assert apart.tallies["a"].shape == (0, 2)
    assert pair({}).images == 0


CAPTIONS = [["a", "dog", "runs"], ["a", "cat"], ["a", "dog", "and", "a", "cat"], ["the", "dog"]]


@pytest.mark.parametrize("length", [1, 2])
def test_a_weighted_ratio_is_that_of_captions_repeated(length: int) -> None:
    images = ["1", "2", "2", "3"]
    corpus, places = encode(CAPTIONS), np.array([0, 1, 1, 2])
    statistic = ttr_statistics(corpus, places, images=3, lengths=[length], window=4)[length]
    weights = {"1": 2, "2": 1, "3": 3}
    repeated = [
        caption for caption, image in zip(CAPTIONS, images, strict=True) for _ in range(weights[image])
    ]
    expected = expected_ttr(spread(encode(repeated), length=length), 4)
    assert statistic(np.array([[2.0, 1.0, 3.0]])) == pytest.approx(expected)


def test_captions_of_images_that_are_not_resampled_do_not_count() -> None:
    places = np.array([1, -1, 0, -1])
    statistic = ttr_statistics(encode(CAPTIONS), places, images=2, lengths=[1], window=5)[1]
    expected = expected_ttr(spread(encode([CAPTIONS[0], CAPTIONS[2]])), 5)
    assert statistic(np.ones((1, 2))) == pytest.approx(expected)


def test_the_interval_of_the_order_free_ratio_holds_its_estimate() -> None:
    generator = np.random.default_rng(11)
    words = [f"w{number}" for number in range(40)]
    captions = [[words[min(39, int(place))] for place in generator.exponential(9, 8)] for _ in range(300)]
    corpus = encode(captions)
    statistic = ttr_statistics(corpus, np.arange(300), images=300, lengths=[1], window=50)[1]
    found = resample(300, {"ttr": statistic}, resamples=200).interval("ttr")
    assert found.low < found.value < found.high
    assert found.value == pytest.approx(expected_ttr(spread(corpus), 50))

"""What measures share: image sets and paired intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assess.errors import InputError
from assess.measures.image_sets import left_out, references_in_common, unequal_sets
from assess.measures.interval_tables import difference_table, interval_tables, missing_intervals
from assess.measures.intervals import Resampling, Statistic, paired_intervals, tally_statistic
from assess.measures.metric import Counts, ratio


def test_equal_sets_of_images_need_no_note_and_unequal_ones_are_counted() -> None:
    assert unequal_sets({"a": {"1", "2"}, "b": ["2", "1", "1"]}) == ()
    assert unequal_sets({}) == ()
    [warning] = unequal_sets({"a": {"1", "2"}, "b": {"2"}})
    assert "(a 2, b 1; in common 1)" in warning


def test_references_are_paired_by_id_or_not_at_all() -> None:
    assert references_in_common({"a": ["1"]}, ["1", "2"], names=["people"]) == {"1"}
    assert left_out(["1", "2"], ["1"])
    assert left_out(["1"], ["1"]) == ()
    with pytest.raises(InputError, match=r"no image of the systems \(a 1\) is among the 1 images of people"):
        references_in_common({"a": ["1.jpg"]}, ["1"], names=["people"])


def mean(tallies: Counts) -> Statistic:
    return tally_statistic(tallies, lambda counts: np.asarray(ratio(counts[..., 0], counts[..., 1])))


def test_differences_are_paired_and_corrected_for_their_number() -> None:
    values = np.arange(50.0)
    first = np.stack([values + 1, np.ones(50)], axis=1)
    second = np.stack([values, np.ones(50)], axis=1)
    found = paired_intervals(
        50,
        {"first": {"m": mean(first)}, "second": {"m": mean(second)}},
        left_out={"first": 0, "second": 0},
        resampling=Resampling(resamples=200),
    )
    [difference] = found.differences
    # The same images in both: their difference is 1 in every resample, however much they vary.
    assert difference.difference[1:] == (1.0, 1.0)
    _, low, high = found.systems["first"]["m"]
    assert high - low > 1
    assert difference.q == difference.p
    assert found.notes == ()


def test_centred_measures_have_intervals_around_their_estimates() -> None:
    def distinct(weights: Counts) -> Counts:
        return np.asarray(np.count_nonzero(weights, axis=1), dtype=float)

    plain, centred = (
        paired_intervals(
            30,
            {"a": {"m": distinct}},
            left_out={"a": 0},
            resampling=Resampling(resamples=100),
            centred=names,
        ).systems["a"]["m"]
        for names in ((), ("m",))
    )
    assert plain[2] < plain[0] == centred[0] == 30
    assert centred[1] < centred[0] < centred[2]
    assert math.isclose(centred[2] - centred[1], plain[2] - plain[1])


def test_without_common_images_intervals_are_undefined_and_said_so() -> None:
    found = paired_intervals(
        0,
        {"a": {"m": mean(np.zeros((0, 2)))}},
        left_out={"a": 3},
        resampling=Resampling(resamples=10),
    )
    assert math.isnan(found.systems["a"]["m"][1])
    assert any("no intervals: " in note for note in found.notes)


def test_a_few_images_have_estimates_without_bounds_and_it_is_said() -> None:
    ones = np.ones(9)
    systems = {"a": np.stack([np.arange(9.0), ones], axis=1), "b": np.stack([ones, ones], axis=1)}
    found = paired_intervals(
        9,
        {name: {"m": mean(tallies)} for name, tallies in systems.items()},
        left_out={"a": 0, "b": 0},
        resampling=Resampling(resamples=50),
    )
    estimate, low, high = found.systems["a"]["m"]
    assert estimate == 4.0
    assert math.isnan(low)
    assert math.isnan(high)
    [difference] = found.differences
    assert difference.difference[0] == 3.0
    assert math.isnan(difference.q)
    assert found.notes == ("no intervals: fewer than 10 images to resample",)
    assert interval_tables(found, {"m": "M"}) == []
    assert missing_intervals(found) == found.notes


def test_of_many_differences_the_least_sure_are_shown() -> None:
    generator = np.random.default_rng(1)
    shifts = {f"s{n}": shift for n, shift in enumerate((0.0, 0.0, 5.0, 10.0))}
    statistics = {
        name: {"m": mean(np.stack([generator.normal(shift, 1, 40), np.ones(40)], axis=1))}
        for name, shift in shifts.items()
    }
    found = paired_intervals(
        40,
        statistics,
        left_out=dict.fromkeys(shifts, 0),
        resampling=Resampling(resamples=200),
    )
    table = difference_table(found, {"m": "M"}, most=2)
    assert table is not None
    assert [cell.text for cell in table.rows[0][:3]] == ["M", "s0", "s1"]
    assert len(table.rows) == 2
    assert table.notes[0].startswith("5 of 6 intervals exclude 0")
    assert table.notes[1] == "The 2 least certain ones are shown; --json and --csv list all"
    whole = difference_table(found, {"m": "M"})
    assert whole is not None
    assert len(whole.rows) == 6

"""Correlations versus SciPy's and published ones, undefined cases, and strata."""

from __future__ import annotations

import csv
import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import pearsonr, spearmanr

from assess.errors import InputError, UsageError
from assess.measures.correlation.compute import (
    Correlation,
    Method,
    ScoreTable,
    correlate,
    correlations,
    ranking,
    read_score_table,
    top_table,
)
from assess.measures.pregen.compute import stratifications, stratify
from assess.measures.pregen.tiers import PUBLISHED

values = st.lists(st.integers(-5, 5).map(float), min_size=7, max_size=7)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
@given(first=values, second=values)
def test_correlations_and_p_values_are_those_of_scipy(
    method: Method, first: list[float], second: list[float]
) -> None:
    found = correlations({"first": first, "second": second}, method=method)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert np.isnan(found.coefficients[0, 1])
        return
    oracle = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[method](first, second)
    assert found.coefficients[0, 1] == pytest.approx(oracle.statistic, abs=1e-12)
    assert found.p[0, 1] == pytest.approx(oracle.pvalue, abs=1e-6)


def test_the_matrix_is_symmetric_with_ones_on_its_diagonal() -> None:
    found = correlations({"a": [1, 2, 4, 3], "b": [9, 7, 8, 1], "c": [0, 5, 2, 2]})
    assert np.diag(found.coefficients) == pytest.approx(1.0)
    assert (found.coefficients == found.coefficients.T).all()
    assert (found.p == found.p.T).all()


def test_spearman_sees_any_monotone_relation_and_pearson_a_straight_one() -> None:
    table = {"x": [1.0, 2.0, 3.0, 4.0], "cube": [1.0, 8.0, 27.0, 64.0]}
    assert correlations(table).coefficients[0, 1] == pytest.approx(1.0)
    assert correlations(table, method="pearson").coefficients[0, 1] < 0.96


def test_each_pair_uses_the_systems_that_have_both_values() -> None:
    nan = float("nan")
    found = correlations({"a": [1, 2, 3, nan], "b": [nan, 1, 0, 5]}, method="pearson")
    assert found.systems.tolist() == [[3, 2], [2, 3]]
    assert found.coefficients[0, 1] == pytest.approx(-1.0)
    assert np.isnan(found.p[0, 1])  # two systems always lie on a line


def test_a_measure_that_does_not_vary_correlates_with_nothing() -> None:
    found = correlations({"a": [1, 1, 1], "b": [1, 2, 3]})
    assert np.isnan(found.coefficients[0]).all()
    assert np.isnan(found.p[0, 1])
    assert found.p[1, 1] == 0.0


def test_one_system_or_none_leaves_all_undefined() -> None:
    assert np.isnan(correlations({"a": [1.0], "b": [2.0]}).coefficients).all()
    assert correlations({}).coefficients.shape == (0, 0)
    assert np.isnan(correlations({"a": [], "b": []}).coefficients).all()


def test_measures_over_different_numbers_of_systems_are_refused() -> None:
    with pytest.raises(InputError, match=r"different numbers of systems: \[1, 2\]"):
        correlations({"a": [1.0], "b": [1.0, 2.0]})


def arrays(**columns: list[float]) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    return {name: np.array(values, dtype=np.float64) for name, values in columns.items()}


varied = st.lists(st.integers(-50, 50).map(float), min_size=4, max_size=12).filter(lambda v: len(set(v)) > 1)


@given(varied)
def test_coefficients_agree_with_scipy(values: list[float]) -> None:
    target = [value * value + index for index, value in enumerate(values)]
    if len(set(target)) == 1:
        target[0] += 1
    (found,) = correlate(arrays(pre=values), arrays(post=target))
    r, p = pearsonr(values, target)
    assert found.r == pytest.approx(r, abs=1e-12)
    assert found.r_squared == pytest.approx(r**2, abs=1e-12)
    assert found.p == pytest.approx(p, rel=1e-6, abs=1e-12)
    assert found.rho == pytest.approx(spearmanr(values, target).statistic, abs=1e-12)


def test_data_sets_are_correlated_apart_and_together() -> None:
    pre, post = arrays(a=[1, 2, 3, 3, 2, 1]), arrays(b=[1, 2, 3, 1, 2, 3])
    found = {row.dataset: row for row in correlate(pre, post, datasets=list("xxxyyy"))}
    assert list(found) == ["x", "y", "all"]
    assert found["x"].r == pytest.approx(1.0)
    assert found["y"].r == pytest.approx(-1.0)
    assert found["all"].r == pytest.approx(0.0, abs=1e-12)
    assert found["x"].rows == 3


@pytest.mark.parametrize(
    ("values", "why"),
    [([1, math.inf, 2, 3], "not-finite"), ([1, math.nan, 2, 3], "not-finite"), ([2, 2, 2, 2], "constant")],
)
def test_a_column_without_a_correlation_says_why(values: list[float], why: str) -> None:
    good, bad = correlate(arrays(good=[4, 2, 1, 3], bad=values), arrays(post=[1, 2, 3, 4]))
    assert good.why is None
    assert bad.why == why
    assert math.isnan(bad.r_squared)
    assert math.isnan(bad.p)


def test_columns_of_different_length_are_an_error() -> None:
    with pytest.raises(UsageError, match="the columns must have the same number of rows, not"):
        correlate(arrays(pre=[1, 2, 3]), arrays(post=[1, 2]))


def row(pre: str, r_squared: float, dataset: str = "all", *, bad: bool = False) -> Correlation:
    return Correlation(pre, "post", dataset, 9, r_squared, 0, 0, 0, "constant" if bad else None)


def test_ranking_is_by_r_squared_and_equals_keep_their_order() -> None:
    found = [row("a", 0.5), row("b", 0.9), row("c", 0.9), row("d", math.nan, bad=True)]
    assert [correlation.pre for correlation in ranking(found, post="post")] == ["b", "c", "a"]
    assert [correlation.pre for correlation in top_table(found, top=2)["post"]] == ["b", "c"]


def test_what_is_undefined_in_one_data_set_can_be_left_out_everywhere() -> None:
    found = [row("a", 0.5), row("b", 0.9), row("a", 0.1, "x"), row("b", math.nan, "x", bad=True)]
    assert [found.pre for found in ranking(found, post="post")] == ["b", "a"]
    assert [found.pre for found in ranking(found, post="post", everywhere=True)] == ["a"]


def test_strata_go_from_low_to_high_and_leave_the_remainder_out() -> None:
    scores = {"e": 5.0, "a": 1.0, "c": 3.0, "b": 1.0, "d": 4.0}
    low, high = stratify(scores, strata=2)
    assert (low.strata, low.index, low.images) == (2, 0, ("a", "b"))
    assert (high.index, high.images) == (1, ("c", "d"))


@given(st.dictionaries(st.text(min_size=1), st.floats(0, 1), min_size=5, max_size=30))
def test_each_cut_has_strata_of_equal_size_in_order(scores: dict[str, float]) -> None:
    found = list(stratifications(scores, most=5))
    assert len(found) == 15
    for strata in range(1, 6):
        cut = [stratum for stratum in found if stratum.strata == strata]
        assert {len(stratum.images) for stratum in cut} == {len(scores) // strata}
        values = [scores[image] for stratum in cut for image in stratum.images]
        assert values == sorted(values)


def test_what_cannot_be_cut_is_an_error() -> None:
    with pytest.raises(UsageError, match="2 images cannot be divided into 3 strata"):
        stratify({"a": 1.0, "b": 2.0}, strata=3)
    with pytest.raises(UsageError, match="undefined"):
        stratify({"a": 1.0, "b": math.nan}, strata=1)


def test_a_table_has_scores_and_labels(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("dataset,run,CIDEr\nx,1,0.5\ny,2,inf\n")
    table = read_score_table(path)
    assert table.rows == 2
    assert table.column("CIDEr").tolist() == [0.5, math.inf]
    assert table.label("dataset") == ("x", "y")
    assert table.label("run") == ("1", "2")
    with pytest.raises(UsageError, match="no numeric column 'SPICE'"):
        table.column("SPICE")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", "the table has no rows"),
        ("a\ta\n1\t2\n", "two columns are named 'a'"),
        ("", "the table has no header"),
        ("a\tb\n1\t2\n3\n", "the row has 1 cell, but the header has 2"),
    ],
)
def test_a_bad_table_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_score_table(path)


POST = ("METEOR", "CIDEr", "SPICE", "WMD")
DATASETS = ("mscoco", "flickr30k", "flickr8k", "all")

# The best pre-gen metrics over all data sets; worked out from the published scores with numpy.corrcoef.


@pytest.fixture(scope="module")
def published(shared_data: Path) -> tuple[Correlation, ...]:
    table: ScoreTable = read_score_table(shared_data / "pregen" / "data.tsv.gz")
    pre = {str(name): table.column(str(name)) for name in PUBLISHED}
    post = {name: table.column(name) for name in POST}
    return correlate(pre, post, datasets=table.label("dataset"))


@pytest.mark.data
def test_correlations_with_cider_agree_with_the_published_ones(
    shared_data: Path, published: tuple[Correlation, ...]
) -> None:
    found = {(row.pre, row.dataset): row for row in published if row.post == "CIDEr"}
    with gzip.open(shared_data / "pregen" / "correlations_CIDEr.tsv.gz", "rt") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert {row["pregen"] for row in rows} == {
        row.pre for row in ranking(published, post="CIDEr", everywhere=True)
    }
    for expected in rows:
        for name in DATASETS:
            mine = found[expected["pregen"], name]
            assert mine.r_squared == pytest.approx(float(expected[f"{name}_R^2"]), abs=1e-9)
            assert mine.r == pytest.approx(float(expected[f"{name}_R"]), abs=1e-9)
            assert mine.p == pytest.approx(float(expected[f"{name}_p"]), rel=1e-6, abs=1e-290)

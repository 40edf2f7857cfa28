"""Correlations against SciPy's, and where they are undefined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assess.errors import InputError
from assess.measures.correlation.compute import Method, correlations

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
    assert found.p_values[0, 1] == pytest.approx(oracle.pvalue, abs=1e-6)


def test_the_matrix_is_symmetric_with_ones_on_its_diagonal() -> None:
    found = correlations({"a": [1, 2, 4, 3], "b": [9, 7, 8, 1], "c": [0, 5, 2, 2]})
    assert found.measures == ("a", "b", "c")
    assert np.diag(found.coefficients) == pytest.approx(1.0)
    assert (found.coefficients == found.coefficients.T).all()
    assert (found.p_values == found.p_values.T).all()


def test_spearman_sees_any_monotone_relation_and_pearson_a_straight_one() -> None:
    table = {"x": [1.0, 2.0, 3.0, 4.0], "cube": [1.0, 8.0, 27.0, 64.0]}
    assert correlations(table).coefficients[0, 1] == pytest.approx(1.0)
    assert correlations(table, method="pearson").coefficients[0, 1] < 0.96


def test_each_pair_uses_the_systems_that_have_both_values() -> None:
    nan = float("nan")
    found = correlations({"a": [1, 2, 3, nan], "b": [nan, 1, 0, 5]}, method="pearson")
    assert found.systems.tolist() == [[3, 2], [2, 3]]
    assert found.coefficients[0, 1] == pytest.approx(-1.0)
    assert np.isnan(found.p_values[0, 1])  # two systems always lie on a line


def test_a_measure_that_does_not_vary_correlates_with_nothing() -> None:
    found = correlations({"a": [1, 1, 1], "b": [1, 2, 3]})
    assert np.isnan(found.coefficients[0]).all()
    assert np.isnan(found.p_values[0, 1])
    assert found.p_values[1, 1] == 0.0


def test_one_system_or_none_leaves_all_undefined() -> None:
    assert np.isnan(correlations({"a": [1.0], "b": [2.0]}).coefficients).all()
    assert correlations({}).coefficients.shape == (0, 0)
    assert np.isnan(correlations({"a": [], "b": []}).coefficients).all()


def test_measures_over_different_numbers_of_systems_are_refused() -> None:
    with pytest.raises(InputError, match=r"different numbers of systems: \[1, 2\]"):
        correlations({"a": [1.0], "b": [1.0, 2.0]})

"""Contrasts within strata; expected values are from STATISTICS, statsmodels and the research data."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import StratifiedTable

from assess.measures.bias.association import odds_ratio, sample_odds_ratio
from assess.measures.bias.strata import breslow_day, mantel_haenszel, stratify
from assess.measures.bias.tables import CountTable, collapse

CHILDREN = CountTable(3049, 4143, 4104, 5327)
ADULTS = CountTable(168, 25414, 892, 69717)

STRATA = st.lists(st.builds(CountTable.from_cells, *[st.integers(0, 80)] * 4), min_size=1, max_size=6)
FILLED_STRATA = st.lists(st.builds(CountTable.from_cells, *[st.integers(1, 80)] * 4), min_size=2, max_size=6)


def _theirs(tables: list[CountTable]) -> StratifiedTable:
    return StratifiedTable([np.array(table.cells, dtype=float).reshape(2, 2) for table in tables])


def test_age_by_child_and_adult_heads_has_its_known_values() -> None:
    assert f"{sample_odds_ratio(collapse([CHILDREN, ADULTS])):.2f}" == "1.71"
    ours = mantel_haenszel([CHILDREN, ADULTS])
    assert f"{ours.value:.3f} [{ours.low:.3f}, {ours.high:.3f}]" == "0.725 [0.669, 0.786]"


def test_age_by_child_and_adult_heads_reverses() -> None:
    ours = stratify({"child": CHILDREN, "adult": ADULTS})
    assert ours.crude.low > 1
    assert ours.common.high < 1
    assert ours.reversal
    assert ours.change == "reverses"
    assert ours.opposed == ("child", "adult")


def test_strata_that_differ_are_not_pooled() -> None:
    ours = stratify({"child": CHILDREN, "adult": ADULTS})
    assert ours.heterogeneous
    assert ours.pooled is None
    assert ours.common.value == pytest.approx(0.725, abs=5e-4)


def test_strata_that_agree_are_pooled() -> None:
    ours = stratify({"one": CountTable(20, 100, 10, 100), "two": CountTable(40, 200, 20, 200)})
    assert not ours.heterogeneous
    assert (
        ours.pooled
        == ours.common
        == mantel_haenszel([CountTable(20, 100, 10, 100), CountTable(40, 200, 20, 200)])
    )
    assert ours.change == "stays"
    assert not ours.opposed


@pytest.mark.parametrize(
    ("strata", "change"),
    [
        # Within each stratum the rates are equal; the groups only differ in how much of each they hold.
        ((CountTable(720, 900, 80, 100), CountTable(10, 100, 90, 900)), "vanishes"),
        # A difference within both strata that the mixture hides.
        ((CountTable(180, 200, 274, 343), CountTable(160, 800, 66, 657)), "emerges"),
        ((CountTable(5, 10, 5, 10), CountTable(1, 10, 1, 10)), "none"),
    ],
)
def test_other_changes_are_named(strata: tuple[CountTable, CountTable], change: str) -> None:
    ours = stratify({"one": strata[0], "two": strata[1]})
    assert ours.change == change
    assert not ours.reversal


def test_a_reversal_within_chance_is_no_reversal() -> None:
    small = {"child": CountTable(15, 20, 20, 26), "adult": CountTable(1, 127, 4, 348)}
    ours = stratify(small)
    assert ours.crude.value > 1 > ours.common.value
    assert not ours.reversal


@given(tables=STRATA)
def test_mantel_haenszel_equals_statsmodels(tables: list[CountTable]) -> None:
    assume(sum(table.yes * table.cells[3] for table in tables))
    assume(sum(table.cells[1] * table.other_yes for table in tables))
    full = [table for table in tables if table.total]
    ours, theirs = mantel_haenszel(tables), _theirs(full)
    low, high = theirs.oddsratio_pooled_confint(0.05)
    assert ours.value == pytest.approx(float(theirs.oddsratio_pooled), rel=1e-9)
    assert (ours.low, ours.high) == pytest.approx((float(low), float(high)), rel=1e-9)


@given(tables=FILLED_STRATA)
def test_breslow_day_equals_statsmodels(tables: list[CountTable]) -> None:
    common = mantel_haenszel(tables).value
    # At an odds ratio of exactly 1 the quadratic of statsmodels has no square term and no answer.
    assume(abs(common - 1) > 1e-4)
    theirs = _theirs(tables).test_equal_odds(adjust=False)
    ours = breslow_day(tables)
    assert ours.degrees == len(tables) - 1
    assert ours.statistic == pytest.approx(float(theirs.statistic), rel=1e-6, abs=1e-8)
    assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-5, abs=1e-12)


def test_breslow_day_is_defined_at_an_odds_ratio_of_exactly_1() -> None:
    tables = [CountTable(10, 30, 20, 60), CountTable(5, 50, 10, 100)]
    ours = breslow_day(tables)
    assert (ours.statistic, ours.p) == pytest.approx((0, 1), abs=1e-9)


def test_one_stratum_pools_to_its_own_sample_odds_ratio() -> None:
    ours = stratify({"only": CountTable(20, 100, 10, 100)})
    assert ours.common.value == pytest.approx(sample_odds_ratio(CountTable(20, 100, 10, 100)))
    assert math.isnan(ours.heterogeneity.p)
    assert ours.pooled == ours.common


def test_strata_with_zero_cells_only_keep_an_exact_bound() -> None:
    tables = [CountTable.from_cells(32, 3794, 0, 6482), CountTable.from_cells(5, 100, 0, 300)]
    ours = mantel_haenszel(tables)
    assert ours.value == ours.high == math.inf
    # More of the same evidence: the bound is above that of the first stratum alone.
    assert ours.low > odds_ratio(tables[0]).low
    turned = mantel_haenszel([table.swapped for table in tables])
    assert (turned.value, turned.low) == (0, 0)
    assert turned.high == pytest.approx(1 / ours.low)
    assert stratify({"one": tables[0], "two": tables[1]}).change == "stays"


def test_the_exact_bound_of_one_stratum_is_that_of_its_odds_ratio() -> None:
    table = CountTable.from_cells(32, 3794, 0, 6482)
    assert mantel_haenszel([table]).low == pytest.approx(odds_ratio(table).low, rel=1e-9)
    assert mantel_haenszel([table, CountTable(0, 0, 0, 0), CountTable(0, 5, 0, 7)]).low == pytest.approx(
        odds_ratio(table).low
    )


def test_strata_that_say_nothing_change_nothing() -> None:
    telling, silent = (
        [CHILDREN, ADULTS],
        [CountTable(0, 0, 0, 0), CountTable(0, 10, 0, 20), CountTable(7, 7, 3, 3), CountTable(1, 3, 0, 0)],
    )
    assert mantel_haenszel(telling + silent).value == pytest.approx(mantel_haenszel(telling).value)
    assert breslow_day(telling + silent).degrees == 1
    assert breslow_day(telling + silent).statistic == pytest.approx(breslow_day(telling).statistic)


@pytest.mark.parametrize("tables", [[], [CountTable(0, 0, 0, 0)], [CountTable(0, 10, 0, 20)]])
def test_no_evidence_gives_no_odds_ratio(tables: list[CountTable]) -> None:
    assert math.isnan(mantel_haenszel(tables).value)
    ours = stratify({str(place): table for place, table in enumerate(tables)})
    assert ours.change == "none"
    assert not ours.heterogeneous


@given(tables=STRATA, seed=st.integers(0, 100))
def test_the_order_of_strata_does_not_matter(tables: list[CountTable], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(tables))
    ours, turned = mantel_haenszel(tables), mantel_haenszel([tables[place] for place in order])
    assert (ours.value, ours.low) == pytest.approx((turned.value, turned.low), nan_ok=True)


@pytest.mark.data
def test_age_by_system_has_its_known_values(shared_data: Path) -> None:
    tables = list(_age_by_system(shared_data / "people_grammar").values())
    assert collapse(tables) == collapse([CHILDREN, ADULTS])
    ours = mantel_haenszel(tables)
    assert f"{ours.value:.3f} [{ours.low:.3f}, {ours.high:.3f}]" == "1.649 [1.574, 1.728]"
    heterogeneity = breslow_day(tables)
    assert (f"{heterogeneity.statistic:.1f}", heterogeneity.degrees) == ("244.5", 8)
    assert heterogeneity.p < 1e-40


FEMALE = {"woman", "women", "girl", "girls", "lady", "ladies", "female", "females", "bride", "daughter"}
MALE = {"man", "men", "boy", "boys", "guy", "guys", "male", "males", "groom", "father"}


def _age_by_system(folder: Path) -> dict[str, CountTable]:
    """Count age modifiers of female and male heads with the papers' own analyses, system by system."""
    analyses = json.loads((folder / "1.0" / "analyses.json").read_text(encoding="utf-8"))
    with gzip.open(folder / "noun_chunk_counts.json.gz", "rt", encoding="utf-8") as file:
        counts = json.load(file)
    return {system: _age_table(chunks, analyses) for system, chunks in counts.items()}


def _age_table(chunks: dict[str, int], analyses: dict[str, list[str] | None]) -> CountTable:
    tallies = {"female": [0, 0], "male": [0, 0]}
    for chunk, count in chunks.items():
        head, categories = chunk.split()[-1], analyses.get(chunk)
        group = "female" if head in FEMALE else "male" if head in MALE else None
        # No analysis at all (a word outside the lexicon) is left out here, as it was in the known values.
        if group is not None and categories is not None:
            tallies[group][0] += count * ("Age" in categories)
            tallies[group][1] += count
    return CountTable(*tallies["female"], *tallies["male"])

"""Rating sheets: what is sampled, what raters see, and the results of their answers."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from assess.audits.ratings import corrected_by_strata, kappa, more_to_rate, score, weighted_rate
from assess.audits.saved import SavedAudit, read_audit
from assess.audits.sheet import (
    Draw,
    Sheet,
    SheetKey,
    SheetStratum,
    draw_sheet,
    find_key,
    read_key,
    read_ratings,
    sheet_csv,
    write_sheet,
)
from assess.errors import InputError, UsageError
from assess.measures.bias.tables import Estimate, Tally, wilson
from tests.audits import fit, repeated, save_audit

COUNTS = {"a beautiful woman": 30, "a woman": 170, "a beautiful man": 2, "a tall man": 20, "a man": 178}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> SavedAudit:
    captions = repeated("i", COUNTS)
    systems = {"v1": captions, "human": captions}
    return save_audit(tmp_path_factory.mktemp("audit"), systems, references=("human",))


def drawn(sheet: Sheet) -> Counter[tuple[str, str, bool]]:
    strata = [sheet.strata[row.stratum] for row in sheet.rows]
    return Counter((stratum.category, stratum.value, stratum.said) for stratum in strata)


def test_a_sheet_is_drawn_by_category_group_and_what_the_tool_said(saved: SavedAudit) -> None:
    sheet = draw_sheet(saved, Draw(categories=("attractiveness",), per_cell=5))
    assert drawn(sheet) == {
        ("attractiveness", "female", True): 5,
        ("attractiveness", "female", False): 5,
        ("attractiveness", "male", True): 2,
        ("attractiveness", "male", False): 5,
    }
    populations = {(s.value, s.said): s.population for s in sheet.strata}
    assert populations == {
        ("female", True): 30,
        ("female", False): 170,
        ("male", True): 2,
        ("male", False): 198,
    }
    assert {row.mention.system for row in sheet.rows} == {"v1"}


def test_without_a_choice_the_unequal_categories_are_drawn(saved: SavedAudit) -> None:
    assert {row.category for row in draw_sheet(saved, Draw()).rows} == {"attractiveness", "height"}


def test_a_draw_is_seeded_and_does_not_depend_on_the_order_of_labels(tmp_path: Path) -> None:
    saved = save_audit(tmp_path, {"v1": repeated("i", COUNTS)})
    first, again, other = (draw_sheet(saved, Draw(seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert {row.mention.image for row in first.rows} != {row.mention.image for row in other.rows}
    mentions = tmp_path / "mentions.jsonl"
    mentions.write_text("".join(reversed(mentions.read_text().splitlines(keepends=True))))
    fit(tmp_path)
    assert draw_sheet(read_audit(tmp_path), Draw(seed=1)) == first


def test_raters_see_neither_group_nor_what_the_tool_said(saved: SavedAudit) -> None:
    sheet = draw_sheet(saved, Draw(categories=("attractiveness",), per_cell=30))
    rows = list(csv.DictReader(io.StringIO(sheet_csv(sheet))))
    assert list(rows[0]) == ["id", "image_id", "phrase", "caption", "category", "question", "answer"]
    assert {row["answer"] for row in rows} == {""}
    assert rows[0]["caption"].startswith("«")
    # The order of rows must not reveal the tool's answers.
    said = [sheet.strata[row.stratum].said for row in sheet.rows]
    assert said not in (sorted(said), sorted(said, reverse=True))


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        ({"by": "gendre"}, "did you mean `gender`"),
        ({"systems": ("v2",)}, "no system called 'v2'"),
        ({"categories": ("atractiveness",)}, "did you mean `attractiveness`"),
        ({"categories": ("head.age",)}, "sheets cover modifier categories only"),
        ({"per_cell": 0}, "at least one label"),
    ],
)
def test_a_draw_that_cannot_be_is_told(saved: SavedAudit, draw: dict[str, object], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        draw_sheet(saved, Draw(**draw))  # type: ignore[arg-type]


def test_cells_that_begin_like_formulas_cannot_run(tmp_path: Path) -> None:
    captions = [
        ("=1+1", "=cmd|' /C calc'!A0 a tall man", ["a tall man"]),
        ("@x", "-2 a\ntall\x1b man", ["a\ntall\x1b man"]),
    ]
    saved = save_audit(tmp_path, {"v1": captions})
    text = sheet_csv(draw_sheet(saved, Draw(categories=("height",))))
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "'=1+1" in cells
    assert "\x1b" not in text
    assert len(text.splitlines()) == 3


def test_there_is_no_sheet_whose_key_could_not_be_written(tmp_path: Path, saved: SavedAudit) -> None:
    (tmp_path / "sheet.key.json").mkdir()
    with pytest.raises(UsageError, match="this is a folder"):
        write_sheet(tmp_path / "sheet.csv", draw_sheet(saved, Draw(categories=("height",))), saved)
    assert [file.name for file in tmp_path.iterdir()] == ["sheet.key.json"]


KEY = SheetKey(
    sheet="k",
    signature={},
    by="gender",
    strata=(
        SheetStratum("height", "female", True, 30),
        SheetStratum("height", "female", False, 170),
        SheetStratum("height", "male", True, 10),
        SheetStratum("height", "male", False, 90),
    ),
    rows={f"{stratum}-{row}": stratum for stratum in range(4) for row in range(10)},
)


def ratings(*yes: int, rows: int = 10) -> dict[str, bool]:
    return {f"{stratum}-{row}": row < number for stratum, number in enumerate(yes) for row in range(rows)}


def test_precision_is_weighted_by_what_the_rows_stand_for() -> None:
    found = score(KEY, ratings(9, 0, 4, 1))
    (height,) = found.categories
    assert height.precision.value == pytest.approx(0.75 * 0.9 + 0.25 * 0.4)
    assert height.missed.value == pytest.approx(90 / 260 * 0.1)
    assert (height.confirmed, height.rated) == (13, 20)
    assert height.more_to_rate > 0
    assert (found.rated, found.rows, found.agreement) == (40, 40, None)


def test_rates_are_corrected_by_stratum() -> None:
    found = score(KEY, ratings(9, 0, 4, 1))
    female, male = found.rates
    assert female.corrected == corrected_by_strata(
        Tally(30, 200), confirmed=Tally(9, 10), missed=Tally(0, 10)
    )
    assert female.corrected.value == pytest.approx(0.15 * 0.9)
    assert male.corrected.value == pytest.approx(0.1 * 0.4 + 0.9 * 0.1)


def test_a_category_that_was_never_said_is_corrected_by_its_misses() -> None:
    strata, rows = (SheetStratum("height", "all", False, 50),), {f"0-{n}": 0 for n in range(10)}
    key = SheetKey(sheet="k", signature={}, by=None, strata=strata, rows=rows)
    (rate,) = score(key, ratings(2)).rates
    assert (rate.yes, rate.labels, rate.corrected) == (0, 50, wilson(2, 10))


def test_what_is_not_rated_leaves_its_number_undefined() -> None:
    found = score(KEY, {row: has for row, has in ratings(9, 0, 4, 1).items() if row.startswith("0")})
    assert math.isnan(found.categories[0].precision.value)
    assert math.isnan(found.rates[0].corrected.value)


def test_two_raters_agree_beyond_chance() -> None:
    first = {f"0-{row}": row < 5 for row in range(10)} | {f"1-{row}": False for row in range(10)}
    second = {**first, "0-0": False, "1-0": True, "2-0": True}
    found = score(KEY, first, second).agreement
    assert found is not None
    assert (found.rows, found.counts) == (20, ((4, 1), (1, 14)))
    assert found.kappa.value == pytest.approx((0.9 - 0.625) / 0.375)
    assert found.disagreed == ("0-0", "1-0")
    assert math.isnan(score(KEY, first, {}).agreement.kappa.value)  # type: ignore[union-attr]


@given(
    counts=st.lists(
        st.tuples(st.integers(0, 20), st.integers(1, 20), st.integers(1, 500)), min_size=1, max_size=5
    )
)
def test_a_weighted_rate_lies_in_its_interval_and_among_its_strata(
    counts: list[tuple[int, int, int]],
) -> None:
    strata = [(population, Tally(min(yes, total), total)) for yes, total, population in counts]
    found = weighted_rate(strata)
    assert 0 <= found.low <= found.value <= found.high <= 1
    rates = [tally.rate for _, tally in strata]
    assert min(rates) - 1e-9 <= found.value <= max(rates) + 1e-9
    if len(strata) == 1:
        single = wilson(strata[0][1].yes, strata[0][1].total)
        assert found.low == pytest.approx(single.low)
        assert found.high == pytest.approx(single.high)


def test_a_sheet_comes_back_with_its_key(saved: SavedAudit, tmp_path: Path) -> None:
    sheet = draw_sheet(saved, Draw(categories=("attractiveness",), per_cell=3))
    path = tmp_path / "sheet.csv"
    key_path = write_sheet(path, sheet, saved)
    assert key_path.name == "sheet.key.json"
    back = tmp_path / "anna.csv"
    lines = path.read_text().splitlines()
    answers = ["answer", "yes", "No", " 1", "?", "", "x", "n", "TRUE", "0", "unsure", "y"]
    filled = [line + answers[n] if n else line for n, line in enumerate(lines)]
    # A spreadsheet may save with semicolons, a byte order mark and other line ends.
    rows = list(csv.reader(filled))
    with back.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";", lineterminator="\r\n").writerows([*rows, [""] * 7])
    key = read_key(find_key(back))
    assert key.strata == sheet.strata
    assert key.signature == saved.results.signature.as_dict()
    found = read_ratings(back, key)
    expected = [True, False, True, None, None, True, False, True, False, None, True]
    assert [found.get(row.id) for row in sheet.rows] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id,answer\n0-0,maybe\n0-1,perhaps\n", ["s.csv:2: 'maybe' is not an answer", "s.csv:3: 'perhaps'"]),
        ("id,answer\nzz,yes\n", ["s.csv:2: the key has no row 'zz'", "--key"]),
        ("id,answer\n0-0,yes\n0-0,no\n", ["s.csv:3: the row '0-0' appears twice"]),
        ("id,antwort\n0-0,yes\n", ["s.csv:1: the sheet has no column `answer`"]),
        ("", ["no column `id`"]),
    ],
)
def test_mistakes_in_a_rated_sheet_are_placed(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_ratings(path, KEY)
    for part in expected:
        assert part in str(caught.value)


def test_a_sheet_without_its_key_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("id,answer\nzz,yes\n")
    with pytest.raises(InputError, match="there is no matching key next to the sheet"):
        find_key(path)
    (tmp_path / "x.key.json").write_text("{}")
    with pytest.raises(InputError, match=r"x\.key\.json: is not the key of a sheet"):
        find_key(path)
    path.write_text("id,answer\n")
    with pytest.raises(InputError, match="the sheet has no rows"):
        find_key(path)


# ---- what ratings say about rates


def _covered(draw: Callable[[np.random.Generator], Estimate], truth: float, *, times: int = 1500) -> float:
    generator = np.random.default_rng(17)
    estimates = [draw(generator) for _ in range(times)]
    return sum(estimate.low <= truth <= estimate.high for estimate in estimates) / times


def test_it_does_not_matter_which_answer_of_the_tool_is_called_yes() -> None:
    ours = corrected_by_strata(Tally(200, 1000), confirmed=Tally(45, 50), missed=Tally(1, 100))
    turned = corrected_by_strata(Tally(800, 1000), confirmed=Tally(1, 100), missed=Tally(45, 50))
    assert (ours.value, ours.low, ours.high) == pytest.approx((turned.value, turned.low, turned.high))


@pytest.mark.parametrize(("said", "precision", "omission"), [(0.1, 0.9, 0.02), (0.3, 0.6, 0.1)])
def test_stratified_corrections_hold_the_truth_as_often_as_they_say(
    said: float, precision: float, omission: float
) -> None:
    def draw(generator: np.random.Generator) -> Estimate:
        return corrected_by_strata(
            Tally(int(generator.binomial(2000, said)), 2000),
            confirmed=Tally(int(generator.binomial(100, precision)), 100),
            missed=Tally(int(generator.binomial(150, omission)), 150),
        )

    assert _covered(draw, said * precision + (1 - said) * omission) >= 0.935


def test_without_ratings_of_what_was_not_said_nothing_is_known_about_it() -> None:
    ours = corrected_by_strata(Tally(200, 1000), confirmed=Tally(45, 50), missed=Tally(0, 0))
    assert all(map(math.isnan, (ours.value, ours.low, ours.high)))


@given(
    counts=st.integers(2, 4).flatmap(
        lambda size: st.lists(
            st.lists(st.integers(0, 40), min_size=size, max_size=size), min_size=size, max_size=size
        )
    )
)
def test_kappa_equals_statsmodels(counts: list[list[int]]) -> None:
    ours = kappa(counts)
    assume(not math.isnan(ours.low))
    with np.errstate(divide="ignore", invalid="ignore"):  # in its test statistics, which are not compared
        theirs = cohens_kappa(np.array(counts))
    assert ours.value == pytest.approx(float(theirs.kappa), abs=1e-9)
    # A variance of 0 is rounding noise in both; in statsmodels it may be negative and have no root.
    half = 1.959963984540054 * math.sqrt(max(0.0, float(theirs.var_kappa)))
    bounds = max(-1.0, theirs.kappa - half), min(1.0, theirs.kappa + half)
    assert (ours.low, ours.high) == pytest.approx(bounds, abs=1e-6)


@pytest.mark.parametrize("counts", [[], [[0, 0], [0, 0]], [[7]], [[7, 0], [0, 0]]])
def test_kappa_of_raters_who_said_one_thing_only_is_undefined(counts: list[list[int]]) -> None:
    assert math.isnan(kappa(counts).value)


@pytest.mark.parametrize("counts", [[[0, 7], [0, 0]], [[0, 0], [1, 2]], [[3, 0, 0], [4, 0, 0], [3, 0, 0]]])
def test_kappa_with_a_rater_who_said_one_thing_only_is_0_without_an_interval(counts: list[list[int]]) -> None:
    ours = kappa(counts)
    assert ours.value == 0
    assert math.isnan(ours.low)
    assert math.isnan(ours.high)


@pytest.mark.parametrize("counts", [[[1, 2]], [[1], [2]], [[1, -1], [0, 2]]])
def test_kappa_needs_a_square_table_of_counts(counts: list[list[int]]) -> None:
    with pytest.raises(UsageError, match="square table"):
        kappa(counts)


@given(total=st.integers(0, 400), share=st.floats(0, 1), half_width=st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_more_to_rate_is_just_enough(total: int, share: float, half_width: float) -> None:
    rated = Tally(round(total * share), total)
    more = more_to_rate(rated, half_width=half_width)
    rate = rated.rate if total else 0.5

    def half(size: int) -> float:
        z = 1.959963984540054
        return z / (size + z * z) * math.sqrt(size * rate * (1 - rate) + z * z / 4)

    assert half(total + more) <= half_width + 1e-12
    if more > 1:
        assert half(total + more - 1) > half_width - 1e-12


@pytest.mark.parametrize("half_width", [0, 1, -1, math.nan])
def test_a_half_width_must_be_a_part_of_1(half_width: float) -> None:
    with pytest.raises(UsageError, match="the half-width"):
        more_to_rate(Tally(1, 2), half_width=half_width)

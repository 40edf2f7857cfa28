"""How numbers and foreign texts look."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.errors import AssessError, Place, Problem, visible
from assess.report.files import dump
from assess.report.text import count, percent, plain, rate


def test_numbers() -> None:
    assert count(40504) == "40,504"
    assert (rate(0.125), rate(math.nan)) == ("0.12", "–")
    assert (percent(0.5), percent(0.0), percent(1.0), percent(math.nan)) == ("50.0%", "0.0%", "100.0%", "–")


def test_a_small_share_is_not_shown_as_zero() -> None:
    assert percent(0.0001) == "<0.1%"
    assert percent(0.0001, 0) == "<1%"


@given(st.text())
def test_visible_text_is_one_safe_line(text: str) -> None:
    shown = visible(text)
    assert len(shown) <= 160
    assert not any(character in shown for character in "\x1b\x00\x07\n\r\t\u202e\u2028")
    shown.encode("utf-8")


def test_markup_stays_text() -> None:
    assert plain("[bold]a[/bold] [/EN#1/people Two men]").plain == "[bold]a[/bold] [/EN#1/people Two men]"
    assert not plain("[bold]a[/bold]").spans


def test_json_has_null_for_undefined_and_text_for_infinite() -> None:
    shape = {"a": math.nan, "b": [math.inf, -math.inf], "c": (1.5, "é")}
    assert json.loads(dump(shape)) == {"a": None, "b": ["inf", "-inf"], "c": [1.5, "é"]}


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        (Place("f.json"), "f.json"),
        (Place("f.json", line=3), "f.json:3"),
        (Place("f.json", line=3, column=7), "f.json:3:7"),
        (Place("f.json", line=3, column=7, record=2), "f.json:3:7: record 2"),
        (Place("f\x1b[31m.json"), "f�[31m.json"),
    ],
)
def test_places(place: Place, shown: str) -> None:
    assert str(place) == shown


def test_a_problem_shows_line_caret_and_hint() -> None:
    problem = Problem("wrong", Place("f.yaml", line=1, column=5, source="abc: d"), "put it right")
    assert str(problem) == "f.yaml:1:5: wrong\n  | abc: d\n  |     ^\n  hint: put it right"


def test_the_caret_of_a_long_line_stays_under_its_column() -> None:
    source = "x" * 500 + "Y" + "x" * 500
    lines = str(Problem("wrong", Place("f", line=1, column=501, source=source))).splitlines()
    assert lines[1][lines[2].index("^")] == "Y"


def test_an_error_tells_all_its_problems() -> None:
    error = AssessError([Problem("one"), Problem("two", hint="try")])
    assert str(error) == "one\ntwo\n  hint: try"

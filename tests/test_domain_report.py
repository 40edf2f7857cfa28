"""What an author sees: examples with the word in sight, and reasons that can be seen."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from assess.domain.advice import Candidate
from assess.domain.agreement import Annotations, Key, agreement
from assess.domain.agreement_view import agreement_report
from assess.domain.suggestions import Reason
from assess.domain.view import example, reasons_text

LONG = "A girl is sticking out her leg while sitting on a child's beach chair near the blue sea."


@pytest.mark.parametrize("width", [24, 30, 40, 54, 70, 88, 160])
@pytest.mark.parametrize("word", ["girl", "leg", "beach", "blue sea"])
def test_an_example_has_its_word_in_sight_at_any_width(word: str, width: int) -> None:
    shown = example(Candidate(word, "modifier", 1, 1.0, (LONG,)), width=width)
    assert shown.cell_len <= width
    assert word in shown.plain
    assert shown.plain.strip("…").strip() in LONG
    if width >= len(LONG):
        assert shown.plain == LONG


def test_an_example_is_shown_by_the_form_that_it_has() -> None:
    shown = example(Candidate("sea", "head", 1, 1.0, (f"{LONG} {LONG}",), ("chairs", "chair")), width=30)
    assert "beach chair" in shown.plain


def test_an_example_without_its_word_begins_at_the_beginning() -> None:
    assert example(Candidate("sofa", "head", 1, 1.0, (LONG,)), width=30).plain.startswith("A girl is")


@pytest.mark.parametrize(
    ("word", "other", "said"),
    [
        ("curly-headed", "bald headed", "ends in -headed like bald headed"),
        ("blueish", "blue", "made like blue"),
        ("half eaten", "half-empty", "made like half-empty"),
        ("odd-looking", "{mood}-looking", "ends in -looking like {mood}-looking"),
        ("bed", "bench", "a guess: nothing is much like it"),
        ("counter", "couch", "a guess: nothing is much like it"),
    ],
)
def test_a_form_is_a_reason_only_where_it_can_be_seen(word: str, other: str, said: str) -> None:
    assert reasons_text(word, [Reason("form", (other,))]).plain == said
    company = reasons_text(word, [Reason("form", (other,)), Reason("company", ("table",))]).plain
    assert company.endswith("used like table")


def test_the_longest_category_names_fit_a_narrow_terminal() -> None:
    keys: list[Key] = [("modifier", "occupation-or-social-group"), ("head", "status-occupation")]
    items = {f"item {number}": frozenset(frozenset({key}) for key in keys) for number in range(3)}
    console = Console(width=80, file=io.StringIO())
    for part in agreement_report(agreement(Annotations("a", items), Annotations("b", items)), most=5):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert any("occupation-or-social-group" in line for line in lines)
    assert any("head.status-occupation" in line for line in lines)

"""The one-screen summary of an audit: what it says, and that it fits."""

from __future__ import annotations

import io
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from assess.audits.full_report import audit_report
from assess.audits.highlights import error_highlights, warnings
from assess.audits.html.cards import cards, cards_heading
from assess.audits.result import AuditResult
from assess.audits.summary import audit_screen, summary_line
from assess.cli.console import print_parts
from assess.measures.bias.groups import ImageGroups
from assess.report.terminal import horizontal_bar
from assess.report.text import shortened
from tests.audits import Captions, make_audit

LONG = "checkpoints/captioner-with-a-very-long-name-indeed/step-0001234567-of-0009999999-final.v2"
HOSTILE = "[/x][bold red]\x1b[31m\u202e evil"


def captions(*labels: tuple[str, int]) -> Captions:
    """One label per image, so many times each; images are numbered in order."""
    texts = [text for text, number in labels for _ in range(number)]
    return [(str(place), text, [text]) for place, text in enumerate(texts)]


# People use "young" and "happy" equally; `plain` uses neither, and `skewed` calls only women beautiful.
PEOPLE = captions(("a young woman", 50), ("a happy woman", 50), ("a young man", 50), ("a happy man", 50))
PLAIN = captions(("a woman", 95), ("a tall woman", 5), ("a man", 95), ("a tall man", 5))
SKEWED = captions(
    ("a beautiful young woman", 40), ("a happy woman", 60), ("a young happy man", 50), ("a man", 50)
)
SYSTEMS = {"plain": PLAIN, "skewed": SKEWED, "people": PEOPLE}


def screen(audit: AuditResult, width: int = 100, *, full: bool = False, colour: bool = False) -> str:
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=colour, highlight=False, markup=False, emoji=False
    )
    print_parts(console, (audit_report if full else audit_screen)(audit, width=width))
    console.print(summary_line(audit))
    return out.getvalue()


def in_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def audit() -> AuditResult:
    return make_audit(SYSTEMS, references=("people",))


def test_the_last_line_sums_up(audit: AuditResult) -> None:
    last = screen(audit).splitlines()[-1]
    assert last == "1 disparity in 4 contrasts; 2 systems, 200 captions each; 200 by people"


def test_a_legend_stands_only_where_its_sign_does(audit: AuditResult) -> None:
    text = screen(audit)
    assert "▲ disparity:" in text
    assert "↔" not in text
    assert "reversal" not in text
    assert "new:" not in text
    assert "recall" not in text
    assert "–: no labels" not in text
    silent = make_audit({"s": PLAIN, "none": [("0", "x", [])]})
    assert "–: no labels" in in_one_line(screen(silent))


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("names", [("plain", "skewed", "people"), (LONG, HOSTILE, LONG + "!")])
def test_no_line_is_wider_than_the_console_whatever_names_say(
    width: int, names: tuple[str, str, str]
) -> None:
    systems: Mapping[str, Captions] = dict(zip(names, SYSTEMS.values(), strict=True))
    text = screen(make_audit(systems, references=names[2:]), width)
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    assert "\u202e" not in text
    if HOSTILE in names:
        assert "[/x]" in text
        assert "final.v2" in text or width < 80  # the end of a long name distinguishes it from others


def test_many_systems_are_described_together() -> None:
    alike = {f"plain{number}": PLAIN for number in range(3)} | {
        f"skewed{number}": SKEWED for number in range(6)
    }
    audit = make_audit({**alike, "people": PEOPLE}, references=("people",))
    text = in_one_line(screen(audit))
    assert "plain0, plain1 and plain2 say less than people: 0.05 against 1.00 modifiers per label" in text
    assert "skewed0, skewed1, skewed2 and 3 more say" in text
    assert "6 of 9 systems show disparities by gender: attractiveness 6 systems women 40% men 0%" in text
    assert "plain0, plain1 and plain2 show no disparity by gender" in text
    heading = "What differs: the 2 most uneven of 6 systems with disparities"
    assert cards_heading(audit, cards(audit)) == heading
    assert (
        "systems never or hardly ever do (share of people's labels) 3 systems age (50%), mood (50%)" in text
    )


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_about_many_systems_is_wider_than_the_console(width: int) -> None:
    systems = {f"{LONG}{number}{HOSTILE}": SKEWED for number in range(9)}
    text = screen(make_audit({**systems, "people": PEOPLE}, references=("people",)), width)
    assert max(map(cell_len, text.splitlines())) <= width


def test_without_references_systems_are_measured_by_each_other() -> None:
    text = screen(make_audit({"plain": PLAIN, "skewed": SKEWED}))
    assert "plain says least: 0.05 modifiers per label" in in_one_line(text)
    assert "skewed says most" in text
    assert "people" not in text.replace("about people", "").replace("for people", "")
    assert text.splitlines()[-1].endswith("2 systems, 200 captions each")


def test_without_groups_nothing_is_said_of_contrasts() -> None:
    text = screen(make_audit(SYSTEMS, by=(), references=("people",)))
    assert "plain says less than people" in text
    assert "contrast" not in text
    assert "Before you quote" not in text
    assert text.splitlines()[-1] == "2 systems, 200 captions each; 200 by people"


def test_no_disparity_is_not_told_as_equality() -> None:
    text = in_one_line(screen(make_audit({"plain": PLAIN, "people": PEOPLE}, references=("people",))))
    assert "plain shows no disparity by gender, but" in text
    assert "have too little evidence" in text or "has too little evidence" in text


def test_many_systems_that_name_the_wrong_group_are_one_sentence() -> None:
    class System(SimpleNamespace):
        def __getitem__(self, key: str) -> float:
            return float(getattr(self, key))

    def system(error: float, difference: float) -> System:
        groups = {"female": {"incorrect": error + difference}, "male": {"incorrect": error - difference}}
        pairs = [SimpleNamespace(differences={"incorrect": (2 * difference, difference, 3 * difference)})]
        return System(error=error, reference=False, groups=groups, pairs=pairs)

    def told(*systems: System) -> list[str]:
        found = SimpleNamespace(group="gender", systems={f"s{n}": each for n, each in enumerate(systems)})
        return error_highlights(cast("Any", SimpleNamespace(domain="people", measures={"errors": found})))

    uneven = [system(error / 100, 0.02) for error in (5, 6, 8, 9, 10)]
    assert told(uneven[0], system(0.1, 0)) == [
        "s0 names the wrong gender in 5.0% of captions: 7.0% for images of women, 3.0% for images of men"
    ]
    ranges = "5.0% to 10.0% of captions: 7.0% to 12.0% for images of women, 3.0% to 8.0% for images of men"
    assert told(*uneven) == [f"All 5 systems name the wrong gender in {ranges}"]
    assert told(*uneven, system(0.1, 0)) == [f"5 of 6 systems name the wrong gender in {ranges}"]


def test_a_caution_names_the_pair_where_there_are_several() -> None:
    def contrast(group: str, against: str) -> Any:
        cautions = [SimpleNamespace(kind="vanishes", text="the difference vanishes")]
        names = {"name": "age", "system": "s", "verdict": "disparity", "cautions": cautions}
        return SimpleNamespace(group=group, against=against, pair=(group, against), **names)

    one, other = contrast("pet", "wild"), contrast("farm", "wild")
    assert warnings([one]) == ["age in s: the difference vanishes"]
    assert warnings([one, other]) == [
        "age in s (farm, wild): the difference vanishes",
        "age in s (pet, wild): the difference vanishes",
    ]


def test_different_images_are_told(audit: AuditResult) -> None:
    assert "which may explain differences" not in in_one_line(screen(audit))
    fewer = make_audit({"plain": PLAIN[:150], "people": PEOPLE}, references=("people",))
    told = in_one_line(screen(fewer))
    assert "the system describes 150 images and the references 200" in told


def test_values_of_other_groups_keep_their_names() -> None:
    boys = captions(("a happy boy", 60), ("a boy", 40), ("a man", 100))
    text = in_one_line(screen(make_audit({"s": boys}, by=("age",))))
    assert "s describes children and adults differently" in text
    light = ImageGroups(
        "light", "l.csv", "0", {str(place): "day" if place < 100 else "night" for place in range(200)}
    )
    text = in_one_line(screen(make_audit({"s": boys}, by=(), groupings=[light])))
    assert "s differs by light. How often it mentions: mood day 60%" in text


def test_colour_never_carries_a_meaning_alone(audit: AuditResult) -> None:
    coloured = screen(audit, colour=True)
    assert "\x1b[" in coloured
    assert Text.from_ansi(coloured).plain.split() == screen(audit).split()


def test_names_lose_their_middle_and_keep_their_ends() -> None:
    assert shortened("captioner", 9) == "captioner"
    assert shortened("captioner-large-v2", 9) == "capt…e-v2"
    assert cell_len(shortened("模型" * 20, 9)) <= 9
    assert [shortened("captioner", most) for most in (0, 1, 2)] == ["…", "…", "c…"]  # COLUMNS=0


def test_bars_are_as_long_as_their_value() -> None:
    assert horizontal_bar(0.5, 1.0, 8) == "████"
    assert horizontal_bar(1.0, 1.0, 8) == "█" * 8
    assert horizontal_bar(0.0, 1.0, 8) == ""
    assert horizontal_bar(0.0001, 1.0, 8) == "▏"
    assert horizontal_bar(float("nan"), 1.0, 8) == ""

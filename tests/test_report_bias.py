"""The terminal reports of contrasts: nothing is cut off, nothing is left out in silence."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

from assess.audits.highlights import wider_than_references
from assess.audits.result import AuditResult
from assess.audits.view import audit_report
from assess.measures.bias.contrasts import ALWAYS
from assess.measures.bias.result import GroupResult
from assess.measures.bias.view import MOST_ROWS, bias_page, reference_table, words_table
from assess.measures.coverage.view import not_covered, systems_table
from tests.audits import make_audit, repeated

# Rare and common, so that rates, intervals and q take all the space that they can.
MANY = {
    "a woman": 3_700,
    "a pretty woman": 38,
    "a young woman": 400,
    "a man": 6_200,
    "a tall man": 9,
    "a young man": 900,
    "a person": 100,
    "a little girl": 300,
    "a girl": 100,
    "a young teenager": 4,
    "a teenager": 90,
}


def shown(part: RenderableType, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width, no_color=True, highlight=False).print(part)
    return out.getvalue()


@pytest.fixture(scope="module")
def large() -> AuditResult:
    return make_audit({"a-system-with-a-name": repeated("i", MANY)}, by=("gender", "age"))


@pytest.mark.parametrize("width", [80, 99, 100, 120, 160])
def test_no_number_of_a_forest_is_cut_off(large: AuditResult, width: int) -> None:
    text = "".join(shown(part, width) for part in bias_page(large, width=width, everything=True))
    assert "<.001" in text
    assert "points (95%)" in text
    assert "…" not in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width


def test_a_wide_forest_has_the_neutral_rate_and_a_narrow_one_gives_it_up(large: AuditResult) -> None:
    def header(width: int) -> str:
        text = "".join(shown(part, width) for part in bias_page(large, width=width))
        return next(line for line in text.splitlines() if "points (95%)" in line)

    assert "neutral" in header(100)
    assert "neutral" not in header(80)


def test_what_holds_for_every_contrast_stands_beside_them(large: AuditResult) -> None:
    for parts in (bias_page(large, width=80), audit_report(large, width=80)):
        text = " ".join("".join(shown(part) for part in parts).split())
        assert all(" ".join(line.split()) in text for line in ALWAYS)
    assert any("screen reader" in line for line in ALWAYS)


# ---- beside references


def paired(group: dict[str, tuple[int, int]], labels: int = 100) -> list[tuple[str, str, list[str]]]:
    """Captions of the same images: for each noun, so many that say "pretty" of so many."""
    return [
        (f"{noun}{number}", "x", [f"a {'pretty ' if number < yes else ''}{noun}"])
        for noun, (yes, total) in group.items()
        for number in range(min(total, labels))
    ]


def beside_references(here: dict[str, tuple[int, int]], there: dict[str, tuple[int, int]]) -> GroupResult:
    systems = {"v1": paired(here), "people": paired(there)}
    return make_audit(systems, references=("people",)).groups["gender"]


def test_a_gap_that_turns_round_and_shrinks_is_not_wider() -> None:
    wider = beside_references({"woman": (40, 100), "man": (5, 100)}, {"woman": (15, 100), "man": (5, 100)})
    turned = beside_references({"woman": (30, 100), "man": (5, 100)}, {"woman": (5, 100), "man": (60, 100)})
    assert "attractiveness of female in v1 (+25 points)" in wider_than_references(wider.contrasts["v1"])[0]
    assert turned.contrasts["v1"][0].verdict == "disparity"
    assert wider_than_references(turned.contrasts["v1"]) == []


def test_a_row_beside_references_reads_from_the_one_it_is_said_of_more() -> None:
    group = beside_references({"woman": (5, 100), "man": (40, 100)}, {"woman": (5, 100), "man": (15, 100)})
    table = reference_table(group, frozenset({"people"}))
    assert table is not None
    row = next(line for line in shown(table, 120).splitlines() if "attractiveness" in line)
    # 25 images where only the system says it of a man, none where only the reference does.
    assert row.split()[:6] == ["v1", "attractiveness", "male,", "female", "+35.0", "+10.0"]
    assert "+25 (+" in row
    assert "25:0" in row


def test_rows_that_are_left_out_are_counted() -> None:
    words = ("tall", "pretty", "young", "happy")
    systems = {
        f"system{number}": [
            *repeated("w", {f"a {word} woman": 40 for word in words} | {"a woman": 40}),
            *repeated("m", {"a man": 200}),
        ]
        for number in range(4)
    }
    found = make_audit(systems).groups["gender"].cells
    assert len(found) > MOST_ROWS
    cut, whole = words_table(found), words_table(found, everything=True)
    assert cut is not None
    assert whole is not None
    assert f"{len(found) - MOST_ROWS} more rows" in shown(cut, 200)
    assert (cut.row_count, whole.row_count) == (MOST_ROWS, len(found))
    assert "more rows" not in shown(whole, 200)


# ---- the report of a whole audit


@pytest.mark.parametrize("width", [80, 100])
def test_a_long_label_leaves_room_for_whose_it_is(width: int) -> None:
    captions = [("1", "x", ["a man"]), ("2", "x", ["zorbly " * 300 + "man"]), ("3", "x", ["a quib man"])]
    lines = shown(not_covered(make_audit({"v1": captions}), width=width), width).splitlines()
    quib = next(line for line in lines if "quib" in line)
    assert quib.split()[:3] == ["v1", "quib", "1"]
    assert max(len(line) for line in lines) <= width


def test_a_dash_for_no_labels_is_explained() -> None:
    silent = make_audit({"v1": [("1", "a dog", [])]})
    assert "–: no labels, so no rate." in systems_table(silent, short=True).notes
    speaking = make_audit({"v1": [("1", "a man", ["a man"])]})
    assert not [note for note in systems_table(speaking, short=True).notes if "–" in note]


def test_counts_and_shares_of_a_large_system_stay_on_one_line(large: AuditResult) -> None:
    text = "".join(shown(part) for part in audit_report(large, width=80))
    assert any("gendered" in line and "11," in line and "%" in line for line in text.splitlines())

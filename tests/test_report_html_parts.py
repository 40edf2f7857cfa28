"""The parts of the page: what stands out, heat, verdicts, strata, measures; and the command."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from assess.audits.html.input import read_input
from typer.testing import CliRunner

from assess.audits.html.captions import caption_columns
from assess.audits.html.cards import Card, cards
from assess.audits.html.page import html_page
from assess.audits.html.systems import LEGEND, level
from assess.cli.main import app
from assess.errors import InputError
from assess.measures.bias.html import ratio_text, small
from assess.report.html.measures import anchor, listed, points, share_text
from assess.report.svg import Bar, Scale, bar_chart, round_up, shortened, small_bar, ticks
from assess.report.svg_charts import Interval, Line, difference_axis, line_chart, logarithms, ratio_axis
from tests.html_audits import made_up_diversity, made_up_recall, save_made_up
from tests.test_report_html import changed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_made_up(tmp_path_factory.mktemp("parts"), mentions=300, systems=3, labels=60)


def cell(system: str, category: str, verdict: str, rates: tuple[float, float] = (0.3, 0.1)) -> dict[str, Any]:
    difference = rates[0] - rates[1]
    return {
        "system": system,
        "by": "gender",
        "role": "modifier",
        "category": category,
        "group": "female",
        "against": "male",
        "yes": round(rates[0] * 100),
        "labels": 100,
        "other_yes": round(rates[1] * 100),
        "other_labels": 100,
        "rate": rates[0],
        "other_rate": rates[1],
        "risk_difference": [difference, difference - 0.1, difference + 0.1],
        "odds_ratio": [4.0, 2.0, "inf"],
        "p": 0.00001,
        "q": 0.001,
        "smallest_p": 0.0000001,
        "verdict": verdict,
        "reason": f"a reason of {category}",
    }


def with_cells(folder: Path, tmp_path: Path, *cells: dict[str, Any]) -> Path:
    results = json.loads((folder / "audit.json").read_text())
    return changed(folder, tmp_path, bias={"gender": {**results["bias"]["gender"], "cells": cells}})


def cards_of(path: Path) -> list[Card]:
    audit = read_input(path)
    return cards(audit, caption_columns(audit.saved))


def test_the_largest_disparity_comes_first_and_three_cards_are_enough(folder: Path, tmp_path: Path) -> None:
    doubtful = {"cautions": [{"kind": "images", "text": "few images carry the difference"}]}
    cells = [
        cell("system-0", "age", "disparity", (0.2, 0.1)),
        cell("system-1", "age", "disparity", (0.1, 0.6)) | doubtful,
        cell("system-1", "mood", "none"),
        cell("system-2", "age", "disparity", (0.9, 0.8)),
    ]
    first, second, third = cards_of(with_cells(folder, tmp_path, *cells))
    assert (first.kind, first.system) == ("disparity", "system-1")
    assert first.sentence.startswith("1 of 2 contrasts show a disparity")
    assert first.blocks[0].cautions == ("few images carry the difference",)
    assert second.system == "system-0"
    assert third.kind == "least"
    assert [line.text for line in first.blocks[0].lines] == ["10%", "60%"]


def test_without_a_disparity_the_card_says_how_much_that_means(folder: Path, tmp_path: Path) -> None:
    cells = [cell("system-0", "age", "none"), cell("system-0", "mood", "insufficient")]
    first = cards_of(with_cells(folder, tmp_path, *cells))[0]
    assert first.kind == "calm"
    assert "1 show that any difference is too small to matter; 1 have too little" in first.sentence


def test_without_contrasts_the_cards_are_about_variety(folder: Path, tmp_path: Path) -> None:
    assert [card.kind for card in cards_of(changed(folder, tmp_path, bias={}))] == ["least", "most"]
    assert 'class="contrasts' not in html_page(read_input(tmp_path))


def test_a_rate_of_nobody_opens_nothing(folder: Path, tmp_path: Path) -> None:
    page = html_page(
        read_input(with_cells(folder, tmp_path, cell("system-0", "age", "disparity", (0.3, 0.0))))
    )
    assert "category=modifier.age&amp;by.gender=female" in page
    assert "category=modifier.age&amp;by.gender=male" not in page


def test_contrasts_tell_reasons_cautions_strata_references_and_words(folder: Path, tmp_path: Path) -> None:
    estimate = [3.0, 1.5, 6.0]
    stratum = {"yes": 1, "labels": 2, "other_yes": 3, "other_labels": 4, "odds_ratio": [None, 0, "inf"]}
    split = {"change": "reverses", "crude": estimate, "common": estimate, "pooled": None, "opposed": ["x"]}
    rich = {
        **cell("system-0", "age", "disparity"),
        "cautions": [{"kind": "reverses", "text": "within head.group the sign reverses"}],
        "stratified": {"head.group": {**split, "breslow_day": {"p": 0.01}, "strata": {"group": stratum}}},
        "words": {"scores": [{"word": "young", "count": 5, "other_count": 1}]},
        "amplification": {
            "images": 40,
            "risk_difference_change": [0.1, 0.0, 0.2],
            "group": {"reference_rate": 0.05},
            "against": {"reference_rate": None},
        },
    }
    page = html_page(read_input(with_cells(folder, tmp_path, rich)))
    for text in (
        "a reason of age",
        "Caution: within head.group the sign reverses",
        "Simpson’s paradox",
        "1 of 2 against 3 of 4",
        "not pooled: the strata differ (p = 0.01)",
        "young 5:1",
        "female 5.0%, male –; in 40 images",
        "4 (2 to ∞)",
    ):
        assert text in page, text


def test_measures_appear_where_their_files_are(folder: Path, tmp_path: Path) -> None:
    changed(folder, tmp_path)
    page = html_page(read_input(tmp_path))
    assert not re.search(r'<section id="(diversity|recall|selection|pregen)"', page)
    parts: dict[str, dict[str, Any]] = {
        "diversity": made_up_diversity("one"),
        "recall": made_up_recall("one"),
        "selection": {
            "images": 5,
            "systems": {"one": {"P": 0.5, "R": None, "F": 0.4}},
            "upper_bound": {"F": 0.9},
        },
        "pregen": {"scores": {"mean_max": 0.125, "worst": "inf"}},
    }
    for name, part in parts.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(part))
    page = html_page(read_input(tmp_path))
    for text in (
        '<bdi>0.250</bdi><small class="bounds"> (0.200 to 0.300)</small>',
        "&lt;mind&gt; this",
        "Local recall",
        "people",
        "mean_max",
        "0.125",
    ):
        assert text in page, text
    assert re.findall(r'<section id="(diversity|recall|selection|pregen)"', page) == list(parts)


@pytest.mark.parametrize("text", ["{", "[1]", '{"systems": [1]}', '{"systems": {"one": 3}}'])
def test_a_measure_that_is_not_ours_is_an_error(folder: Path, tmp_path: Path, text: str) -> None:
    changed(folder, tmp_path)
    (tmp_path / "recall.json").write_text(text)
    with pytest.raises(InputError, match=r"recall\.json"):
        html_page(read_input(tmp_path))


def test_heat_grows_with_the_share_and_nothing_is_no_heat() -> None:
    assert [level(value) for value in (0, 0.001, 0.01, 0.05, 0.5, 0.7, 1)] == [0, 1, 2, 4, 7, 8, 8]
    assert level(math.nan) == 0
    assert max(level(1.0), 0) == len(LEGEND) - 1


def test_numbers_are_written_with_care() -> None:
    assert points([0.231, 0.16, 0.299]) == "+23 (+16 to +30)"
    assert points([-0.0123, -0.05, 0.01]) == "−1.2 (−5.0 to +1.0)"
    assert points([None, None, None]) == "–"
    assert (small(0.00001), small(0.0123), small(1.0), small(math.nan)) == ("<.0001", ".0123", "1", "–")
    assert ratio_text([0.0, 0.0, math.inf]) == "0 (0 to ∞)"
    assert ratio_text([math.nan, 0.0, math.inf]) == "–"
    assert (share_text(1, 3), share_text(0, 0)) == ("33%", "–")
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
    assert anchor("My group/2") == "by-my-group-2"


def test_scales_are_round_and_hold_their_numbers() -> None:
    assert [round_up(value) for value in (0, 0.93, 1, 2.4, 37, 81)] == [1, 1, 1, 3, 40, 100]
    assert ticks(1.0) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(600) == pytest.approx([0, 200, 400, 600])
    scale = Scale(-10, 10, 0, 100)
    assert (scale.place(0), scale.place(99), scale.beyond(99), scale.beyond(10)) == (50, 100, True, False)


def test_the_axis_holds_verdicts_and_open_questions_may_leave_it() -> None:
    decided, open_question = Interval(20, 10, 28), Interval(5, -90, 95)
    axis = difference_axis([(decided, "disparity"), (open_question, "insufficient")], margin=1)
    assert axis.reach == 30
    assert axis.row(decided, verdict="disparity").count("<path") == 0
    assert axis.row(open_question, verdict="insufficient").count("<path") == 2
    undefined = Interval(math.nan, math.nan, math.nan)
    assert 'class="interval"' not in axis.row(undefined, verdict="insufficient")
    assert difference_axis([], margin=1).reach == 1


def test_odds_ratios_are_drawn_by_their_logarithms() -> None:
    assert logarithms(4, 1, math.inf) == Interval(2, 0, math.inf)
    assert logarithms(0, 0, 1) == Interval(-math.inf, -math.inf, 0)
    assert ">1/16<" in ratio_axis(1.5).axis("less", "more")


def test_charts_tell_their_numbers_and_escape_names() -> None:
    nasty = '<script>"&'
    drawing = bar_chart("Rates", [Bar(nasty, 0.5, "0.50", low=0.4, high=0.6), Bar("none", math.nan, "–")])
    assert "<script>" not in drawing
    assert "<title>Rates: &lt;script&gt;&#34;&amp; 0.50; none –</title>" in drawing
    assert drawing.count('class="interval"') == 1
    lines = line_chart("Curve", {nasty: Line([1, 2, 3], [0.1, math.nan, 0.3])}, across="steps", highest=1)
    assert "nan" not in lines
    assert "from 0.1 to 0.3" in lines
    assert shortened("llava-13b-temperature-3", 13) == "llava-…ture-3"
    assert 'width="100"' in small_bar(7.0)
    assert 'width="0"' in small_bar(math.nan)


def test_the_command_writes_a_page_where_it_is_asked_to(folder: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    changed(folder, tmp_path)
    done = runner.invoke(app, ["report", str(tmp_path), "--html", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    assert str(tmp_path / "page.html") in done.output
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert runner.invoke(app, ["report", str(tmp_path / "audit.json")]).exit_code == 0
    assert (tmp_path / "report.html").read_bytes() == (tmp_path / "page.html").read_bytes()


def test_the_command_refuses_what_is_no_audit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no audit\.json"):
        CliRunner().invoke(app, ["report", str(tmp_path)], catch_exceptions=False)


def test_a_system_that_differs_by_two_groups_has_one_card(folder: Path, tmp_path: Path) -> None:
    results = json.loads((folder / "audit.json").read_text())
    group = {**results["bias"]["gender"], "cells": [cell("system-0", "age", "disparity")]}
    other = {**group, "cells": [cell("system-0", "mood", "disparity", (0.9, 0.1))]}
    changed(folder, tmp_path, bias={"gender": group, "work": other})
    first, second, _ = cards_of(tmp_path)
    # The group that was asked for first leads, however large the differences by others are.
    assert (first.system, first.group) == ("system-0", "gender")
    assert first.more == "all contrasts; it also differs by work"
    assert second.kind == "least"

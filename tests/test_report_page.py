"""The page, tables and plots of a saved audit: a single file that runs only our own code."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import assess
from assess.audits.html.captions import (
    AFTER,
    IN_BEST,
    CaptionSource,
    label_row,
    pack,
    sample,
    script_offset,
)
from assess.audits.html.cards import Card, cards
from assess.audits.html.page import html_page
from assess.audits.saved import read_audit
from assess.cli.main import app
from assess.errors import InputError
from assess.records import Analysis, Reading, Span
from assess.report.html.parts import captions_link
from assess.report.section import Cell
from assess.report.svg import bar_chart, line_chart, small_bar
from assess.report.text import interval, listed, points, rate, shortened, shown
from tests.audits import save_audit
from tests.html_audits import changed, made_up_cell, save_made_up, with_cells


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_made_up(tmp_path_factory.mktemp("made-up"), mentions=400, systems=4, labels=60)


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return page_of(folder)


def page_of(folder: Path) -> str:
    return html_page(read_audit(folder))


def results_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    return found


def unpacked(page: str) -> dict[str, Any]:
    """Return the data of a page, as a browser unpacks it."""
    found = re.search(r'id="caption-data">([^<]*)</script>', page)
    assert found
    data = json.loads(zlib.decompress(base64.b64decode(found.group(1))))
    assert isinstance(data, dict)
    return data


def test_the_policy_names_exactly_the_scripts_and_styles_of_the_page(page: str) -> None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    allowed = set(re.findall(r"sha256-[A-Za-z0-9+/=]+", policy.group(1).replace("&#39;", "'")))
    inside = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", page, flags=re.DOTALL)
    digests = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in inside}
    assert len(inside) == 3
    assert allowed == {f"sha256-{digest}" for digest in digests}
    assert "default-src &#39;none&#39;" in policy.group(1)
    assert "unsafe" not in policy.group(1)


def test_nothing_of_the_page_refers_to_another_file_or_host(page: str) -> None:
    assert not re.search(r"https?://|//[a-z]+\.[a-z]|@import|url\(", page)
    assert set(re.findall(r'\b(?:src|href)="([^#"][^"]*)"', page)) == set()
    assert not re.search(r"\son[a-z]+=|\sstyle=|javascript:", page)


def test_the_same_audit_gives_the_same_bytes(folder: Path, page: str) -> None:
    assert page_of(folder) == page


def test_the_data_hold_every_mention_and_equal_texts_once(folder: Path, page: str) -> None:
    data = unpacked(page)
    rows = [json.loads(line) for line in (folder / "mentions.jsonl").read_text().splitlines()]
    mentions = data["mentions"]
    assert [data["captions"][place] for place in mentions["caption"]] == [row["caption"] for row in rows]
    assert [data["labels"]["text"][place] for place in mentions["label"]] == [row["label"] for row in rows]
    assert [data["systems"][place] for place in mentions["system"]] == [row["system"] for row in rows]
    assert mentions["start"] == [row["start"] for row in rows]
    for texts in (data["captions"], data["images"], data["labels"]["text"]):
        assert len(texts) == len(set(texts))
    assert (data["totals"], data["quota"]) == (None, None)


def test_whom_a_label_is_about_travels_once_a_label(page: str) -> None:
    data = unpacked(page)
    (gender,) = data["groups"]
    assert (gender["name"], gender["of"]) == ("gender", "label")
    told = dict(zip(data["labels"]["text"], gender["at"], strict=True))
    assert {gender["values"][place] for text, place in told.items() if "woman" in text} == {"female"}


def test_whom_an_image_is_about_travels_with_every_mention(folder: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (folder / "mentions.jsonl").read_text().splitlines()]
    members = {row["image_id"]: ("old", "young")[int(row["image_id"]) % 2] for row in rows}
    group = {**results_of(folder)["bias"]["gender"], "told_by": "images", "members": members}
    saved = read_audit(str(changed(folder, tmp_path, bias={"people": group})))
    (told,) = CaptionSource(saved).captions().columns["groups"]
    assert told["of"] == "mention"
    assert [told["values"][place] for place in told["at"]] == [members[row["image_id"]] for row in rows]


def test_a_sample_is_smaller_has_every_label_and_exact_totals(folder: Path) -> None:
    saved = read_audit(str(folder))
    whole, part = CaptionSource(saved).captions(), CaptionSource(saved).captions(most=310)
    assert len(part.columns["mentions"]["label"]) <= 310 < len(whole.columns["mentions"]["label"])
    assert set(part.columns["labels"]["text"]) == set(whole.columns["labels"]["text"])
    assert sum(count for _, _, count in part.columns["totals"]) == 400
    assert part.labels == whole.labels


COUNTS = st.dictionaries(
    st.tuples(st.sampled_from("ab"), st.text("xyz", min_size=1, max_size=3)), st.integers(1, 40), min_size=1
)


@given(COUNTS, st.integers(1, 200))
def test_a_sample_keeps_the_quota_of_every_label_and_no_more_than_asked(
    counts: dict[tuple[str, str], int], most: int
) -> None:
    chosen = sample(Counter(counts), most)
    kept = {pair: sum(chosen.keeps(pair) for _ in range(count)) for pair, count in counts.items()}
    assert kept == {pair: min(count, chosen.quota) for pair, count in counts.items()}
    assert sum(kept.values()) <= max(most, len(counts))


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=20))
def test_packed_data_come_back_and_cannot_be_markup(value: Any) -> None:
    text = pack(value)
    assert not set(text) & set("<>&\"'!-")
    try:
        expected = json.loads(json.dumps(value).encode("ascii"))
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return  # a lone surrogate, which no file can hold, becomes a question mark
    assert json.loads(zlib.decompress(base64.b64decode(text))) == expected


def test_no_control_character_reaches_the_page(tmp_path: Path) -> None:
    captions = [("\x1b[31m\x00", "a \x1b[31m tall\x9b \u202eman", ["a \x1b[31m tall\x9b \u202eman"])]
    save_audit(tmp_path, {"v\x1b[2J\x07": captions})
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page)


@given(st.text(), st.integers(0, 30))
def test_offsets_are_those_of_a_browser(text: str, offset: int) -> None:
    before = text[:offset]
    units = sum(2 if ord(character) > 0xFFFF else 1 for character in before)
    assert script_offset(text, min(offset, len(text))) == units


@given(st.text())
def test_shown_text_has_no_control_characters_and_the_same_length(text: str) -> None:
    found = shown(text)
    assert len(found) == len(text)
    assert not set(found) & set("\x00\x1b\u202e\u2066\n\r")


def test_spans_lead_to_the_words_of_a_label_also_after_the_noun() -> None:
    text = "a middle-aged man … with beard … smiling"
    spans = (
        Span(1, 2, "middle-aged", "age", "modifier"),
        Span(2, 3, "man", "gendered", "head"),
        Span(3, 5, "with beard", "facial-hair", "modifier", position="after"),
        Span(5, 6, "smiling", "mood", "modifier", position="after"),
    )
    best = Reading(("gendered",), ("age", "mood"), (spans[0], spans[1], spans[3]))
    everything = Analysis(text, (), True, ("gendered",), ("age", "facial-hair", "mood"), spans, best)
    names = ("modifier.age", "modifier.facial-hair", "modifier.mood", "head.gendered")
    row = label_row(everything, {name: place for place, name in enumerate(names)})
    flat = row.spans
    found = [(text[flat[at] : flat[at + 1]], *flat[at + 2 : at + 4]) for at in range(0, len(flat), 4)]
    assert found == [
        ("middle-aged", 0, IN_BEST),
        ("man", 3, IN_BEST),
        ("with beard", 1, AFTER),
        ("smiling", 2, IN_BEST + AFTER),
    ]
    assert (row.best, row.more, row.read) == ([0, 2, 3], [1], 0)


def test_links_survive_names_of_any_kind() -> None:
    link = captions_link(system='a&b="c" #1', by=("gender", "non binary"))
    assert link == "#captions?system=a%26b%3D%22c%22%20%231&by.gender=non%20binary"


# ---- what is broken


def test_mentions_of_another_audit_are_an_error_that_says_so(folder: Path, tmp_path: Path) -> None:
    changed(folder, tmp_path, analyses=[])
    with pytest.raises(InputError, match="no analysis of") as caught:
        page_of(tmp_path)
    assert "the files of this audit come from different runs, or one of them was" in str(caught.value)
    systems = {"other": results_of(folder)["systems"]["system-0"]}
    with pytest.raises(InputError, match="contains a system called 'system-0'"):
        page_of(changed(folder, tmp_path, systems=systems))


def test_an_audit_without_its_numbers_is_an_error_that_names_them(folder: Path, tmp_path: Path) -> None:
    systems = results_of(folder)["systems"]
    del systems["system-1"]["best"]
    with pytest.raises(InputError, match=r"audit\.json: is not a saved audit: systems\.system-1\.best"):
        page_of(changed(folder, tmp_path, systems=systems))
    broken = made_up_cell("system-0", "age", "odd")
    with pytest.raises(InputError, match=r"not a saved audit: bias\.gender\.cells\.0"):
        page_of(with_cells(folder, tmp_path, broken))


@pytest.mark.parametrize("text", ["{", "[1]", '{"systems": [1]}', '{"systems": {"one": 3}}'])
def test_a_measure_that_is_not_ours_is_an_error(folder: Path, tmp_path: Path, text: str) -> None:
    changed(folder, tmp_path)
    (tmp_path / "recall.json").write_text(text)
    with pytest.raises(InputError, match=r"recall\.json"):
        page_of(tmp_path)


def test_the_command_refuses_what_is_no_audit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no audit\.json"):
        CliRunner().invoke(app, ["report", str(tmp_path)], catch_exceptions=False)


# ---- the parts of the page


def cards_of(path: Path) -> list[Card]:
    saved = read_audit(path)
    return cards(saved.results, CaptionSource(saved).captions())


def test_the_largest_disparity_comes_first_and_three_cards_are_enough(folder: Path, tmp_path: Path) -> None:
    caution = {"kind": "images", "text": ": the difference rests on few images"}
    cells = [
        made_up_cell("system-0", "age", "disparity", (0.2, 0.1)),
        made_up_cell("system-1", "age", "disparity", (0.1, 0.6), cautions=[caution]),
        made_up_cell("system-1", "mood", "none"),
        made_up_cell("system-2", "age", "disparity", (0.9, 0.8)),
    ]
    first, second, third = cards_of(with_cells(folder, tmp_path, *cells))
    assert (first.kind, first.system) == ("disparity", "system-1")
    assert first.sentence.startswith("1 of 2 contrasts shows a disparity")
    assert first.blocks[0].cautions == (": the difference rests on few images",)
    assert second.system == "system-0"
    assert third.kind == "least"
    assert [cell.text for _, _, cell in first.blocks[0].lines] == ["10%", "60%"]


def test_without_a_disparity_the_card_says_how_much_that_means(folder: Path, tmp_path: Path) -> None:
    cells = [made_up_cell("system-0", "age", "none"), made_up_cell("system-0", "mood", "insufficient")]
    first = cards_of(with_cells(folder, tmp_path, *cells))[0]
    assert first.kind == "calm"
    assert "1 show that any difference is too small to matter, 0 show a significant" in first.sentence


def test_without_contrasts_the_cards_are_about_variety(folder: Path, tmp_path: Path) -> None:
    assert [card.kind for card in cards_of(changed(folder, tmp_path, bias={}))] == ["least", "most"]
    assert 'class="contrasts' not in page_of(tmp_path)


def test_a_rate_of_nobody_opens_nothing(folder: Path, tmp_path: Path) -> None:
    page = page_of(with_cells(folder, tmp_path, made_up_cell("system-0", "age", "disparity", (0.3, 0.0))))
    assert "category=modifier.age&amp;by.gender=female" in page
    assert "category=modifier.age&amp;by.gender=male" not in page


def test_a_system_that_differs_by_two_groups_has_one_card(folder: Path, tmp_path: Path) -> None:
    group = {**results_of(folder)["bias"]["gender"], "cells": [made_up_cell("system-0", "age", "disparity")]}
    other = {**group, "cells": [made_up_cell("system-0", "mood", "disparity", (0.9, 0.1))]}
    changed(folder, tmp_path, bias={"gender": group, "work": other})
    first, second, _ = cards_of(tmp_path)
    # The group that was asked for first leads, however large the differences by others are.
    assert (first.system, first.group) == ("system-0", "gender")
    assert first.more == "all contrasts; it also differs by work"
    assert second.kind == "least"


@pytest.mark.model
def test_measures_beside_the_audit_are_shown_unless_they_are_of_other_captions(
    folder: Path, tmp_path: Path
) -> None:
    changed(folder, tmp_path)
    sections = re.compile(r'<section id="(diversity|recall)"')
    assert not sections.search(page_of(tmp_path))
    captions = [(1, "a tall man"), (2, "a dog")]
    name = "<i>evil</i>"
    assess.diversity({name: captions}).to_json(tmp_path / "diversity.json")
    assess.recall({name: captions}, references=captions).to_json(tmp_path / "recall.json")
    found = page_of(tmp_path)
    assert sections.findall(found) == ["diversity", "recall"]
    assert name not in found
    assert "&lt;i&gt;evil&lt;/i&gt;" in found
    assess.diversity({"system-0": captions}).to_json(tmp_path / "diversity.json")
    found = page_of(tmp_path)
    assert sections.findall(found) == ["recall"]
    assert "diversity.json was measured on different captions" in found


@pytest.mark.model
def test_errors_by_a_group_stand_with_that_group_and_are_switched_with_it(
    folder: Path, tmp_path: Path
) -> None:
    changed(folder, tmp_path)
    captions = [(1, "a tall man"), (2, "a woman"), (3, "a man")]
    groups = tmp_path / "groups.csv"
    groups.write_text("image_id,group\n1,male\n2,female\n3,female\n", encoding="utf-8")
    assess.group_errors({"other": captions}, groups=groups).to_json(tmp_path / "errors.json")
    page = page_of(tmp_path)
    section = page[page.index('<section id="by-gender"') :].partition("</section>")[0]
    assert '<div id="errors">' in section
    assert page.count('id="errors"') == 1


# ---- numbers and drawings


def test_numbers_are_written_with_care() -> None:
    assert points(0.231, 0.16, 0.299) == "+23 (+16 to +30)"
    assert points(-0.0123, -0.05, 0.01) == "−1.2 (−5.0 to +1.0)"
    assert points(math.nan) == "–"
    assert interval([0.5, 0.25, 1.0], rate) == "0.50 (0.25 to 1.00)"
    assert interval([math.nan, 0.0, math.inf], rate) == "–"
    assert interval([0.5, math.nan, math.nan], rate) == "0.50"
    assert listed(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"


def test_charts_tell_their_numbers_and_escape_names() -> None:
    nasty = '<script>"&'
    drawing = bar_chart("Rates", {nasty: Cell("0.50", 0.5, 0.4, 0.6), "none": Cell("–", math.nan)})
    assert "<script>" not in drawing
    assert "<title>Rates: &lt;script&gt;&#34;&amp; 0.50; none –</title>" in drawing
    assert drawing.count('class="interval"') == 1
    lines = line_chart("Curve", {nasty: ([1, 2, 3], [0.1, math.nan, 0.3])}, across="steps", highest=1)
    assert "nan" not in lines
    assert "from 0.1 to 0.3" in lines
    assert 'class="track" fill="none"' in drawing  # a notebook has no style for it, and would draw it black
    many = line_chart("Curve", {str(n): ([1, 2], [0, n]) for n in range(12)}, across="steps")
    assert len(set(re.findall(r'class="(line line-[^"]*)"', many))) == 12
    assert shortened("llava-13b-temperature-3", 13) == "llava-…ture-3"
    assert 'width="100"' in small_bar(7.0)
    assert 'width="0"' in small_bar(math.nan)


# ---- the command, its tables and plots


@pytest.fixture
def saved(folder: Path, tmp_path: Path) -> Path:
    return with_cells(
        folder,
        tmp_path,
        made_up_cell("system-0", "mood", "insufficient"),
        made_up_cell("system-0", "age", "none", (0.1, 0.1)),
        made_up_cell("system-1", "age", "disparity", (0.1, 0.4)),
    )


def report(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["report", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_writes_a_page_where_it_is_asked_to(saved: Path) -> None:
    page = saved / "page.html"
    assert str(page) in report(saved, "--html", page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    report(saved / "audit.json")
    assert (saved / "report.html").read_bytes() == page.read_bytes()


def test_several_pairs_of_values_are_named_in_every_row(saved: Path, tmp_path: Path) -> None:
    gender = results_of(saved)["bias"]["gender"]
    gender["pairs"].append(["female", "neutral"])
    changed(saved, tmp_path, bias={"gender": gender})
    report(tmp_path, "--markdown", tmp_path / "t.md")
    assert "| system | category | group | against |" in (tmp_path / "t.md").read_text(encoding="utf-8")


def test_every_row_of_every_table_fits_its_columns_in_latex(saved: Path, tmp_path: Path) -> None:
    report(saved, "--latex", tmp_path / "t.tex")
    text = (tmp_path / "t.tex").read_text(encoding="utf-8")
    found = re.findall(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", text, flags=re.DOTALL)
    assert len(found) == text.count(r"\toprule") == text.count(r"\bottomrule") > 2
    for columns, body in found:
        lines = [line for line in body.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
        assert {len(re.split(r"(?<!\\)&", line)) for line in lines} == {len(columns)}


def test_a_group_from_a_file_names_no_other_file(folder: Path, tmp_path: Path) -> None:
    changed(folder, tmp_path, bias={"../../Who?": results_of(folder)["bias"]["gender"]})
    report(tmp_path, "--csv", tmp_path / "csv")
    assert (tmp_path / "csv" / "bias_who.csv").is_file()

"""The page as text: one file, one policy, the same bytes every time; and the data that travels with it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.audits.html.captions import AFTER, IN_BEST, LabelColumns, caption_columns, sample, script_offset
from assess.audits.html.input import read_input
from assess.audits.html.page import html_page, pack
from assess.audits.saved import read_audit
from assess.errors import InputError
from assess.records import Analysis, Reading, Span
from assess.report.html.measures import captions_link
from assess.report.text import shown
from tests.audits import save_audit
from tests.html_audits import save_made_up


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_made_up(tmp_path_factory.mktemp("made-up"), mentions=400, labels=60)


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return html_page(read_input(folder))


def unpacked(page: str) -> dict[str, Any]:
    """Return the data of a page, as a browser unpacks it."""
    found = re.search(r'id="caption-data">([^<]*)</script>', page)
    assert found
    data = json.loads(zlib.decompress(base64.b64decode(found.group(1))))
    assert isinstance(data, dict)
    return data


def changed(folder: Path, tmp_path: Path, **parts: Any) -> Path:
    """Return a copy of an audit with other parts."""
    results = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    (tmp_path / "audit.json").write_text(json.dumps({**results, **parts}), encoding="utf-8")
    (tmp_path / "mentions.jsonl").write_bytes((folder / "mentions.jsonl").read_bytes())
    return tmp_path


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
    assert html_page(read_input(folder)) == page


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
    results = json.loads((folder / "audit.json").read_text())
    members = {row["image_id"]: ("old", "young")[int(row["image_id"]) % 2] for row in rows}
    group = {**results["bias"]["gender"], "told_by": "images", "members": members}
    saved = read_audit(str(changed(folder, tmp_path, bias={"people": group})))
    (told,) = caption_columns(saved).columns["groups"]
    assert told["of"] == "mention"
    assert [told["values"][place] for place in told["at"]] == [members[row["image_id"]] for row in rows]


def test_a_sample_is_smaller_has_every_label_and_exact_totals(folder: Path) -> None:
    saved = read_audit(str(folder))
    whole, part = caption_columns(saved), caption_columns(saved, most=310)
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
    columns = LabelColumns(["modifier.age", "modifier.facial-hair", "modifier.mood", "head.gendered"])
    columns.add(everything)
    flat = columns.spans[0]
    found = [(text[flat[at] : flat[at + 1]], *flat[at + 2 : at + 4]) for at in range(0, len(flat), 4)]
    assert found == [
        ("middle-aged", 0, IN_BEST),
        ("man", 3, IN_BEST),
        ("with beard", 1, AFTER),
        ("smiling", 2, IN_BEST + AFTER),
    ]
    assert (columns.best, columns.more, columns.read) == ([[0, 2, 3]], [[1]], [0])


def test_links_survive_names_of_any_kind() -> None:
    link = captions_link(system='a&b="c" #1', by=("gender", "non binary"))
    assert link == "#captions?system=a%26b%3D%22c%22%20%231&by.gender=non%20binary"


def test_mentions_of_another_audit_are_an_error_that_says_so(folder: Path, tmp_path: Path) -> None:
    changed(folder, tmp_path, analyses=[])
    with pytest.raises(InputError, match="no analysis of") as caught:
        html_page(read_input(tmp_path))
    assert "not of the same run" in str(caught.value)
    results = json.loads((folder / "audit.json").read_text())
    systems = {"other": results["systems"]["system-0"]}
    with pytest.raises(InputError, match="no system called 'system-0'"):
        html_page(read_input(changed(folder, tmp_path, systems=systems)))


def test_a_system_without_its_numbers_is_an_error_that_names_them(folder: Path, tmp_path: Path) -> None:
    results = json.loads((folder / "audit.json").read_text())
    del results["systems"]["system-1"]["best"]
    with pytest.raises(InputError, match="the system 'system-1' has no `best`"):
        read_input(changed(folder, tmp_path, systems=results["systems"]))

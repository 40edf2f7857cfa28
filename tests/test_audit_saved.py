"""A saved audit: read back, its cells named, and the captions behind them found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assess.audits.explain import Which, explain
from assess.audits.saved import Address, SavedAudit, parse_address, read_audit
from assess.errors import InputError, UsageError
from assess.measures.bias.groups import ImageGroups
from tests.audits import save_audit

CAPTIONS = [
    ("1", "A Tall, happy woman and a man in a hat", ["A Tall, happy woman", "a man"]),
    ("2", "two tall  men sit", ["two tall  men"]),
    ("3", "a tall person", ["a tall person"]),
    ("4", "a red car", []),
]
WHO = ImageGroups("shown", "shown.csv", "0", {"1": "female", "2": "male", "3": "male", "4": "none"})


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> SavedAudit:
    folder = tmp_path_factory.mktemp("audit")
    return save_audit(folder, {"v1": CAPTIONS, "a/b": CAPTIONS[2:]}, groupings=[WHO])


def words(saved: SavedAudit, cell: str, *which: Which) -> list[tuple[str, list[str]]]:
    found = explain(saved, parse_address(cell, saved), which=frozenset(which or ("best",)))
    return [
        (example.mention.image, [example.mention.caption[start:end] for start, end in example.words])
        for example in found.examples
    ]


def test_a_cell_leads_to_its_captions_and_words(saved: SavedAudit) -> None:
    assert words(saved, "v1/height/gender:female") == [("1", ["Tall"])]
    assert words(saved, "v1/height/gender:male") == [("2", ["tall"])]
    assert words(saved, "v1/height") == [("1", ["Tall"]), ("2", ["tall"]), ("3", ["tall"])]
    assert words(saved, "a/b/height") == [("3", ["tall"])]
    assert words(saved, "v1/head.gendered/gender:male") == [("1", ["man"]), ("2", ["men"])]


def test_a_cell_of_a_group_from_a_file_goes_by_image(saved: SavedAudit) -> None:
    assert words(saved, "v1/height/shown:male") == [("2", ["tall"]), ("3", ["tall"])]


def test_the_counts_of_a_cell_are_those_of_the_audit(saved: SavedAudit) -> None:
    for by, group in saved.groups.items():
        for cell in group.cells:
            prefix = "head." if cell.role == "head" else ""
            found = explain(
                saved, parse_address(f"{cell.system}/{prefix}{cell.category}/{by}:{cell.group}", saved)
            )
            assert (found.best, found.labels) == (cell.yes, cell.labels)


def test_labels_without_the_category_can_be_asked_for(saved: SavedAudit) -> None:
    assert [image for image, _ in words(saved, "v1/height/gender:male", "without")] == ["1"]


def test_the_name_of_a_cell_can_be_taken_apart_and_put_together(saved: SavedAudit) -> None:
    for text in ("v1/height", "v1/height/gender:female", "v1/head.age/gender:male", "a/b/height/shown:male"):
        assert str(parse_address(text, saved)) == text
    assert parse_address("v1/age/neutral", saved) == Address("v1", ("modifier", "age"), "gender", "neutral")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("v2/height", ["no system called 'v2'", "known here: a/b, v1", "SYSTEM/CATEGORY/VALUE"]),
        ("v1", ["names no category", "height", "write v1/"]),
        ("v1/", ["names no category"]),
        ("v1/heigth", ["no category called 'heigth'", "did you mean `height`"]),
        ("v1/qqqq", ["no category called 'qqqq'", "'v1' uses"]),
        ("v1/height/female", ["value of several groups", "gender:female or shown:female"]),
        ("v1/height/adult", ["no value called 'adult'", "gender:female, gender:male"]),
        ("v1/height/\x1b[31m", ["no value called '\ufffd[31m'"]),
    ],
)
def test_a_name_that_is_wrong_is_told_with_what_there_is(
    saved: SavedAudit, cell: str, expected: list[str]
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(cell, saved)
    for part in expected:
        assert part in str(caught.value)


def test_an_audit_without_groups_has_cells_without_values(tmp_path: Path) -> None:
    saved = save_audit(tmp_path, {"v1": CAPTIONS[2:]}, by=())
    assert words(saved, "v1/height") == [("3", ["tall"])]
    with pytest.raises(UsageError, match="audit again with --by"):
        parse_address("v1/height/female", saved)


# ---- folders that are no audits


def test_what_is_no_audit_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no audit\.json"):
        read_audit(str(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        read_audit(str(tmp_path / "nothing.json"))
    file = tmp_path / "audit.json"
    for text in ("", "{", "[]", "{}", '{"signature": {}, "systems": {"a": {"labels": "many"}}}'):
        file.write_text(text)
        with pytest.raises(InputError) as caught:
            read_audit(str(tmp_path))
        assert "is not an audit of ours" in str(caught.value)
        assert "--out FOLDER" in str(caught.value)


def test_missing_and_broken_mentions_are_told(tmp_path: Path) -> None:
    saved = save_audit(tmp_path, {"v1": CAPTIONS[2:]})
    mentions = tmp_path / "mentions.jsonl"
    text = mentions.read_text()
    mentions.write_text(text + "{\n")
    with pytest.raises(InputError, match=r"mentions\.jsonl:2"):
        list(saved.mentions())
    mentions.write_text(json.dumps({**json.loads(text), "label": "a stranger"}) + "\n")
    for cell in ("v1/height/neutral", "v1/height"):
        with pytest.raises(InputError, match="not of the same run"):
            explain(saved, parse_address(cell, saved))
    mentions.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        list(saved.mentions())

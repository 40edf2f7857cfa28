"""Whom labels are about: by nouns of the taxonomy, or by a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess.errors import InputError, UsageError
from assess.measures.bias.groups import (
    MIXED,
    NEUTRAL,
    UNLISTED,
    ImageGroups,
    NounGroups,
    check_images,
    pairs_of,
    parse_contrast,
    read_image_groups,
)
from assess.records import Analysis
from tests.audits import AGE, GENDER, PARSER, PEOPLE


@pytest.mark.parametrize(
    ("text", "gender", "age"),
    [
        ("a tall woman", "female", "adult"),
        ("two boys", "male", "child"),
        ("a man and a woman", MIXED, "adult"),
        ("a person", NEUTRAL, NEUTRAL),
        ("a large crowd", NEUTRAL, NEUTRAL),
        ("a teenager", NEUTRAL, "teenager"),
        ("the policeman", "male", NEUTRAL),
    ],
)
def test_the_head_tells_the_value(text: str, gender: str, age: str) -> None:
    analysis = PARSER.analyse(text)
    assert GENDER.value(analysis) == gender
    assert AGE.value(analysis) == age


def test_a_label_that_cannot_be_read_still_tells_by_its_last_word() -> None:
    unread = Analysis("a blorpy of of woman", in_domain=True, why="no-rule")
    assert GENDER.value(unread) == "female"
    assert GENDER.value(Analysis("a blorp", in_domain=True)) == NEUTRAL


def test_an_unknown_group_is_told_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean `gender`"):
        NounGroups(PEOPLE, "gendre")


def test_more_than_two_values_give_all_pairs() -> None:
    assert pairs_of(AGE) == [
        ("child", "teenager"),
        ("child", "adult"),
        ("teenager", "adult"),
    ]


def test_a_pair_may_be_asked_for_also_with_the_neutral() -> None:
    assert pairs_of(AGE, (("adult", "child"),)) == [("adult", "child")]
    assert pairs_of(AGE, (("adult", NEUTRAL),), columns=("adult", NEUTRAL)) == [("adult", NEUTRAL)]
    # A pair of another group leaves this one's pairs alone.
    assert len(pairs_of(AGE, (("female", "male"),))) == 3


def test_too_many_values_must_be_named() -> None:
    many = ImageGroups("place", "f.csv", "", {str(number): f"v{number}" for number in range(9)})
    with pytest.raises(UsageError, match="9 values: too many pairs"):
        pairs_of(many)
    assert pairs_of(many, (("v1", "v2"),)) == [("v1", "v2")]


@pytest.mark.parametrize("text", ["female", "female,", "a,b,c", "a,a", ""])
def test_a_contrast_is_two_values(text: str) -> None:
    with pytest.raises(UsageError, match="as in female,male"):
        parse_contrast(text)
    assert parse_contrast(" female , male") == ("female", "male")


# ---- from a file


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.csv", "image_id,group\n1,female\n2,male\n3,unclear\n"),
        ("g.tsv", "image_id\tgroup\n1\tfemale\n2\tmale\n3\tunclear\n"),
        (
            "g.jsonl",
            '{"image_id": 1, "group": "female"}\n{"image_id": "2", "group": "male"}\n'
            '{"image_id": 3, "group": "unclear"}\n',
        ),
    ],
)
def test_groups_are_read_from_common_tables(tmp_path: Path, name: str, text: str) -> None:
    groups = read_image_groups(f"who={write(tmp_path / name, text)}")
    assert groups.name == "who"
    assert groups.by_image == {"1": "female", "2": "male", "3": "unclear"}
    assert groups.values == ("female", "male")
    assert groups.value(None, "1") == "female"
    assert groups.value(None, "9") == UNLISTED


def test_the_name_is_the_files_stem(tmp_path: Path) -> None:
    assert read_image_groups(write(tmp_path / "attributes.csv", "image_id,group\n1,a\n")).name == "attributes"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("image_id,value\n1,a\n", ["no field 'group'", "fields image_id and group"]),
        ("image_id,group\n1,a\n1,b\n", ["g.csv: record 2", "'1' has two groups: a and b"]),
        ("image_id,group\n1,a\n2,\n", ["g.csv: record 2", "'2' has no group"]),
        ("image_id,group\n", ["no images"]),
        ("", ["empty"]),
    ],
)
def test_mistakes_in_a_groups_file_are_placed(tmp_path: Path, text: str, expected: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read_image_groups(write(tmp_path / "g.csv", text))
    for part in expected:
        assert part in str(caught.value)


def test_images_without_a_group_are_an_error_that_names_both_files_and_counts() -> None:
    groups = ImageGroups("who", "g.csv", "", {"1": "a", "2": "b"})
    assert check_images(groups, {"1", "2"}, file="c.json") is None
    with pytest.raises(InputError) as caught:
        check_images(groups, ["1", "2", "3", "4"], file="c.json")
    assert "2 of the 4 images of 'c.json' are not among the 2 images of 'g.csv': '3', '4'" in str(
        caught.value
    )
    assert "--partial" in str(caught.value)
    note = check_images(groups, ["1", "2", "3", "4"], file="c.json", partial=True)
    assert note is not None
    assert "2 of the 4 images" in note


def test_ids_of_another_kind_are_shown_beside_each_other() -> None:
    groups = ImageGroups("who", "g.csv", "", {"COCO_1.jpg": "a"})
    with pytest.raises(InputError, match="no image id is in both files") as caught:
        check_images(groups, ["1", "2"], file="c.json", partial=True)
    assert "'1' here and 'COCO_1.jpg' there" in str(caught.value)

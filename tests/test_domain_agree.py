"""Agreement between taxonomies and annotators: overlap, kappa, disagreements."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from assess.domain.agreement import (
    Annotations,
    Key,
    agreement,
    agreement_report,
    read_annotations,
    renamed,
    taxonomy_annotations,
)
from assess.errors import InputError, UsageError
from tests.strategies import taxonomy_of

KEYS: list[Key] = [("", "a"), ("", "b"), ("", "c")]


def table(folder: Path, name: str, text: str) -> Annotations:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_annotations(path)


def test_counts_overlap_and_kappa_by_hand(tmp_path: Path) -> None:
    first = table(tmp_path, "first.tsv", "phrase\tcategories\np1\ta\np2\ta\np3\ta b\np4\t\np5\tb\n")
    second = table(tmp_path, "second.csv", "text,categories\np1,a\np2,b\np3,a;b\np4,\nother,a\n")
    found = agreement(first, second)
    a, b = found.categories
    assert (a.category, a.both, a.first_only, a.second_only, a.neither) == ("a", 2, 1, 0, 1)
    assert a.overlap == pytest.approx(2 / 3)
    # Observed 3 of 4; by chance 3/4 * 2/4 + 1/4 * 2/4 = 1/2.
    assert a.kappa.value == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert (b.both, b.first_only, b.second_only, b.neither) == (1, 0, 1, 2)
    assert (found.shared, found.identical) == (4, 3)
    assert (found.first_items, found.second_items) == (("p5",), ("other",))
    assert found.overlap == pytest.approx(4 / 6)
    assert [(item.item, item.first, item.second) for item in found.disagreements] == [
        ("p2", (("", "a"),), (("", "b"),))
    ]


def test_an_alternative_is_settled_for_the_other_annotator(tmp_path: Path) -> None:
    first = table(tmp_path, "first.tsv", "phrase\tmodifiers\np1\tage/build\np2\tage/build\np3\tage/build\n")
    second = table(tmp_path, "second.tsv", "phrase\tmodifiers\np1\tbuild\np2\tmood\np3\tage/build\n")
    found = agreement(first, second)
    assert found.identical == 2
    assert [(item.item, item.first) for item in found.disagreements] == [("p2", (("modifier", "age"),))]


def test_renamed_categories_of_the_first_are_those_of_the_second(tmp_path: Path) -> None:
    first = table(
        tmp_path, "first.tsv", "phrase\tmodifiers\theads\np1\tcolour\tage\np2\tcolour\t\np3\tmood\t\n"
    )
    second = table(
        tmp_path, "second.tsv", "phrase\tmodifiers\theads\np1\tskin\tage\np2\thair\t\np3\tmood\t\n"
    )
    assert agreement(first, second).identical == 1
    assert agreement(renamed(first, ["colour=hair/skin"]), second).identical == 3
    assert agreement(renamed(first, ["modifier.colour=skin"]), second).identical == 2
    with pytest.raises(UsageError, match=r"first\.tsv has no category 'color'"):
        renamed(first, ["color=hair"])
    with pytest.raises(UsageError, match="'colour' is not OLD=NEW"):
        renamed(first, ["colour"])


def test_taxonomies_are_compared_word_by_word() -> None:
    def taxonomy(words: list[str], mood: list[str]) -> Annotations:
        about = {"description": "D.", "evidence": "visible", "sensitivity": "none"}
        values = {
            "heads": {"kind": {"description": "K.", "words": ["da"]}},
            "modifiers": {"size": {**about, "words": words}, "mood": {**about, "words": mood}},
        }
        return taxonomy_annotations(taxonomy_of(values), name="t")

    found = agreement(taxonomy(["big", "low-key"], ["glad"]), taxonomy(["big"], ["low key", "sad"]))
    assert (found.shared, found.identical) == (3, 2)
    assert found.disagreements[0].item == "low key"
    assert found.disagreements[0].second == (("modifier", "mood"),)
    assert (found.first_items, found.second_items) == (("glad",), ("sad",))


def test_nothing_in_common_is_undefined_not_zero() -> None:
    found = agreement(Annotations("x", {"p": frozenset()}), Annotations("y", {"q": frozenset()}))
    assert found.shared == 0
    assert math.isnan(found.overall.overlap)
    assert math.isnan(found.overall.kappa.value)
    assert found.overlap == 0
    assert math.isnan(agreement(Annotations("x", {}), Annotations("y", {})).overlap)


ITEMS = st.dictionaries(
    st.sampled_from("pqrst"),
    st.sets(st.sampled_from(KEYS)).map(lambda keys: frozenset(frozenset({key}) for key in keys)),
)


@given(ITEMS, ITEMS)
def test_agreement_has_no_favourite_side(
    first: dict[str, frozenset[frozenset[Key]]], second: dict[str, frozenset[frozenset[Key]]]
) -> None:
    there = agreement(Annotations("x", first), Annotations("y", second))
    back = agreement(Annotations("y", second), Annotations("x", first))
    assert there.identical == back.identical
    assert len(there.disagreements) == there.shared - there.identical
    for left, right in zip(there.categories, back.categories, strict=True):
        assert (left.both, left.first_only, left.second_only) == (
            right.both,
            right.second_only,
            right.first_only,
        )
        assert left.kappa.value == pytest.approx(right.kappa.value, nan_ok=True)
        assert left.both + left.first_only + left.second_only + left.neither == there.shared


@given(ITEMS)
def test_everybody_agrees_with_themselves(items: dict[str, frozenset[frozenset[Key]]]) -> None:
    found = agreement(Annotations("x", items), Annotations("x", items))
    assert found.identical == found.shared == len(items)
    assert found.disagreements == ()
    assert all(item.overlap == 1 for item in found.categories)


@pytest.mark.parametrize(
    ("text", "message"),
    [("a\tb\n1\t2\n", "there is no column with an item"),
     ("phrase\tnote\np\tx\n", "there is no column with categories"),
     ("phrase\theads\n\ta\n", "bad.tsv:2: the row has no item")],
)  # fmt: skip
def test_a_bad_table_is_told_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        table(tmp_path, "bad.tsv", text)
    assert message in str(caught.value)


def test_the_longest_category_names_fit_a_narrow_terminal() -> None:
    keys: list[Key] = [("modifier", "occupation-or-social-group"), ("head", "status-occupation")]
    items = {f"item {number}": frozenset(frozenset({key}) for key in keys) for number in range(3)}
    console = Console(width=80, file=io.StringIO())
    found = agreement(Annotations("a", items), Annotations("b", items))
    for part in agreement_report(found, most=5, width=80):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert any("occupation-or-social-group" in line for line in lines)
    assert any("head.status-occupation" in line for line in lines)

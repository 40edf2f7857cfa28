"""`assess select`: values, formats, files, mistakes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands import assess, write_records
from tests.goldens import scene

# The example of Figure 2, in our own words: which boxes seven descriptions mention.
FIGURE_2 = """\
1\tOur [lady]2 in a long [gown]0 and [boots]5 waits at the [car]3
1\tThe [lady]2 has a [car]3
1\tNext to a [car]3 : a [lady]2 with [boots]5
1\tA [lady]2 , a [car]3
1\tOne [car]3 for one [lady]2
1\tIn [boots]5 , a [lady]2 at her [car]3
1\tThe [gown]0 and [boots]5 of a [lady]2 with a [car]3
"""


@pytest.fixture
def figure(tmp_path: Path) -> Path:
    path = tmp_path / "figure.tsv"
    path.write_text(FIGURE_2, encoding="utf-8")
    return path


def test_bracketed_sentences_can_be_predictions(tmp_path: Path, figure: Path) -> None:
    sentence = tmp_path / "mine.tsv"
    sentence.write_text("1\tA [lady]2 and a [car]3\n", encoding="utf-8")
    assert assess("select", figure, sentence, "--json").json["F"] == pytest.approx(32 / 37)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_records(tmp_path / "gold.jsonl", *(scene(number) for number in range(20)))


@pytest.fixture
def development(tmp_path: Path) -> Path:
    return write_records(tmp_path / "development.jsonl", *(scene(number) for number in range(100, 110)))


def predicted(tmp_path: Path, name: str, boxes: Sequence[int]) -> str:
    path = write_records(
        tmp_path / f"{name}.jsonl", *({"image_id": n, "boxes": list(boxes)} for n in range(20))
    )
    return f"{name}={path}"


def test_a_few_images_are_too_few_for_intervals(tmp_path: Path, figure: Path) -> None:
    mine = write_records(tmp_path / "mine.jsonl", {"image_id": 1, "boxes": [2]})
    found = assess("select", figure, mine, "--json").json
    assert found["comparisons"] == []
    assert found["systems"]["mine"]["intervals"] == {}
    assert any("too few for intervals" in note for note in found["notes"])


def test_sentences_mention_as_many_boxes_as_people_unless_told(gold: Path) -> None:
    found = assess("select", gold, "--sentences", "size", "--sentences", "size:1", "--json").json
    assert {name: made["k"] for name, made in found["sentences"].items()} == {"size": 2, "size:1": 1}


def test_a_system_may_be_called_people(tmp_path: Path, gold: Path) -> None:
    shown = assess("select", gold, predicted(tmp_path, "people", [0]), "--baseline", "none").stdout
    assert "\n people (upper bound) " in shown


ENTITIES = (
    "5#0\t[/EN#1/people A tall woman] holds [/EN#2/other a cup] .\n"
    "5#1\t[/EN#1/people The woman] near [/EN#3/scene a lake] .\n"
)


def test_flickr30k_entities_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "sentences.tsv"
    path.write_text(ENTITIES, encoding="utf-8")
    found = assess("select", path, "--json").json
    assert (found["images"], found["descriptions"], found["boxes"]) == (1, 2, 3)
    assert found["categories"]["boxes"]["people"]["mentions"] == 2
    boxes = write_records(tmp_path / "boxes.json", [{"image": "5#0", "entity": "1", "box": [0, 0, 9, 9]}])
    assert assess("select", path, "--boxes", boxes, "--json").json["boxes"] == 1


def test_standard_input_is_json_unless_told(figure: Path) -> None:
    record = json.dumps(scene(1)) + "\n"
    assert assess("select", "-", "--json", stdin=record).json["images"] == 1
    text = figure.read_text(encoding="utf-8")
    found = assess("select", "-", "--format", "bracketed", "--json", stdin=text).json
    assert found["descriptions"] == 7


def test_an_empty_description_counts_zero_or_is_skipped(tmp_path: Path) -> None:
    record = scene(1) | {"descriptions": [[0], [0], []]}
    path = write_records(tmp_path / "gold.jsonl", record)
    zero = assess("select", path, "--json").json
    skip = assess("select", path, "--empty", "skip", "--json").json
    assert zero["upper_bound"]["F"] < 1.0
    assert skip["upper_bound"]["F"] == 1.0
    assert any("1 description without a box" in note for note in zero["notes"])


def test_scored_images_are_not_counted_in_the_development_set(tmp_path: Path, gold: Path) -> None:
    both = write_records(tmp_path / "both.jsonl", *(scene(number) for number in (0, 1, 200)))
    found = assess("select", gold, "--development", both, "--json").json
    assert found["development_images"] == 1
    assert any("scored here: 2 images" in note for note in found["notes"])


def told(done: Any, *parts: str) -> None:
    assert done.code == 2, done.stdout
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr


def test_selected_boxes_that_do_not_exist_are_told(tmp_path: Path) -> None:
    gold = write_records(tmp_path / "gold.jsonl", scene(1))
    mine = write_records(tmp_path / "mine.jsonl", {"image_id": 1, "boxes": [0, 77]})
    told(assess("select", gold, mine), "no box with the id 77", "mine.jsonl:1", "record 1")


def test_a_box_without_geometry_among_others_is_told(tmp_path: Path) -> None:
    record = scene(1)
    boxes = [{"id": 0, "concept": "dog", "box": [0, 0, 5, 5]}, {"id": 1, "concept": "hat"}]
    gold = write_records(tmp_path / "gold.jsonl", record | {"boxes": boxes})
    told(assess("select", gold), "box 1 of image 1 has no coordinates", "record 1")
    assert assess("select", gold, "--baseline", "random").code == 0


def test_mistakes_in_the_call_are_told(tmp_path: Path) -> None:
    gold = write_records(tmp_path / "gold.jsonl", scene(1))
    for arguments, part in (
        (("--baseline", "bigram"), "--development"),
        (("--sentences", "size:none"), "BASELINE:K"),
        (("--sentences", "size:0"), "BASELINE:K"),
        (("--sentences", "unigram"), "--development"),
        (("--empty", "maybe"), "--empty"),
        (("--measure", "G"), "--measure"),
        (("--concept", "word"), "--concept"),
        (("--format", "xml"), "json, flickr30k, bracketed"),
        (("--boxes", str(gold)), "--boxes"),
        (("--domain", "peple"), "people"),
        (("--development", str(gold)), "nothing is left to count"),
        ((f"upper_bound={gold}",), "upper_bound"),
    ):
        told(assess("select", gold, *arguments), part)


def test_sentences_of_flickr30k_are_no_predictions(tmp_path: Path) -> None:
    path = tmp_path / "sentences.tsv"
    path.write_text("5#0\t[/EN#1/people A woman] .\n", encoding="utf-8")
    told(assess("select", path, path), "gold descriptions")

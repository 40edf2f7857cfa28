"""Mistakes in content selection: exit code 2 with the record's place, no traceback, nothing written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.commands import assess
from tests.test_cli_select import scene, write


def told(done: Any, *parts: str) -> None:
    assert done.code == 2, done.stdout
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"descriptions": []}, "the image has no gold descriptions"),
        ({"descriptions": [[0, 9]]}, "no box of the image has the id 9"),
        ({"descriptions": [0]}, "box ids must be a list"),
        ({"boxes": [{"id": 0, "concept": "dog", "box": [1, 2, 3]}]}, "is not a box"),
        ({"boxes": [{"id": 0}]}, "concept"),
    ],
)
def test_a_mistake_in_gold_is_told_with_its_record(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = write(tmp_path / "gold.jsonl", scene(1), scene(2) | change)
    out = tmp_path / "out"
    told(assess("select", path, "--out", out), message, "gold.jsonl:2", "record 2")
    assert not out.exists()


def test_selected_boxes_that_do_not_exist_are_told(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", scene(1))
    mine = write(tmp_path / "mine.jsonl", {"image_id": 1, "boxes": [0, 77]})
    told(assess("select", gold, mine), "no box with the id 77", "mine.jsonl:1", "record 1")


def test_images_that_do_not_pair_are_told(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", scene(1))
    mine = write(tmp_path / "mine.jsonl", {"image_id": 2, "boxes": [0]})
    told(assess("select", gold, mine), "do not pair by image id")


def test_a_box_without_geometry_among_others_is_told(tmp_path: Path) -> None:
    record = scene(1)
    boxes = [{"id": 0, "concept": "dog", "box": [0, 0, 5, 5]}, {"id": 1, "concept": "hat"}]
    gold = write(tmp_path / "gold.jsonl", record | {"boxes": boxes})
    told(assess("select", gold), "box 1 of image 1 has no geometry", "record 1")
    assert assess("select", gold, "--baseline", "random").code == 0


def test_a_bracket_is_pointed_at(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text("1\tA [dog] waits\n", encoding="utf-8")
    told(assess("select", path), "gold.tsv:1:5", "^")


def test_mistakes_in_the_call_are_told(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", scene(1))
    for arguments, part in (
        (("--baseline", "sise"), "no baseline is called 'sise'"),
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


def test_missing_and_empty_files_are_told(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.jsonl")
    told(assess("select", empty), "empty.jsonl", "empty")
    told(assess("select", tmp_path / "nowhere.jsonl"), "nowhere.jsonl")

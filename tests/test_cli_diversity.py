"""`assess diversity`: numbers, orders, references, intervals, files, unusual inputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import EXAMPLE, assess, write_captions

pytestmark = pytest.mark.model

SYSTEMS = [EXAMPLE / "bland.json", EXAMPLE / "rich.jsonl"]


def alike(path: Path) -> Path:
    """Write captions of which each stands beside others like it."""
    nouns = ["dog", "cat", "bird", "horse", "car", "boat", "tree", "house", "plane", "train"]
    verbs = ["runs", "sits", "waits", "sleeps"]
    return write_captions(path, [f"the {noun} {verb} near {noun}s" for noun in nouns for verb in verbs * 6])


def test_file_order_is_the_papers_and_shuffling_the_file_changes_only_it(tmp_path: Path) -> None:
    rows = json.loads((EXAMPLE / "bland.json").read_text(encoding="utf-8"))
    shuffled = tmp_path / "bland.json"
    shuffled.write_text(json.dumps(sorted(rows, key=lambda row: row["caption"])), encoding="utf-8")
    free = [assess("diversity", path, "--json").json["systems"]["bland"] for path in (SYSTEMS[0], shuffled)]
    paper = [
        assess("diversity", path, "--mode", "paper", "--json").json["systems"]["bland"]
        for path in (SYSTEMS[0], shuffled)
    ]
    measures = ("asl", "sdsl", "types", "ttr1", "ttr2", "ttr3", "unique", "hapaxes", "hdd", "mtld")
    assert [free[0][name] for name in measures] == pytest.approx([free[1][name] for name in measures])
    assert paper[0]["ttr1"] != paper[1]["ttr1"]
    assert paper[0]["ttr1"] == pytest.approx(free[0]["order"]["ttr1"]["file"])


def test_a_file_ordered_by_likeness_gets_a_warning_with_both_values(tmp_path: Path) -> None:
    path = alike(tmp_path / "alike.json")
    done = assess("diversity", path, "--order", "file", "--window", 100)
    assert "warning the order of the file affects the ratios of alike" in " ".join(done.stdout.split())
    assert "Files whose order affects their ratios" in done.stdout
    found = assess("diversity", path, "--order", "file", "--window", 100, "--json")
    effect = found.json["systems"]["alike"]["order"]["ttr1"]
    assert effect["distorts"]
    assert effect["file"] < effect["shuffled"]
    assert "warning: the order of the file" in found.stderr


def test_undefined_values_are_dashes_with_a_note(tmp_path: Path) -> None:
    path = write_captions(tmp_path / "one.json", ["a dog runs"])
    done = assess("diversity", path)
    shown = " ".join(done.stdout.split())
    assert "–" in done.stdout
    assert "TTR1, TTR2, TTR3 undefined: fewer than 1000 n-grams" in shown
    assert "HD-D undefined: fewer than 42 tokens" in shown
    assert "no training captions: novelty is undefined" in shown
    found = assess("diversity", path, "--json").json["systems"]["one"]
    assert (found["asl"], found["sdsl"], found["types"]) == (3.0, 0.0, 3)
    assert found["ttr1"] is found["hdd"] is found["mtld"] is found["novel"] is None


def test_empty_captions_are_counted(tmp_path: Path) -> None:
    empty = write_captions(tmp_path / "empty.json", ["", " ", "a dog"])
    found = assess("diversity", empty, "--json").json["systems"]["empty"]
    assert (found["captions"], found["empty_captions"], found["tokens"]) == (3, 2, 2)


def test_several_captions_an_image_are_measured_against_each_other(tmp_path: Path) -> None:
    same = write_captions(tmp_path / "same.json", ["a dog runs on the grass"] * 4, images=[1, 1, 2, 2])
    found = assess("diversity", same, "--json").json["systems"]["same"]
    assert found["mbleu4"] == pytest.approx(1.0)
    assert found["distinct1"] == pytest.approx(0.5)
    assert "Within an image" in assess("diversity", same).stdout


def test_systems_on_different_images_are_told_with_counts(tmp_path: Path) -> None:
    first = write_captions(tmp_path / "first.json", ["a dog runs", "a cat sits"], images=[1, 2])
    second = write_captions(tmp_path / "second.json", ["a dog runs"], images=[2])
    done = assess("diversity", first, second, "--intervals", "--resamples", 10, "--json")
    assert "first 2, second 1; in common 1" in done.json["notes"][0]
    assert "first 2, second 1; in common 1" in done.stderr
    assert done.json["intervals"]["left_out"] == {"first": 1, "second": 0}


def test_systems_without_a_common_image_have_no_intervals_and_no_crash(tmp_path: Path) -> None:
    first = write_captions(tmp_path / "first.json", ["a dog runs"], images=[1])
    second = write_captions(tmp_path / "second.json", ["a dog runs"], images=[2])
    done = assess("diversity", first, second, "--intervals", "--json")
    assert done.json["intervals"]["images"] == 0
    assert done.json["intervals"]["systems"]["first"]["asl"] == [None, None, None]
    assert "no intervals: " in done.json["intervals"]["notes"][-1]


def test_references_of_images_that_nobody_describes_are_left_out(tmp_path: Path) -> None:
    system = write_captions(tmp_path / "system.json", ["a dog"], images=[7])
    references = write_captions(
        tmp_path / "people.json", ["a dog runs", "one dog", "a cat"], images=[7, 7, 8]
    )
    found = assess("diversity", system, "-r", references, "--json").json
    assert found["systems"]["people"]["images"] == 1
    assert found["systems"]["people"]["sets"] == 2
    assert "references of 1 image that no system describes are excluded" in found["notes"][0]

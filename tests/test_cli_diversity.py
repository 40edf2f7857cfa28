"""`assess diversity` as a user runs it: numbers, orders, references, intervals, files, odd inputs."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import EXAMPLE, assess

pytestmark = pytest.mark.model

SYSTEMS = [EXAMPLE / "bland.json", EXAMPLE / "rich.jsonl"]


def write(path: Path, captions: list[str], *, images: list[object] | None = None) -> Path:
    ids = images or list(range(1, len(captions) + 1))
    rows = [{"image_id": image, "caption": text} for image, text in zip(ids, captions, strict=True)]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def alike(path: Path) -> Path:
    """Write captions of which each stands beside others like it."""
    nouns = ["dog", "cat", "bird", "horse", "car", "boat", "tree", "house", "plane", "train"]
    verbs = ["runs", "sits", "waits", "sleeps"]
    return write(path, [f"the {noun} {verb} near {noun}s" for noun in nouns for verb in verbs * 6])


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return assess(
        "diversity",
        *SYSTEMS,
        "--references",
        EXAMPLE / "references.json",
        "--train",
        EXAMPLE / "train.txt",
        "--intervals",
        "--resamples",
        60,
        "--json",
    ).json


def test_json_has_the_promised_shape_with_mode_and_order_in_its_signature(example: dict[str, Any]) -> None:
    bland = example["systems"]["bland"]
    assert (bland["captions"], bland["images"], bland["reference"]) == (400, 400, False)
    assert bland["asl"] == pytest.approx(bland["tokens"] / 400)
    assert 0 < bland["ttr1"] < bland["ttr2"] < bland["ttr3"] < 1
    assert bland["novel"] == pytest.approx(0.52)
    assert bland["mbleu4"] is None
    settings = example["signature"]["settings"]
    assert (settings["mode"], settings["order"], settings["window"]) == ("assess", "free", 1000)
    assert {item["name"] for item in example["signature"]["inputs"]} == {
        "bland",
        "rich",
        "references",
        "train",
    }


def test_references_are_a_row_that_is_the_mean_of_parallel_descriptions(example: dict[str, Any]) -> None:
    references = example["systems"]["references"]
    assert (references["captions"], references["sets"], references["reference"]) == (400, 5, True)
    assert references["total_types"] > references["types"]
    assert references["novel"] is not None
    assert not [note for note in references["notes"] if "novelty" in note]


def test_intervals_hold_their_estimates_and_pair_systems(example: dict[str, Any]) -> None:
    intervals = example["intervals"]
    assert intervals["images"] == 400
    for system in ("bland", "rich"):
        for measure in ("asl", "sdsl", "ttr1", "ttr2", "novel"):
            estimate, low, high = intervals["systems"][system][measure]
            assert estimate == pytest.approx(example["systems"][system][measure])
            assert low <= estimate <= high
    [ttr2] = [one for one in intervals["differences"] if one["measure"] == "ttr2"]
    assert (ttr2["first"], ttr2["second"]) == ("bland", "rich")
    difference = example["systems"]["bland"]["ttr2"] - example["systems"]["rich"]["ttr2"]
    assert ttr2["difference"][0] == pytest.approx(difference)
    assert ttr2["difference"][2] < 0


def test_curves_end_at_the_number_of_types_and_are_undefined_beyond(example: dict[str, Any]) -> None:
    rich, bland = example["systems"]["rich"], example["systems"]["bland"]
    assert rich["curve"]["tokens"][-1] == rich["tokens"]
    assert rich["curve"]["types"][-1] == pytest.approx(rich["types"])
    assert bland["curve"]["types"][-1] is None


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
    assert "warning the order of the file moves the ratios of alike" in " ".join(done.stdout.split())
    assert "Files whose order moves their ratios" in done.stdout
    found = assess("diversity", path, "--order", "file", "--window", 100, "--json")
    effect = found.json["systems"]["alike"]["order"]["ttr1"]
    assert effect["distorts"]
    assert effect["file"] < effect["shuffled"]
    assert "warning: the order of the file" in found.stderr


def test_undefined_values_are_dashes_with_a_note(tmp_path: Path) -> None:
    path = write(tmp_path / "one.json", ["a dog runs"])
    done = assess("diversity", path)
    shown = " ".join(done.stdout.split())
    assert "–" in done.stdout
    assert "TTR1, TTR2, TTR3 undefined: fewer than 1000 n-grams" in shown
    assert "HD-D undefined: fewer than 42 tokens" in shown
    assert "no training captions: novelty is undefined" in shown
    found = assess("diversity", path, "--json").json["systems"]["one"]
    assert (found["asl"], found["sdsl"], found["types"]) == (3.0, 0.0, 3)
    assert found["ttr1"] is found["hdd"] is found["mtld"] is found["novel"] is None


def test_no_captions_and_empty_captions_are_no_crash(tmp_path: Path) -> None:
    none = write(tmp_path / "none.json", [])
    empty = write(tmp_path / "empty.json", ["", " ", "a dog"])
    done = assess("diversity", none, empty, "--format", "coco-results")
    assert done.code == 0
    assert "no captions: every ratio is undefined" in done.stdout
    found = assess("diversity", empty, "--json").json["systems"]["empty"]
    assert (found["captions"], found["empty_captions"], found["tokens"]) == (3, 2, 2)


def test_several_captions_an_image_are_measured_against_each_other(tmp_path: Path) -> None:
    same = write(tmp_path / "same.json", ["a dog runs on the grass"] * 4, images=[1, 1, 2, 2])
    found = assess("diversity", same, "--json").json["systems"]["same"]
    assert found["mbleu4"] == pytest.approx(1.0)
    assert found["distinct1"] == pytest.approx(0.5)
    assert "Within an image" in assess("diversity", same).stdout


def test_systems_on_different_images_are_told_with_counts(tmp_path: Path) -> None:
    first = write(tmp_path / "first.json", ["a dog runs", "a cat sits"], images=[1, 2])
    second = write(tmp_path / "second.json", ["a dog runs"], images=[2])
    done = assess("diversity", first, second, "--intervals", "--resamples", 10, "--json")
    assert "first 2, second 1; in common 1" in done.json["notes"][0]
    assert "first 2, second 1; in common 1" in done.stderr
    assert done.json["intervals"]["left_out"] == {"first": 1, "second": 0}


def test_systems_without_a_common_image_have_no_intervals_and_no_crash(tmp_path: Path) -> None:
    first = write(tmp_path / "first.json", ["a dog runs"], images=[1])
    second = write(tmp_path / "second.json", ["a dog runs"], images=[2])
    done = assess("diversity", first, second, "--intervals", "--json")
    assert done.json["intervals"]["images"] == 0
    assert done.json["intervals"]["systems"]["first"]["asl"] == [None, None, None]
    assert "there are no intervals" in done.json["intervals"]["notes"][-1]


def test_references_of_images_that_nobody_describes_are_left_out(tmp_path: Path) -> None:
    system = write(tmp_path / "system.json", ["a dog"], images=[7])
    references = write(tmp_path / "people.json", ["a dog runs", "one dog", "a cat"], images=[7, 7, 8])
    found = assess("diversity", system, "-r", references, "--json").json
    assert found["systems"]["people"]["images"] == 1
    assert found["systems"]["people"]["sets"] == 2
    assert "references of 1 images that no system describes are left out" in found["notes"][0]


def test_tables_are_written_and_no_name_is_a_formula(tmp_path: Path) -> None:
    path = write(tmp_path / "plain.json", ["a dog runs"])
    files = {"latex": tmp_path / "t.tex", "markdown": tmp_path / "t.md", "csv": tmp_path / "csv"}
    options = [part for name, file in files.items() for part in (f"--{name}", file)]
    done = assess("diversity", f"@A_1={path}", *options)
    assert done.code == 0, done.stderr
    assert r"\toprule" in files["latex"].read_text(encoding="utf-8")
    assert r"@A\_1" in files["latex"].read_text(encoding="utf-8")
    assert "| system | ASL |" in files["markdown"].read_text(encoding="utf-8")
    with (files["csv"] / "diversity.csv").open(encoding="utf-8", newline="") as file:
        [row] = list(csv.DictReader(file))
    assert row["system"] == "'@A_1"
    assert (row["asl"], row["ttr1"]) == ("3.0", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mode", "papers"], "--mode is assess or paper, not 'papers'"),
        (["--order", "random"], "--order is free or file, not 'random'"),
        (["--window", "0"], "--window"),
        (["--plot-format", "gif", "--plots", "p"], "plot"),
    ],
)
def test_a_wrong_option_is_a_message_and_exit_code_2(options: list[str], message: str) -> None:
    done = assess("diversity", SYSTEMS[0], *options)
    assert (done.code, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.data
def test_published_values_of_a_system_in_the_papers_mode(shared_data: Path) -> None:
    name = "Shetty-et-al-2017"
    published = json.loads((shared_data / "golden" / "diversity.json").read_text())["published"][name]
    path = shared_data / "coco_val2014" / "systems" / f"{name}.json.gz"
    found = assess("diversity", path, "--mode", "paper", "--json").json["systems"][name]
    rounded = [
        f"{found[key]:.{digits}f}" for key, digits in (("asl", 1), ("sdsl", 2), ("types", 0), ("ttr1", 2))
    ]
    assert rounded == [published[key] for key in ("ASL", "SDSL", "Types", "TTR1")]
    assert found["order"]["ttr1"]["distorts"]

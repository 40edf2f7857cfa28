"""`assess recall`: coverage, local recall, omitted words, unusual inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import EXAMPLE, assess, write_captions

pytestmark = pytest.mark.model

SYSTEMS = [EXAMPLE / "bland.json", EXAMPLE / "rich.jsonl"]


@pytest.fixture
def small(tmp_path: Path) -> dict[str, Path]:
    """Two images with two references each, a system, and training captions that lack one word."""
    return {
        "system": write_captions(tmp_path / "system.json", ["a dog in the park", "a red car"], images=[1, 2]),
        "people": write_captions(
            tmp_path / "people.json",
            ["a big dog runs", "the dog plays", "a red car on a street", "one car"],
            images=[1, 1, 2, 2],
        ),
        "train": write_captions(
            tmp_path / "train.json", ["a dog plays on a street", "a big red car", "the one runs"]
        ),
    }


def test_small_numbers_are_those_worked_by_hand(small: dict[str, Path]) -> None:
    found = assess("recall", small["system"], "-r", small["people"], "--train", small["train"], "--json").json
    assert (found["images"], found["classes"]) == (2, 2)
    system = found["systems"]["system"]
    # Both people say dog and car; one says big, runs, plays, red, street.
    assert system["local"]["words"] == {"1": 5, "2": 2}
    assert system["local"]["recalled"] == {"1": 1, "2": 2}
    assert system["local"]["micro"] == {"1": pytest.approx(0.2), "2": 1.0}
    # Of the first image none of three, of the second one of two.
    assert system["local"]["macro"]["1"] == pytest.approx(0.25)
    # Said: dog, park, red, car; people do not say park.
    assert system["local_precision"] == pytest.approx(0.75)
    # References: a big dog runs the plays red car on street one; all are learnable.
    assert (system["evaluation"], system["learnable"], system["limit"]) == (11, 11, 1.0)
    assert system["coverage"] == pytest.approx(5 / 11)  # a dog the red car
    assert system["omitted"]["absolute"] == []


def test_without_training_captions_coverage_is_undefined_and_said_so(small: dict[str, Path]) -> None:
    done = assess("recall", small["system"], "-r", small["people"])
    assert "no training captions: coverage and its limit are undefined" in " ".join(done.stdout.split())
    found = assess("recall", small["system"], "-r", small["people"], "--json").json
    assert found["systems"]["system"]["coverage"] is None
    assert found["omitted"]["train"] == []


def test_several_reference_files_are_taken_together(small: dict[str, Path], tmp_path: Path) -> None:
    more = write_captions(tmp_path / "more.json", ["the dog sits", "a car"], images=[1, 2])
    found = assess("recall", small["system"], "-r", small["people"], "-r", more, "--json").json
    assert found["classes"] == 3
    assert found["systems"]["system"]["local"]["words"]["3"] == 2


def test_images_without_a_partner_are_left_out_and_told(small: dict[str, Path], tmp_path: Path) -> None:
    system = write_captions(tmp_path / "partial.json", ["a dog", "a boat"], images=[1, 9])
    done = assess("recall", system, "-r", small["people"])
    shown = " ".join(done.stdout.split())
    assert "references of 1 image that no system describes are excluded; 1 image left to compare" in shown
    assert "1 images with captions but no references were excluded" in shown


def test_a_system_without_a_referenced_image_has_no_recall_at_all(
    small: dict[str, Path], tmp_path: Path
) -> None:
    elsewhere = write_captions(tmp_path / "elsewhere.json", ["a dog"], images=[9])
    arguments = ("recall", small["system"], elsewhere, "-r", small["people"], "--train", small["train"])
    system = assess(*arguments, "--json").json["systems"]["elsewhere"]
    assert (system["coverage"], system["recalled"], system["local_precision"]) == (None, None, None)
    assert system["deciles"] == [None] * 10
    assert system["omitted"]["references"] == []
    assert any("recall is undefined" in note for note in system["notes"])
    [row] = [line for line in assess(*arguments).stdout.splitlines() if line.split()[:1] == ["elsewhere"]][:1]
    assert row.split()[1] == "–"


def test_a_few_images_have_no_intervals_and_the_report_says_so(small: dict[str, Path]) -> None:
    done = assess("recall", small["system"], "-r", small["people"], "--intervals")
    assert "95% intervals" not in done.stdout
    assert "no intervals: fewer than 10 images to resample" in done.stdout
    found = assess("recall", small["system"], "-r", small["people"], "--intervals", "--json").json
    assert found["intervals"]["systems"]["system"]["local_micro_2"] == [1.0, None, None]


def test_words_said_more_or_less_often_are_listed_where_there_are_enough(
    small: dict[str, Path], tmp_path: Path
) -> None:
    assert "system says more often" in assess("recall", small["system"], "-r", small["people"]).stdout
    silent = write_captions(tmp_path / "silent.json", [""], images=[1])
    shown = assess("recall", silent, "-r", small["people"]).stdout
    assert "too few words to find those used more or less often than in the" in shown
    assert "says more often" not in shown


def test_categories_need_captions_that_can_be_read_twice(small: dict[str, Path]) -> None:
    command = ("recall", "-", "-r", small["people"], "--domain", "people")
    done = assess(*command, stdin='{"image_id": 1, "caption": "a dog"}\n')
    assert done.code == 2
    assert "standard input can be read only once" in done.stderr

"""`assess postgen`: values from other tools, pairing, files, the optional part."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.commands import assess, write_captions, write_records
from tests.test_cli_select import told

pytestmark = pytest.mark.model

CAPTIONS = {
    1: "Two dogs run in a field of grass.",
    2: "a red bus parked near a bus stop",
    3: "a woman slices bread",
}
REFERENCES = {
    1: ["two dogs run across a field", "a pair of dogs running in grass"],
    2: ["A red bus waits at a stop.", "the bus is parked near a stop", "a bus"],
    3: ["a woman slices bread in a kitchen"],
    9: ["nobody described this one"],
}
# Of pycocoevalcap 1.2 on the same tokens: lowercased, without full stops.
PEER = {
    "BLEU-1": 0.9036679,
    "BLEU-2": 0.7457941,
    "BLEU-3": 0.5738368,
    "BLEU-4": 0.3575316,
    "CIDEr": 3.4541375,
}


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    return write_captions(tmp_path / "mine.jsonl", CAPTIONS.values(), CAPTIONS)


@pytest.fixture
def references(tmp_path: Path) -> Path:
    rows = [{"image_id": n, "caption": text} for n, texts in REFERENCES.items() for text in texts]
    return write_records(tmp_path / "references.jsonl", *rows)


def test_scores_agree_with_those_of_peers(captions: Path, references: Path) -> None:
    found = assess("postgen", captions, "--references", references, "--json").json
    system = found["systems"]["mine"]
    assert system.pop("images") == 3
    assert system == pytest.approx(PEER, abs=1e-6)
    assert "lowercased" in found["signature"]["settings"]["tokens"]


def test_each_images_scores_cut_strata(tmp_path: Path, captions: Path, references: Path) -> None:
    out = tmp_path / "out"
    assert assess("postgen", captions, "-r", references, "--metric", "CIDEr", "--out", out).code == 0
    rows = [json.loads(line) for line in (out / "mine-images.jsonl").read_text().splitlines()]
    assert [row["image_id"] for row in rows] == ["1", "2", "3"]
    assert sum(row["CIDEr"] for row in rows) / 3 == pytest.approx(PEER["CIDEr"], abs=1e-6)
    words = [{"image_id": n, "captions": [[{"p": 0.5, "rank": 0}]]} for n in CAPTIONS]
    probabilities = write_records(tmp_path / "p.jsonl", *words)
    arguments = ("--scores", out / "mine-images.jsonl", "--strata", "2", "--json")
    assert len(assess("pregen", probabilities, *arguments).json["strata"]) == 3


def test_an_empty_caption_scores_zero_and_is_told(tmp_path: Path, references: Path) -> None:
    rows = [{"image_id": 1, "caption": ""}, {"image_id": 2, "caption": "a red bus"}]
    found = assess("postgen", write_records(tmp_path / "mine.jsonl", *rows), "-r", references, "--json").json
    assert any("1 empty caption, scored 0" in note for note in found["notes"])


def test_undefined_scores_are_explained(tmp_path: Path, captions: Path, references: Path) -> None:
    short = write_records(tmp_path / "short.jsonl", {"image_id": 2, "caption": "a red bus"})
    found = assess("postgen", captions, short, "-r", references, "--json").json
    assert found["systems"]["short"]["BLEU-4"] is None
    assert "short: BLEU-4 undefined: no caption has that many words" in found["notes"]
    assert not any(note.startswith("mine: ") for note in found["notes"])


def test_systems_on_different_images_are_told(tmp_path: Path, captions: Path, references: Path) -> None:
    other = write_records(tmp_path / "other.jsonl", {"image_id": 2, "caption": "a bus"})
    done = assess("postgen", captions, other, "-r", references)
    assert "not comparable" in done.stdout
    assert "CIDEr-D of a single image is 0" in done.stdout


def test_mistakes_are_told(tmp_path: Path, captions: Path, references: Path) -> None:
    told(assess("postgen", references, "-r", captions), "already has a caption", "record 2")
    alone = write_records(tmp_path / "alone.jsonl", {"image_id": 7, "caption": "a man"})
    told(assess("postgen", alone, "-r", references), "no references for 1 of 1 image: 7")
    told(assess("postgen", captions, "-r", references, "--metric", "ROUGE"), "METEOR")
    told(assess("postgen", captions), "--references")


@pytest.mark.skipif(
    importlib.util.find_spec("pycocoevalcap") is not None,
    reason="needs an environment without the coco extra",
)
def test_the_optional_part_says_what_to_install(captions: Path, references: Path) -> None:
    done = assess("postgen", captions, "-r", references, "--metric", "METEOR")
    assert done.code == 2
    assert "assess-captions[coco]" in done.stderr or "Java" in done.stderr

"""The bundled example is what its generator writes, and contains what `planted.json` states.

Rates are recounted here with plain words, without the project's grammar.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CAPTIONS = EXAMPLES / "captions"
SYSTEMS = ("bland", "rich", "skewed")
SOURCES = (*SYSTEMS, "references")
STARTS = {"a", "an", "two", "three"}
PERSON_WORD = re.compile(
    r"\b(wom[ae]n|m[ae]n|girls?|boys?|lad(y|ies)|guys?|person|people|child(ren)?|kids?|crowd|tourists?)\b",
    re.I,
)


def _planted() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((CAPTIONS / "planted.json").read_text(encoding="utf-8"))
    return loaded


PLANTED = _planted()
CELLS = PLANTED["effects"] + PLANTED["nulls"]


@cache
def _read(source: str) -> tuple[tuple[int, str], ...]:
    """Return (image, caption) pairs, read with the standard library alone."""
    if source == "bland":
        rows = json.loads((CAPTIONS / "bland.json").read_text(encoding="utf-8"))
    elif source == "rich":
        rows = [json.loads(line) for line in (CAPTIONS / "rich.jsonl").read_text("utf-8").splitlines()]
    elif source == "skewed":
        with (CAPTIONS / "skewed.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = json.loads((CAPTIONS / "references.json").read_text(encoding="utf-8"))["annotations"]
    return tuple((int(row["image_id"]), row["caption"]) for row in rows)


@cache
def _groups() -> dict[int, str]:
    with (CAPTIONS / "attributes.csv").open(encoding="utf-8", newline="") as file:
        return {int(row["image_id"]): row["group"] for row in csv.DictReader(file)}


def _phrases(text: str) -> list[tuple[str, str, str]]:
    """Return (gender, modifiers, head) of each phrase whose head tells gender, from its determiner on."""
    genders = {head: gender for gender, heads in PLANTED["group_heads"].items() for head in heads}
    words = re.findall(r"[\w-]+", text.lower())
    phrases = []
    for place, head in enumerate(words):
        if head in genders:
            start = max(before for before in range(place) if words[before] in STARTS)
            modifiers = words[start + 1 : place]
            number = words[start] if words[start] in PLANTED["words"]["number"] else ""
            phrases.append((genders[head], " ".join([number, *modifiers]).strip(), head))
    return phrases


def _carries(category: str, modifiers: str, head: str) -> bool:
    phrase = head if category == "status-occupation" else modifiers
    return any(f" {word.lower()} " in f" {phrase} " for word in PLANTED["words"][category])


def _count(source: str, category: str, *, by_image_group: bool = False) -> dict[str, tuple[int, int]]:
    yes: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for image, text in _read(source):
        for gender, modifiers, head in _phrases(text):
            group = _groups()[image] if by_image_group else gender
            labels[group] += 1
            yes[group] += _carries(category, modifiers, head)
    return {group: (yes[group], labels[group]) for group in ("female", "male")}


def _cell_name(cell: dict[str, Any]) -> str:
    return f"{cell['system']}-{cell['category']}"


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_generator_writes_the_committed_files_byte_for_byte(tmp_path: Path, hash_seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(EXAMPLES / "make_example.py"), str(tmp_path)]
    subprocess.run(command, check=True, env=environment, cwd=tmp_path)
    committed = {file.name: file.read_bytes() for file in CAPTIONS.iterdir()}
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == committed


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_captions_every_image_once(system: str) -> None:
    images = [image for image, _ in _read(system)]
    assert len(images) == 400
    assert sorted(images) == sorted(_groups())


@pytest.mark.parametrize("source", SOURCES)
def test_images_without_people_are_captioned_without_person_words(source: str) -> None:
    texts = [text for image, text in _read(source) if _groups()[image] == "none"]
    assert texts
    assert [text for text in texts if PERSON_WORD.search(text)] == []


@pytest.mark.parametrize("source", SOURCES)
def test_heads_never_contradict_the_image_group(source: str) -> None:
    said = {(_groups()[image], gender) for image, text in _read(source) for gender, _, _ in _phrases(text)}
    assert said == {("female", "female"), ("male", "male"), ("mixed", "female"), ("mixed", "male")}


@pytest.mark.parametrize("source", SOURCES)
def test_enough_labels_of_both_genders(source: str) -> None:
    counts = Counter(gender for _, text in _read(source) for gender, _, _ in _phrases(text))
    assert counts == PLANTED["labels"][source]
    assert min(counts.values()) >= 150


@pytest.mark.parametrize("source", SOURCES)
def test_every_modifier_word_is_listed(source: str) -> None:
    """A word that no list holds would escape the recount."""
    listed = {part.lower() for words in PLANTED["words"].values() for word in words for part in word.split()}
    used = {word for _, text in _read(source) for _, said, _ in _phrases(text) for word in said.split()}
    assert used <= listed


@pytest.mark.parametrize(
    ("cell", "by_image_group"),
    [*((cell, False) for cell in CELLS), *((cell, True) for cell in PLANTED["effects_by_image_group"])],
)
def test_planted_counts_agree_with_a_recount_of_words(cell: dict[str, Any], by_image_group: bool) -> None:
    counted = _count(cell["system"], cell["category"], by_image_group=by_image_group)
    for group, (yes, labels) in counted.items():
        assert cell[group] == {"yes": yes, "labels": labels, "rate": round(yes / labels, 4)}


@pytest.mark.parametrize("source", SOURCES)
def test_every_category_in_use_is_listed_as_effect_or_null(source: str) -> None:
    used = {name for name in PLANTED["words"] if any(yes for yes, _ in _count(source, name).values())}
    assert used == {cell["category"] for cell in CELLS if cell["system"] == source}


def test_planted_effects_are_large_and_all_in_skewed() -> None:
    directions = {cell["category"]: cell["direction"] for cell in PLANTED["effects"]}
    assert directions == {
        "attractiveness": "female",
        "hair-color": "female",
        "hair-length": "female",
        "occupation-or-social-group": "male",
    }
    assert {cell["system"] for cell in PLANTED["effects"]} == {"skewed"}
    for cell in PLANTED["effects"]:
        low, high = sorted(_count("skewed", cell["category"]).values())
        assert high[0] / high[1] - low[0] / low[1] > 0.1
        assert high == _count("skewed", cell["category"])[cell["direction"]]


@pytest.mark.parametrize("cell", PLANTED["nulls"], ids=_cell_name)
def test_planted_nulls_are_balanced(cell: dict[str, Any]) -> None:
    (women, all_women), (men, all_men) = _count(cell["system"], cell["category"]).values()
    assert abs(women / all_women - men / all_men) <= 0.015


def test_oddities_are_where_they_are_said_to_be() -> None:
    texts = dict(_read("rich"))
    odd = {oddity["kind"]: texts[oddity["image_id"]] for oddity in PLANTED["oddities"]}
    assert set(odd) == {"markup", "html", "emoji", "empty", "long"}
    assert "[/bold]" in odd["markup"]
    assert "<script>" in odd["html"]
    assert not odd["emoji"].isascii()
    assert odd["empty"] == ""
    assert len(odd["long"]) > 2000


def test_only_the_listed_captions_are_odd() -> None:
    listed = {oddity["image_id"] for oddity in PLANTED["oddities"]}
    plain = re.compile(r"[A-Za-z][A-Za-z ,-]*\.?")
    for source in SOURCES:
        kept = [text for image, text in _read(source) if source != "rich" or image not in listed]
        assert [text for text in kept if not plain.fullmatch(text) or len(text) > 300] == []

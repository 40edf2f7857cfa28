"""Models trained on a taxonomy's words, the commands that use them, and their files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assess.domain import learning
from assess.domain.advice import Candidate
from assess.domain.model_file import FORM, digest_of, load_model
from assess.domain.session import Refusals
from tests.commands import assess

pytestmark = pytest.mark.model
FARM = """\
taxonomy: farm
version: 0.1.0
description: What a farm has.
heads:
  beast: {description: An animal., words: [dog, cow, horse, pig, sheep, donkey]}
  tool: {description: A tool., words: [hammer, saw, drill, wrench, shovel, rake]}
modifiers:
  color: {description: Its color., evidence: visible, sensitivity: none, words: [red, black, white]}
examples: []
"""
BEASTS = ("dog", "cow", "horse", "pig", "sheep", "donkey", "goat")
TOOLS = ("hammer", "saw", "drill", "wrench", "shovel", "rake", "axe")
CAPTIONS = [
    *(f"a {color} {noun} eats grass in the field" for noun in BEASTS for color in ("black", "white", "red")),
    *(f"the {noun} sleeps beside a fence" for noun in BEASTS),
    *(f"a man holds a {color} {noun} in his hand" for noun in TOOLS for color in ("black", "white", "red")),
    *(f"somebody works with the {noun} at home" for noun in TOOLS),
    *(f"clouds above the {noun} on a day of rain" for noun in ("street", "city", "beach", "river", "bridge")),
    *(f"people wait on the old {noun} near a station" for noun in ("street", "square", "corner", "bridge")),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "farm.yaml").write_text(FARM)
    (tmp_path / "captions.txt").write_text("\n".join(CAPTIONS) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(learning, "_FEWEST", 5)
    return tmp_path


def train(*arguments: str) -> str:
    done = assess("domain", "train", "captions.txt", "--domain", "farm.yaml", *arguments)
    assert done.code == 0, done.stderr
    return done.stdout


def coverage(*arguments: str) -> dict[str, Any]:
    return assess("domain", "coverage", "captions.txt", "--domain", "farm.yaml", "--json", *arguments).json


def test_words_that_a_taxonomy_lacks_get_the_category_of_words_used_alike(folder: Path) -> None:
    assert re.match(
        r"farm\.model\.npz: trained on \d+ captions with form, company", train().replace("\n", " ")
    )
    labels = {item["word"]: item["categories"] for item in coverage()["learned"]["words"]}
    assert labels["goat"] == ["beast"]
    assert labels["axe"] == ["tool"]
    assert not labels.keys() & {"street", "city", "man", "cloud"}


def test_a_word_gets_all_categories_that_words_like_it_have_together(folder: Path) -> None:
    grazers = "  grazer: {description: Eats grass., words: [dog, cow, horse, pig, sheep, donkey]}\n"
    (folder / "farm.yaml").write_text(FARM.replace("  tool:", f"{grazers}  tool:"))
    train()
    labels = {item["word"]: item["categories"] for item in coverage()["learned"]["words"]}
    assert (sorted(labels["goat"]), labels["axe"]) == (["beast", "grazer"], ["tool"])
    # Both are counted: the four captions with a goat are labels in the same way as those with a cow.
    assert coverage("--with-model")["learned"]["more_in_full"] >= 8


def test_counts_have_the_model_only_where_asked(folder: Path) -> None:
    before = coverage()
    train()
    shown, counted = coverage(), coverage("--with-model")
    assert shown["systems"] == before["systems"]
    assert shown["signature"]["settings"]["with_model"] is False
    assert counted["signature"]["settings"]["with_model"] is True
    # Four captions have a goat, and four an axe; no other noun is labelled.
    labels = [found["systems"]["captions"]["labels"] for found in (shown, counted)]
    assert labels[1] - labels[0] == counted["learned"]["more_labels"] == 8
    for option, told in (
        ((), "; the counts above do not include them"),
        (("--with-model",), "The counts above include the words that a model"),
    ):
        done = assess("domain", "coverage", "captions.txt", "--domain", "farm.yaml", *option)
        assert told in " ".join(done.stdout.split())
    done = assess("domain", "suggest", "captions.txt", "--domain", "farm.yaml")
    assert "What the model labels" in done.stdout


def test_what_was_refused_is_never_labelled(folder: Path) -> None:
    goat = Candidate("goat", "head", 4, 1.0, ())
    Refusals(folder / "farm.yaml").change("farm", [("head", goat.word)], refused=True)
    train()
    assert "goat" not in {item["word"] for item in coverage()["learned"]["words"]}


def test_a_model_is_the_same_bytes_every_time_and_whole_or_refused(folder: Path) -> None:
    train()
    path = folder / "farm.model.npz"
    data = path.read_bytes()
    train("--out", "again.npz")
    assert (folder / "again.npz").read_bytes() == data
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["head usual"] = arrays["head usual"] + 1
    np.savez_compressed(path, **arrays)
    damaged = path.read_bytes()
    for content in (damaged, data[:1000], b"", b"no model"):
        path.write_bytes(content)
        done = assess("domain", "coverage", "captions.txt", "--domain", "farm.yaml")
        assert done.code == 2
        assert "farm.model.npz: this is not a model, or it is damaged" in done.stderr


def test_a_model_of_another_version_must_be_trained_again(folder: Path) -> None:
    train()
    path = folder / "farm.model.npz"
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    about = arrays["about"].tobytes().replace(FORM.encode(), FORM[:-1].encode() + b"2")
    _save_arrays(path, arrays, about)
    done = assess("domain", "coverage", "captions.txt", "--domain", "farm.yaml")
    assert done.code == 2
    assert "farm.model.npz: the model was trained by another version of assess" in done.stderr
    assert "train it again" in done.stderr


@pytest.mark.parametrize(
    "change",
    [
        lambda about, _: about["roles"]["head"]["blocks"].clear(),
        lambda about, _: about["roles"]["head"].update(numbers=[1.0, 0.0, 0.0]),
        lambda _, arrays: arrays.update({"head dual": arrays["head dual"] * np.nan}),
    ],
    ids=["no features", "a share of zero", "not a number"],
)
def test_a_model_that_no_training_gives_is_refused(
    folder: Path, change: Callable[[dict[str, Any], dict[str, np.ndarray]], None]
) -> None:
    train()
    path = folder / "farm.model.npz"
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    about = json.loads(arrays["about"].tobytes())
    change(about, arrays)
    _save_arrays(path, arrays, json.dumps(about).encode())
    done = assess("domain", "coverage", "captions.txt", "--domain", "farm.yaml")
    assert (done.code, "this is not a model, or it is damaged" in done.stderr) == (2, True)


def _save_arrays(path: Path, arrays: dict[str, Any], about: bytes) -> None:
    arrays["about"] = np.frombuffer(about, dtype=np.uint8)
    arrays["sha256"] = np.frombuffer(digest_of(arrays), dtype=np.uint8)
    np.savez_compressed(path, **arrays)


def test_a_word_of_other_captions_is_judged_too(folder: Path) -> None:
    train()
    model = load_model(folder / "farm.model.npz").roles["head"]
    others = [caption.replace("goat", "llama") for caption in CAPTIONS]
    (folder / "captions.txt").write_text("\n".join(others) + "\n")
    assert "llama" not in model.judged
    assert {item["word"]: item["categories"] for item in coverage()["learned"]["words"]}["llama"] == ["beast"]


def test_what_is_missing_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = assess("domain", "coverage", "captions.txt", "--domain", "farm.yaml", "--with-model")
    assert (done.code, "there is no model to use" in done.stderr) == (2, True)
    done = assess("domain", "coverage", "captions.txt", "--domain", "farm.yaml", "--learned", "none.npz")
    assert (done.code, "the model does not exist" in done.stderr) == (2, True)
    done = assess("domain", "train", "captions.txt", "--domain", "vehicles")
    assert (done.code, "--out FILE" in done.stderr) == (2, True)
    monkeypatch.setattr(learning, "_FEWEST", 50)
    done = assess("domain", "train", "captions.txt", "--domain", "farm.yaml")
    assert (
        done.code,
        "there is too little training data: the captions contain fewer than" in done.stderr,
    ) == (2, True)

"""BLEU and CIDEr-D versus other tools; METEOR and SPICE if their optional part is installed."""

from __future__ import annotations

import importlib
import importlib.util
import math
import shutil
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.errors import InputError, MissingPartError, UsageError
from assess.measures.postgen import compute as caption_scores_coco
from assess.measures.postgen.compute import (
    ScoredImage,
    WordBag,
    cider_d,
    coco_scores,
    corpus_bleu,
    document_frequencies,
    pair_captions,
    require_coco,
    word_mover_distance,
    word_mover_scores,
)

HAS_COCO = importlib.util.find_spec("pycocoevalcap") is not None
needs_coco = pytest.mark.skipif(not HAS_COCO, reason="needs pycocoevalcap (the coco extra)")

REFERENCES = {
    "1": ["two dogs run across a field", "a pair of dogs running in grass"],
    "2": ["a red bus waits at a stop", "the bus is parked near a stop", "a bus"],
    "3": ["a woman slices bread in a kitchen"],
}
CAPTIONS = {
    "1": "two dogs run in a field of grass",
    "2": "a red bus parked near a bus stop",
    "3": "a woman slices bread",
}


def paired(captions: dict[str, str] = CAPTIONS) -> tuple[ScoredImage, ...]:
    references = {image: [text.split() for text in texts] for image, texts in REFERENCES.items()}
    return pair_captions({image: text.split() for image, text in captions.items()}, references)


class MadeVectors:
    """Directions on a circle, by made-up angles; other words have none."""

    name = "made up"
    angles: ClassVar = {"dog": 0.0, "puppy": 0.3, "cat": 1.0, "runs": 2.0, "sleeps": 2.6, "bus": 3.1}

    def vector(self, phrase: str) -> np.ndarray | None:
        angle = self.angles.get(phrase)
        return None if angle is None else np.array([math.cos(angle), math.sin(angle)])


WORDS = st.lists(st.sampled_from(sorted(MadeVectors.angles)), min_size=3, max_size=3, unique=True)


@given(WORDS, WORDS)
def test_word_movers_distance_of_equally_many_words_is_the_best_assignment(
    first: list[str], second: list[str]
) -> None:
    vectors = MadeVectors()
    bags = [WordBag(words, vectors) for words in (first, second)]
    costs = [
        np.mean([chord(a, b) for a, b in zip(first, other, strict=True)]) for other in permutations(second)
    ]
    assert word_mover_distance(*bags) == pytest.approx(min(costs), abs=1e-9)


def chord(first: str, second: str) -> float:
    return 2 * abs(math.sin((MadeVectors.angles[first] - MadeVectors.angles[second]) / 2))


def test_word_movers_score_is_that_of_the_nearest_reference() -> None:
    references = [["the", "cat", "sleeps"], ["a", "puppy", "runs", "runs"], ["the"]]
    images = [
        ScoredImage("1", ["dog", "runs"], references),
        ScoredImage("2", ["the"], references),
        ScoredImage("3", ["dog"], [["the"]]),
    ]
    scores = word_mover_scores(images, MadeVectors()).scores
    # A third of the second reference is "puppy": a third moves from "dog" there, a sixth to "runs".
    cost = chord("dog", "puppy") / 3 + chord("dog", "runs") / 6
    assert scores["1"] == pytest.approx(math.exp(-cost))
    assert scores["2"] == 0
    assert math.isnan(scores["3"])


def test_bleu_agrees_with_pycocoevalcap() -> None:
    # Values of pycocoevalcap 1.2, which adds 1e-15 to counts.
    expected = [0.9036679531853115, 0.745794129316933, 0.5738367900121101, 0.35753160540658213]
    assert list(corpus_bleu(paired()).values()) == pytest.approx(expected, abs=1e-9)


def test_cider_d_agrees_with_pycocoevalcap() -> None:
    result = cider_d(paired())
    assert result.score == pytest.approx(3.454137538255973, abs=1e-12)
    assert result.scores == pytest.approx({"1": 2.38354958, "2": 2.0414052, "3": 5.93745783}, abs=1e-8)


def test_bleu_without_a_match_of_some_length_is_zero() -> None:
    scores = corpus_bleu(paired({"1": "dogs a run", "3": "a woman"}))
    assert scores[1] > 0
    assert scores[3] == 0.0
    assert math.isnan(scores[4])  # no caption has four words


def test_bleu_and_cider_of_nothing_are_undefined() -> None:
    assert all(math.isnan(score) for score in corpus_bleu([]).values())
    assert math.isnan(cider_d([]).score)


def test_an_empty_caption_scores_zero() -> None:
    assert cider_d(paired(CAPTIONS | {"3": ""})).scores["3"] == 0.0
    assert corpus_bleu(paired({"3": ""}))[1] != 1.0


def test_a_caption_without_references_is_an_error() -> None:
    with pytest.raises(InputError, match="no references for 1 of 2 images: 9"):
        paired({"1": "a dog", "9": "a cat"})


def test_one_image_needs_frequencies_from_elsewhere() -> None:
    single = paired()[:1]
    assert cider_d(single).score == 0.0
    frequencies = document_frequencies(image.references for image in paired())
    assert cider_d(single, frequencies=frequencies).score == pytest.approx(2.38354958, abs=1e-8)


words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=7)
corpora = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=2, max_size=4)


@given(corpora)
def test_cider_d_is_between_zero_and_ten(corpus: list[tuple[list[str], list[list[str]]]]) -> None:
    images = [ScoredImage(str(at), caption, references) for at, (caption, references) in enumerate(corpus)]
    for score in cider_d(images).scores.values():
        assert 0 <= score <= 10 + 1e-9


def test_a_caption_like_its_only_reference_scores_ten() -> None:
    images = [ScoredImage(str(at), text.split(), [text.split()]) for at, text in enumerate(CAPTIONS.values())]
    assert cider_d(images).score == pytest.approx(10.0)


@needs_coco
@given(corpora)
def test_cider_d_agrees_with_pycocoevalcap_on_any_corpus(
    corpus: list[tuple[list[str], list[list[str]]]],
) -> None:
    images = [ScoredImage(str(at), caption, references) for at, (caption, references) in enumerate(corpus)]
    references = {image.image: [" ".join(words) for words in image.references] for image in images}
    captions = {image.image: [" ".join(image.caption)] for image in images}
    peer = importlib.import_module("pycocoevalcap.cider.cider").Cider()
    mean, _ = peer.compute_score(references, captions)
    assert cider_d(images).score == pytest.approx(mean, abs=1e-9)


def test_without_java_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingPartError, match="METEOR needs Java"):
        require_coco("METEOR")


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "java")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPartError) as caught:
        coco_scores(paired(), "SPICE")
    assert caught.value.problems[0].hint == "pip install 'assess-captions[coco]'"


@pytest.mark.parametrize("there", [False, True])
def test_spice_is_refused_where_it_would_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    library = tmp_path / "spice" / "lib"
    library.mkdir(parents=True)
    monkeypatch.setattr(shutil, "which", lambda name: "java")
    found = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    require_coco("METEOR")
    if there:
        for name in ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar"):
            (library / name).touch()
        require_coco("SPICE")
    else:
        with pytest.raises(MissingPartError, match="Stanford CoreNLP"):
            require_coco("SPICE")


class FakeSpice:
    """Answers like SPICE: in the order of sorted ids, with a dictionary an image."""

    def compute_score(
        self, references: dict[str, list[str]], captions: dict[str, list[str]]
    ) -> tuple[float, list[dict[str, dict[str, float]]]]:
        assert captions == {"b": ["a dog"], "a": ["a cat"]}
        return 0.3, [{"All": {"f": 0.2 if image == "a" else 0.4}} for image in sorted(references)]


def test_spice_scores_are_given_to_the_right_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caption_scores_coco, "require_coco", lambda metric: None)
    monkeypatch.setattr(caption_scores_coco, "_scorer", lambda metric: FakeSpice())
    images: Sequence[ScoredImage] = [
        ScoredImage("b", ["a", "dog"], [["one", "dog"]]),
        ScoredImage("a", ["a", "|||", "cat"], [["one", "cat"]]),
    ]
    assert coco_scores(images, "SPICE").scores == {"a": 0.2, "b": 0.4}


def test_no_images_are_an_error_for_the_coco_tools() -> None:
    with pytest.raises(UsageError, match="METEOR needs at least one image"):
        coco_scores([], "METEOR")


@needs_coco
def test_meteor_runs() -> None:
    if shutil.which("java") is None:
        pytest.skip("needs Java")
    result = coco_scores(paired(), "METEOR")
    assert list(result.scores) == ["1", "2", "3"]
    assert 0 < result.score < 1

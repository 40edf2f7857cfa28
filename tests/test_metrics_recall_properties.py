"""Properties of recall for any captions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.measures.recall.compute import global_recall
from assess.measures.recall.local import WordMisses, local_counts, local_recall, reference_words, word_misses
from assess.measures.recall.quantities import local_values


@dataclass(frozen=True)
class Caption:
    words: tuple[str, ...]
    tags: tuple[str, ...]


words = st.sampled_from(["a", "dog", "Dog", "cat", "runs", "big", "on"])
tags = st.sampled_from(["DT", "NN", "JJ", "VBZ", "IN", "RB"])
tokens = st.lists(st.tuples(words, tags), max_size=6)
captions = tokens.map(lambda pairs: Caption(tuple(w for w, _ in pairs), tuple(t for _, t in pairs)))
images = st.dictionaries(st.sampled_from("123456"), st.lists(captions, max_size=4))
Images = dict[str, list[Caption]]


@given(images)
def test_recall_of_the_references_against_themselves_is_one(references: Images) -> None:
    found = local_recall(references, reference_words(references))
    assert all(value == 1.0 or isnan(value) for value in (*found.micro, *found.macro))
    assert found.micro_precision == 1.0 or isnan(found.micro_precision)
    assert found.recalled == found.words


@given(
    st.lists(words),
    st.lists(words),
    st.dictionaries(words, st.integers(1, 9)),
    st.dictionaries(words, st.just(1)),
)
def test_one_more_caption_never_lowers_coverage(
    said: list[str], caption: list[str], evaluation: dict[str, int], training: dict[str, int]
) -> None:
    before = global_recall(said, evaluation, training=training)
    after = global_recall([*said, *caption], evaluation, training=training)
    assert isnan(before.coverage) or after.coverage >= before.coverage
    assert before.recalled is not None
    assert after.recalled is not None
    assert after.recalled >= before.recalled


@given(images, images, st.sampled_from("123456"), captions)
def test_one_more_caption_never_lowers_local_recall(
    said: Images, references: Images, image: str, caption: Caption
) -> None:
    known = reference_words(references)
    if not said.get(image):
        return  # a caption of a further image brings in further words to miss
    more = {**said, image: [*said[image], caption]}
    before, after = local_recall(said, known), local_recall(more, known)
    assert all(new >= old for new, old in zip(after.recalled, before.recalled, strict=True))
    assert after.words == before.words


@given(st.dictionaries(words, st.integers(1, 9)))
def test_global_recall_of_the_evaluation_against_itself_is_one(evaluation: dict[str, int]) -> None:
    found = global_recall(evaluation, evaluation, training=evaluation)
    assert found.coverage == 1.0 or not evaluation
    assert all(part == 1.0 or isnan(part) for part in found.deciles)


@given(images, images, st.sets(st.sampled_from("123456")))
def test_splitting_images_and_merging_tallies_changes_nothing(
    said: Images, references: Images, chosen: set[str]
) -> None:
    known = reference_words(references)
    parts = [
        {image: texts for image, texts in said.items() if (image in chosen) == inside}
        for inside in (True, False)
    ]
    assert sum((word_misses(part, known) for part in parts), WordMisses()) == word_misses(said, known)
    tallies = [local_counts(part, known, classes=4)[0] for part in (*parts, said)]
    first, second, whole = (tally.rows.sum(axis=0) for tally in tallies)
    for value in local_values(4).values():
        assert value(first + second) == pytest.approx(value(whole), nan_ok=True)


def naive_recall(said: Images, references: Images) -> dict[int, tuple[int, int]]:
    """Return (recalled, words) of each class, the plain way."""
    found: dict[int, tuple[int, int]] = {}
    for image in said.keys() & references.keys():
        if not said[image] or not references[image]:
            continue
        generated = {word.lower() for caption in said[image] for word in caption.words}
        counts: Counter[str] = Counter()
        for reference in references[image]:
            content = {
                word.lower()
                for word, tag in zip(reference.words, reference.tags, strict=True)
                if tag[:2] in {"JJ", "NN", "VB", "RB"}
            }
            counts.update(content)
        for word, importance in counts.items():
            recalled, total = found.get(importance, (0, 0))
            found[importance] = recalled + (word in generated), total + 1
    return found


@given(images, images)
def test_local_recall_agrees_with_the_plain_way(said: Images, references: Images) -> None:
    found = local_recall(said, reference_words(references), classes=4)
    counted = {
        importance: (recalled, total)
        for importance, (recalled, total) in enumerate(zip(found.recalled, found.words, strict=True), start=1)
        if total
    }
    assert counted == naive_recall(said, references)

"""How much a system repeats itself, versus brute force, NLTK and known cases."""

from __future__ import annotations

import bz2
import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assess
from assess.measures.diversity.repetition import (
    MOST_TEMPLATES,
    SET_SIZE,
    TEMPLATE,
    compression_ratio,
    extended,
    moving_average_ttr,
    repetition,
    self_bleu,
    self_cider,
    self_repetition,
    vendi_of_all,
    vendi_score,
)
from assess.measures.diversity.tokens import encode
from assess.measures.postgen.compute import document_frequencies


def captions(number: int, *, vocabulary: int = 30, seed: int = 1) -> list[tuple[str, ...]]:
    draw = random.Random(seed)
    return [
        tuple(f"w{draw.randrange(vocabulary)}" for _ in range(draw.randrange(5, 12))) for _ in range(number)
    ]


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 12))
def test_the_moving_ratio_is_the_mean_of_all_windows(codes: list[int], window: int) -> None:
    ratios = [len(set(codes[place : place + window])) / window for place in range(len(codes) - window + 1)]
    found = moving_average_ttr(np.array(codes, dtype=np.int64), window=window)
    assert math.isnan(found) if not ratios else found == pytest.approx(np.mean(ratios))


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=8), min_size=2, max_size=8))
def test_self_bleu_is_nltks_against_all_others(texts: list[list[int]]) -> None:
    from nltk.translate.bleu_score import closest_ref_length, modified_precision

    matches, totals, length, reference = [0] * 4, [0] * 4, 0, 0
    for place, text in enumerate(texts):
        others = [*texts[:place], *texts[place + 1 :]]
        length, reference = length + len(text), reference + closest_ref_length(others, len(text))
        for order in range(4):
            if len(text) > order:
                matches[order] += modified_precision(others, text, order + 1).numerator
                totals[order] += len(text) - order
    expected = _bleu(matches, totals, length, reference)
    assert self_bleu([texts]) == pytest.approx(expected, nan_ok=True)


def _bleu(matches: Sequence[int], totals: Sequence[int], length: int, reference: int) -> float:
    if not all(totals):
        return math.nan
    if not all(matches):
        return 0.0
    logs = [math.log(match / total) for match, total in zip(matches, totals, strict=True)]
    return math.exp(sum(logs) / 4 + min(0.0, 1 - reference / length))


def test_the_effective_number_of_captions_lies_between_one_and_all() -> None:
    assert vendi_score([[1, 2, 3]] * 7) == pytest.approx(1)
    assert vendi_score([[n] for n in range(7)]) == pytest.approx(7)
    # Two kinds of captions, four of one and three of the other: exp of the entropy of 4/7 and 3/7.
    mixed = vendi_score([[1, 2]] * 4 + [[3, 4]] * 3)
    assert mixed == pytest.approx(math.exp(-(4 / 7) * math.log(4 / 7) - (3 / 7) * math.log(3 / 7)))
    assert vendi_score([[], []]) == pytest.approx(1)


def test_repeated_ngrams_are_those_that_another_caption_has_too() -> None:
    shared, alone = ("a", "b", "c", "d", "e"), ("f", "g", "h", "i")
    # Two 4-grams in two captions each, and one in a single caption.
    corpus = encode([shared, shared, alone])
    assert self_repetition(corpus)[0] == pytest.approx(4 / 5)
    assert all(map(math.isnan, self_repetition(encode([("a", "b")]))))


def test_compression_is_of_the_text_as_lines_of_words() -> None:
    corpus = encode([("a", "tall", "man"), ("two", "men")])
    text = b"a tall man\ntwo men"
    assert compression_ratio(corpus) == len(text) / len(bz2.compress(text))
    assert math.isnan(compression_ratio(encode([()])))


def test_no_measure_depends_on_the_order_of_the_file() -> None:
    texts = captions(3 * SET_SIZE)
    assert repetition(encode(texts)) == repetition(encode(texts[::-1]))


def test_a_system_that_repeats_itself_scores_so_in_every_measure() -> None:
    varied, bland = (repetition(encode(captions(2 * SET_SIZE, vocabulary=n))) for n in (500, 5))
    assert varied["mattr"] > bland["mattr"]
    assert varied["vendi"] > bland["vendi"]
    assert varied["compression"] < bland["compression"]
    assert varied["self_repetition"] < bland["self_repetition"]
    assert varied["self_bleu4"] < bland["self_bleu4"]


def test_too_few_captions_for_a_set_leave_its_measures_undefined() -> None:
    found = repetition(encode(captions(SET_SIZE - 1)))
    assert math.isnan(found["self_bleu4"])
    assert math.isnan(found["vendi"])
    assert not math.isnan(found["mattr"])


texts_of_few_words = st.lists(st.lists(st.sampled_from("abcd"), max_size=8), min_size=1, max_size=8)


@given(texts_of_few_words)
def test_the_published_score_of_repetition_counts_the_captions_of_each_ngram(texts: list[list[str]]) -> None:
    grams = [[tuple(text[at : at + 4]) for at in range(len(text) - 3)] for text in texts]
    sums = [sum(sum(gram in other for other in grams) for gram in own) for own in grams if own]
    expected = np.mean(np.log(sums)) if sums else math.nan
    assert self_repetition(encode(texts))[1] == pytest.approx(expected, nan_ok=True)


@given(texts_of_few_words, st.integers(1, 4))
def test_the_effective_number_of_all_captions_is_that_of_their_kernel(
    texts: list[list[str]], own: int
) -> None:
    """Against the eigenvalues of the matrix of captions by captions, the rarest words taken for one."""
    counts = Counter(word for text in texts for word in text)
    known = sorted(counts, key=lambda word: (-counts[word], word))[:own]
    rows = [Counter(word if word in known else "other" for word in text) or Counter([""]) for text in texts]
    kernel = [[sum(one[word] * other[word] for word in one) for other in rows] for one in rows]
    norms = np.sqrt(np.diag(kernel))
    values = np.linalg.eigvals(np.array(kernel) / np.outer(norms, norms) / len(rows)).real
    expected = math.exp(-sum(value * math.log(value) for value in values if value > 1e-12))
    assert vendi_of_all(encode(texts), own=own, shared=1) == pytest.approx(expected)


def test_templates_are_the_most_frequent_sequences_of_tags() -> None:
    draw = random.Random(1)
    tags = [[draw.choice(["DT", "NN", "VBZ"]) for _ in range(draw.randrange(3, 12))] for _ in range(200)]
    found = extended(encode(tags), [[*caption, "_SP"] for caption in tags])
    grams = [[tuple(tag[at : at + TEMPLATE]) for at in range(len(tag) - TEMPLATE + 1)] for tag in tags]
    having = Counter(gram for own in grams for gram in set(own))
    ranked = sorted((gram for gram in having if having[gram] > 1), key=lambda gram: (-having[gram], gram))
    chosen = set(ranked[:MOST_TEMPLATES])
    assert len(ranked) > MOST_TEMPLATES
    assert found["template_rate"] == sum(not chosen.isdisjoint(own) for own in grams) / 200
    assert found["templates_per_token"] == sum(gram in chosen for own in grams for gram in own) / sum(
        map(len, tags)
    )
    assert found == extended(encode(tags[::-1]), tags[::-1])
    sequence = " ".join(tags[0])
    assert extended(encode(tags[:1]), tags[:1])["pos_compression"] == len(sequence) / len(
        bz2.compress(sequence.lower().encode())
    )


def test_self_cider_is_the_spread_of_the_singular_values_of_similarities() -> None:
    """Against CIDEr written out, and singular values instead of eigenvalues."""
    images = [
        [list(text) for text in captions] for captions in (("abcde", "abxyz", "zzab"), ("klm", "kl", "abm"))
    ]
    documents = [
        {tuple(text[at : at + n]) for text in image for n in range(1, 5) for at in range(len(text))}
        for image in images
    ]

    def vector(text: list[str], length: int) -> dict[tuple[str, ...], float]:
        grams = Counter(tuple(text[at : at + length]) for at in range(len(text) - length + 1))
        return {
            gram: n * math.log(2 / sum(gram in document for document in documents))
            for gram, n in grams.items()
        }

    def similarity(one: list[str], other: list[str]) -> float:
        total = 0.0
        for length in range(1, 5):
            first, second = vector(one, length), vector(other, length)
            norm = math.hypot(*first.values()) * math.hypot(*second.values())
            total += sum(first[gram] * second.get(gram, 0) for gram in first) / norm if norm else 0
        return total / 4

    scores = []
    for image in images:
        singular = np.sqrt(
            np.linalg.svd([[similarity(a, b) for b in image] for a in image], compute_uv=False)
        )
        scores.append(-math.log(max(singular) / sum(singular)) / math.log(3))
    weights = document_frequencies(images)
    assert self_cider(images, weights) == pytest.approx(np.mean(scores))
    assert self_cider([[list("klmn")] * 3, [list("abcd")] * 3], weights) == pytest.approx(0, abs=1e-6)
    assert self_cider([[list("abcd"), list("klmn")]], weights) == pytest.approx(1)


@pytest.mark.model
def test_what_takes_longer_is_measured_on_request_and_has_its_columns() -> None:
    captions = {"1": ["a man rides a horse", "a man on a brown horse"], "2": ["two dogs run", "dogs on sand"]}
    usual = assess.diversity({"system": captions})
    asked = assess.diversity({"system": captions}, references={"people": captions}, extended=True)
    assert "vendi_all" not in usual.to_json()
    row = asked["system"]
    assert 1 < row["vendi_all"] < 4
    assert 0 < row["self_cider"] < 1
    assert row["self_cider"] == pytest.approx(asked["people"]["self_cider"])
    tables = {name: asked.to_pandas(name).columns for name in ("extended", "within_images")}
    assert "template_rate" in tables["extended"]
    assert "self_cider" in tables["within_images"]
    assert asked.signature.settings["extended"] is True

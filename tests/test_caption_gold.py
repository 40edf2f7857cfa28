"""Whole captions that people read by hand: what the people taxonomy finds in the half kept aside.

`docs/accuracy.md` shows the same figures with their intervals, and the typical errors.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assess.taxonomy import load_taxonomy
from tests.caption_gold import (
    DIGEST,
    PARTS,
    Accuracy,
    GoldCaption,
    Reader,
    digest,
    gold_texts,
    measure,
    read_gold,
)

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def gold() -> list[GoldCaption]:
    return read_gold()


@pytest.fixture(scope="module")
def aside(shared_data: Path, gold: list[GoldCaption]) -> Accuracy:
    texts = gold_texts(shared_data, gold)
    assert digest(texts) == DIGEST
    return measure((caption for caption in gold if caption.part == "aside"), texts, Reader())


def test_the_gold_uses_categories_of_the_taxonomy(gold: list[GoldCaption]) -> None:
    known = frozenset(load_taxonomy("people").modifiers)
    judged = [judgement for caption in gold for person in caption.people for judgement in person.judgements]
    assert len(judged) > 1_500
    assert frozenset().union(*(judgement.categories for judgement in judged)) <= known
    assert {judgement.position for judgement in judged} == {"before", "after", "pronoun", "hedged"}


def test_the_parts_share_no_caption(gold: list[GoldCaption]) -> None:
    sizes = Counter(caption.part for caption in gold)
    assert sizes.keys() == set(PARTS)
    assert min(sizes.values()) > 300
    assert len({caption.place for caption in gold}) == len(gold)


def test_what_captions_say_of_people_is_found(aside: Accuracy) -> None:
    assert aside.every.precision >= 0.965
    assert aside.every.recall >= 0.91
    # The smallest parts have some fifty judgements, so one caption moves them by points.
    assert {name for name, part in aside.by_source.items() if part.recall < 0.85} <= {"references"}
    assert aside.by_source["references"].recall >= 0.75


def test_of_phrases_lose_little(aside: Accuracy) -> None:
    assert aside.with_of.recall >= 0.95


def test_people_are_counted_right_and_their_gender_is_found(aside: Accuracy) -> None:
    assert aside.share("gender right", "gender") >= 0.97
    assert aside.share("with people right", "with people") >= 0.95
    assert aside.share("with pronouns right", "with pronouns") >= 0.9

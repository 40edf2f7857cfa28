"""What a taxonomy covers and lacks: tallies, missing heads, and the survey of caption files."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest

from assess.corpus import parse_source
from assess.domain.advice import Adviser, Candidate, candidates, domain_gaps
from assess.domain.cooccurrence import CooccurrenceTally
from assess.domain.suggestions import gain, missing_heads
from assess.domain.survey import (
    EXAMPLES,
    DomainTally,
    SeenChunk,
    Sightings,
    Survey,
    shares,
    survey,
    unknown_words,
    unread_labels,
    way_of,
)
from assess.grammar import Parser
from assess.records import Analysis
from tests.commands import assess
from tests.strategies import taxonomy_of

FOOD = {
    "heads": {"dish": {"description": "D.", "words": ["pie", "soup", "cake"]}},
    "modifiers": {
        "heat": {"description": "H.", "evidence": "inferred", "sensitivity": "none", "words": ["hot", "cold"]}
    },
}
PARSER = Parser(taxonomy_of(FOOD))


def chunk(text: str, noun: str | None = None) -> SeenChunk:
    return SeenChunk(PARSER.analyse(text), noun)


def analyses(*texts: str) -> dict[str, Analysis]:
    return {text: PARSER.analyse(text) for text in texts}


def test_labels_are_full_partial_or_none() -> None:
    assert [way_of(PARSER.analyse(text)) for text in ("a hot pie", "a blue pie")] == ["full", "partial"]
    assert way_of(Analysis("x", in_domain=True, why="no-rule")) == "none"


def test_shares_count_labels_not_texts() -> None:
    tally = DomainTally()
    tally.add_caption("a hot pie on a table", [chunk("a hot pie"), chunk("a table", "table")])
    tally.add_caption("a hot pie and a blue cake", [chunk("a hot pie"), chunk("a blue cake")])
    found = shares(tally, analyses("a hot pie", "a blue cake"))
    assert (found.captions, found.chunks, found.labels, found.distinct) == (2, 4, 3, 2)
    assert (found.full, found.partial, found.none) == (2, 1, 0)
    assert found.share(found.full) == pytest.approx(2 / 3)


def test_shares_of_no_labels_are_undefined() -> None:
    found = shares(DomainTally(), {})
    assert str(found.share(found.full)) == "nan"


def test_unknown_words_come_commonest_first_with_captions() -> None:
    tally = DomainTally()
    for number in range(5):
        tally.add_caption(f"a blue pie number {number}", [chunk("a blue pie")])
    tally.add_caption("a red blue cake", [chunk("a red blue cake")])
    first, second = unknown_words(tally)
    assert (first.word, first.labels, len(first.captions)) == ("blue", 6, EXAMPLES)
    assert (second.word, second.labels, second.captions) == ("red", 1, ("a red blue cake",))


def test_labels_without_a_rule_are_listed() -> None:
    tally = DomainTally(labels=Counter({"x": 3, "y": 1}))
    read = {
        "x": Analysis("x", in_domain=True, why="no-rule"),
        "y": Analysis("y", in_domain=True, heads=("a",)),
    }
    assert unread_labels(tally, read) == (("x", 3),)


def test_the_tally_of_two_parts_is_that_of_the_whole() -> None:
    captions = [
        ("a hot pie", [chunk("a hot pie")]),
        ("a blue pie on a table", [chunk("a blue pie"), chunk("a table", "table")]),
        ("a blue cake on a table", [chunk("a blue cake"), chunk("a table", "table")]),
    ]
    whole, first, second = DomainTally(), DomainTally(), DomainTally()
    for number, (text, chunks) in enumerate(captions):
        whole.add_caption(text, chunks)
        (first if number < 1 else second).add_caption(text, chunks)
    assert first + second == whole
    assert (first + second).nouns["table"].count == 2


def cooccurrence(**places: str) -> CooccurrenceTally:
    """Return a tally in which each word has the features of its places."""
    tally = CooccurrenceTally()
    for word, features in places.items():
        tally.features[word] = Counter(dict.fromkeys(features.split(), 20))
        tally.uses[word] = 20
    return tally


def seen(**counts: int) -> dict[str, Sightings]:
    return {word: Sightings(count, [f"a caption with {word}"]) for word, count in counts.items()}


def test_nouns_that_are_used_like_heads_come_before_commoner_ones() -> None:
    tally = cooccurrence(
        pie="a b c d", soup="a b c e", stew="a b c f", table="x y z", chair="x y w", lamp="x z w"
    )
    found = missing_heads(seen(stew=4, table=50, chair=40, lamp=30), {"pie", "soup"}, tally)
    assert found[0].word == "stew"
    assert found[0].likeness > 0.9
    assert {head.word: head.likeness for head in found}["table"] == 0
    assert found[0].captions == ("a caption with stew",)


def test_without_known_heads_the_commonest_noun_comes_first() -> None:
    found = missing_heads(seen(stew=4, table=50), set(), cooccurrence(stew="a", table="b"))
    assert [head.word for head in found] == ["table", "stew"]
    assert all(math.isnan(head.likeness) for head in found)


def test_singular_and_plural_are_one_noun() -> None:
    found = missing_heads(seen(apple=2, apples=3, glass=1), set(), CooccurrenceTally(), least=2)
    assert [(head.word, head.forms, head.chunks) for head in found] == [("apple", ("apple", "apples"), 5)]


@pytest.mark.parametrize(
    ("word", "forms", "plural"),
    [("pie", ("pie", "pies"), None), ("tomato", ("tomatoes",), "tomatoes"), ("rice", ("rice",), None)],
)
def test_a_plural_that_our_rules_would_not_make_is_stated(
    word: str, forms: tuple[str, ...], plural: str | None
) -> None:
    entry = Candidate(word, "head", 1, 1.0, (), forms).entry
    assert (entry.word, entry.plural, entry.states_plural) == (word, plural, plural is not None)


def test_a_single_accident_gains_less_than_a_habit() -> None:
    assert gain(1, 0.7) < gain(100, 0.2)
    assert gain(10, 0.5) > gain(10, 0.4)


CAPTIONS = """\
a hot pie on a wooden table
a cold soup on a wooden table
a hot cake on a wooden table
a hot stew on a wooden table
a cold stew on a wooden table
a creamy soup near a window
a creamy cake near a window
the empty street at night
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    path = tmp_path_factory.mktemp("survey") / "captions.txt"
    path.write_text(CAPTIONS)
    return survey([parse_source(str(path)), parse_source(f"again={path}")], taxonomy_of(FOOD))


@pytest.mark.model
def test_a_survey_sees_labels_unknown_words_and_nouns(found: Survey) -> None:
    tally = found.systems["captions"]
    assert tally == found.systems["again"]
    assert (tally.captions, tally.labels.total()) == (8, 5)
    assert {word: item.count for word, item in tally.unknown.items()} == {"creamy": 2}
    assert {word: item.count for word, item in tally.nouns.items()} == {
        "table": 5, "stew": 2, "window": 2, "street": 1, "night": 1
    }  # fmt: skip
    # The second file has the same texts, and their company is counted once.
    assert found.cooccurrence.uses["table"] == 5
    assert found.signature.inputs[0].captions == 8


@pytest.mark.model
def test_candidates_are_ordered_by_what_they_bring(found: Survey) -> None:
    assert [item.word for item in candidates(found)][:2] == ["creamy", "stew"]
    assert [item.word for item in candidates(found, role="head", least=4)][:2] == ["stew", "table"]
    gaps = domain_gaps(found)
    assert [item.word for item in gaps.unknown_words] == ["creamy"]
    assert gaps.systems["captions"].partial == 2


@pytest.mark.model
def test_an_adviser_learns_what_was_just_assigned(found: Survey) -> None:
    wider = taxonomy_of(
        {
            **FOOD,
            "modifiers": {
                **FOOD["modifiers"],
                "texture": {
                    "description": "T.",
                    "evidence": "visible",
                    "sensitivity": "none",
                    "words": ["creamier", "dreamy", "extra creamy"],
                },
            },
        }
    )
    adviser = Adviser(found.taxonomy, found.cooccurrence)
    word = candidates(found, role="modifier")[0]
    assert [item.category for item in adviser.advise(word).suggestions] == ["heat"]
    adviser.learn(wider)
    assert adviser.advise(word).suggestions[0].category == "texture"
    assert adviser.kinds == ("form", "company")


@pytest.mark.model
def test_a_survey_does_not_change_from_run_to_run(tmp_path: Path) -> None:

    domain, captions = tmp_path / "food.yaml", tmp_path / "captions.txt"
    domain.write_text(json.dumps({"taxonomy": "food", "version": "1.0.0", "description": "F.", **FOOD}))
    captions.write_text(CAPTIONS)
    command = ("domain", "suggest", str(captions), "--domain", str(domain), "--json", "--no-vectors")
    first, second = assess(*command), assess(*command)
    assert first.code == 0, first.stderr
    assert first.stdout == second.stdout

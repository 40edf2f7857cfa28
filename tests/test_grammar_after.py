"""Attributes that follow the noun: found in the dependency parse, read with the taxonomy's categories."""

from __future__ import annotations

import pytest

from assess.annotate.extract import Annotator
from assess.errors import TaxonomyError
from assess.grammar import Parser
from assess.grammar.labels import AfterReader, Attributes, LabelFinder
from assess.records import Annotation, Chunk
from assess.taxonomy import load_taxonomy, parse_taxonomy

TAXONOMY = """\
taxonomy: tiny
version: 1.0.0
description: A tiny domain.
sets: {color: [red, dark blue], garment: [shirt, dress]}
heads:
  person: {description: Someone., words: [man: men, crowd]}
modifiers:
  age: {description: How old., evidence: visible, sensitivity: none, words: [old], not_with: [crowd]}
  mood: {description: How they feel., evidence: inferred, sensitivity: none, words: [happy, smiling]}
  clothes:
    description: What they wear.
    evidence: visible
    sensitivity: none
    after: ["in|wearing {color} {garment}", "in {color}"]
    words: [well dressed]
"""


@pytest.fixture(scope="module")
def reader() -> AfterReader:
    return AfterReader(Parser(parse_taxonomy(TAXONOMY, "tiny.yaml")[0]))


def annotation(*rows: tuple[str, str, int, str]) -> Annotation:
    """Build an annotation from (word, tag, head, relation) rows."""
    words, tags, heads, deps = zip(*rows, strict=True)
    offsets, position = [], 0
    for word in words:
        offsets.append(position)
        position += len(word) + 1
    return Annotation(words, tuple(offsets), tags, (), heads, deps)


def test_objects_of_prepositions_and_their_conjuncts_are_attributes() -> None:
    parse = annotation(
        ("a", "DT", 1, "det"),
        ("man", "NN", 1, "ROOT"),
        ("with", "IN", 1, "prep"),
        ("a", "DT", 4, "det"),
        ("beard", "NN", 2, "pobj"),
        ("and", "CC", 4, "cc"),
        ("glasses", "NNS", 4, "conj"),
    )
    assert Attributes(parse).of(Chunk(0, 5)) == ["with beard", "with glasses"]
    # A joined object is marked by itself: its preposition stands before another one.
    assert [(found.start, found.at) for found in Attributes(parse).placed(Chunk(0, 5))] == [(2, 4), (6, 6)]


def test_the_subject_of_a_copula_has_its_adjectives() -> None:
    parse = annotation(
        ("the", "DT", 1, "det"),
        ("man", "NN", 2, "nsubj"),
        ("is", "VBZ", 2, "ROOT"),
        ("old", "JJ", 2, "acomp"),
        ("and", "CC", 3, "cc"),
        ("happy", "JJ", 3, "conj"),
    )
    assert Attributes(parse).of(Chunk(0, 7)) == ["old", "happy"]


def test_a_text_without_a_parse_has_no_attributes() -> None:
    assert Attributes(Annotation(("man",), (0,), ("NN",), (), (0,), ("ROOT",))).of(Chunk(0, 3)) == []
    assert Attributes(Annotation((), (), (), ())).of(Chunk(0, 0)) == []


def test_a_quality_is_read_as_if_it_stood_before_the_noun(reader: AfterReader) -> None:
    key = reader.extend("a man", ["old", "smiling", "blorpy"])
    assert key == "a man … old … smiling"
    analysis = reader.analyse(key)
    assert analysis.best.modifiers == ("age", "mood")
    assert [span.position for span in analysis.best.spans if span.role == "modifier"] == ["after", "after"]


def test_constraints_hold_after_the_noun_too(reader: AfterReader) -> None:
    assert reader.extend("a crowd", ["old", "happy"]) == "a crowd … happy"


@pytest.mark.parametrize(
    ("attribute", "read"),
    [
        ("wearing red shirt", True),
        ("in dark blue dresses", True),
        ("in dark-blue dress", True),
        ("wearing long red cotton shirt", True),
        ("in red", True),
        ("wearing red", False),
        ("with red shirt", False),
        ("in red car", False),
    ],
)
def test_patterns_allow_words_between_their_parts_only(
    reader: AfterReader, attribute: str, read: bool
) -> None:
    assert (reader.analyse(reader.extend("a man", [attribute])).best.modifiers == ("clothes",)) is read


def test_a_label_that_cannot_be_read_gets_no_attributes(reader: AfterReader) -> None:
    assert reader.extend("a red car", ["old"]) == "a red car"


def test_spans_count_the_tokens_after_those_of_the_chunk(reader: AfterReader) -> None:
    analysis = reader.analyse("a happy man … wearing red shirt")
    (span,) = (span for span in analysis.spans if span.position == "after")
    assert analysis.tokens[span.start : span.end] == ("wearing", "red", "shirt")


@pytest.mark.parametrize(
    ("after", "message"),
    [('["beard"]', "has no object"), ('["with {colour} hair"]', "neither a set nor a category")],
)
def test_mistakes_in_attribute_patterns_are_told(after: str, message: str) -> None:
    bad = TAXONOMY.replace('["in|wearing {color} {garment}", "in {color}"]', after)
    with pytest.raises(TaxonomyError, match=message) as caught:
        parse_taxonomy(bad, "tiny.yaml")
    place = caught.value.problems[0].place
    assert place is not None
    assert place.line == bad.splitlines().index(f"    after: {after}") + 1


@pytest.fixture(scope="module")
def people() -> tuple[Annotator, LabelFinder]:
    return Annotator(), LabelFinder(Parser(load_taxonomy("people")))


@pytest.mark.model
@pytest.mark.parametrize(
    ("caption", "modifiers"),
    [
        ("a man with a beard and glasses sits", {"facial-hair", "accessories"}),
        ("a woman in a wheelchair", {"disability"}),
        ("a boy wearing a red shirt", {"clothing-color", "kind-of-clothing"}),
        ("the girl is smiling", {"mood"}),
        ("a man, old and tired, sits on a bench", {"age", "state"}),
        ("a man in black", {"clothing-color"}),
        ("A woman who is wearing a hat smiles", {"kind-of-clothing"}),
        ("A man has a beard", {"facial-hair"}),
        ("a dog with a man", set[str]()),
    ],
)
def test_real_captions(people: tuple[Annotator, LabelFinder], caption: str, modifiers: set[str]) -> None:
    annotator, finder = people
    found = finder.find(caption, annotator.annotate_distinct([caption])[caption])
    labels = [finder.analyse(chunk.key) for chunk in found]
    (label,) = (label for label in labels if label.in_domain)
    assert set(label.best.modifiers) == modifiers


@pytest.mark.model
def test_without_attributes_only_the_chunk_counts(people: tuple[Annotator, LabelFinder]) -> None:
    annotator, finder = people
    caption = "a man with a beard"
    bare = LabelFinder(finder.parser, after=False)
    (found, _) = bare.find(caption, annotator.annotate_distinct([caption])[caption])
    assert found.key == "a man"
    assert bare.analyse(found.key).best.modifiers == ()

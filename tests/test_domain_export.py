"""Export for other tools: NLTK grammars and patterns for spaCy's rulers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from assess.domain.command import exported
from assess.grammar import Parser, compile_taxonomy
from assess.grammar.export import named_productions, spacy_patterns
from assess.taxonomy import Taxonomy, load_taxonomy
from assess.taxonomy.cfg_import import import_cfg
from assess.taxonomy.phrases import phrases_of
from tests.strategies import taxonomies, taxonomy_of

PEOPLE = {
    "sets": {"hue": ["red", "dark blue"]},
    "heads": {"human": {"description": "H.", "words": [{"man": "men"}, "t-shirt model"]}},
    "modifiers": {
        "age": {
            "description": "A.",
            "evidence": "visible",
            "sensitivity": "none",
            "words": ["middle aged", {"word": "old", "also": ["look"]}, "men's"],
            "patterns": ["{number}-year-old", "{number}ish", "{hue} {number}"],
        },
        "look": {
            "description": "L.",
            "evidence": "visible",
            "sensitivity": "none",
            "patterns": ["{hue}-clad", "{word}-faced"],
        },
    },
}
SMALL_CFG = """\
Label -> NounPhrase | NounPhrase Conj NounPhrase
NounPhrase -> HeadNoun | Det HeadNoun | Det Mod HeadNoun
HeadNoun -> AgeNoun | GenderedNoun
Mod -> Age | HairColor
Det -> 'a' | 'the'
Conj -> 'and'
Age -> 'young' | 'middle' '-' 'aged'
HairColor -> 'blond' | "red" "haired"
AgeNoun -> 'kid' | 'boy'
GenderedNoun -> 'boy' | 'woman'
"""
SPACY = pytest.mark.model  # a blank pipeline has no model, but spaCy itself is slow to import


def test_every_phrase_in_every_spelling_is_a_pattern() -> None:
    taxonomy = taxonomy_of(PEOPLE)
    lines = [json.loads(line) for line in spacy_patterns(taxonomy).splitlines()]
    found = {
        (line["label"], line["pattern"], line["id"]) for line in lines if isinstance(line["pattern"], str)
    }
    assert {
        ("age", "middle aged", "modifier"),
        ("age", "middle-aged", "modifier"),
        ("age", "old", "modifier"),
        ("look", "old", "modifier"),
        ("age", "men's", "modifier"),
        ("human", "men", "head"),
        ("human", "t-shirt-models", "head"),
        ("look", "dark-blue-clad", "modifier"),
    } <= found
    assert len({json.dumps(line) for line in lines}) == len(lines)


def test_a_head_that_says_more_is_a_pattern_of_both_categories() -> None:
    heads = {"human": {"description": "H.", "words": [{"word": "senior", "says": ["age"]}]}}
    lines = spacy_patterns(taxonomy_of({**PEOPLE, "heads": heads})).splitlines()
    found = [json.loads(line) for line in lines if '"seniors"' in line]
    assert [(line["label"], line["id"]) for line in found] == [("human", "head"), ("age", "modifier")]


@SPACY
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a Middle-Aged man", [("Middle-Aged", "age"), ("man", "human")]),
        ("two 5-year-old t-shirt models", [("5-year-old", "age"), ("t-shirt models", "human")]),
        ("a five year old man", [("five year old", "age"), ("man", "human")]),
        ("a dark blue clad man", [("dark blue clad", "look"), ("man", "human")]),
        ("a red-faced man", [("red-faced", "look"), ("man", "human")]),
        ("a twentyish man", [("twentyish", "age"), ("man", "human")]),
        ("a men's choir", [("men's", "age")]),
        ("a manly woman", []),
    ],
)
def test_an_entity_ruler_finds_the_words(text: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    import spacy

    file = tmp_path / "patterns.jsonl"
    file.write_text(spacy_patterns(taxonomy_of(PEOPLE)), encoding="utf-8")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.from_disk(file)
    assert [(entity.text, entity.label_) for entity in pipeline(text).ents] == expected


@SPACY
def test_the_patterns_of_people_load_and_find_every_word() -> None:
    import spacy

    taxonomy = load_taxonomy("people")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.add_patterns([json.loads(line) for line in spacy_patterns(taxonomy).splitlines()])
    words = [p.text.replace(" 's", "'s") for p in phrases_of(taxonomy)][::60]
    missed = [word for word in words if [entity.text for entity in pipeline(word).ents] != [word]]
    assert missed == []


def test_an_imported_grammar_goes_back_under_its_own_names() -> None:
    taxonomy = import_cfg(SMALL_CFG, file="small.cfg", name="small").taxonomy
    text = named_productions(compile_taxonomy(taxonomy))
    lines = set(text.splitlines())
    assert {"Det -> 'a'", "AgeNoun -> 'kid'", "HairColor -> 'red' 'haired'", "Age -> 'young'"} <= lines
    assert text.startswith("start -> ")


def test_import_of_an_export_reads_alike() -> None:
    first = import_cfg(SMALL_CFG, file="small.cfg", name="small").taxonomy
    second = import_cfg(exported(first, "cfg"), file="again.cfg", name="small").taxonomy
    before, after = Parser(first), Parser(second)
    for text in (
        "a young boy",
        "the blond woman",
        "a red haired kid and a boy",
        "young boy",
        "a",
        "a blond",
        "a woman woman",
        "the kid",
    ):
        left, right = before.analyse(text), after.analyse(text)
        assert (left.heads, left.modifiers, left.in_domain) == (right.heads, right.modifiers, right.in_domain)


def test_nouns_that_say_more_stay_heads_of_their_category_in_nltk() -> None:
    first = import_cfg(SMALL_CFG, file="small.cfg", name="small").taxonomy
    values = first.model_dump(by_alias=True, exclude_unset=True)
    values["heads"]["age"]["words"][0]["says"] = ["hair-color"]
    saying = Taxonomy.model_validate(values)
    text = exported(saying, "cfg")
    assert {"AgeNoun -> 'kid'", "AgeNoun -> 'boy'"} <= set(text.splitlines())
    again = Parser(import_cfg(text, file="again.cfg", name="small").taxonomy)
    assert Parser(saying).analyse("a kid").modifiers == ("hair-color",)
    assert (again.analyse("a kid").heads, again.analyse("a kid").modifiers) == (("age",), ())
    assert again.analyse("a young boy").heads == ("age", "gendered")


@given(taxonomies(patterns=False))
def test_any_export_is_a_grammar_for_nltk(taxonomy: Taxonomy) -> None:
    from nltk import CFG

    grammar = CFG.fromstring(exported(taxonomy, "cfg"))
    assert str(grammar.start()) == "start"
    symbols = {production.lhs() for production in grammar.productions()}
    words = {p.text for p in phrases_of(taxonomy)}
    listed = {" ".join(production.rhs()) for production in grammar.productions() if production.is_lexical()}
    assert words <= listed
    assert len(symbols) > 5

"""The table of part-of-speech rules against spaCy's attribute ruler, without a model."""

from __future__ import annotations

from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc

from assess.annotate.rules import Marker, RuleNotUnderstoodError, Token, compile_rules

VOCAB = spacy.blank("en").vocab
TAGS = ("NN", "DT", "VBZ", "_SP")
DEPS = ("nsubj", "det", "expl", "ROOT", "dep")
WORDS = ("dog", "This", "is", "There", "Nobody", "\n")
NOMINAL = ("NOUN", "PROPN", "PRON")


def pattern(*specs: dict[str, Any], index: int = 0, **assigns: str) -> dict[str, Any]:
    return {"patterns": [list(specs)], "attrs": assigns, "index": index}


def token(text: str = "dog", tag: str = "NN", dep: str = "nsubj") -> Token:
    return Token(text, text.lower(), tag, dep, text.isspace())


RULES = (
    pattern({"TAG": "NN"}, POS="NOUN", MORPH="Number=Sing"),
    pattern({"TAG": "DT"}, POS="DET"),
    pattern({"TAG": "VBZ"}, POS="VERB"),
    pattern({"TAG": "NN", "LOWER": "nobody"}, POS="PRON"),
    pattern({"ORTH": "This", "DEP": {"NOT_IN": ["det", ""]}}, POS="PRON"),
    pattern({"DEP": "expl"}, {"LOWER": {"IN": ["is", "are"]}}, index=1, POS="VERB"),
    pattern({"TAG": "NN"}, {"TAG": "VBZ"}, {"IS_SPACE": False}, index=-1, POS="PROPN"),
    pattern({"LOWER": "is", "DEP": "ROOT"}, POS="NOUN"),
    pattern({"LOWER": "dog"}, LEMMA="dog"),
    pattern({"IS_SPACE": True, "DEP": {"NOT_IN": [""]}}, DEP="dep"),
    pattern({"IS_SPACE": True}, TAG="_SP", POS="SPACE"),
)


def test_a_rule_for_a_tag_assigns_its_part_of_speech() -> None:
    outcome = compile_rules(RULES).alone(token())
    assert (outcome.pos, outcome.tag, outcome.dep, outcome.nominal) == ("NOUN", "NN", "nsubj", True)


def test_a_token_that_no_rule_knows_has_no_part_of_speech() -> None:
    outcome = compile_rules(RULES).alone(token(tag="XX"))
    assert (outcome.pos, outcome.nominal) == ("", False)


def test_later_rules_overrule_earlier_ones() -> None:
    first, second = pattern({"TAG": "NN"}, POS="NOUN"), pattern({"LOWER": "dog"}, POS="X")
    assert compile_rules([first, second]).alone(token()).pos == "X"
    assert compile_rules([second, first]).alone(token()).pos == "NOUN"


def test_rules_test_tokens_as_they_were_before_other_rules() -> None:
    rules = [pattern({"TAG": "NN"}, TAG="JJ"), pattern({"TAG": "NN"}, POS="NOUN")]
    outcome = compile_rules(rules).alone(token())
    assert (outcome.tag, outcome.pos) == ("JJ", "NOUN")


def test_a_rule_over_two_tokens_needs_the_neighbour() -> None:
    table = compile_rules(RULES)
    there, verb = token("there", "EX", "expl"), token("is", "NN", "attr")
    assert table.contextual(verb)
    assert not table.contextual(token("\n", "_SP", "dep"))
    found = table.among((there, verb), 1)
    assert found is not None
    assert found.pos == "VERB"
    assert table.among((verb, there), 0) is None


def test_rules_that_assign_only_lemmas_and_morphology_are_left_out() -> None:
    rules = [pattern({"LOWER": {"REGEX": "^n"}}, LEMMA="x", MORPH="_")]
    assert compile_rules(rules).alone(token()).pos == ""


@pytest.mark.parametrize(
    "rule",
    [
        pattern({"LEMMA": "dog"}, POS="X"),
        pattern({"LOWER": {"REGEX": "^d"}}, POS="X"),
        pattern({"LOWER": {}}, POS="X"),
        pattern({"TAG": "NN", "OP": "+"}, POS="X"),
        pattern({"TAG": 15308085513773655218}, POS="X"),
        pattern({"TAG": "NN"}, POS="X", ENT_TYPE="PERSON"),
        {"patterns": [[{"TAG": "NN"}]], "attrs": {"POS": 92}, "index": 0},
        {"patterns": [[{"TAG": "NN"}]], "attrs": {74: "NOUN"}, "index": 0},
        pattern({"TAG": "NN"}, index=1, POS="X"),
        pattern({"TAG": "NN"}, index=-2, POS="X"),
    ],
)
def test_rules_beyond_a_table_are_not_guessed(rule: dict[str, Any]) -> None:
    with pytest.raises(RuleNotUnderstoodError):
        compile_rules([*RULES, rule])


def make_doc(tokens: list[tuple[str, str, str]]) -> Doc:
    words, tags, deps = zip(*tokens, strict=True)
    return Doc(VOCAB, words=words, tags=tags, deps=deps, heads=[0] * len(words))


TOKENS = st.tuples(st.sampled_from(WORDS), st.sampled_from(TAGS), st.sampled_from(DEPS))


SOME_RULES = st.sets(st.sampled_from(range(len(RULES))), min_size=1)


@given(tokens=st.lists(TOKENS, min_size=1, max_size=8), kept=SOME_RULES)
def test_marking_equals_the_attribute_ruler(tokens: list[tuple[str, str, str]], kept: set[int]) -> None:
    rules = [RULES[number] for number in sorted(kept)]
    ruler = AttributeRuler(VOCAB)
    ruler.add_patterns(rules)
    expected, found = ruler(make_doc(tokens)), make_doc(tokens)
    Marker(compile_rules(rules)).mark(found)
    for one, other in zip(expected, found, strict=True):
        assert (one.tag_, one.dep_) == (other.tag_, other.dep_)
        assert (one.pos_ if one.pos_ in NOMINAL else "") == other.pos_


def test_what_is_remembered_is_bounded_and_forgetting_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assess.annotate.rules.REMEMBERED", 2)
    marker = Marker(compile_rules(RULES))
    for _ in range(2):
        doc = make_doc([("dog", "NN", "nsubj"), ("cat", "NN", "dobj"), ("cow", "NN", "conj")])
        marker.mark(doc)
        assert [word.pos_ for word in doc] == ["NOUN"] * 3
        assert len(marker._entries) <= 2

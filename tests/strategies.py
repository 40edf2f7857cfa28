"""Hypothesis strategies for small taxonomies, and for texts with their words."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import strategies as st

from assess.taxonomy import Taxonomy, parse_taxonomy

# Few words with many overlaps: "ba be" is a phrase, and so are "ba" and "be"; "ba da" ends in a head.
HEAD_WORDS = ("da", "de", "di", "ba da", "ka de")
MODIFIER_WORDS = ("ba", "be", "bi", "ba be", "be bi ba", "ka", "very", "ba 's", "di")
OF_PHRASES = ("ga of", "be ga of")
MODIFIER_PATTERNS = ("{number}-bo", "{tool} be", "{word}-bo", "{word} bi", "half-{word}", "{number} {tool}")
HEAD_PATTERNS = ("{tool} do", "{word} do", "{word}-di")
FUNCTION_WORDS = {"determiner": ["the"], "predeterminer": ["all"], "degree": ["very"], "conjunction": ["and"]}
UNKNOWN_WORDS = ("zu", "zo-zu")
OTHER_TOKENS = (
    "the",
    "all",
    "and",
    ",",
    "very",
    "'s",
    "of",
    "ga",
    "five",
    "5",
    "twenty-one",
    "do",
    "bo",
    "ki",
)

_HEAD_IDS = ("age", "kind", "many")
_MODIFIER_IDS = ("size", "mood", "look")


def taxonomy_of(values: dict[str, Any]) -> Taxonomy:
    """Return a taxonomy from values, via its YAML text and all validation."""
    full = {"taxonomy": "generated", "version": "1.0.0", "description": "Generated.", **values}
    return parse_taxonomy(yaml.safe_dump(full, sort_keys=False), "generated.yaml")[0]


@st.composite
def taxonomies(draw: st.DrawFn, *, patterns: bool = True, excluded: bool = True) -> Taxonomy:
    """Draw a small taxonomy with sets, constraints, of-phrases, plurals and everything else."""
    sets = {"tool": ["ka", "ki mo"], "big": ["da", "ga of"]}
    modifier_ids = draw(_some(_MODIFIER_IDS, least=1))
    heads = {name: draw(_heads(modifier_ids, patterns=patterns)) for name in draw(_some(_HEAD_IDS, least=1))}
    names = _names(heads, sets)
    modifiers = {
        name: draw(_modifiers(names, [i for i in modifier_ids if i != name], patterns=patterns))
        for name in modifier_ids
    }
    values: dict[str, Any] = {
        "sets": sets,
        "heads": heads,
        "modifiers": modifiers,
        "function_words": FUNCTION_WORDS,
    }
    if draw(st.booleans()):
        values["plurals_are"] = draw(st.sampled_from(list(heads)))
    if excluded and draw(st.booleans()):
        values["excluded"] = draw(_some(("ka da", "ba da", "zu de"), least=1))
    return taxonomy_of(values)


def texts(taxonomy: Taxonomy, *, longest: int = 6) -> st.SearchStrategy[str]:
    """Draw a text with words of a taxonomy and others, which usually ends in a head."""
    own = [entry.word for category in taxonomy.modifiers.values() for entry in category.words]
    heads = [entry.word for category in taxonomy.heads.values() for entry in category.words]
    strange = st.sampled_from((*OTHER_TOKENS, *UNKNOWN_WORDS, *HEAD_WORDS, *MODIFIER_WORDS))
    token = st.one_of(st.sampled_from(own), st.sampled_from(own), st.sampled_from(own), strange)
    plurals = [f"{word}{ending}" for word in heads for ending in "sx"]
    head = st.one_of(st.sampled_from(heads), st.sampled_from((*plurals, "ki mo do", "zu do", "zu-di")))
    joint = st.sampled_from((" ", " ", " ", "-"))
    opening = st.sampled_from(("", "", "the ", "all the ", "zu 's "))
    pieces = st.lists(st.tuples(token, joint).map("".join), max_size=longest)
    return st.tuples(opening, pieces.map("".join), head).map("".join)


@st.composite
def taxonomies_with_texts(draw: st.DrawFn, *, longest: int = 6) -> tuple[Taxonomy, list[str]]:
    """Draw a taxonomy and some texts with its words."""
    taxonomy = draw(taxonomies())
    return taxonomy, draw(st.lists(texts(taxonomy, longest=longest), min_size=5, max_size=20))


def _some(values: tuple[str, ...], *, least: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), unique=True, min_size=least, max_size=len(values))


@st.composite
def _heads(draw: st.DrawFn, modifier_ids: list[str], *, patterns: bool) -> dict[str, Any]:
    words: list[Any] = []
    for word in draw(_some(HEAD_WORDS, least=1)):
        stated = draw(st.sampled_from(("regular", "regular", "none", "stated", "says")))
        plural = {"regular": word, "none": {word: None}, "stated": {word: word + "x"}}
        says = {"word": word, "says": draw(_some(tuple(modifier_ids), least=1))}
        words.append(says if stated == "says" else plural[stated])
    category: dict[str, Any] = {"description": "Heads.", "words": words}
    if patterns:
        category["patterns"] = draw(_some(HEAD_PATTERNS))[:1]
    return category


@st.composite
def _modifiers(draw: st.DrawFn, names: list[str], others: list[str], *, patterns: bool) -> dict[str, Any]:
    words: list[Any] = []
    for word in draw(_some((*MODIFIER_WORDS, *OF_PHRASES), least=1))[:5]:
        entry = {"word": word, **draw(_constraints(names))}
        if others and draw(st.integers(0, 4)) == 0:
            entry["also"] = draw(_some(tuple(others), least=1))
        words.append(entry if len(entry) > 1 else word)
    category: dict[str, Any] = {
        "description": "Modifiers.",
        "evidence": "visible",
        "sensitivity": "none",
        "words": words,
        **draw(_constraints(names)),
    }
    if patterns:
        category["patterns"] = draw(_some(MODIFIER_PATTERNS))[:2]
    return category


def _constraints(names: list[str]) -> st.SearchStrategy[dict[str, list[str]]]:
    some = _some(tuple(names), least=1).map(lambda chosen: chosen[:2])
    return st.one_of(
        st.just({}),
        st.just({}),
        st.fixed_dictionaries({"not_with": some}),
        st.fixed_dictionaries({"only_with": some}),
    )


def _names(heads: dict[str, Any], sets: dict[str, list[str]]) -> list[str]:
    """Return what constraints can name: categories, sets and head words."""
    entries = [entry for head in heads.values() for entry in head["words"]]
    words = {entry if isinstance(entry, str) else entry.get("word", next(iter(entry))) for entry in entries}
    return sorted({*heads, *sets, *words})

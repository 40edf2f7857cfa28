"""The engines agree: our chart, Lark's forest, NLTK's chart parser, and an independent oracle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import CFG
from nltk.parse import ChartParser

from assess.grammar import Grammar, Parser
from assess.grammar.earley import make_lark
from assess.grammar.export import nltk_productions
from assess.taxonomy import Taxonomy, load_taxonomy, shipped_taxonomies
from assess.taxonomy.model import Entry, ModifierCategory
from assess.taxonomy.syntax import import_cfg
from assess.taxonomy.words import words_of
from tests.properties import examples
from tests.strategies import taxonomies, taxonomies_with_texts, taxonomy_of

Spans = set[tuple[str, str, int, int]]
"""(role, category, start, end)"""


def both(taxonomy: Taxonomy) -> tuple[Parser, Parser]:
    fast = Parser(taxonomy)
    return fast, Parser(fast.grammar, engine="reference")


def differing(parsers: tuple[Parser, Parser], texts: list[str]) -> list[str]:
    """Return the texts on which the engines differ in anything: labels, spans, best, unknown, why."""
    fast, reference = parsers
    return [text for text in texts if fast.analyse(text) != reference.analyse(text)]


@examples(35)
@given(taxonomies_with_texts())
def test_the_engines_agree_on_generated_taxonomies(drawn: tuple[Taxonomy, list[str]]) -> None:
    taxonomy, texts = drawn
    assert differing(both(taxonomy), texts) == []


PHRASES = (
    """\
a tall happy toddler|a large group of young men|the man's young daughter|a big crowd|two very old women
a middle-aged man|a 20-year-old tennis player|a little girl|little league players|a zorbish man|a teddy bear
a red-haired boy and a blonde girl|three smiling, well dressed kids|a pretty woman|a pretty old man
a couple of firefighters|young asian american students|all the other people|a man in black|men and women
half naked muscular swimmers|my elderly mother's doctor|a crowd of cheering fans|an old, fat and bald guy
a statue of a young woman|a five year old child|people|the bride and groom|a bearded skateboarder
two women's basketball players|a snowman|her best friend|a very very tall man|blue-eyed blonde babies
the u.s. soldier|several business people|a man, a woman and a child|some homeless people|a one-legged man
an african american lady|a 5 or 6 year old kid|a dark haired female singer|a lone surfer|a soccer team
the hand of a woman|both of the girls|pregnant women|a shirtless male|a man's|young old big small people
a professional photographer|a cowboy hat|a traffic cop|a ninety-nine year old grandmother|a drunk sailor
a <unk> person|“tough” guys|a woman/man|wheelchair users|a group of three friends|each tired, hungry worker
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


@pytest.fixture(scope="module")
def people() -> tuple[Parser, Parser]:
    return both(load_taxonomy("people"))


def test_the_engines_agree_on_phrases_about_people(people: tuple[Parser, Parser]) -> None:
    assert len(PHRASES) >= 60
    assert differing(people, PHRASES) == []
    # The list would prove little if nothing in it were read.
    whys = {people[0].analyse(text).why for text in PHRASES}
    assert whys >= {None, "unknown-word", "no-head"}
    assert sum(bool(people[0].analyse(text).modifiers) for text in PHRASES) > 30


@pytest.mark.parametrize("name", [name for name in shipped_taxonomies() if name != "people"])
def test_the_engines_agree_on_the_examples_of_other_domains(name: str) -> None:
    taxonomy = load_taxonomy(name)
    assert differing(both(taxonomy), [example.text for example in taxonomy.examples][::3]) == []


@pytest.mark.data
@pytest.mark.parametrize("version", ["1.0", "head"])
def test_the_engines_agree_on_real_chunks_with_the_papers_grammar(shared_data: Path, version: str) -> None:
    folder = shared_data / "people_grammar"
    chunks = (folder / "person_chunks.txt").read_text(encoding="utf-8").split("\n")
    text = (folder / version / "full_grammar.cfg").read_text(encoding="utf-8")
    parsers = both(import_cfg(text, file="full_grammar.cfg", name="papers").taxonomy)
    assert len(chunks) > 600
    assert differing(parsers, chunks) == []


@pytest.mark.data
def test_the_engines_agree_on_real_chunks_about_people(
    shared_data: Path, people: tuple[Parser, Parser]
) -> None:
    chunks = (shared_data / "people_grammar" / "person_chunks.txt").read_text(encoding="utf-8").splitlines()
    assert differing(people, chunks[::40]) == []


def patterns_of(grammar: Grammar) -> list[tuple[str, re.Pattern[str]]]:
    """Return the leaves as the `.lark` text alone defines them, by stock Lark."""
    lark = make_lark(grammar.text)
    patterns = {terminal.name: re.compile(terminal.pattern.to_regexp()) for terminal in lark.terminals}
    words = [(name, pattern) for name, pattern in patterns.items() if name in grammar.leaves]
    rules = ((rule.origin.name, rule.expansion[0].name) for rule in lark.rules)
    return words + [(leaf, patterns[terminal]) for leaf, terminal in rules if leaf in grammar.leaves]


def spellings(
    patterns: list[tuple[str, re.Pattern[str]]], words: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Yield (leaf, text) for all that stands in a text."""
    for start, end in combinations(range(len(words) + 1), 2):
        text = " ".join(words[start:end])
        yield from ((name, text) for name, pattern in patterns if pattern.fullmatch(text))


def oracle(grammar: Grammar, patterns: list[tuple[str, re.Pattern[str]]], words: tuple[str, ...]) -> Spans:
    """Return what NLTK finds over all trees of a text, none of its words taken as unknown."""
    written = set(spellings(patterns, words))
    if not set(words) <= {word for _, text in written for word in text.split(" ")}:
        return set()
    parser = ChartParser(CFG.fromstring(nltk_productions(grammar, written)))
    return {span for tree in parser.parse(list(words)) for span in spans_of(tree, grammar)}


def spans_of(tree: Any, grammar: Grammar, start: int = 0) -> Iterator[tuple[str, str, int, int]]:
    leaf = grammar.leaves.get(tree.label())
    if leaf is not None:
        if leaf.category:
            yield leaf.kind, leaf.category, start, start + len(tree.leaves())
            yield from (("modifier", name, start, start + len(tree.leaves())) for name in leaf.says)
        return
    for child in tree:
        yield from spans_of(child, grammar, start)
        start += len(child.leaves())


@examples(25)
@given(taxonomies_with_texts(longest=3))
def test_nltk_finds_the_same_categories_at_the_same_places(drawn: tuple[Taxonomy, list[str]]) -> None:
    taxonomy, texts = drawn
    parser = Parser(taxonomy)
    patterns = patterns_of(parser.grammar)
    for text in texts:
        analysis = parser.analyse(text)
        if not analysis.in_domain or len(analysis.tokens) > 7:
            continue
        found = oracle(parser.grammar, patterns, words_of(text))
        ours = {(span.role, span.category, span.start, span.end) for span in analysis.spans}
        assert found == (set() if analysis.unknown or analysis.why == "no-rule" else ours), text


def test_the_export_for_nltk_holds_the_whole_lexicon_by_default() -> None:
    grammar = Parser(load_taxonomy(str(Path(__file__).parent / "golden" / "tiny.yaml"))).grammar
    exported = CFG.fromstring(nltk_productions(grammar))
    assert str(exported.start()) == "start"
    parser = ChartParser(exported)
    for text in ("the pretty women", "a middle-aged woman", "a group of big cooks"):
        (tree, *_) = parser.parse(text.split())
        assert tree.label() == "start"


Span = tuple[int, int, str, str]
"""(start, end, role, category)"""


@dataclass
class Oracle:
    """All readings of a text, one by one."""

    taxonomy: Taxonomy
    words: list[str]

    @cached_property
    def heads(self) -> dict[str, tuple[set[str], set[str]]]:
        """Return every head phrase with its categories and with all names that a constraint may use."""
        found: dict[str, tuple[set[str], set[str]]] = {}
        for category, head in self.taxonomy.heads.items():
            for entry in head.words:
                for text, plural in forms(self.taxonomy, entry):
                    categories, names = found.setdefault(text, (set(), set()))
                    categories.add(category)
                    if plural and self.taxonomy.plurals_are:
                        categories.add(self.taxonomy.plurals_are)
                    names |= {text, entry.word, *self.sets_with(text, entry.word)}
        for categories, names in found.values():
            names |= categories
        return found

    @cached_property
    def said(self) -> dict[str, set[str]]:
        """Return what head phrases say besides, in any of their categories."""
        found: dict[str, set[str]] = {}
        for head in self.taxonomy.heads.values():
            for entry in head.words:
                for text, _ in forms(self.taxonomy, entry):
                    found.setdefault(text, set()).update(entry.says)
        return found

    def sets_with(self, *words: str) -> set[str]:
        sets = self.taxonomy.sets.items()
        return {name for name, members in sets if set(words) & {entry.word for entry in members}}

    def of_names(self, phrase: str) -> set[str]:
        categories = {c for c, _, entry in modifiers(self.taxonomy) if entry.word == phrase}
        also = {o for _, _, entry in modifiers(self.taxonomy) if entry.word == phrase for o in entry.also}
        return {phrase, *categories, *also, *self.sets_with(phrase)}

    def readings(self, start: int = 0) -> Iterator[frozenset[Span]]:
        """Yield the readings of a noun phrase from `start` to the end."""
        if self.words[start : start + 1] == ["the"]:
            yield from self.bodies(start + 1)
        yield from self.bodies(start)

    def bodies(self, start: int) -> Iterator[frozenset[Span]]:
        end = len(self.words)
        for at in range(start, end):
            head = " ".join(self.words[at:])
            if head in self.heads:
                categories, names = self.heads[head]
                own = frozenset((at, end, "head", category) for category in categories)
                own |= {(at, end, "modifier", category) for category in self.said[head]}
                yield from (own | before for before in self.sequences(start, at, names))
            for stop in range(at + 2, end):
                phrase = " ".join(self.words[at:stop])
                if phrase.endswith(" of") and (found := self.senses(phrase, None)):
                    befores = list(self.sequences(start, at, self.of_names(phrase)))
                    for after in self.readings(stop) if befores else ():
                        for before in befores:
                            for category in found:
                                yield before | after | {(at, stop, "modifier", category)}

    def sequences(self, start: int, end: int, names: set[str]) -> Iterator[frozenset[Span]]:
        """Yield the ways to read a stretch as modifiers of the head that has these names."""
        if start == end:
            yield frozenset()
        for stop in range(start + 1, end + 1):
            phrase = " ".join(self.words[start:stop])
            if phrase.endswith(" of") or not self.senses(phrase, None):
                continue
            # A word without a sense here is read all the same, and says nothing.
            choices = [{(start, stop, "modifier", c)} for c in self.senses(phrase, names)] or [set()]
            for rest in self.sequences(stop, end, names):
                yield from (rest | choice for choice in choices)

    def senses(self, phrase: str, names: set[str] | None) -> set[str]:
        """Return the categories of a phrase: all, or those that go with a head of some names."""
        found: set[str] = set()
        for name, category, entry in modifiers(self.taxonomy):
            if entry.word == phrase and (names is None or allowed(category, entry, names)):
                found |= {name, *entry.also}
        return found


def forms(taxonomy: Taxonomy, entry: Entry) -> Iterator[tuple[str, bool]]:
    """Yield (form, whether it is a plural) of a head entry; words here have plurals in -s or stated ones."""
    yield entry.word, False
    if entry.states_plural:
        if entry.plural is not None:
            yield entry.plural, True
        return
    # A plural that is stated anywhere, for the phrase or for its last word, is taken over.
    stated = {e.word: e.plural for head in taxonomy.heads.values() for e in head.words if e.states_plural}
    before, space, last = entry.word.rpartition(" ")
    plural = stated.get(entry.word, "") if entry.word in stated else stated.get(last, f"{last}s")
    if plural is not None:
        yield plural if entry.word in stated else before + space + plural, True


def modifiers(taxonomy: Taxonomy) -> Iterator[tuple[str, ModifierCategory, Entry]]:
    for name, category in taxonomy.modifiers.items():
        for entry in category.words:
            yield name, category, entry


def allowed(category: ModifierCategory, entry: Entry, names: set[str]) -> bool:
    only_with = entry.only_with or category.only_with
    forbidden = {*category.not_with, *entry.not_with}
    return not names & forbidden and (not only_with or bool(names & set(only_with)))


@st.composite
def structured(draw: st.DrawFn) -> tuple[Taxonomy, list[str]]:
    """Draw a taxonomy and texts of the shape that the oracle knows."""
    taxonomy = draw(taxonomies(patterns=False, excluded=False))
    words = [e.word for _, _, e in modifiers(taxonomy) if "'s" not in e.word and e.word != "very"]
    heads = [form for head in taxonomy.heads.values() for e in head.words for form, _ in forms(taxonomy, e)]
    middle = st.lists(st.sampled_from([*words, *words, "the"]) if words else st.just("the"), max_size=4)
    text = st.tuples(st.sampled_from(["", "the"]), middle.map(" ".join), st.sampled_from(heads))
    return taxonomy, draw(
        st.lists(text.map(lambda parts: " ".join(" ".join(parts).split())), min_size=8, max_size=20)
    )


@examples(80)
@given(structured())
def test_a_text_is_read_in_just_the_ways_that_the_taxonomy_allows(drawn: tuple[Taxonomy, list[str]]) -> None:
    taxonomy, texts = drawn
    parser = Parser(taxonomy)
    for text in texts:
        words = text.split(" ")
        readings = list(Oracle(taxonomy, words).readings())
        analysis = parser.analyse(text)
        found = {(span.start, span.end, span.role, span.category) for span in analysis.spans}
        if readings:
            assert (analysis.unknown, analysis.why) == ((), None), text
            assert found == set().union(*readings), text
            assert {(s.start, s.end, s.role, s.category) for s in analysis.best.spans} <= found
        else:
            assert analysis.why in ("unknown-word", "no-rule"), text


VALUES = {
    "sets": {"gathering": ["crowd", "group of"]},
    "heads": {
        "person": {"description": "P.", "words": [{"man": "men"}, "toddler"]},
        "many": {"description": "M.", "words": ["crowd", "team"]},
    },
    "modifiers": {
        "build": {
            "description": "B.", "evidence": "visible", "sensitivity": "none", "not_with": ["gathering"],
            "words": [
                "big", {"word": "small", "not_with": ["toddler"]}, {"word": "lean", "only_with": ["man"]},
            ],
        },
        "extent": {
            "description": "E.", "evidence": "visible", "sensitivity": "none",
            "only_with": ["many", "group of"],
            "words": ["big", "huge"],
        },
        "age": {
            "description": "A.", "evidence": "visible", "sensitivity": "none", "not_with": ["crowd"],
            "words": ["old"], "patterns": ["{number}-year-old"],
        },
        "group": {"description": "G.", "evidence": "visible", "sensitivity": "none", "words": ["group of"]},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "modifiers_found"),
    [
        ("a big man", ["build"]),
        ("big men", ["build"]),
        ("a big crowd", ["extent"]),
        ("a big team", ["build", "extent"]),
        ("a small man", ["build"]),
        ("a small toddler", []),
        ("small toddlers", []),
        ("a lean man", ["build"]),
        ("lean men", ["build"]),
        ("a lean toddler", []),
        ("a huge man", []),
        ("a big group of small men", ["build", "extent", "group"]),
        ("a small group of huge men", ["group"]),
        ("a group of big crowds", ["extent", "group"]),
        ("an old 5-year-old man", ["age"]),
        ("an old crowd", []),
        ("a 5-year-old crowd", []),
        ("a huge 5 year old crowd", ["extent"]),
        ("a big man and a big crowd", ["build", "extent"]),
    ],
)
def test_a_constraint_blocks_a_category_and_the_word_is_still_read(
    text: str, modifiers_found: list[str]
) -> None:
    for engine in ("fast", "reference"):
        analysis = Parser(taxonomy_of(VALUES), engine=engine).analyse(text)
        assert list(analysis.modifiers) == modifiers_found
        assert (analysis.unknown, analysis.why) == ((), None)
        assert analysis.heads


def test_neighbouring_spans_of_the_best_reading_do_not_overlap() -> None:
    analysis = Parser(taxonomy_of(VALUES)).analyse("a big group of small lean men")
    places = sorted({(span.start, span.end) for span in analysis.best.spans})
    assert all(left[1] <= right[0] for left, right in pairwise(places))

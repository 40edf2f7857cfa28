"""The grammar accepts exactly what the taxonomy says, by an oracle that knows neither Lark nor charts.

The oracle spells out every reading of `[the] modifier* head` and `[the] modifier* of-phrase noun-phrase`
from the entries as they stand in the taxonomy, and looks up constraints by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.grammar import Parser
from assess.taxonomy.model import Entry, ModifierCategory, Taxonomy
from tests.properties import examples
from tests.strategies import taxonomies, taxonomy_of

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
        return {name for name, members in self.taxonomy.sets.items() if set(words) & set(members)}

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

"""Compounds, prepositional phrases and complexity of captions parsed by hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.errors import InputError
from assess.measures.syntax.caption import (
    Lexicon,
    complexity,
    compounds,
    lexicon_of_ratings,
    prepositional_phrases,
    tag_distribution,
    tree,
)
from assess.measures.syntax.compute import Rules, SyntaxTally, caption_syntax, syntax_tally
from assess.records import Annotation


@dataclass(frozen=True)
class Caption:
    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    deps: tuple[str, ...]


def parsed(rows: str) -> Caption:
    """Return a caption from `word/tag/head/dep`, where heads count from 0."""
    fields = [row.rsplit("/", 3) for row in rows.split()]
    words, tags, heads, deps = zip(*fields, strict=True) if fields else ((), (), (), ())
    return Caption(words, tags, tuple(map(int, heads)), deps)


DOG = parsed("The/DT/1/det dog/NN/2/nsubj barks/VBZ/2/ROOT")
# Of the top of the hill; while something goes on.
NESTED = parsed(
    "view/NN/0/ROOT of/IN/0/prep the/DT/3/det Top/NN/1/pobj of/IN/3/prep a/DT/6/det hill/NN/4/pobj"
    " with/IN/0/prep trees/NNS/7/pobj while/IN/10/mark raining/VBG/0/advcl"
)
SIDE_BY_SIDE = parsed(
    "on/IN/0/prep a/DT/2/det bench/NN/0/pobj in/IN/2/prep snow/NN/3/pobj at/IN/2/prep night/NN/5/pobj"
)
EMPTY = parsed("")


def test_compounds_are_runs_of_nouns() -> None:
    caption = parsed(
        "Traffic/NN/1/compound light/NN/1/ROOT near/IN/1/prep tall/JJ/4/amod Bus/NNP/6/compound"
        " stop/NN/6/compound signs/NNS/2/pobj ,/,/1/punct man/NN/1/appos"
    )
    assert compounds(caption) == [("traffic", "light"), ("bus", "stop", "signs")]
    assert compounds(EMPTY) == []


def test_prepositional_phrases_of_the_paper_count_their_prepositions() -> None:
    found = prepositional_phrases(NESTED, mode="paper")
    assert [(depth, " ".join(words)) for depth, words in found] == [
        (2, "of the top of a hill"),
        (1, "of a hill"),
        (1, "with trees"),
        (1, "while"),
    ]


def test_our_prepositional_phrases_leave_subordination_out() -> None:
    assert [depth for depth, _ in prepositional_phrases(NESTED)] == [2, 1, 1]


def test_depth_is_a_count_in_the_paper_and_nesting_in_ours() -> None:
    assert [depth for depth, _ in prepositional_phrases(SIDE_BY_SIDE, mode="paper")] == [3, 1, 1]
    assert [depth for depth, _ in prepositional_phrases(SIDE_BY_SIDE)] == [2, 1, 1]


def test_heads_that_are_no_tree_are_refused() -> None:
    with pytest.raises(InputError, match="the heads of the words form a cycle, not a tree"):
        tree([1, 0, 2])
    with pytest.raises(InputError, match="word 1 has the head 7"):
        tree([0, 7])


def test_a_caption_that_was_not_parsed_is_refused() -> None:
    tagged = Annotation(("a", "dog"), (0, 2), ("DT", "NN"), ())
    for measure in (complexity, prepositional_phrases):
        with pytest.raises(InputError, match="2 words has 0 heads and 0 relations, so it was not parsed"):
            measure(tagged)


def test_an_annotation_is_a_parsed_caption() -> None:
    annotation = Annotation(DOG.words, (0, 4, 8), DOG.tags, (), DOG.heads, DOG.deps)
    assert_equal(syntax_tally([annotation]), syntax_tally([DOG]))


def test_yngve_depth_is_what_is_promised_at_each_word() -> None:
    # [[The dog] barks]: a phrase to come after [The dog], a word after The.
    assert complexity(DOG).yngve == (2, 1, 0)
    right_branching = parsed("see/VB/0/ROOT him/PRP/0/dobj run/VB/1/acl home/NN/2/dobj")
    assert complexity(right_branching).yngve == (1, 1, 1, 0)


def test_frazier_charges_each_phrase_to_its_first_word_and_a_clause_more() -> None:
    assert complexity(DOG).frazier == (2.5, 0.0, 0.0)  # the clause 1.5 and the phrase 1
    assert complexity(DOG).hardest == 2.5
    assert complexity(parsed("dog/NN/0/ROOT")).frazier == (0.0,)


def test_punctuation_adds_no_complexity() -> None:
    stopped = parsed("The/DT/1/det dog/NN/2/nsubj barks/VBZ/2/ROOT ././2/punct")
    assert complexity(stopped) == complexity(DOG)


def test_punctuation_on_punctuation_is_no_word_but_what_a_word_hangs_on_stays() -> None:
    assert complexity(parsed("!/./0/ROOT !/./0/punct !/./1/punct")).yngve == ()
    assert complexity(parsed("-/:/0/ROOT dog/NN/0/dep ././1/punct")).yngve == (1, 0)


def test_two_sentences_are_as_complex_as_each() -> None:
    twice = parsed(
        "The/DT/1/det dog/NN/2/nsubj barks/VBZ/2/ROOT The/DT/4/det dog/NN/5/nsubj barks/VBZ/5/ROOT"
    )
    assert complexity(twice).yngve == complexity(DOG).yngve * 2
    assert complexity(twice).deepest == 2


def test_an_empty_caption_has_no_complexity() -> None:
    assert complexity(EMPTY).yngve == ()
    assert (complexity(EMPTY).deepest, complexity(EMPTY).hardest) == (0, 0)


def test_syntax_sums_up_captions() -> None:
    captions = [DOG, NESTED, NESTED, parsed("Traffic/NN/1/compound light/NN/1/ROOT")]
    found = caption_syntax(captions, Rules(mode="paper"))
    assert found["captions"] == 4
    assert (found.compounds.total, found.compounds.ratio) == (1, 1 / 4)
    assert (found.prepositional_phrases.total, found.prepositional_phrases.ratio) == (8, 8 / 4)
    assert (found.prepositional_phrases.sizes, found.prepositional_phrases.types) == (
        {1: 6, 2: 2},
        {1: 3, 2: 1},
    )
    assert found.tags["IN"] == pytest.approx(8 / 27)
    assert found.yngve_deepest == pytest.approx(
        np.mean([complexity(caption).deepest for caption in captions])
    )


def test_syntax_of_no_captions_is_undefined_with_a_note() -> None:
    found = caption_syntax([])
    undefined = (
        found.compounds.ratio,
        found.prepositional_phrases.ratio,
        found.yngve,
        found.frazier,
        found.yngve_deepest,
    )
    assert all(map(isnan, undefined))
    assert found.tags == {}
    assert found.notes[0] == "no captions: every ratio is undefined"


def test_captions_without_a_word_count_in_ratios_and_not_in_complexity() -> None:
    found = caption_syntax([DOG, EMPTY, parsed("././0/ROOT")])
    assert found.prepositional_phrases.ratio == 0.0
    assert found.yngve_deepest == 2.0
    assert found.notes[0].endswith("2 captions without a word")


def test_abstract_words_are_set_against_concrete_ones_of_a_lexicon() -> None:
    lexicon = lexicon_of_ratings({"Dog": 4.9, "barks": 3.0, "peace": 1.5}, concrete_from=4, abstract_below=2)
    assert lexicon == Lexicon(frozenset({"dog"}), frozenset({"peace"}))
    peace = parsed("peace/NN/0/ROOT")
    found = caption_syntax([DOG, DOG, peace], Rules(lexicon=lexicon))
    assert found.abstract_ratio == 1 / 2
    assert found.lexicon_coverage == 3 / 5
    assert isnan(caption_syntax([peace], Rules(lexicon=lexicon)).abstract_ratio)
    assert isnan(caption_syntax([DOG]).abstract_ratio)


def test_a_word_cannot_be_abstract_and_concrete() -> None:
    with pytest.raises(InputError, match="both concrete and abstract: 'dog'"):
        Lexicon(frozenset({"dog"}), frozenset({"dog"}))
    with pytest.raises(InputError, match="overlap"):
        lexicon_of_ratings({}, concrete_from=2, abstract_below=3)


def test_parts_of_speech_are_counted_in_either_set_of_tags() -> None:
    assert tag_distribution({"NN": 1, "DT": 1, "IN": 2}) == {"IN": 0.5, "DT": 0.25, "NN": 0.25}
    found = caption_syntax([DOG, EMPTY], Rules(tagset="universal"))
    assert list(found.tags) == ["DET", "NOUN", "VERB"]


def test_white_space_is_a_token_of_the_paper_and_none_of_ours() -> None:
    spaced = Caption(("a", "  ", "dog"), ("DT", "_SP", "NN"), (2, 0, 2), ("det", "dep", "ROOT"))
    assert caption_syntax([spaced]).tags == {"DT": 0.5, "NN": 0.5}
    assert "_SP" in caption_syntax([spaced], Rules(mode="paper")).tags


@st.composite
def captions(draw: st.DrawFn) -> Caption:
    size = draw(st.integers(0, 8))
    # A word's head is an earlier word or itself; then the words are shuffled.
    heads = [draw(st.integers(0, word)) for word in range(size)]
    places = draw(st.permutations(range(size)))
    shuffled = [0] * size
    for word, head in enumerate(heads):
        shuffled[places[word]] = places[head]
    pick = st.tuples(
        st.sampled_from(["a", "Dog", "on", "."]),
        st.sampled_from(["NN", "IN", "VBZ", "DT"]),
        st.sampled_from(["prep", "mark", "pobj"]),
    )
    words, tags, deps = zip(*(draw(pick) for _ in range(size)), strict=True) if size else ((), (), ())
    return Caption(words, tags, tuple(shuffled), deps)


def assert_equal(first: SyntaxTally, second: SyntaxTally) -> None:
    assert first.counts.tolist() == second.counts.tolist()
    assert (first.compounds, first.phrases, first.tags) == (second.compounds, second.phrases, second.tags)


@given(st.lists(captions(), max_size=5), st.randoms(use_true_random=False))
def test_order_changes_no_count_and_counts_add(texts: list[Caption], random) -> None:  # type: ignore[no-untyped-def]
    whole = syntax_tally(texts)
    assert_equal(syntax_tally(random.sample(texts, len(texts))), whole)
    added = sum((syntax_tally([text]).counts for text in texts), np.zeros_like(whole.counts))
    assert added.tolist() == whole.counts.tolist()


@given(captions())
def test_nesting_is_never_deeper_than_the_count_of_prepositions(caption: Caption) -> None:
    tagged_alike = Caption(caption.words, caption.tags, caption.heads, ("prep",) * len(caption.words))
    paper, ours = (prepositional_phrases(tagged_alike, mode=mode) for mode in ("paper", "assess"))
    assert [words for _, words in paper] == [words for _, words in ours]
    assert all(1 <= nested <= counted for (counted, _), (nested, _) in zip(paper, ours, strict=True))


@given(captions())
def test_frazier_scores_sum_to_the_weights_of_all_phrases(caption: Caption) -> None:
    found = tree(caption.heads)
    weights = 0.0
    for word, dependents in enumerate(found.dependents):
        below = {part for one in dependents for part in found.subtree(one)}
        if any(caption.words[part] != "." for part in below):
            weights += 1.5 if caption.tags[word] == "VBZ" else 1.0
    assert sum(complexity(caption).frazier) == weights

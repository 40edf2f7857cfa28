"""Global and local recall on captions small enough to compute by hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, log

import pytest
from pydantic import ValidationError

import assess
from assess.errors import UsageError
from assess.measures.recall.categories import CategoryRecall
from assess.measures.recall.compute import by_count, by_miss_ratio, global_recall, omitted_words
from assess.measures.recall.local import (
    WordMisses,
    local_counts,
    local_recall,
    most_important,
    reference_words,
    word_misses,
)
from assess.measures.recall.quantities import local_values
from assess.measures.words import content_words, universal_tag, word_uses


@dataclass(frozen=True)
class Caption:
    words: tuple[str, ...]
    tags: tuple[str, ...]
    deps: tuple[str, ...] = ()


def caption(tagged: str) -> Caption:
    """Return a caption from words with their tags: `a/DT dog/NN`."""
    pairs = [pair.rsplit("/", 1) for pair in tagged.split()]
    return Caption(tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs))


REFERENCES = {
    "1": [
        caption("A/DT dog/NN runs/VBZ"),
        caption("a/DT brown/JJ dog/NN running/VBG fast/RB"),
        caption("the/DT Dog/NN runs/VBZ"),
    ],
    "2": [caption("a/DT cat/NN sleeps/VBZ"), caption("cat/NN sleeps/VBZ here/RB"), caption("a/DT cat/NN")],
}


def test_importance_is_the_number_of_references_with_a_content_word() -> None:
    found = reference_words(REFERENCES)
    assert found.of("1") == {"dog": 3, "runs": 2, "brown": 1, "running": 1, "fast": 1}
    assert found.of("2") == {"cat": 3, "sleeps": 2, "here": 1}
    assert most_important(found) == 3


def test_a_word_counts_where_it_is_tagged_as_content() -> None:
    found = reference_words({"1": [caption("light/JJ"), caption("light/IN"), caption("light/NN light/NN")]})
    assert found.of("1") == {"light": 2}


def test_local_recall_pools_words_or_averages_images() -> None:
    captions = {"1": [caption("a/DT dog/NN and/CC fast/RB")], "2": [caption("a/DT sofa/NN sleeps/VBZ")]}
    found = local_recall(captions, reference_words(REFERENCES))
    assert (found.words, found.recalled) == ((4, 2, 2), (1, 1, 1))
    assert found.micro == pytest.approx((1 / 4, 1 / 2, 1 / 2))
    assert found.macro == pytest.approx(((1 / 3 + 0 / 1) / 2, (0 + 1) / 2, (1 + 0) / 2))
    assert found.notes == ()


def test_a_generated_word_is_recalled_whatever_its_tag() -> None:
    captions = {"2": [caption("cat/VB")]}
    assert local_recall(captions, reference_words(REFERENCES)).micro[2] == 1.0


def test_local_precision_asks_whether_any_reference_has_the_word() -> None:
    captions = {"1": [caption("a/DT dog/NN on/IN grass/NN")], "2": [caption("cat/NN")]}
    found = local_recall(captions, reference_words(REFERENCES))
    assert found.micro_precision == pytest.approx(2 / 3)
    assert found.macro_precision == pytest.approx((1 / 2 + 1) / 2)


def test_a_word_that_a_reference_has_in_another_part_of_speech_is_supported() -> None:
    references = reference_words({"1": [caption("people/NNS near/IN water/NN")]})
    found = local_recall({"1": [caption("near/JJ sand/NN")]}, references)
    assert found.micro_precision == 1 / 2


def test_several_captions_of_an_image_count_as_one_with_all_their_words() -> None:
    captions = {"1": [caption("dog/NN"), caption("runs/VBZ")]}
    assert local_recall(captions, reference_words(REFERENCES)).micro[1:] == (1.0, 1.0)


def test_images_are_paired_by_id_and_the_others_are_named() -> None:
    captions = {"1": [caption("dog/NN")], "9": [caption("cat/NN")], "8": []}
    found = local_recall(captions, reference_words({**REFERENCES, "7": []}))
    assert found.images == 1
    assert found.notes == (
        "1 images with captions but no references were excluded",
        "1 images with references but no caption were excluded",
    )


def test_an_empty_caption_recalls_nothing_and_has_no_precision() -> None:
    found = local_recall({"2": [Caption((), ())]}, reference_words(REFERENCES))
    assert found.micro == (0.0, 0.0, 0.0)
    assert isnan(found.micro_precision)
    assert isnan(found.macro_precision)
    assert "the captions have no content word: local precision is undefined" in found.notes


def test_local_recall_without_a_common_image_is_undefined_with_a_note() -> None:
    found = local_recall({"9": [caption("dog/NN")]}, reference_words(REFERENCES))
    assert all(map(isnan, (*found.micro, *found.macro, found.micro_precision)))
    assert found.notes[0] == "no image has both a caption and references: recall is undefined"
    assert local_recall({}, reference_words({})).micro == ()


def test_a_class_without_words_is_undefined_and_classes_above_the_last_do_not_count() -> None:
    references = reference_words({"1": [caption("dog/NN")] * 3})
    found = local_recall({"1": [caption("dog/NN")]}, references, classes=4)
    assert found.words == (0, 0, 1, 0)
    assert found.micro[2] == 1.0
    assert isnan(found.micro[0])
    assert isnan(found.macro[3])
    assert found.notes == (
        "Loc1, Loc2, Loc4 undefined: no content word occurs in exactly this many references of an image",
    )
    assert local_recall({"1": [caption("dog/NN")]}, references, classes=2).words == (0, 0)
    with pytest.raises(UsageError, match="cannot be -1"):
        local_recall({}, references, classes=-1)


def test_universal_tags_leave_auxiliaries_out() -> None:
    text = Caption(
        ("dogs", "are", "being", "not", "walked", "has"),
        ("NNS", "VBP", "VBG", "RB", "VBN", "VBZ"),
        ("nsubj", "aux", "auxpass", "neg", "ROOT", "aux"),
    )
    assert content_words(text) == {"dogs", "are", "being", "not", "walked", "has"}
    assert content_words(text, tagset="universal") == {"dogs", "walked"}
    untied = Caption(text.words, text.tags)
    assert content_words(untied, tagset="universal") == {"dogs", "walked", "has"}


@pytest.mark.parametrize(
    ("word", "tag", "dep", "universal"),
    [
        ("while", "IN", "mark", "SCONJ"),
        ("on", "IN", "prep", "ADP"),
        ("Paris", "NNP", "", "PROPN"),
        (".", ".", "punct", "PUNCT"),
        ("?!", "unheard-of", "", "X"),
    ],
)
def test_a_fine_tag_has_a_universal_one(word: str, tag: str, dep: str, universal: str) -> None:
    assert universal_tag(word, tag, dep) == universal


def test_an_unknown_tag_set_is_refused() -> None:
    with pytest.raises(UsageError, match="no tag set 'penn'"):
        content_words(caption("dog/NN"), tagset="penn")  # type: ignore[arg-type]


def test_the_counts_of_images_add_up_to_local_recall() -> None:
    references = reference_words(REFERENCES)
    captions = {"1": [caption("a/DT dog/NN fast/RB")], "2": [caption("sleeps/VBZ")]}
    found = local_recall(captions, references)
    tallies, _ = local_counts(captions, references, classes=3)
    assert tallies.images == ["1", "2"]
    values = {name: value(tallies.rows.sum(axis=0)) for name, value in local_values(3).items()}
    assert values["local_micro_1"] == found.micro[0]
    assert values["local_macro_3"] == found.macro[2]
    assert values["local_precision"] == found.micro_precision
    assert values["local_precision_macro"] == found.macro_precision


EVALUATION = {"a": 9, "dog": 5, "cat": 4, "sofa": 2, "zebra": 1, ".": 9}
TRAINING = {"a": 90, "dog": 3, "cat": 50, "sofa": 4, "train": 7, ".": 80}


def test_global_recall_is_of_words_that_can_be_learned() -> None:
    found = global_recall(["a", "dog", "train", "zebra"], EVALUATION, training=TRAINING)
    assert (found.evaluation, found.learnable, found.recalled) == (5, 4, 2)
    assert (found.coverage, found.limit) == (2 / 4, 4 / 5)


def test_punctuation_is_a_word_in_the_paper_and_none_of_ours() -> None:
    found = global_recall(["a", "."], EVALUATION, training=TRAINING, mode="paper")
    assert (found.evaluation, found.learnable, found.coverage) == (6, 5, 2 / 5)
    assert global_recall(["a", "."], EVALUATION, training=TRAINING).coverage == 1 / 4


def test_parts_by_frequency_have_coverage_each_and_break_ties_by_alphabet() -> None:
    counts = {"d": 1, "c": 1, "b": 1, "a": 1, "top": 5}
    ours = global_recall(["top", "b", "d"], counts, training=counts, parts=2)
    assert ours.deciles == (1 / 2, 2 / 3)  # top a | b c d
    paper = global_recall(["top", "b", "d"], counts, training=counts, parts=2, mode="paper")
    assert paper.deciles == (2 / 3, 1 / 2)  # top a b | c d


def test_parts_of_the_paper_are_of_all_evaluation_words_and_ours_of_learnable_ones() -> None:
    evaluation, training = {"a": 4, "b": 3, "c": 2, "d": 1}, {"b": 1, "d": 1}
    paper = global_recall(["a", "b"], evaluation, training=training, parts=2, mode="paper")
    assert paper.deciles == (1 / 2, 0.0)
    assert global_recall(["a", "b"], evaluation, training=training, parts=2).deciles == (1.0, 0.0)


def test_fewer_words_than_parts_leave_empty_parts_undefined() -> None:
    found = global_recall(["a"], {"a": 1}, training={"a": 1}, mode="paper")
    assert found.deciles[0] == 1.0
    assert all(map(isnan, found.deciles[1:]))
    assert len(found.deciles) == 10
    assert found.notes == ("fewer than 10 words: some parts by frequency are empty and undefined",)


def test_coverage_without_training_captions_is_undefined_with_a_note() -> None:
    found = global_recall(["a"], {"a": 2, "b": 1}, parts=2)
    assert isnan(found.coverage)
    assert isnan(found.limit)
    assert found.learnable is None
    assert found.deciles == (1.0, 0.0)
    assert found.notes[0].startswith("no training captions")


def test_who_describes_nothing_has_no_coverage_and_who_says_nothing_has_none_of_it() -> None:
    counts = {"dog": 2, "cat": 1}
    nobody = global_recall(None, counts, training=counts, parts=2)
    assert nobody.recalled is None
    assert all(map(isnan, (nobody.coverage, *nobody.deciles)))
    assert nobody.limit == 1.0
    silent = global_recall([], counts, training=counts, parts=2)
    assert (silent.recalled, silent.coverage, silent.deciles) == (0, 0.0, (0.0, 0.0))


def test_coverage_of_nothing_learnable_is_undefined_with_a_note() -> None:
    found = global_recall(["a"], {"a": 1}, training={"b": 1}, parts=1)
    assert isnan(found.coverage)
    assert found.limit == 0.0
    assert found.notes == ("training and evaluation captions share no word: coverage is undefined",)
    with pytest.raises(UsageError, match="at least one part"):
        global_recall([], {}, parts=0)


def test_omitted_words_are_ranked_by_the_frequency_asked_for() -> None:
    learnable = EVALUATION.keys() & TRAINING.keys()
    assert omitted_words(["a"], TRAINING, learnable=learnable) == (("cat", 50), ("sofa", 4), ("dog", 3))
    by_evaluation = omitted_words(["a"], EVALUATION, learnable=learnable)
    assert by_evaluation == (("dog", 5), ("cat", 4), ("sofa", 2))


def misses() -> WordMisses:
    said = {(5, "man"): 90, (5, "hat"): 1, (4, "hat"): 7}
    missed = {(5, "man"): 10, (5, "hat"): 1, (5, "oar"): 2, (5, "owl"): 2, (5, "ant"): 1, (4, "dog"): 50}
    return WordMisses(said, missed)


def test_missed_words_are_ranked_by_count() -> None:
    ranked = by_count(misses(), 5)
    assert [omission.word for omission in ranked] == ["man", "oar", "owl", "ant", "hat"]
    assert (ranked[0].missed, ranked[0].occurrences, ranked[0].miss_ratio) == (10, 100, 0.1)


def test_missed_words_are_ranked_by_ratio_with_ties_to_the_more_frequent() -> None:
    assert [omission.word for omission in by_miss_ratio(misses(), 5)] == ["oar", "owl", "ant", "hat", "man"]
    assert [omission.word for omission in by_miss_ratio(misses(), 5, least=2)] == ["oar", "owl", "hat", "man"]


def test_misses_of_systems_and_of_parts_add() -> None:
    references = reference_words(REFERENCES)
    captions = {"1": [caption("a/DT dog/NN")], "2": [caption("cat/NN sleeps/VBZ")], "5": [caption("x/NN")]}
    whole = word_misses(captions, references)
    parts = [word_misses({image: captions[image]}, references) for image in captions]
    assert parts[0] + parts[1] + parts[2] == whole
    assert whole.said == {(3, "dog"): 1, (3, "cat"): 1, (2, "sleeps"): 1}
    twice = whole + whole
    assert [(omission.word, omission.missed) for omission in by_count(twice, 2)] == [("runs", 2)]


def test_word_use_is_told_by_log_likelihood() -> None:
    # Observed 20 of 100 against 10 of 200; expected 10 and 20.
    uses = {use.word: use for use in word_uses({"a": 20, "x": 80}, {"a": 10, "x": 190})}
    assert uses["a"].log_likelihood == pytest.approx(2 * (20 * log(20 / 10) + 10 * log(10 / 20)))
    assert (uses["a"].use, uses["a"].log_ratio) == ("over", 2.0)
    assert uses["x"].use == "under"


def test_a_word_that_one_side_lacks_is_used_infinitely_more_or_less() -> None:
    uses = {use.word: use for use in word_uses({"a": 6, "b": 4}, {"b": 5, "c": 5})}
    assert (uses["a"].log_ratio, uses["c"].log_ratio) == (inf, -inf)
    assert uses["a"].log_likelihood == pytest.approx(2 * 6 * log(6 / 3))


def test_words_used_alike_and_rare_words_are_told_apart_from_findings() -> None:
    uses = word_uses({"same": 10, "b": 8, "rare": 2}, {"same": 20, "b": 19, "c": 1})
    assert [use.word for use in uses] == ["b", "same"]
    assert (uses[1].use, uses[1].log_likelihood) == ("equal", 0.0)
    assert word_uses({}, {"a": 9}) == ()


@pytest.mark.model
def test_categories_are_recalled_where_references_use_them() -> None:
    """Of five references, five tell an age and three a mood of one image, one a height of the other."""
    references = {
        "1": ["a young happy man", "a young happy man", "a happy young woman", "a young man", "a young man"],
        "2": ["a tall man", "a man", "a dog", "a man", "a man"],
    }
    systems = {
        "good": {"1": "a young man", "2": "a tall man"},
        "poor": {"1": "a happy dog", "2": "an old man"},
    }
    found = assess.recall(systems, references={"people": references}, domain="people").categories
    assert found is not None
    good, poor = found.systems["good"], found.systems["poor"]
    assert found.classes == 5
    assert (good.uses[5], good.uses[3], good.uses[1]) == (1, 1, 1)  # age; mood; height
    assert (good.micro[5], good.micro[3], good.micro[1]) == (1, 0, 1)
    assert good["category_majority"] == 1 / 2  # of age and mood
    assert good.categories["age"].recall == 1
    assert good.categories["mood"].recall == 0
    assert (good["category_precision"], poor["category_precision"]) == (
        1,
        0,
    )  # an old man: nobody told an age
    assert (good["combinations"], good["combinations_used"]) == (1, 0)
    assert good.never == (("age + mood", 3),)
    assert found.combinations_of == "references"


@pytest.mark.model
def test_combinations_are_those_of_the_training_captions_where_they_are_given() -> None:
    training = ["a young happy man", "a tall young man", "a tall young woman", "a man"]
    systems = {"system": {"1": "a young tall boy", "2": "a happy bearded man"}}
    references = {"1": ["a man"], "2": ["a man"]}
    result = assess.recall(
        systems,
        references={"people": references},
        train={"train": dict(enumerate(training))},
        domain="people",
    )
    assert result.categories is not None
    row = result.categories.systems["system"]
    assert (row["combinations"], row["combinations_used"], row["combinations_new"]) == (2, 1, 1)
    assert row["combination_labels"] == pytest.approx(2 / 3)
    assert row.never == (("age + mood", 1),)
    assert str(result.signature.taxonomy).startswith("people@")
    with pytest.raises(ValidationError):
        CategoryRecall.model_validate(result.categories.model_dump() | {"classes": 10**15})
    assert assess.recall(systems, references={"people": references}).categories is None


def test_recall_of_words_that_most_references_have() -> None:
    captions = {"1": [caption("a/DT dog/NN and/CC fast/RB")], "2": [caption("a/DT sofa/NN sleeps/VBZ")]}
    tallies = local_counts(captions, reference_words(REFERENCES), classes=3)[0]
    # dog and runs of the first image, cat and sleeps of the second: two or three of three references.
    assert local_values(3)["local_majority"](tallies.rows.sum(axis=0)) == 2 / 4

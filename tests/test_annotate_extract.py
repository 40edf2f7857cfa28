"""Annotations equal those of the full stock pipeline, for any text and regardless of other texts."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from assess.annotate import Annotator, choose_model, extract, shortcuts
from assess.annotate.shortcuts import RuleNotUnderstoodError
from assess.errors import InputError
from assess.records import Annotation, Chunk, Depth
from tests.properties import examples

pytestmark = pytest.mark.model

ODD_CAPTIONS = (
    "",
    " ",
    "\n\n\t ",
    "man",
    "?!",
    "There are two dogs, and there's a third one; there is nothing else.",
    "Someone who is nobody's friend gave everyone something. That was that.",
    "This is his; these are theirs. Which one isn't?",
    "a man\nriding  a \t horse\r\n near  the sea ",
    "A 90-year-old woman's t-shirt, her mother-in-law's hat & a half-eaten sandwich",
    "DOGS CHASE CATS IN THE PARK",
    "do does did had have has 'd been being",
    "two dogs, three cats and a horse or a cow conjoin with it and them",
    "the man to the left, the one with whom she is, whose dog it was",
    "Y'all ain't gonna wanna see what I've gotta show 'em",
    "\x00man\x00 a\x00dog",
    "\x1b[31mred man\x1b[0m \x1b]0;title\x07 runs",
    "a \U0001f468\u200d\U0001f469\u200d\U0001f467 family \U0001f600\U0001f600 smiles \ufe0f",
    "\u05d0\u05d9\u05e9 \u202egnola gnimoc \u0631\u062c\u0644 man",
    "http://example.org/a/b?c=d user@example.org #hashtag @someone 3:45pm $5.00 50%",
    "a" * 300 + " " + "!" * 200,
    "word " * 290,
    "<unk> a man <unk> <unk> .",
    "a man . . . a woman -- a dog ... (a cat) [a cow] \"a horse\" 'a pig'",
)


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    return Annotator()


@pytest.fixture(scope="module")
def stock() -> Any:
    return spacy.load(choose_model())


def by_stock(pipeline: Any, texts: list[str]) -> Iterator[Annotation]:
    """Yield spaCy's own results, with all components and through its public API."""
    for doc in pipeline.pipe(texts, batch_size=100):
        yield Annotation(
            words=tuple(token.text for token in doc),
            offsets=tuple(token.idx for token in doc),
            tags=tuple(token.tag_ for token in doc),
            chunks=tuple(Chunk(chunk.start_char, chunk.end_char) for chunk in doc.noun_chunks),
            heads=tuple(token.head.i for token in doc),
            deps=tuple(token.dep_ for token in doc),
        )


def test_a_caption_is_annotated(annotator: Annotator) -> None:
    (annotation,) = annotator.annotate(["A tall man rides two horses."])
    assert annotation == Annotation(
        words=("A", "tall", "man", "rides", "two", "horses", "."),
        offsets=(0, 2, 7, 11, 17, 21, 27),
        tags=("DT", "JJ", "NN", "VBZ", "CD", "NNS", "."),
        chunks=(Chunk(0, 10), Chunk(17, 27)),
        heads=(2, 2, 3, 3, 5, 3, 3),
        deps=("det", "amod", "nsubj", "ROOT", "nummod", "dobj", "punct"),
    )


def test_odd_captions_are_annotated_as_by_the_full_pipeline(annotator: Annotator, stock: Any) -> None:
    texts = list(ODD_CAPTIONS)
    assert list(annotator.annotate(texts)) == list(by_stock(stock, texts))


WORDS = (
    "a The two man dogs someone nobody there is are was it which that who whose have does to and",
    ", . 's n't 2 of with he's white running his NOTHING \U0001f600",
)
PIECES = st.sampled_from([*" ".join(WORDS).split(), "\n", ""])


@examples(25)
@given(texts=st.lists(st.lists(PIECES, max_size=12).map(" ".join), min_size=1, max_size=20))
def test_made_up_word_salad_is_annotated_as_by_the_full_pipeline(
    annotator: Annotator, stock: Any, texts: list[str]
) -> None:
    assert list(annotator.annotate(texts)) == list(by_stock(stock, texts))


@examples(25)
@given(texts=st.lists(st.tuples(st.lists(PIECES, max_size=12).map(" ".join), st.sampled_from(Depth))))
def test_what_is_asked_of_one_text_changes_neither_it_nor_the_others(
    annotator: Annotator, stock: Any, texts: list[tuple[str, Depth]]
) -> None:
    wanted = dict(texts)
    found = annotator.annotate(wanted, depth=wanted.__getitem__)
    expected = zip(by_stock(stock, list(wanted)), wanted.values(), strict=True)
    assert list(found) == [whole.up_to(depth) for whole, depth in expected]


def test_annotations_come_in_the_order_of_the_texts_with_repeats(annotator: Annotator) -> None:
    texts = ["zebras run", "a man", "zebras run", "", "a man", "cats"]
    words = [" ".join(annotation.words) for annotation in annotator.annotate(iter(texts))]
    assert words == texts


def test_nothing_in_gives_nothing_out(annotator: Annotator) -> None:
    assert list(annotator.annotate([])) == []
    assert annotator.annotate_distinct([]) == {}


def test_annotations_do_not_depend_on_batches_and_order(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = list(ODD_CAPTIONS)
    expected = annotator.annotate_distinct(texts)
    random.Random(5).shuffle(texts)
    for size in (1, 3, 10):
        monkeypatch.setattr(extract, "BATCH_TEXTS", size)
        monkeypatch.setattr(extract, "BLOCK_TEXTS", size * 2)
        assert annotator.annotate_distinct(texts) == expected


def test_distinct_texts_are_annotated_once_in_order_of_first_occurrence(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    annotate_batch = annotator._annotate_batch

    def recording_batch(batch: dict[str, Depth]) -> dict[str, Annotation]:
        seen.extend(batch)
        return annotate_batch(batch)

    monkeypatch.setattr(annotator, "_annotate_batch", recording_batch)
    annotations = annotator.annotate_distinct(["two cats", "a dog", "two cats", "a dog", "two cats"])
    assert list(annotations) == ["two cats", "a dog"]
    assert sorted(seen) == ["a dog", "two cats"]


def test_progress_adds_up_to_the_number_of_texts(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extract, "BATCH_TEXTS", 2)
    advances: list[int] = []
    texts = ["a dog", "two cats", "a dog", "the cow", "my horse"]
    list(annotator.annotate(texts, progress=advances.append))
    assert sum(advances) == 5
    assert len(advances) == 2


def test_texts_are_taken_as_annotations_are_asked_for(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extract, "BLOCK_TEXTS", 2)
    taken: list[str] = []

    def texts() -> Iterator[str]:
        for text in ("a dog", "a cat", "a cow", "a pig", "a hen", "an ox"):
            taken.append(text)
            yield text

    next(annotator.annotate(texts()))
    assert len(taken) == 3  # one block, and the text that exceeded it


def test_a_lone_surrogate_does_not_stop_the_others(annotator: Annotator) -> None:
    first, second = annotator.annotate(["a \ud83d dog", "a cat"])
    assert first.words == ("a", "\ufffd", "dog")
    assert second.words == ("a", "cat")


def test_texts_that_differ_only_in_lone_surrogates_stay_apart(annotator: Annotator) -> None:
    assert list(annotator.annotate_distinct(["a \ud83d dog", "a \ud83c dog"])) == [
        "a \ud83d dog",
        "a \ud83c dog",
    ]


def test_a_line_of_ten_thousand_characters_is_annotated(annotator: Annotator) -> None:
    text = "A dog sees a cat. " * 556
    (annotation,) = annotator.annotate([text])
    assert len(annotation.chunks) == 2 * 556
    assert all(text[chunk.start : chunk.end] in {"A dog", "a cat"} for chunk in annotation.chunks)


def test_a_text_beyond_the_limit_is_an_error_that_shows_its_beginning(annotator: Annotator) -> None:
    with pytest.raises(InputError) as caught:
        list(annotator.annotate(["a dog", "\x1b cat " * 200_000]))
    message = str(caught.value)
    assert message.startswith("a text of 1,200,000 characters is too long for a caption (at most 300 words")
    assert "\x1b" not in message
    assert "hint:" in message


def test_a_text_at_the_limit_is_annotated(annotator: Annotator) -> None:
    (annotation,) = annotator.annotate(["x" * 10 + " " * 999_990])
    assert annotation.words[0] == "x" * 10
    assert annotation.chunks == (Chunk(0, 10),)


def test_new_words_are_forgotten_once_enough_are_known(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(annotator.annotate(ODD_CAPTIONS))
    monkeypatch.setattr(annotator, "_familiar", 0)
    known = len(annotator._pipeline.vocab.strings)
    for number in range(3):
        list(annotator.annotate([f"a qwx{number}zv{place} dog" for place in range(50)]))
    assert len(annotator._pipeline.vocab.strings) == known
    assert list(annotator.annotate(ODD_CAPTIONS)) == expected


def test_a_failing_progress_callback_leaves_the_annotator_usable(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotator, "_familiar", 0)

    def cancel(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(annotator.annotate(["a zqv dog"], progress=cancel))
    (annotation,) = annotator.annotate(["a zqv dog"])
    assert annotation.words == ("a", "zqv", "dog")


def test_a_ruler_that_is_not_understood_is_run_as_it_is(stock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise RuleNotUnderstoodError

    monkeypatch.setattr(shortcuts, "compile_rules", refuse)
    monkeypatch.setattr(shortcuts, "_understood", lambda _: False)
    plain = Annotator()
    assert plain._pipeline.pipe_names == ["tok2vec", "tagger", "parser", "attribute_ruler"]
    assert plain._pipeline.get_pipe("tok2vec").model.name != "distinct_windows"
    expected = list(by_stock(stock, list(ODD_CAPTIONS)))
    assert list(plain.annotate(ODD_CAPTIONS)) == expected
    tagged = plain.annotate(ODD_CAPTIONS, depth=lambda _: Depth.TAGS)
    assert list(tagged) == [whole.up_to(Depth.TAGS) for whole in expected]


def test_where_a_tag_depends_on_a_relation_the_parser_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    understood = shortcuts.compile_rules
    rule = {"patterns": [[{"DEP": "nsubj"}]], "attrs": {"TAG": "XX"}, "index": 0}
    monkeypatch.setattr(shortcuts, "compile_rules", lambda rules: understood([*rules, rule]))
    (annotation,) = Annotator().annotate(["A man rides."], depth=lambda _: Depth.TAGS)
    assert annotation.tags == ("DT", "XX", "VBZ", ".")
    assert not annotation.heads


def test_the_fast_ways_are_in_use(annotator: Annotator) -> None:
    assert annotator._pipeline.pipe_names == ["tok2vec", "tagger", "parser"]
    assert annotator._pipeline.get_pipe("tok2vec").model.name == "distinct_windows"


def read_json(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def every(texts: Iterator[str], count: int) -> list[str]:
    """Return about `count` distinct texts, spread evenly over all texts."""
    distinct = list(dict.fromkeys(texts))
    return distinct[:: max(1, len(distinct) // count)]


def real_captions(data: Path) -> dict[str, list[str]]:
    coco = data / "coco_val2014"
    systems = [*sorted((coco / "systems").glob("*.json.gz")), *sorted((coco / "modern").glob("*.json.gz"))]
    captions = {path.name: every((row["caption"] for row in read_json(path)), 25) for path in systems}
    references = read_json(coco / "references.json.gz")["annotations"]
    captions["references"] = every((row["caption"] for row in references), 350)
    markup = re.compile(r"\[/EN#\S+ ([^\]]*)\]")
    with gzip.open(data / "flickr30k_entities" / "sentences.tsv.gz", "rt", encoding="utf-8") as file:
        sentences = (markup.sub(r"\1", line.rstrip("\n").partition("\t")[2]) for line in file)
        captions["flickr"] = every(sentences, 350)
    return captions


@pytest.mark.data
def test_real_captions_are_annotated_as_by_the_full_pipeline(
    annotator: Annotator, stock: Any, shared_data: Path
) -> None:
    captions = real_captions(shared_data)
    texts = list(dict.fromkeys(text for part in captions.values() for text in part))
    assert len(texts) > 1_000
    annotations = annotator.annotate_distinct(texts)
    expected = dict(zip(texts, by_stock(stock, texts), strict=True))
    assert [text for text in texts if annotations[text] != expected[text]] == []

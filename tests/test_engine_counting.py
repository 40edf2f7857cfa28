"""Counts of partitions add up to the counts of the whole, in whatever groups they are added."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.annotate.extract import LONGEST_TEXT
from assess.corpus import CaptionReader, Partition, Source, parse_source
from assess.corpus.partition import cut, whole_files
from assess.engine.corpora import WordReader
from assess.engine.partitions import Counts, merge
from assess.errors import InputError
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.measures.cluster import WordCounts, count_words
from assess.measures.coverage.run import LabelCounts, Labeller, count_labels
from assess.measures.diversity.ordered import windowed_ttr
from assess.measures.diversity.tokens import encode
from assess.records import Annotation, Mention
from assess.taxonomy import load_taxonomy
from benchmarks.quick_annotation import QuickAnnotations
from tests.properties import examples

TEXTS = ["a tall man", "a happy woman and a dog", "", "two old men", "a red car", "the young girl"]
CAPTIONS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(TEXTS)), min_size=1, max_size=30)
Rows = list[tuple[Mention, str]]


@pytest.fixture(scope="module")
def labeller() -> Labeller:
    return Labeller(QuickAnnotations(), LabelFinder(Parser(load_taxonomy("people"))))


@pytest.fixture(scope="module")
def reader() -> WordReader:
    return WordReader()


def write(path: Path, captions: list[tuple[int, str]]) -> Source:
    rows = (json.dumps({"image_id": image, "caption": text}) + "\n" for image, text in captions)
    path.write_text("".join(rows), encoding="utf-8")
    return parse_source(f"s={path}")


def counted(reader: CaptionReader, labeller: Labeller) -> LabelCounts:
    rows: Rows = []
    counts = count_labels(
        reader, labeller, by_image=True, mentions=lambda mention, text: rows.append((mention, text))
    )
    counts.rows = [
        (Mention(m.system, m.image, m.caption - reader.before, m.start, m.end, m.text), text)
        for m, text in rows
    ]
    return counts


def in_groups(parts: list[Counts], size: int) -> Counts:
    """Add counts up in a tree."""
    while len(parts) > 1:
        parts = [merge(parts[place : place + size]) for place in range(0, len(parts), size)]
    return parts[0]


def partitions_of(source: Source, size: int) -> tuple[list[Partition], str | None]:
    found = cut(whole_files(source)[0], size)
    return list(found.partitions), found.sha256


@examples(50)
@given(captions=CAPTIONS, size=st.integers(1, 300), group=st.integers(2, 4))
def test_labels_of_partitions_add_up(
    captions: list[tuple[int, str]],
    size: int,
    group: int,
    labeller: Labeller,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    source = write(tmp_path_factory.mktemp("count") / "s.jsonl", captions)
    whole = counted(CaptionReader(source), labeller)
    partitions, sha256 = partitions_of(source, size)
    total = in_groups([counted(CaptionReader(p.source, p), labeller) for p in partitions], group)
    assert isinstance(total, LabelCounts)
    if sha256 is not None:
        total.corpus.hashes[0] = sha256
    assert total.summary == whole.summary
    assert total.tally == whole.tally
    assert list(total.tally.labels) == list(whole.tally.labels)  # also in order of first sight
    assert (total.table.images, total.table.texts) == (whole.table.images, whole.table.texts)
    for ours, theirs in zip(total.table.columns, whole.table.columns, strict=True):
        assert ours.tolist() == theirs.tolist()
    assert total.table.draw(seed=1).tolist() == whole.table.draw(seed=1).tolist()
    assert total.rows == whole.rows


def test_adding_up_leaves_the_parts_as_they_are(labeller: Labeller, tmp_path: Path) -> None:
    source = write(tmp_path / "s.jsonl", [(1, TEXTS[0]), (2, TEXTS[1])])
    parts = [counted(CaptionReader(source), labeller) for _ in range(2)]
    first, second = merge(parts), merge(parts)
    assert parts[0].tally.captions == 2
    assert first.tally == second.tally
    assert first.rows == second.rows


class TooLong(QuickAnnotations):
    """Refuses long texts, as the model does."""

    def annotate(self, texts: Sequence[str], *, progress: object = None) -> Iterator[Annotation]:
        if max(map(len, texts)) > LONGEST_TEXT:
            raise InputError("a text is too long")
        return super().annotate(texts)


def test_a_caption_that_cannot_be_read_names_its_record_in_the_file(
    labeller: Labeller, tmp_path: Path
) -> None:
    texts = [*TEXTS[:2] * 10, "x" * (LONGEST_TEXT + 1), TEXTS[0]]
    source = write(tmp_path / "s.jsonl", list(enumerate(texts)))
    strict = Labeller(TooLong(), labeller.finder)
    guilty = [p for p in partitions_of(source, 200)[0] if p.opening.records <= 20][-1]
    assert guilty.opening.records > 0
    with pytest.raises(InputError, match=r"s\.jsonl: record 21: a text is too long"):
        counted(CaptionReader(guilty.source, guilty), strict)


@pytest.mark.model
@examples(20)
@given(captions=CAPTIONS, size=st.integers(1, 300), window=st.integers(2, 9))
def test_windows_of_words_run_over_the_ends_of_partitions(
    captions: list[tuple[int, str]],
    size: int,
    window: int,
    reader: WordReader,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    source = write(tmp_path_factory.mktemp("words") / "s.jsonl", captions)
    whole = reader.read(source)
    partitions, sha256 = partitions_of(source, size)
    parts = [count_words(CaptionReader(p.source, p), reader, texts=True) for p in partitions]
    total = in_groups(list(parts), 3)
    assert isinstance(total, WordCounts)
    if sha256 is not None:
        total.corpus.hashes[0] = sha256
    found = total.words()
    assert (found.summary, found.images, found.texts) == (whole.summary, whole.images, whole.texts)
    assert found.words == whole.words
    for length in (1, 2):
        ours = windowed_ttr(encode(found.words), length=length, window=window)
        theirs = windowed_ttr(encode(whole.words), length=length, window=window)
        assert ours == pytest.approx(theirs, rel=0, abs=0, nan_ok=True)

"""The readers on the research data, where it is beside the checkout."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from assess.corpus import CaptionReader, check_names, parse_source
from assess.errors import InputError

pytestmark = pytest.mark.data


def test_the_nine_systems_have_one_caption_an_image(shared_data: Path) -> None:
    files = sorted((shared_data / "coco_val2014" / "systems").glob("*.json.gz"))
    sources = [parse_source(str(file)) for file in files]
    check_names(sources)
    assert len(sources) == 9
    for source in sources:
        reader = CaptionReader(source)
        assert sum(1 for _ in reader) == 40_504
        summary = reader.summary
        assert (summary.format, summary.captions, summary.images) == ("coco-results", 40_504, 40_504)
        assert summary.name == Path(source.path).name.removesuffix(".json.gz")


def test_the_references_have_five_or_more_captions_an_image(shared_data: Path) -> None:
    reader = CaptionReader(parse_source(str(shared_data / "coco_val2014" / "references.json.gz")))
    assert sum(1 for _ in reader) == 202_654
    assert reader.summary.format == "coco-annotations"
    assert (reader.summary.images, reader.summary.repeated) == (40_504, 202_654 - 40_504)


def test_marked_phrases_of_flickr30k_entities_are_the_marked_words(shared_data: Path) -> None:
    path = shared_data / "flickr30k_entities" / "sentences.tsv.gz"
    reader = CaptionReader(parse_source(str(path), gold=True))
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for caption, line in zip(reader, lines, strict=True):
            key, _, marked = line.rstrip("\n").partition("\t")
            # Told apart from the reader's own way: by splitting at the brackets.
            inside = [piece.split("]")[0] for piece in marked.split("[")[1:]]
            assert [caption.text[span.start : span.end] for span in caption.gold] == [
                piece.partition(" ")[2] for piece in inside
            ]
            assert ["/EN#" + "/".join((span.entity, *span.types)) for span in caption.gold] == [
                piece.partition(" ")[0] for piece in inside
            ]
            assert caption.text == re.sub(r"\[\S+ |\]", "", marked)
            assert caption.image == key.partition("#")[0]
    assert reader.summary.format == "flickr30k-entities"
    assert (reader.summary.captions, reader.summary.images) == (26_783 * 5, 26_783)


def test_a_file_of_split_ids_is_not_read_as_captions(shared_data: Path) -> None:
    path = str(shared_data / "coco_val2014" / "karpathy_split.json.gz")
    with pytest.raises(
        InputError, match="in no known caption format: 'karpathy_test' is a list with the number"
    ):
        list(CaptionReader(parse_source(path)))
    for name in ("mapping", "coco-annotations", "karpathy", "jsonl", "coco-results"):
        with pytest.raises(InputError):
            list(CaptionReader(parse_source(path, format=name)))

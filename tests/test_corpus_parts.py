"""Systems that consist of several files."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from assess.corpus import CaptionReader, Source, parse_source
from assess.errors import InputError, Place, UsageError
from tests.problems import first_line


def line(image: int, text: str) -> str:
    return json.dumps({"image_id": image, "caption": text}) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parts = tmp_path / "crawl"
    parts.mkdir()
    (parts / "b.jsonl").write_text(line(1, "a dog") + line(3, ""), encoding="utf-8")
    (parts / "a.jsonl.gz").write_bytes(gzip.compress((line(1, "a cat") + line(2, "a man")).encode()))
    (parts / "_SUCCESS").write_text("")
    (parts / ".hidden").write_text("not captions")
    (parts / "deeper").mkdir()
    return parts


def test_a_folder_is_read_file_by_file_in_order_of_names(folder: Path) -> None:
    reader = CaptionReader(parse_source(str(folder)))
    found = [(caption.record, caption.image, caption.text) for caption in reader]
    assert found == [(1, "1", "a cat"), (2, "2", "a man"), (3, "1", "a dog"), (4, "3", "")]
    summary = reader.summary
    assert (summary.name, summary.format, summary.captions) == ("crawl", "jsonl", 4)
    assert (summary.images, summary.repeated, summary.empty) == (3, 1, 1)
    hashes = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("a.jsonl.gz", "b.jsonl")]
    assert summary.sha256 == hashlib.sha256("\n".join(hashes).encode()).hexdigest()
    alone = CaptionReader(parse_source(str(folder / "b.*")))
    assert [caption.text for caption in alone] == ["a dog", ""]
    assert (alone.summary.sha256, alone.summary.name) == (hashes[1], "crawl")


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    path = tmp_path / "beam[5].txt"
    path.write_text("a cat\n", encoding="utf-8")
    assert parse_source(str(path)) == Source("beam[5]", str(path))


def test_lines_of_several_texts_have_ids_of_their_own(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("a cat\na dog\n", encoding="utf-8")
    captions = list(CaptionReader(parse_source(f"x={tmp_path}")))
    assert [caption.image for caption in captions] == ["a.txt:1", "a.txt:2", "b.txt:1", "b.txt:2"]


def test_what_cannot_be_read_in_parts_is_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this folder contains no files"):
        parse_source(str(folder / "deeper"))
    with pytest.raises(InputError, match="no file matches this pattern"):
        parse_source(str(tmp_path / "*.jsonl"))
    with pytest.raises(UsageError, match=r"--split cannot be used with .* 2 files"):
        parse_source(str(folder), split="test")


def test_parts_in_two_formats_are_an_error_that_names_both(folder: Path) -> None:
    (folder / "c.csv").write_text("image_id,caption\n7,a cat\n", encoding="utf-8")
    told = first_line(list, CaptionReader(parse_source(str(folder))))
    assert told.startswith(f"{folder / 'c.csv'}: this file has the format 'csv', but ")
    assert told.endswith("a.jsonl.gz has 'jsonl'")


def test_a_mistake_names_the_part_and_the_record_there(folder: Path) -> None:
    (folder / "b.jsonl").write_text(line(1, "a dog") + "{not json}\n", encoding="utf-8")
    told = first_line(list, CaptionReader(parse_source(str(folder))))
    assert told.startswith(f"{folder / 'b.jsonl'}:2:2: record 2: not valid JSON")


def test_an_error_about_a_caption_is_placed_in_its_part(folder: Path) -> None:
    source = parse_source(str(folder))
    reader = CaptionReader(source)
    list(reader)
    error = reader.placed(InputError("too long", place=Place(source.file, record=4)))
    assert error.problems[0].place == Place(str(folder / "b.jsonl"), record=2)
    error = reader.placed(InputError("too long", place=Place(source.file, record=2)))
    assert error.problems[0].place == Place(str(folder / "a.jsonl.gz"), record=2)

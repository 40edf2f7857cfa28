"""Captions in Parquet tables."""

from __future__ import annotations

import hashlib
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from assess.corpus import CaptionReader, parse_source
from assess.errors import InputError, MissingPartError, UsageError
from tests.test_corpus_formats import read_pairs

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow (the tables extra)")
parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow (the tables extra)")


def write(path: Path, columns: dict[str, list[Any]], **options: Any) -> Path:
    parquet.write_table(pyarrow.table(columns), path, **options)
    return path


def test_a_table_is_recognised_and_its_columns_found(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "id": [10, 11],
        "image_id": [7, 9],
        "caption": ["two men", "a cat"],
        "score": [0.5, 0.1],
    }
    path = write(tmp_path / "captions", columns)
    reader = CaptionReader(parse_source(str(path)))
    assert [(c.image, c.text, c.record) for c in reader] == [("7", "two men", 1), ("9", "a cat", 2)]
    assert reader.summary.format == "parquet"
    assert reader.summary.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_row_may_have_several_captions(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"image": ["7.jpg"], "captions": [["two men", "a cat"]]})
    assert read_pairs(path) == [("7.jpg", "two men"), ("7.jpg", "a cat")]


def test_columns_and_split_can_be_chosen(tmp_path: Path) -> None:
    columns = {"photo": ["x", "y"], "said": ["a man", "a dog"], "split": ["test", "val"]}
    path = write(tmp_path / "a.parquet", columns)
    chosen = read_pairs(path, id_field="photo", caption_field="said", split="val")
    assert chosen == [("y", "a dog")]


def test_a_null_names_its_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"image_id": [1, 2], "caption": ["a man", None]})
    with pytest.raises(InputError, match=r"a\.parquet: record 2: 'caption' must be .* not null"):
        read_pairs(path)


def test_a_table_without_captions_says_what_it_has(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"image_id": [1], "words": ["a man"]})
    with pytest.raises(InputError, match="no field is known as the caption"):
        read_pairs(path)


def test_another_format_is_not_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a man\n", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_pairs(path, format="parquet")
    table = write(tmp_path / "a.parquet", {"image_id": [1], "caption": ["a man"]})
    with pytest.raises(InputError, match="this is a Parquet table, not text"):
        read_pairs(table, format="jsonl")


def test_an_option_without_meaning_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"image_id": [1], "caption": ["a man"]})
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question_id": 1, "image": "1.jpg"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="--join has no meaning"):
        read_pairs(path, join=str(questions))


def test_standard_input_cannot_be_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"PAR1")))
    with pytest.raises(InputError, match="cannot be read from standard input"):
        list(CaptionReader(parse_source("x=-", format="parquet")))


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.parquet", {"image_id": [1], "caption": ["a man"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPartError, match=r"assess\[tables\]"):
        read_pairs(path)

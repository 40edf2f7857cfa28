"""Bytes, text and lines: compression, encodings and line endings."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.corpus.files import CHUNK, StoredFile, decoded, filled_lines, lines, raw_lines
from assess.corpus.tables import table_rows
from assess.errors import InputError
from tests.test_corpus_formats import read_pairs

LINES = "a café\na 👩🏽‍🚀\nرجل\n"
PAIRS = [("1", "a café"), ("2", "a 👩🏽‍🚀"), ("3", "رجل")]


def pieces_of(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8-sig"),
        (b"", "utf-16"),
        (b"", "utf-32"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
    ],
)
def test_a_byte_order_mark_tells_the_encoding(mark: bytes, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "marked"
    path.write_bytes(mark + LINES.encode(encoding))
    assert read_pairs(path) == PAIRS


def test_a_mark_before_a_table_is_not_part_of_its_first_name(tmp_path: Path) -> None:
    path = tmp_path / "excel.csv"
    path.write_bytes("image_id;caption\r\n1;a café\r\n".encode("utf-8-sig"))
    assert read_pairs(path) == [("1", "a café")]


@given(st.text(), st.integers(1, 9), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_text_does_not_depend_on_the_pieces_of_its_bytes(text: str, size: int, encoding: str) -> None:
    # A mark at the start is no text, and the mark of UTF-16 before a NUL is the mark of UTF-32.
    text = "x" + text
    assert "".join(decoded(pieces_of(text.encode(encoding), size), file="x")) == text


@given(st.text(min_size=1), st.integers(1, 9), st.integers(0, 255), st.data())
def test_the_place_of_a_bad_byte_does_not_depend_on_the_pieces(
    text: str, size: int, byte: int, data: st.DataObject
) -> None:
    whole = b"x" + text.encode()
    offset = data.draw(st.integers(1, len(whole)))
    broken = whole[:offset] + bytes([byte]) + whole[offset:]

    def outcome(size: int) -> object:
        try:
            return "".join(decoded(pieces_of(broken, size), file="x"))
        except InputError as error:
            place = error.problems[0].place
            assert place is not None
            return error.problems[0].message, place.line, place.column

    assert outcome(size) == outcome(1 << 20)


@given(st.lists(st.text("a\r\n \x85\u2028", max_size=5)), st.integers(1, 9))
def test_blank_lines_are_skipped_but_counted(chunks: list[str], start: int) -> None:
    numbered = enumerate(lines(iter(chunks), file="f"), start)
    filled = [(number, line) for number, line in numbered if line.strip()]
    assert list(filled_lines(iter(chunks), file="f", start=start)) == filled


def test_empty_lines_between_rows_never_reach_the_csv_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[str] = []
    real = csv.reader

    def spied(rows: Iterator[str], **how: Any) -> Any:
        return real((passed.append(line) or line for line in rows), **how)  # type: ignore[func-returns-value]

    monkeypatch.setattr(csv, "reader", spied)
    text = ["\n", "1,a\n", "\n", "\r\n", '2,"b\n', "\n", 'c"\r\n', "\n", " \n", "\n"]
    rows = [(row.value, row.place().line) for row in table_rows(iter(text), delimiter=",", file="f")]
    assert rows == [(["1", "a"], 3), (["2", "b\n\nc"], 6), ([" "], 10)]
    assert passed == ["1,a\n", '2,"b\n', "\n", 'c"\r\n', " \n"]


@given(st.lists(st.text("a\r\n\x85\u2028", max_size=5)))
def test_only_line_feeds_end_lines(chunks: list[str]) -> None:
    text = "".join(chunks)
    assert "".join(raw_lines(iter(chunks), file="f")) == text
    expected = text.split("\n")
    if not expected[-1]:
        expected.pop()
    assert [line.removesuffix("\n") for line in raw_lines(iter(chunks), file="f")] == expected
    ended = [line.removesuffix("\r") for line in expected]
    # A carriage return is a line's end only before a line feed.
    if expected and not text.endswith("\n"):
        ended[-1] = expected[-1]
    assert list(lines(iter(chunks), file="f")) == ended


def unpacked(data: bytes) -> list[bytes]:
    return list(StoredFile(io.BytesIO(data), file="x").chunks())


def test_several_gzip_members_and_padding_are_one_text() -> None:
    data = gzip.compress(b"") + gzip.compress(b"a") + gzip.compress(b" cat") + bytes(CHUNK * 2)
    assert b"".join(unpacked(data)) == b"a cat"
    assert b"".join(unpacked(gzip.compress(b"a") + bytes(9) + gzip.compress(b"b"))) == b"ab"


def test_a_well_packed_file_is_unpacked_in_small_pieces() -> None:
    pieces = unpacked(gzip.compress(bytes(50_000_000)))
    assert sum(map(len, pieces)) == 50_000_000
    assert max(map(len, pieces)) <= CHUNK


def test_a_file_named_gz_that_is_not_packed_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "captions.txt.gz"
    path.write_text("a cat\n", encoding="utf-8")
    assert read_pairs(path) == [("1", "a cat")]

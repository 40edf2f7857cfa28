"""A file that is cut anywhere gives the same captions, hashes and errors as the whole file."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, parse_source
from assess.corpus import captions as distinct
from assess.corpus.captions import DistinctCounter
from assess.corpus.partition import cut, divides, whole_files
from assess.errors import InputError
from assess.records import Caption
from tests.problems import the_problem
from tests.properties import examples

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), min_size=1, max_size=12)


def read_whole(path: Path, format_: str | None = None) -> tuple[list[Caption], CorpusSummary]:
    reader = CaptionReader(parse_source(f"x={path}", format=format_))
    return list(reader), reader.summary


def read_cut(path: Path, size: int, format_: str | None = None) -> tuple[list[Caption], CorpusSummary, int]:
    """Read a file partition by partition."""
    found = cut(whole_files(parse_source(f"x={path}", format=format_))[0], size)
    captions: list[Caption] = []
    total = CorpusTally("x")
    for partition in found.partitions:
        reader = CaptionReader(partition.source, partition)
        captions += reader
        total.add(reader.tally)
    if found.sha256 is not None:
        total.hashes[0] = found.sha256
    return captions, total.summary(), len(found.partitions)


def as_lines(texts: list[str]) -> str:
    rows = [json.dumps({"image_id": n % 3, "caption": t}, ensure_ascii=False) for n, t in enumerate(texts)]
    return "\n\n".join(rows) + "\n"


def as_table(texts: list[str], delimiter: str) -> str:
    shown = io.StringIO()
    table = csv.writer(shown, delimiter=delimiter)
    table.writerow(["image_id", "caption"])
    table.writerows([n % 3, text.replace("\r", " ").replace("\0", " ")] for n, text in enumerate(texts))
    return shown.getvalue()


FILES: dict[str, Callable[[list[str]], str]] = {
    "jsonl": as_lines,
    "csv": lambda texts: as_table(texts, ","),
    "csv with semicolons": lambda texts: as_table(texts, ";"),
    "tsv": lambda texts: as_table(texts, "\t"),
    "text": lambda texts: "first\n" + "\n".join(text.replace("\0", "") for text in texts),
    "flickr-tokens": lambda texts: "".join(
        f"{n}.jpg#0\t{text}\n\n" for n, text in enumerate(text.replace("\n", " ") for text in texts)
    ),
}


@pytest.mark.parametrize("kind", FILES)
@examples(40)
@given(texts=TEXTS, size=st.integers(1, 200), mark=st.booleans())
def test_partitions_add_up_to_the_file(
    kind: str, texts: list[str], size: int, mark: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "captions"
    path.write_bytes(FILES[kind](texts).encode("utf-8-sig" if mark else "utf-8"))
    format_ = kind.split()[0]
    captions, summary, _ = read_cut(path, size, format_)
    assert (captions, summary) == read_whole(path, format_)


def test_a_large_file_becomes_many_partitions(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(as_lines([f"a man with {n} dogs" for n in range(100)]), encoding="utf-8")
    captions, summary, partitions = read_cut(path, 300)
    assert partitions >= 10
    assert (captions, summary) == read_whole(path)


def test_a_quoted_cell_of_many_lines_is_never_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(as_table(["one\ntwo\nthree, four", 'a "b"', "c"] * 20, ","), encoding="utf-8")
    captions, summary, partitions = read_cut(path, 1)
    assert partitions == 60
    assert (captions, summary) == read_whole(path)


def test_rows_of_a_parquet_table_are_divided(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow (the tables extra)")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    columns = {"image_id": list(range(5_000)), "caption": [f"a man and {n} dogs" for n in range(5_000)]}
    parquet.write_table(pyarrow.table(columns), path, row_group_size=1_500)
    captions, summary, partitions = read_cut(path, 10_000)
    assert partitions > 4
    assert (captions, summary) == read_whole(path)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (gzip.compress(b"a cat\na dog\n", mtime=0), "packed"),
        (b'[{"image_id": 1, "caption": "a cat"}]', "an array"),
        ("a cat\na dog\n".encode("utf-16"), "two bytes a letter"),
        (b'{"image_id": 1}\n{"image_id": 2}\n', "a mistake at the beginning"),
        (b"", "empty"),
    ],
)
def test_what_cannot_be_cut_is_one_partition(content: bytes, name: str, tmp_path: Path) -> None:
    del name
    path = tmp_path / "a"
    path.write_bytes(content)
    whole = whole_files(parse_source(f"x={path}"))[0]
    assert cut(whole, 1).partitions == (whole,)
    assert not divides(whole.source)


def test_standard_input_does_not_divide() -> None:
    assert not divides(parse_source("x=-"))


BAD = {
    "jsonl": (as_lines(["a cat"] * 30), '{"image_id": 5, "caption": 7}\n', "must be a caption"),
    "json": (as_lines(["a cat"] * 30), '{"image_id": 5, "captio\n', "not valid JSON"),
    "another field": (as_lines(["a cat"] * 30), '{"image_id": 5, "text": "x"}\n', "has no 'caption'"),
    "csv": (as_table(["a\ncat"] * 30, ","), "7,a,b\n", "the row has 3 cells"),
    "bytes": (as_lines(["a café"] * 30), "\udcff\n", "0xff is not UTF-8"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_in_the_middle_has_the_same_place(name: str, tmp_path: Path) -> None:
    good, bad, message = BAD[name]
    path = tmp_path / "a"
    rest = good.split("\n", 1)[1] if name == "csv" else good
    path.write_bytes((good + bad + rest).encode("utf-8", "surrogateescape"))
    expected = the_problem(read_whole, path)
    assert message in expected.message
    assert the_problem(read_cut, path, 120) == expected


def test_a_file_that_became_shorter_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a cat\n" * 50, encoding="utf-8")
    last = cut(whole_files(parse_source(str(path)))[0], 100).partitions[-1]
    path.write_text("a cat\n" * 49, encoding="utf-8")
    with pytest.raises(InputError, match="has become shorter"):
        list(CaptionReader(last.source, last))


@given(st.lists(st.lists(st.text(max_size=2), max_size=9), max_size=6), st.integers(1, 7))
def test_distinct_ids_of_parts_are_counted_once(parts: list[list[str]], plain: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_EXACT_LIMIT", plain)
        total = DistinctCounter()
        for texts in parts:
            counter = DistinctCounter()
            for text in texts:
                counter.add(text)
            total.add_counter(counter)
        assert len(total) == len({text for texts in parts for text in texts})

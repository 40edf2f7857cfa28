"""Captions in Parquet tables: columns for image id and caption, one caption or a list of them a row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assess.corpus.decoding import Position
from assess.corpus.fields import choose_fields
from assess.corpus.json_values import Item
from assess.corpus.rows import Document, Row
from assess.corpus.source import STANDARD_INPUT, Source
from assess.corpus.values import rows_of_items
from assess.errors import InputError, MissingPartError, Place

NAME = "parquet"
_MARK = b"PAR1"  # at both ends of a table
_ROWS = 1024  # held at once


class _TableRow(Item):
    """A row of a table, which has a number but no line."""

    def place(self, key: str | None = None) -> Place:
        """Return the file and the row."""
        del key
        return Place(self.file, record=self.number)


def is_parquet(path: str) -> bool:
    """Whether a file is a whole Parquet table; what cannot be opened is somebody else's error."""
    if path == STANDARD_INPUT or not Path(path).is_file():
        return False
    try:
        with Path(path).open("rb") as binary:
            head, size = binary.read(len(_MARK)), binary.seek(0, 2)
            binary.seek(max(0, size - len(_MARK)))
            return head == _MARK == binary.read() and size > len(_MARK)
    except OSError:
        return False


def read_table(document: Document, source: Source) -> Iterator[Row]:
    """Read a table with columns such as image_id and caption; needs the `tables` extra (pyarrow)."""
    place = Place(source.file)
    if source.path == STANDARD_INPUT:
        hint = "write it to a file first"
        raise InputError("a Parquet table cannot be read from standard input", place=place, hint=hint)
    with _opened(source) as table:
        names = table.schema_arrow.names
        fields = choose_fields(names, source=source, place=lambda: place)
        columns = dict.fromkeys((fields.image, fields.caption))
        if source.split is not None and "split" in names:
            columns["split"] = None
        rows = document.rows or (0, table.metadata.num_rows)
        yield from rows_of_items(_items(table, rows, list(columns), source), source, fields=fields)


def table_size(source: Source) -> tuple[int, int]:
    """Return how many rows a table has, and how many bytes they are when unpacked."""
    with _opened(source) as table:
        groups = [table.metadata.row_group(number) for number in range(table.num_row_groups)]
        return table.metadata.num_rows, sum(group.total_byte_size for group in groups)


def _items(table: Any, rows: tuple[int, int], columns: list[str], source: Source) -> Iterator[Item]:
    """Yield the rows from one to another. Only row groups that have some of them are unpacked."""
    first, end = rows
    number = 0
    for group in range(table.num_row_groups):
        start, number = number, number + table.metadata.row_group(group).num_rows
        if start >= end or number <= first:
            continue
        place = start
        for batch in table.iter_batches(_ROWS, row_groups=[group], columns=columns):
            chosen = batch.slice(max(0, first - place), max(0, end - max(first, place)))
            for row, members in enumerate(chosen.to_pylist(), start=max(first, place) + 1):
                yield _TableRow(members, row, "", Position(), source.file)
            place += batch.num_rows


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    place = Place(source.file)
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        hint = "pip install 'assess[tables]'"
        raise MissingPartError("reading Parquet needs pyarrow", place=place, hint=hint) from error
    try:
        with pyarrow.parquet.ParquetFile(source.path) as table:
            yield table
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(f"cannot be read as Parquet: {error}", place=place) from error

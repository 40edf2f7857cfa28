"""Readers of captions in tables (comma- and tab-separated values, Parquet) and in tar archives."""

from __future__ import annotations

import csv
import gzip
import io
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from assess.corpus.fields import (
    Document,
    Row,
    SplitFilter,
    captions_of,
    choose_caption_field,
    choose_fields,
    has_fields,
    image_of,
    members_of,
    require_field,
    rows_of_items,
)
from assess.corpus.files import GZIP, Position, check_expansion, check_regular, raw_lines
from assess.corpus.json_input import Item, JsonSyntaxError, decode_value, listed
from assess.corpus.source import STANDARD_INPUT, Source
from assess.errors import InputError, MissingPartError, Place, install_extra, some, visible
from assess.limits import RECORD_SIZE

DELIMITERS = {"csv": ",;|", "tsv": "\t"}
_LARGEST_CELL = 2**31 - 1  # the csv module's limit must fit into a C long on every platform
_QUOTING = (
    "a cell that begins with a quotation mark must end with one; double quotation marks within the cell"
)
_EMPTY_LINES = ("\n", "\r\n")
_PARQUET_MARK = b"PAR1"  # at both ends of a file
_PARQUET_ROWS = 1024  # held in memory at once
_VALUE_SIZE = 8  # bytes, the least that a value is counted as


def read_table(document: Document, source: Source, *, delimiters: str) -> Iterator[Row]:
    """Read a table with a header row; quotation marks around a cell are not part of its text."""
    return rows_of_items(_records(document, source, delimiters=delimiters), source)


def choose_delimiter(line: str, *, source: Source, delimiters: str = DELIMITERS["csv"]) -> str | None:
    """Return the delimiter that splits a header row into an image id and a caption, among others."""
    for delimiter in delimiters:
        if has_fields(header_cells(line, delimiter), source=source):
            return delimiter
    return None


def header_cells(line: str, delimiter: str) -> list[str]:
    """Return the names in a header row; empty if it is not a table row."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []


def _records(document: Document, source: Source, *, delimiters: str) -> Iterator[Item]:
    """Yield each row as an object with the header's names as keys."""
    lines, opening = raw_lines(document.chunks, file=document.file), document.opening
    first = next(lines, "") if opening.header is None else opening.header
    delimiter = choose_delimiter(first, source=source, delimiters=delimiters) or delimiters[0]
    header = header_cells(first, delimiter)
    place = Place(document.file, line=1, column=1, source=first.rstrip("\r\n"))
    _check_header(header, source=source, place=place)
    line = max(2, opening.line)  # the line after the header
    rows = table_rows(lines, delimiter=delimiter, file=document.file, line=line, records=opening.records)
    for item in rows:
        yield _record(item, header)


def _check_header(header: list[str], *, source: Source, place: Place) -> None:
    chosen_by_hand = source.id_field or source.caption_field
    if not chosen_by_hand and not has_fields(header, source=source):
        message = f"the first row names no image id and caption; its cells are {listed(header)}"
        hint = "add a header row such as image_id,caption, or use --id-field and --caption-field"
        raise InputError(message, place=place, hint=hint)
    fields = choose_fields(header, source=source, place=lambda: place)
    for name in (fields.image, fields.caption):
        if Counter(header)[name] > 1:
            raise InputError(f"two columns are named '{visible(name)}'", place=place)


def table_rows(
    lines: Iterator[str], *, delimiter: str, file: str, line: int = 2, records: int = 0
) -> Iterator[Item]:
    """Yield the rows after the header, each with its source text, without empty lines.

    `line` is the number of the first line, and `records` the number of rows before it.
    """
    # The limit applies to the whole process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))
    taken = _RowLines(file, line)
    rows = csv.reader(taken.of(lines), delimiter=delimiter, strict=True)
    number = records
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            place = Item(None, number + 1, file, "".join(taken.row), Position(taken.first)).place()
            raise InputError(f"the row cannot be read: {error}", place=place, hint=_QUOTING) from error
        if cells:
            number += 1
            yield Item(cells, number, file, "".join(taken.row), Position(taken.first))
        taken.row.clear()


def small_table(text: str, *, delimiter: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each non-empty row, with the number of its last line."""
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))
    # newline=None: lines from old spreadsheets end in carriage returns.
    rows = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter)
    try:
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield rows.line_num, cells
    except csv.Error as error:
        place = Place(file, line=rows.line_num)
        raise InputError(f"the row cannot be read: {error}", place=place, hint=_QUOTING) from error


class _RowLines:
    """The lines of the row that is being read. An unclosed quotation mark makes one row of a whole file."""

    def __init__(self, file: str, first: int) -> None:
        self.row: list[str] = []
        self.first = first  # number of the first of them
        self._file = file

    def of(self, lines: Iterator[str]) -> Iterator[str]:
        """Pass lines on and keep them. Empty lines between rows, of which there may be many, are dropped."""
        most, size, row = RECORD_SIZE.most, 0, self.row
        for number, line in enumerate(lines, self.first):
            if not row:
                if line in _EMPTY_LINES:
                    continue
                self.first, size = number, 0
            size += len(line)
            if size > most:
                raise RECORD_SIZE.exceeded("a row is too long", Place(self._file, line=self.first))
            row.append(line)
            yield line


def _record(item: Item, header: list[str]) -> Item:
    cells = item.value
    assert isinstance(cells, list)
    if len(cells) != len(header):
        message = f"the row has {some(len(cells), 'cell')}, but the header has {len(header)}"
        hint = "put cells that contain the delimiter in quotation marks" if len(cells) > len(header) else None
        raise InputError(message, place=item.place(), hint=hint)
    return item._replace(value=dict(zip(header, cells, strict=True)))


# Parquet: columns for the image id and the caption, with one caption or a list of captions per row.


def is_parquet(path: str) -> bool:
    """Whether a file is a complete Parquet table. False if it cannot be opened: its reader reports that."""
    if path == STANDARD_INPUT or not Path(path).is_file():
        return False
    try:
        with Path(path).open("rb") as binary:
            head, size = binary.read(len(_PARQUET_MARK)), binary.seek(0, 2)
            binary.seek(max(0, size - len(_PARQUET_MARK)))
            return head == _PARQUET_MARK == binary.read() and size > len(_PARQUET_MARK)
    except OSError:
        return False


def read_parquet(document: Document, source: Source) -> Iterator[Row]:
    """Read a table with columns such as image_id and caption; needs the `tables` extra (pyarrow)."""
    place = Place(source.file)
    with open_parquet(source.path) as table:
        names = table.schema_arrow.names
        fields = choose_fields(names, source=source, place=lambda: place)
        columns = dict.fromkeys((fields.image, fields.caption))
        if source.split is not None and "split" in names:
            columns["split"] = None
        rows = document.rows or (0, table.metadata.num_rows)
        items = _parquet_items(table, rows, list(columns), source.file)
        yield from rows_of_items(items, source, fields=fields)


def parquet_size(path: str) -> tuple[int, int]:
    """Return the number of rows in a table, and their size in bytes when unpacked."""
    with open_parquet(path) as table:
        groups = [table.metadata.row_group(number) for number in range(table.num_row_groups)]
        return table.metadata.num_rows, sum(group.total_byte_size for group in groups)


def _parquet_items(table: Any, rows: tuple[int, int], columns: list[str], file: str) -> Iterator[Item]:
    """Yield a range of rows, unpacking only the row groups that contain some of them."""
    first, end = rows
    sizes = [table.metadata.row_group(group).num_rows for group in range(table.num_row_groups)]
    starts = [0, *accumulate(sizes)]
    groups = [group for group in range(len(sizes)) if starts[group] < end and first < starts[group + 1]]
    place = starts[groups[0]] if groups else 0
    for batch in parquet_batches(table, file, groups, columns):
        chosen = batch.slice(max(0, first - place), max(0, end - max(first, place)))
        for row, members in enumerate(_plain(chosen).to_pylist(), start=max(first, place) + 1):
            yield Item(members, row, file)
        place += batch.num_rows


# A table of a few kilobytes can unpack to gigabytes, because repeated values are stored once. Columns of text
# are therefore read as indices into their distinct values, and their size is computed before unpacking them.


def parquet_batches(table: Any, file: str, groups: Sequence[int], columns: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of some row groups in batches; raise an error for what exceeds the limits."""
    place, stored, unpacked = Place(file), Path(file).stat().st_size, 0
    for group in groups:
        for batch in _batches(table, file, group, list(columns)):
            size = _size_of(batch)
            unpacked += size
            check_expansion(unpacked, stored, file)
            yield from [batch] if size <= RECORD_SIZE.most else _rows_of_bounded_size(batch, place)


def _batches(table: Any, file: str, group: int, columns: list[str]) -> Iterator[Any]:
    from pyarrow.parquet import ParquetFile

    done = 0
    try:
        for batch in table.iter_batches(_PARQUET_ROWS, row_groups=[group], columns=columns):
            yield batch
            done += batch.num_rows
    except OSError:
        # Some encodings cannot be read as indices. Each text may be as long as the one before it, so rows are
        # read one by one. If the file is damaged, this raises the same error again.
        with ParquetFile(file) as plain:
            for number, batch in enumerate(plain.iter_batches(1, row_groups=[group], columns=columns)):
                if number >= done:
                    yield batch


def _rows_of_bounded_size(batch: Any, place: Place) -> Iterator[Any]:
    for number in range(batch.num_rows):
        row = batch.slice(number, 1)
        RECORD_SIZE.check(_size_of(row), "a row is too large", place)
        yield row


def _size_of(batch: Any) -> int:
    return sum(map(_size, batch.columns))


def _size(column: Any) -> int:
    """Return the size of a column when unpacked: some bytes per value, and the bytes of its texts."""
    import pyarrow.compute
    import pyarrow.types

    kind, size = column.type, _VALUE_SIZE * len(column)
    if pyarrow.types.is_map(kind):  # cannot be flattened like a list
        entries = pyarrow.StructArray.from_arrays([column.keys, column.items], ["key", "value"])
        column = pyarrow.ListArray.from_arrays(column.offsets, entries)
        kind = column.type
    if pyarrow.types.is_nested(kind):
        inner = column.flatten()
        return size + sum(map(_size, inner if isinstance(inner, list) else [inner]))
    if pyarrow.types.is_dictionary(kind):
        lengths = pyarrow.compute.binary_length(column.dictionary)
        return size + (pyarrow.compute.sum(lengths.take(column.indices)).as_py() or 0)
    return size + (0 if pyarrow.types.is_primitive(kind) else column.nbytes)


def _plain(batch: Any) -> Any:
    """Return a batch with its texts unpacked, which makes conversion to Python objects faster."""
    import pyarrow

    columns = [
        column.dictionary_decode() if hasattr(column, "dictionary") else column for column in batch.columns
    ]
    return pyarrow.RecordBatch.from_arrays(columns, names=batch.schema.names)


@contextmanager
def open_parquet(path: str) -> Iterator[Any]:
    """Open a Parquet table; needs the `tables` extra (pyarrow)."""
    check_regular(path, "a Parquet table")
    place = Place(path)
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        hint = install_extra("tables")
        raise MissingPartError("reading Parquet needs pyarrow", place=place, hint=hint) from error
    try:
        facts = pyarrow.parquet.read_metadata(path)
        columns = [facts.schema.column(number) for number in range(facts.num_columns)]
        # Metadata of single row groups is not used: damaged, it would end the process.
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        with pyarrow.parquet.ParquetFile(path, metadata=facts, read_dictionary=texts) as table:
            unpacked = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
            check_expansion(unpacked, Path(path).stat().st_size, path)
            yield table
    # Also for values that are not text, dates that Python cannot represent, and damaged names of columns.
    except (OSError, pyarrow.ArrowException, ValueError, OverflowError, KeyError) as error:
        raise InputError(f"cannot be read as Parquet: {error}", place=place) from error


# WebDataset shards: tar archives in which the members of a sample follow each other and share one name.
#
# `000042.jpg`, `000042.txt` and `000042.json` form one sample. Its caption is the text, or a field of the
# JSON; images are skipped without being read, unless the shard is gzipped.

_TEXT, _JSON = "txt", "json"
Sample = dict[str, bytes]  # the members of a sample that may contain its caption, by suffix


def read_shard(document: Document, source: Source) -> Iterator[Row]:
    """Read the samples of a tar archive: `42.txt`, or `42.json` with a caption in it; 42 is the image id."""
    del document  # an archive has no text
    check_regular(source.path, "a tar archive")
    splits = SplitFilter(source)
    for number, (stem, sample) in enumerate(_samples(source.file), start=1):
        yield from _sample_rows(stem, sample, source, splits, Place(source.file, record=number))
    splits.finish()


def _sample_rows(
    stem: str, sample: Sample, source: Source, splits: SplitFilter, place: Place
) -> Iterator[Row]:
    # If the user names a field, the caption is in the JSON, even if there is also a text file.
    if _TEXT in sample and not (source.caption_field or source.id_field or source.split):
        yield Row(stem, _member_text(sample[_TEXT], f"{stem}.{_TEXT}", place).removesuffix("\n"))
        return
    if _JSON not in sample:
        hint = "each sample of a WebDataset shard needs a .txt or .json member with its caption"
        raise InputError(f"the sample '{visible(stem)}' has no caption", place=place, hint=hint)
    item = _member_item(sample[_JSON], f"{stem}.{_JSON}", place)
    if not splits.keeps(item):
        return
    members = members_of(item)
    image = stem
    if source.id_field is not None:
        image = image_of(item, require_field(source.id_field, members, place=item.place))
    caption = choose_caption_field(members, source=source, place=item.place)
    for text in captions_of(item, caption, wanted=source.wanted):
        yield Row(image, text)


def _member_item(stored: bytes, name: str, place: Place) -> Item:
    text = _member_text(stored, name, place)
    try:
        value, _ = decode_value(text, len(text) - len(text.lstrip()))
    except JsonSyntaxError as error:
        message = f"the member '{visible(name)}' is not valid JSON: {error.message}"
        raise InputError(message, place=place) from error
    return Item(value, place.record, place.file)


def _member_text(stored: bytes, name: str, place: Place) -> str:
    try:
        return stored.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"the member '{visible(name)}' is not UTF-8 text"
        raise InputError(message, place=place, hint="write the shard again in UTF-8") from error


def _samples(file: str) -> Iterator[tuple[str, Sample]]:
    """Yield each sample's name and the members that may contain its caption."""
    last: str | None = None
    sample: Sample = {}
    with _open_archive(file) as archive:
        for member in _members(archive):
            stem, _, suffix = PurePosixPath(member.name).name.partition(".")
            if stem != last and last is not None:
                yield last, sample
                sample = {}
            last = stem
            if suffix.lower() in (_TEXT, _JSON) and (stored := archive.extractfile(member)):
                # A sparse member can claim any size without taking up space in the archive.
                RECORD_SIZE.check(
                    member.size, f"the member '{visible(member.name)}' is too large", Place(file)
                )
                sample[suffix.lower()] = stored.read()
    if last is not None:
        yield last, sample


def _members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the files of an archive, except system files, whose names begin with a dot."""
    for member in archive:
        archive.members = []  # type: ignore[attr-defined]  # they would grow with the archive
        if member.isfile() and not PurePosixPath(member.name).name.startswith("."):
            yield member


class _ArchiveBytes:
    """The unpacked bytes of an archive for `tarfile`, which reads as many as the archive tells it to."""

    def __init__(self, binary: IO[bytes], file: str) -> None:
        self._binary = binary
        self._file = file
        self._stored = Path(file).stat().st_size

    def read(self, size: int) -> bytes:
        RECORD_SIZE.check(size, "a member of the archive is too large", Place(self._file))
        return self._binary.read(size)

    def seek(self, offset: int) -> int:
        check_expansion(offset, self._stored, self._file)
        return self._binary.seek(offset)

    def tell(self) -> int:
        return self._binary.tell()


@contextmanager
def _open_archive(file: str) -> Iterator[tarfile.TarFile]:
    try:
        with Path(file).open("rb") as stored:
            packed = stored.read(len(GZIP)) == GZIP
            stored.seek(0)
            binary = cast("IO[bytes]", gzip.GzipFile(fileobj=stored) if packed else stored)
            with tarfile.open(mode="r:", fileobj=cast("IO[bytes]", _ArchiveBytes(binary, file))) as archive:
                yield archive
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        hint = "copy or download it again"
        raise InputError(f"cannot be read as a tar archive: {error}", place=Place(file), hint=hint) from error

"""Small tables that people write: comma-, semicolon- or tab-separated, with a header row."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from assess.errors import InputError, Place

_DELIMITERS = ",;\t"
# No cell that a person wrote is as long: a quotation mark without its partner swallowed the rows after it.
# Ours, and below the csv module's own limit, which belongs to the process and which others may raise.
_LONGEST_CELL = 10_000


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row by the lower-case names of its columns, and the line where it ends."""

    cells: dict[str, str]
    line: int


def read_table(text: str, *, file: str) -> tuple[list[str], list[TableRow]]:
    """Return the names of the columns, and the rows; empty rows are passed over."""
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count))
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        rows = [(cells, reader.line_num) for cells in reader]
    except csv.Error as error:
        raise _no_table(str(error), Place(file, line=reader.line_num)) from None
    for cells, line in rows:
        if (longest := max(map(len, cells), default=0)) > _LONGEST_CELL:
            raise _no_table(f"a cell of {longest:,} characters", Place(file, line=line))
    return header, [_row(cells, header, line) for cells, line in rows if any(map(str.strip, cells))]


def _no_table(reason: str, place: Place) -> InputError:
    return InputError(f"not a table: {reason}", place=place, hint="check the quotation marks")


def _row(cells: list[str], header: list[str], line: int) -> TableRow:
    values = [unguarded(cell.strip()) for cell in cells]
    # A row may be shorter than the header.
    values += [""] * (len(header) - len(values))
    return TableRow(dict(zip(header, values, strict=False)), line)


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that keeps spreadsheets from running it as a formula."""
    return re.sub(r"^'(?=\s*[=+\-@\uff0b\uff0d\uff1d\uff20])", "", cell)

"""Tables as comma-separated values that are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from assess.errors import visible
from assess.report.section import Table, Value
from assess.whole_files import make_folder, write_whole

# A sign may hide behind blanks and invisible characters, which some programs skip, and be a wide one.
_INVISIBLE = r"\s\ufffd\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_FORMULA = re.compile(rf"[\t\r\n]|[{_INVISIBLE}]*[=+\-@\uff0b\uff0d\uff1d\uff20]")
# No spreadsheet can hold these, and a terminal would obey some of them.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def safe_text(text: str) -> str:
    """Return text that no spreadsheet runs as a formula: captions and names come from strangers."""
    shown = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as comma-separated values, a line feed after each."""
    return "".join(map(_csv_row, rows))


def _csv_row(cells: Sequence[str]) -> str:
    # A bare carriage return ends a row for many readers, and Python's writer puts a cell that holds one in
    # quotation marks only where it is part of the line's end.
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue().removesuffix("\r\n") + "\n"


def csv_table(table: Table) -> str:
    """Return a table with exact values; an undefined one is an empty cell."""
    header = [safe_text(column.key) for column in table.columns]
    return csv_text([header, *([_field(cell.value) for cell in row] for row in table.rows)])


def _field(value: Value) -> str:
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def write_csv(tables: Iterable[Table], folder: Path, *, signature: str) -> None:
    """Write one file a table, and a text that tells what they are and what they depend on.

    A comment inside a file would be a row to most programs that read one.
    """
    make_folder(folder)
    tables = list(tables)
    for table in tables:
        write_whole(folder / f"{table.name}.csv", csv_table(table))
    write_whole(folder / "about.txt", _about(tables, signature))


def _about(tables: Iterable[Table], signature: str) -> str:
    told = (
        visible(f"{table.name}.csv: {'. '.join((table.title, *table.notes))}.", 2_000) + "\n\n"
        for table in tables
    )
    return "".join(told) + f"signature: {visible(signature, 4_000)}\n"

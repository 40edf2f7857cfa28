"""Tables as comma-separated values that are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from pathlib import Path

from assess.report.files import make_folder, write_whole
from assess.report.table import ReportTable, Value

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_text(text: str) -> str:
    """Return text that no spreadsheet runs as a formula: captions and names come from strangers."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_table(table: ReportTable) -> str:
    """Return a table with exact values; an undefined one is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([safe_text(column.key) for column in table.columns])
    writer.writerows([_field(cell.value) for cell in row] for row in table.rows)
    return out.getvalue()


def _field(value: Value) -> str:
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def write_csv(tables: Iterable[ReportTable], folder: Path) -> None:
    """Write one file a table."""
    make_folder(folder)
    for table in tables:
        write_whole(folder / f"{table.name}.csv", csv_table(table))

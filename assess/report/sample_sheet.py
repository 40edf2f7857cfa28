"""A sheet for raters as CSV, and its key as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assess.audit.saved import SavedAudit, SavedMention
from assess.audit.sheet import Sheet, SheetRow
from assess.errors import visible
from assess.report.files import write_whole
from assess.report.json_text import dump
from assess.report.table_csv import csv_text, safe_text

COLUMNS = ("id", "image_id", "phrase", "caption", "category", "question", "answer")
KEY_SUFFIX = ".key.json"
_LONGEST, _BEFORE = 600, 200


def write_sheet(path: Path, sheet: Sheet, audit: SavedAudit) -> Path:
    """Write a sheet, and its key beside it; return the key's path."""
    key = path.with_suffix(KEY_SUFFIX)
    # The key first: a sheet without one would be rated for nothing.
    write_whole(key, dump(key_shape(sheet, audit)) + "\n")
    write_whole(path, sheet_csv(sheet))
    return key


def sheet_csv(sheet: Sheet) -> str:
    """Return the rows that a rater sees: not whom the tool counted a phrase under, nor what it said."""
    return csv_text([COLUMNS, *(_row_cells(row) for row in sheet.rows)])


def _row_cells(row: SheetRow) -> list[str]:
    mention = row.mention
    question = f"Does the phrase, as it stands in the caption, say this? {row.description}"
    cells = (row.id, mention.image, mention.caption[mention.start : mention.end], _context(mention))
    return [safe_text(_one_line(cell)) for cell in (*cells, row.category, question, "")]


def _context(mention: SavedMention) -> str:
    """Return the caption with its phrase marked; a long one is cut around it."""
    caption, start, end = mention.caption, mention.start, mention.end
    marked = f"{caption[:start]}«{caption[start:end]}»{caption[end:]}"
    if len(marked) <= _LONGEST:
        return marked
    first = max(0, start - _BEFORE)
    return ("…" if first else "") + marked[first : first + _LONGEST] + "…"


def _one_line(text: str) -> str:
    return visible(text, len(text) + 1)


def key_shape(sheet: Sheet, audit: SavedAudit) -> dict[str, Any]:
    """Return what the rows stand for. Keep it from the raters until they are done."""
    return {
        "sheet": sheet.id,
        "signature": audit.results.signature,
        "by": sheet.by,
        "seed": sheet.seed,
        "strata": [
            {
                "category": stratum.category,
                "group": stratum.value,
                "said": stratum.said,
                "population": stratum.population,
            }
            for stratum in sheet.strata
        ],
        "rows": {row.id: row.stratum for row in sheet.rows},
        "places": {
            row.id: {
                "system": row.mention.system,
                "image_id": row.mention.image,
                "record": row.mention.record,
                "start": row.mention.start,
            }
            for row in sheet.rows
        },
    }

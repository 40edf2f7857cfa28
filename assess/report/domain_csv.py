"""A taxonomy as comma-separated values."""

from __future__ import annotations

from assess.report.table_csv import csv_text, safe_text
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.word_table import COLUMNS, word_rows


def taxonomy_csv(taxonomy: Taxonomy) -> str:
    """Return a taxonomy's words, one a row. No cell runs as a formula; importing takes the guard off."""
    rows = ([safe_text(row.get(name, "")) for name in COLUMNS] for row in word_rows(taxonomy))
    return csv_text([COLUMNS, *rows])

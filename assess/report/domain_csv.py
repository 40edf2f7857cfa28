"""A taxonomy as comma-separated values."""

from __future__ import annotations

import csv
import io

from assess.report.table_csv import safe_text
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.word_table import COLUMNS, word_rows


def taxonomy_csv(taxonomy: Taxonomy) -> str:
    """Return a taxonomy's words, one a row. No cell runs as a formula; importing takes the guard off."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in word_rows(taxonomy):
        writer.writerow({name: safe_text(cell) for name, cell in row.items()})
    return out.getvalue()

"""The labels behind a cell as JSON, and as CSV that no spreadsheet runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assess.audit.drilldown import Example, Explained
from assess.audit.saved import SavedAudit
from assess.report.table import Cell, Column, ReportTable, words
from assess.report.table_csv import csv_table

_COLUMNS = ("system", "image_id", "record", "label", "words", "reading", "categories", "caption")


def explain_shape(audit: SavedAudit, explained: Explained, *, limit: int | None = None) -> dict[str, Any]:
    """Return the shape of `assess explain --json`."""
    address = explained.address
    return {
        "signature": audit.results.signature,
        "cell": str(address),
        "system": address.system,
        "role": address.key[0],
        "category": address.key[1],
        "by": address.by,
        "group": address.value,
        "yes": explained.best,
        "other_readings": explained.other,
        "labels": explained.labels,
        "mentions": [_example_shape(example) for example in explained.examples[:limit]],
    }


def _example_shape(example: Example) -> dict[str, Any]:
    mention, analysis = example.mention, example.analysis
    return {
        "image_id": mention.image,
        "record": mention.record,
        "start": mention.start,
        "end": mention.end,
        "label": mention.label,
        "words": [[start, end, mention.caption[start:end]] for start, end in example.words],
        "reading": example.which,
        "best": {"heads": analysis.best.heads, "modifiers": analysis.best.modifiers},
        "union": {"heads": analysis.heads, "modifiers": analysis.modifiers},
        "caption": mention.caption,
    }


def explain_table(explained: Explained, *, limit: int | None = None) -> ReportTable:
    """Return a row a label."""
    columns = tuple(Column(name, name, words=True) for name in _COLUMNS)
    rows = tuple(tuple(_cells(example)) for example in explained.examples[:limit])
    return ReportTable("explain", f"Labels behind {explained.address}", columns, rows)


def _cells(example: Example) -> Iterator[Cell]:
    mention = example.mention
    yield words(mention.system)
    yield words(mention.image)
    yield Cell(str(mention.record), mention.record)
    yield words(mention.label)
    yield words(" | ".join(mention.caption[start:end] for start, end in example.words))
    yield words(example.which)
    yield words(" ".join(example.analysis.best.modifiers))
    yield words(mention.caption)


def explain_csv(explained: Explained, *, limit: int | None = None) -> str:
    """Return a row a label, for a spreadsheet."""
    return csv_table(explain_table(explained, limit=limit))

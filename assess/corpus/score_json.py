"""Scores of systems in JSON: the tool's own results, a mapping of systems, or a list of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from assess.corpus.decoding import decoded
from assess.corpus.json_values import JsonSyntaxError, decode_value
from assess.corpus.score_table import ScoreTable
from assess.corpus.stored import open_stored
from assess.errors import InputError, Place

SYSTEM = "system"
# Parts of our own results that describe a system and are no scores of it.
_NO_SCORES = frozenset({"curve", "order", "tags", "omitted", "notes"})
_UNDEFINED: dict[object, float] = {None: math.nan, "inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_HINT = 'as in {"systems": {"A": {"bleu": 0.3}}} or [{"system": "A", "bleu": 0.3}]'

Row = Mapping[str, float | str]


def read_score_json(path: Path) -> ScoreTable:
    """Read scores; nested ones are named with dots, undefined ones are `nan`, references are no system."""
    value = _document(path)
    rows = list(_rows(value, path))
    if not rows:
        raise InputError("the file has no scores of systems", place=Place(str(path)), hint=_HINT)
    names = list(dict.fromkeys(name for row in rows for name in row))
    texts = [name for name in names if any(isinstance(row.get(name), str) for row in rows)]
    scores = {name: np.array([_number(row.get(name)) for row in rows]) for name in names if name not in texts}
    labels = {name: tuple(str(row.get(name, "")) for row in rows) for name in texts}
    return ScoreTable(scores, labels, len(rows))


def _document(path: Path) -> object:
    with open_stored(str(path)) as stored:
        text = "".join(decoded(stored.chunks(), file=stored.file))
    try:
        value, end = decode_value(text, len(text) - len(text.lstrip()))
    except JsonSyntaxError as error:
        raise InputError(f"this is not JSON: {error.message}", place=Place(str(path))) from error
    if text[end:].strip():
        raise InputError("there is something after the JSON value", place=Place(str(path)))
    return value


def _rows(value: object, path: Path) -> Iterator[Row]:
    if isinstance(value, dict) and isinstance(value.get("systems"), dict):
        value = value["systems"]
    if isinstance(value, dict):
        for name, scores in value.items():
            if isinstance(scores, dict) and scores.get("reference") is not True:
                yield {SYSTEM: name, **dict(_flat(scores))}
    elif isinstance(value, list):
        for number, scores in enumerate(value, start=1):
            if not isinstance(scores, dict):
                message = "each row must be an object of scores"
                raise InputError(message, place=Place(str(path), record=number), hint=_HINT)
            yield dict(_flat(scores))


def _flat(scores: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, float | str]]:
    """Yield the scores of a row; lists and truth values are none."""
    for name, value in scores.items():
        if name in _NO_SCORES or isinstance(value, bool | list):
            continue
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, int | float):
            yield prefix + name, float(value)
        elif value is None or isinstance(value, str):
            yield prefix + name, _UNDEFINED.get(value, str(value))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan

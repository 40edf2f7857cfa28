"""Tables of scores: one row a system or stratum, numbers in some columns, names in others.

They come as tables of text, or in JSON: the tool's own results, a mapping of systems, or a list of rows.
Several files are joined by the names of their systems.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assess.corpus.files import open_stored, whole_text
from assess.corpus.json_input import JsonSyntaxError, decode_value
from assess.corpus.source import STANDARD_INPUT
from assess.corpus.tables import small_table
from assess.errors import InputError, Place, UsageError, some, visible
from assess.signature import InputIdentity

SYSTEM = "system"
_NAMES = (SYSTEM, "systems", "name", "model")  # of the column that names the systems
# Parts of our own results that describe a system and are no scores of it.
_NO_SCORES = frozenset({"curve", "order", "tags", "omitted", "notes"})
_UNDEFINED: dict[object, float] = {None: math.nan, "inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_JSON_SHAPE = 'as in {"systems": {"A": {"bleu": 0.3}}} or [{"system": "A", "bleu": 0.3}]'


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Columns of equal length, in the file's order; those that are not all numbers are labels."""

    scores: Mapping[str, NDArray[np.float64]]
    labels: Mapping[str, tuple[str, ...]]
    rows: int

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers by its name."""
        if name not in self.scores:
            message = f"the table has no column of numbers '{visible(name)}'"
            raise UsageError(message, hint=f"it has {', '.join([*self.scores][:8])}, …")
        return self.scores[name]

    def label(self, name: str) -> tuple[str, ...]:
        """Return a column as names: a label, or numbers as they would be written."""
        if name in self.labels:
            return self.labels[name]
        return tuple(f"{value:g}" for value in self.column(name))


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of all files together."""

    table: ScoreTable
    inputs: tuple[InputIdentity, ...]
    notes: tuple[str, ...] = ()


def read_scores(paths: Sequence[Path]) -> Scores:
    """Read one table, or several that are joined by the names of systems."""
    read = {str(path): _read(path) for path in dict.fromkeys(paths)}
    tables = {file: table for file, (table, _) in read.items()}
    inputs = tuple(read[str(path)][1] for path in paths)
    if len(tables) == 1:
        return Scores(next(iter(tables.values())), inputs)
    joined, notes = _joined(tables)
    return Scores(joined, inputs, notes)


def _read(path: Path) -> tuple[ScoreTable, InputIdentity]:
    """Read a table and its hash in one pass, so that it may come from standard input."""
    with open_stored(str(path)) as stored:
        text, file = whole_text(stored), stored.file
        sha256 = stored.sha256
    suffixes, name = [suffix.lower() for suffix in path.suffixes], path.name.partition(".")[0]
    is_json = ".json" in suffixes[-2:]
    if str(path) == STANDARD_INPUT:
        is_json, name = text.lstrip().startswith(("{", "[")), "stdin"
    table = _json_table(text, file) if is_json else _text_table(text, file)
    return table, InputIdentity(name, table.rows, sha256)


def _joined(tables: Mapping[str, ScoreTable]) -> tuple[ScoreTable, tuple[str, ...]]:
    rows = {file: _systems(table, file) for file, table in tables.items()}
    shared = [name for name in next(iter(rows.values())) if all(name in names for names in rows.values())]
    if not shared:
        listed = "; ".join(f"{visible(file)}: {', '.join(names[:3])}" for file, names in rows.items())
        raise InputError(f"the tables have no system in common ({listed})", hint="they are joined by name")
    scores: dict[str, NDArray[np.float64]] = {}
    for file, table in tables.items():
        places = [rows[file].index(name) for name in shared]
        for column, values in table.scores.items():
            chosen = values[places]
            if column in scores and not np.array_equal(scores[column], chosen, equal_nan=True):
                message = f"two tables have a column '{visible(column)}', with different values"
                raise InputError(message, place=Place(file), hint="rename one of them")
            scores[column] = chosen
    most = max(map(len, rows.values()))
    notes = (f"{len(shared)} of {most} systems are in all tables",) if len(shared) < most else ()
    return ScoreTable(scores, {SYSTEM: tuple(shared)}, len(shared)), notes


def _systems(table: ScoreTable, file: str) -> list[str]:
    name = next((name for name in (*_NAMES, *table.labels) if name in table.labels), None)
    if name is None:
        hint = "a column of names, such as system, says which rows belong together"
        raise InputError("the table does not name its systems", place=Place(file), hint=hint)
    names = list(table.labels[name])
    if len(set(names)) < len(names):
        raise InputError(f"a system has two rows in column '{visible(name)}'", place=Place(file))
    return names


def columns_like(table: ScoreTable, patterns: Iterable[str]) -> list[str]:
    """Return the columns of numbers that patterns such as `mean_*` name, in the table's order."""
    asked = [part for pattern in patterns for part in pattern.split(",") if part]
    found = {name for name in table.scores for pattern in asked if fnmatchcase(name, pattern)}
    for pattern in asked:
        if not any(fnmatchcase(name, pattern) for name in table.scores):
            some = ", ".join([*table.scores][:8])
            raise UsageError(
                f"no column of numbers is named '{visible(pattern)}'", hint=f"there is {some}, …"
            )
    return [name for name in table.scores if name in found]


def read_score_table(path: Path) -> ScoreTable:
    """Read a tab- or comma-separated table with a header row; `inf` and `nan` are numbers."""
    with open_stored(str(path)) as stored:
        return _text_table(whole_text(stored), stored.file)


def _text_table(text: str, file: str) -> ScoreTable:
    first = text.lstrip().partition("\n")[0]
    numbered = small_table(text, delimiter="\t" if "\t" in first else ",", file=file)
    number, header = next(numbered, (None, []))
    _check_header(header, Place(file, line=number))
    rows = list(_rows(numbered, header, file))
    if not rows:
        raise InputError("the table has no rows", place=Place(file))
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    numbers = {name: _numbers(cells) for name, cells in columns.items()}
    scores = {name: found for name, found in numbers.items() if found is not None}
    labels = {name: cells for name, cells in columns.items() if name not in scores}
    return ScoreTable(scores, labels, len(rows))


def _check_header(header: list[str], place: Place) -> None:
    twice = [name for name, times in Counter(header).items() if times > 1]
    if len(header) < 2 or twice:
        message = f"two columns are named '{visible(twice[0])}'" if twice else "the table has no header"
        raise InputError(
            message, place=place, hint="the first row names the columns, separated by tabs or commas"
        )


def _rows(numbered: Iterator[tuple[int, list[str]]], header: list[str], file: str) -> Iterator[list[str]]:
    for record, (number, cells) in enumerate(numbered, start=1):
        if len(cells) != len(header):
            place = Place(file, line=number, record=record)
            raise InputError(
                f"the row has {some(len(cells), 'cell')}, but the header has {len(header)}", place=place
            )
        yield cells


def _numbers(cells: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Return a column's numbers, or None where a cell is none."""
    try:
        return np.array([float(cell) for cell in cells], dtype=np.float64)
    except ValueError:
        return None


def _json_table(text: str, file: str) -> ScoreTable:
    """Read scores; nested ones are named with dots, undefined ones are `nan`, references are no system."""
    rows = list(_json_rows(_document(text, file), file))
    if not rows:
        raise InputError("the file has no scores of systems", place=Place(file), hint=_JSON_SHAPE)
    names = list(dict.fromkeys(name for row in rows for name in row))
    texts = [name for name in names if any(isinstance(row.get(name), str) for row in rows)]
    scores = {name: np.array([_number(row.get(name)) for row in rows]) for name in names if name not in texts}
    labels = {name: tuple(str(row.get(name, "")) for row in rows) for name in texts}
    return ScoreTable(scores, labels, len(rows))


def _document(text: str, file: str) -> object:
    try:
        value, end = decode_value(text, len(text) - len(text.lstrip()))
    except JsonSyntaxError as error:
        raise InputError(f"this is not JSON: {error.message}", place=Place(file)) from error
    if text[end:].strip():
        raise InputError("there is something after the JSON value", place=Place(file))
    return value


def _json_rows(value: object, file: str) -> Iterator[Mapping[str, float | str]]:
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
                raise InputError(message, place=Place(file, record=number), hint=_JSON_SHAPE)
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

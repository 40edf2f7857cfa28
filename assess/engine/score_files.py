"""Tables of scores from files, joined by system, with what identifies them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assess.corpus.score_json import SYSTEM, read_score_json
from assess.corpus.score_table import ScoreTable, read_score_table
from assess.errors import InputError, Place, UsageError, visible
from assess.signature import InputIdentity

_NAMES = (SYSTEM, "systems", "name", "model")


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of all files together."""

    table: ScoreTable
    inputs: tuple[InputIdentity, ...]
    notes: tuple[str, ...] = ()


def read_scores(paths: Sequence[Path]) -> Scores:
    """Read one table, or several that are joined by the names of systems."""
    tables = {str(path): _read(path) for path in paths}
    inputs = tuple(_identity(path, tables[str(path)].rows) for path in paths)
    if len(paths) == 1:
        return Scores(tables[str(paths[0])], inputs)
    joined, notes = _joined(tables)
    return Scores(joined, inputs, notes)


def _read(path: Path) -> ScoreTable:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return read_score_json(path) if ".json" in suffixes[-2:] else read_score_table(path)


def _identity(path: Path, rows: int) -> InputIdentity:
    return InputIdentity(path.name.partition(".")[0], rows, hashlib.sha256(path.read_bytes()).hexdigest())


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

"""Tables of scores, and correlations between their columns over systems, with p-values.

A table has one row per system or stratum, with numbers in some columns and names in others. It is a text, or
JSON: our own results, a mapping of systems, or a list of rows. Several files are joined by the names of
systems.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assess.corpus.files import open_stored, whole_text
from assess.corpus.json_input import JsonSyntaxError, decode_value
from assess.corpus.source import STANDARD_INPUT
from assess.corpus.tables import small_table
from assess.errors import InputError, Place, UsageError, some, visible
from assess.measures.measure import Number
from assess.signature import InputIdentity

Floats = NDArray[np.float64]
SYSTEM = "system"
_NAMES = (SYSTEM, "systems", "name", "model")  # names of the column with the systems
# Parts of our own results that describe a system but are not scores.
_NO_SCORES = frozenset({"curve", "order", "tags", "omitted", "notes"})
_UNDEFINED: dict[object, float] = {None: math.nan, "inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_JSON_SHAPE = 'as in {"systems": {"A": {"bleu": 0.3}}} or [{"system": "A", "bleu": 0.3}]'


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Columns of equal length, in the order of the file; columns that are not entirely numeric are labels."""

    scores: Mapping[str, Floats]
    labels: Mapping[str, tuple[str, ...]]
    rows: int

    def column(self, name: str) -> Floats:
        """Return a numeric column by name."""
        if name not in self.scores:
            message = f"the table has no numeric column '{visible(name)}'"
            raise UsageError(message, hint=f"it has {', '.join([*self.scores][:8])}, …")
        return self.scores[name]

    def label(self, name: str) -> tuple[str, ...]:
        """Return a column as names: a label, or formatted numbers."""
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
    """Read a table, or several tables that are joined by the names of systems."""
    read = {str(path): _read(path) for path in dict.fromkeys(paths)}
    tables = {file: table for file, (table, _) in read.items()}
    inputs = tuple(read[str(path)][1] for path in paths)
    if len(tables) == 1:
        return Scores(next(iter(tables.values())), inputs)
    joined, notes = _joined(tables)
    return Scores(joined, inputs, notes)


def _read(path: Path) -> tuple[ScoreTable, InputIdentity]:
    """Read a table and its hash in one pass, because it may come from standard input."""
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
        raise InputError(
            f"the tables have no system in common ({listed})",
            hint="they are joined by the names of the systems",
        )
    scores: dict[str, Floats] = {}
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
        hint = "add a column of names, such as system, to identify the rows"
        raise InputError("the table does not name its systems", place=Place(file), hint=hint)
    names = list(table.labels[name])
    if len(set(names)) < len(names):
        raise InputError(f"a system has two rows in column '{visible(name)}'", place=Place(file))
    return names


def columns_like(table: ScoreTable, patterns: Iterable[str]) -> list[str]:
    """Return the numeric columns that match patterns such as `mean_*`, in the table's order."""
    asked = [part for pattern in patterns for part in pattern.split(",") if part]
    for pattern in asked:
        if not any(fnmatchcase(name, pattern) for name in table.scores):
            hint = f"there is {', '.join([*table.scores][:8])}, …"
            raise UsageError(f"no numeric column matches '{visible(pattern)}'", hint=hint)
    return [name for name in table.scores if any(fnmatchcase(name, pattern) for pattern in asked)]


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
        hint = "the first row must name the columns, separated by tabs or commas"
        raise InputError(message, place=place, hint=hint)


def _rows(numbered: Iterator[tuple[int, list[str]]], header: list[str], file: str) -> Iterator[list[str]]:
    for record, (number, cells) in enumerate(numbered, start=1):
        if len(cells) != len(header):
            message = f"the row has {some(len(cells), 'cell')}, but the header has {len(header)}"
            raise InputError(message, place=Place(file, line=number, record=record))
        yield cells


def _numbers(cells: tuple[str, ...]) -> Floats | None:
    """Return a column's numbers, or None if a cell is not a number."""
    try:
        return np.array([float(cell) for cell in cells], dtype=np.float64)
    except ValueError:
        return None


def _json_table(text: str, file: str) -> ScoreTable:
    """Read scores: nested names are joined with dots, undefined scores are `nan`, references are omitted."""
    rows = list(_json_rows(_document(text, file), file))
    if not rows:
        raise InputError("the file contains no scores of systems", place=Place(file), hint=_JSON_SHAPE)
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
        raise InputError("there is extra content after the JSON value", place=Place(file))
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
    """Yield the scores in a row; lists and booleans are not scores."""
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


# The correlation of each pair of measures.

Method = Literal["pearson", "spearman"]
FEWEST_ROWS = 3  # with two, all scores correlate perfectly


class Correlations(NamedTuple):
    """A symmetric matrix of correlations between measures, with p-values and numbers of systems."""

    coefficients: Floats  # nan if a measure is constant, or fewer than two systems have both
    p: Floats  # two-sided; nan for fewer than three systems
    systems: NDArray[np.int64]  # number of systems with both measures


def correlations(table: Mapping[str, Sequence[float]], *, method: Method = "spearman") -> Correlations:
    """Return the correlation of each pair of measures (measure -> value for each system, `nan` if undefined).

    Each pair uses the systems with both values. p comes from Student's t with two degrees of freedom less
    than systems, as in SciPy; with nine systems it is imprecise for ranks.
    """
    lengths = {len(values) for values in table.values()}
    if len(lengths) > 1:
        raise InputError(f"the measures cover different numbers of systems: {sorted(lengths)}")
    columns = [np.asarray(values, dtype=float) for values in table.values()]
    size = len(columns)
    coefficients, systems = np.full((size, size), np.nan), np.zeros((size, size), dtype=np.int64)
    for first, second in combinations_with_replacement(range(size), 2):
        both = np.isfinite(columns[first]) & np.isfinite(columns[second])
        value = _correlation(columns[first][both], columns[second][both], method)
        coefficients[first, second] = coefficients[second, first] = value
        systems[first, second] = systems[second, first] = np.count_nonzero(both)
    return Correlations(coefficients, _p_values(coefficients, systems), systems)


def _correlation(first: Floats, second: Floats, method: Method) -> float:
    if first.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    if np.array_equal(first, second):
        return 1.0  # exact; the computation below may be off in the last digit
    if method == "spearman":
        first, second = _ranks(first), _ranks(second)
    return float(_pearson(first[None, :], second)[0])


def _ranks(values: Floats) -> Floats:
    """Return ranks from 1; ties get their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray(((last - counts + 1 + last) / 2)[inverse])


def _pearson(matrix: Floats, target: Floats) -> Floats:
    """Return Pearson's r of each row with the target."""
    rows = _standardised(matrix)
    return np.asarray(np.clip(rows @ _standardised(target[None, :])[0], -1.0, 1.0))


def _standardised(matrix: Floats) -> Floats:
    """Centre rows and scale them to length 1, with an intermediate scaling against overflow and underflow.

    Centring comes first, because scaling rounds, and some published scores only differ in their last digits.
    """
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    centred /= np.abs(centred).max(axis=1, keepdims=True)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


def _p_values(r: Floats, rows: NDArray[np.int64]) -> Floats:
    """Return two-sided p of r under independence: (1 + r) / 2 is Beta(n/2 - 1, n/2 - 1)."""
    from scipy.special import betainc  # slow to import

    known = np.where(rows >= FEWEST_ROWS, rows, np.nan) / 2 - 1
    return np.asarray(np.minimum(1.0, 2 * betainc(known, known, (1 - np.abs(r)) / 2)))


# How well one score predicts another across systems: R², R, p and Spearman's rho, by data set.
#
# Following Tanti et al. (2018): pre-gen scores against post-gen scores, where each row of a table is a model
# or a stratum of one model's images.

ALL = "all"  # stands for all data sets together

Why = Literal["not-finite", "constant", "few-rows"]


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of a pre-gen and a post-gen score in one data set; all `nan` if `why` is set."""

    pre: str
    post: str
    dataset: str
    rows: int
    r_squared: Number
    r: Number  # Pearson
    p: Number  # two-sided, for Pearson's r
    rho: Number  # Spearman
    why: Why | None = None


def correlate(
    pre: Mapping[str, Floats], post: Mapping[str, Floats], *, datasets: Sequence[str] | None = None
) -> tuple[Correlation, ...]:
    """Correlate every pre-gen column with every post-gen column, by data set and over all data sets.

    `datasets` names the data set of each row. A column that is constant or not finite in a data set has no
    correlation there, and the result states why.
    """
    rows = _row_count([*pre.values(), *post.values()], datasets)
    groups = _groups(datasets, rows)
    return tuple(
        correlation
        for name, scores in post.items()
        for dataset, chosen in groups.items()
        for correlation in _correlations(pre, (name, scores[chosen]), dataset, chosen)
    )


def ranking(
    correlations: Iterable[Correlation], *, post: str, dataset: str = ALL, everywhere: bool = False
) -> tuple[Correlation, ...]:
    """Return the correlations with one post-gen score, highest R² first; ties keep their order.

    Undefined correlations are omitted. With `everywhere`, pre-gen scores that are undefined in any other data
    set are omitted as well, as in the paper's tables.
    """
    mine = [found for found in correlations if found.post == post]
    partial = {found.pre for found in mine if found.why} if everywhere else set()
    kept = [
        found for found in mine if found.dataset == dataset and not found.why and found.pre not in partial
    ]
    return tuple(sorted(kept, key=lambda found: -found.r_squared))


def top_table(
    correlations: Sequence[Correlation], *, top: int = 5, dataset: str = ALL, everywhere: bool = False
) -> dict[str, tuple[Correlation, ...]]:
    """Return the best pre-gen scores for each post-gen score."""
    posts = dict.fromkeys(found.post for found in correlations)
    return {
        post: ranking(correlations, post=post, dataset=dataset, everywhere=everywhere)[:top] for post in posts
    }


def _row_count(columns: Iterable[Floats], datasets: Sequence[str] | None) -> int:
    lengths = {len(column) for column in columns} | ({len(datasets)} if datasets is not None else set())
    if len(lengths) != 1:
        raise UsageError(f"the columns must have the same number of rows, not {sorted(lengths)}")
    return lengths.pop()


def _groups(datasets: Sequence[str] | None, rows: int) -> dict[str, NDArray[np.intp]]:
    found: dict[str, list[int]] = {}
    for row, dataset in enumerate(datasets or ()):
        found.setdefault(dataset, []).append(row)
    groups = {dataset: np.array(chosen, dtype=np.intp) for dataset, chosen in found.items()}
    return groups | {ALL: np.arange(rows, dtype=np.intp)}


def _correlations(
    pre: Mapping[str, Floats], post: tuple[str, Floats], dataset: str, chosen: NDArray[np.intp]
) -> Iterator[Correlation]:
    """Yield the correlations of one post-gen column; the defined ones are computed together."""
    name, target = post
    columns = {key: column[chosen] for key, column in pre.items()}
    why = {key: _undefined(column) or _undefined(target) for key, column in columns.items()}
    usable = [key for key in columns if why[key] is None]
    values = iter(_coefficients([columns[key] for key in usable], target) if usable else ())
    for key in columns:
        found = (math.nan,) * 4 if why[key] else next(values)
        yield Correlation(key, name, dataset, len(target), *found, why[key])


def _undefined(column: Floats) -> Why | None:
    if len(column) < FEWEST_ROWS:
        return "few-rows"
    if not np.isfinite(column).all():
        return "not-finite"
    return "constant" if column.max() == column.min() else None


def _coefficients(columns: list[Floats], target: Floats) -> Iterator[tuple[float, float, float, float]]:
    matrix = np.stack(columns)
    r = _pearson(matrix, target)
    rho = _pearson(np.stack([_ranks(column) for column in columns]), _ranks(target))
    p = _p_values(r, np.array(len(target)))
    return zip((r**2).tolist(), r.tolist(), p.tolist(), rho.tolist(), strict=True)

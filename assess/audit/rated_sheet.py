"""Reading a sheet that came back from a rater, and the key that it belongs to."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assess.audit.ratings import Ratings, SheetKey
from assess.audit.sheet import SheetStratum
from assess.errors import InputError, Place, Problem, visible
from assess.taxonomy.nodes import read_text

YES = frozenset({"y", "yes", "1", "true", "x", "ja", "oui"})
NO = frozenset({"n", "no", "0", "false", "nein", "non"})
UNCLEAR = frozenset({"?", "unclear", "unsure", "skip"})
_HINT = "answers are yes, no or ? (unclear); an empty one is not rated yet"
_KEY_HINT = "give the key that `assess sample` wrote beside the sheet: --key FILE"


class _Stratum(BaseModel):
    model_config = ConfigDict(frozen=True)

    category: str
    group: str
    said: bool
    population: int = Field(ge=0)


class _Key(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    sheet: str
    by: str | None
    signature: dict[str, Any]
    strata: tuple[_Stratum, ...]
    rows: dict[str, int]


def find_key(sheet: Path) -> Path:
    """Return the key of a sheet: the one beside it whose rows it has."""
    first = next(iter(_rows(sheet)), None)
    if first is None:
        raise InputError("the sheet has no rows", place=Place(str(sheet)))
    for path in sorted(sheet.parent.glob("*.key.json")):
        if first[1] in _read_key(path).rows:
            return path
    raise InputError("no key beside the sheet knows its rows", place=Place(str(sheet)), hint=_KEY_HINT)


def read_key(path: Path) -> tuple[SheetKey, dict[str, Any]]:
    """Return a key, and the signature of the audit that it was drawn from."""
    key = _read_key(path)
    strata = tuple(SheetStratum(s.category, s.group, s.said, s.population) for s in key.strata)
    if not all(0 <= place < len(strata) for place in key.rows.values()):
        raise InputError("a row has a stratum that is not there", place=Place(str(path)), hint=_KEY_HINT)
    return SheetKey(key.sheet, key.by, strata, key.rows), key.signature


def _read_key(path: Path) -> _Key:
    try:
        return _Key.model_validate_json(read_text(path))
    except ValidationError as error:
        message = f"is not the key of a sheet: {error.errors()[0]['msg']}"
        raise InputError(message, place=Place(str(path)), hint=_KEY_HINT) from None


def read_ratings(path: Path, key: SheetKey) -> Ratings:
    """Return a rater's answers by row. All mistakes of a sheet are told at once."""
    problems: list[Problem] = []
    ratings: dict[str, bool] = {}
    seen: set[str] = set()
    for line, row, answer in _rows(path):
        place = Place(str(path), line=line)
        said = answer.strip().strip("'").lower()
        if row not in key.rows:
            hint = "has the sheet another key? --key FILE"
            problems.append(Problem(f"the key has no row '{visible(row)}'", place, hint))
        elif row in seen:
            problems.append(Problem(f"the row '{visible(row)}' stands twice", place, "keep one"))
        elif said in YES | NO:
            ratings[row] = said in YES
        elif said and said not in UNCLEAR:
            problems.append(Problem(f"'{visible(answer, 40)}' is no answer", place, _HINT))
        seen.add(row)
    if problems:
        raise InputError(problems)
    return ratings


def _rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, id and answer of each row; a spreadsheet may have saved it with other separators."""
    text = read_text(path)
    header = text.splitlines()[0] if text.strip() else ""
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    names = [name.strip().lower() for name in next(reader, [])]
    identity, answer = (_column(names, name, path) for name in ("id", "answer"))
    for cells in reader:
        if any(cell.strip() for cell in cells):
            row = [*cells, *[""] * (len(names) - len(cells))]
            yield reader.line_num, row[identity].strip(), row[answer]


def _column(names: Sequence[str], name: str, path: Path) -> int:
    if name not in names:
        raise InputError(
            f"the sheet has no column `{name}`; its columns are {visible(', '.join(names))}",
            place=Place(str(path), line=1),
            hint="keep the first row as `assess sample` wrote it",
        )
    return names.index(name)

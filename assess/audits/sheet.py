"""Rating sheets as CSV with a key: labels sampled by category, group and the tool's answer.

Raters see the phrase in its caption and a question, but neither the group under which the tool counted it nor
the tool's answer. These are in the key, together with the number of labels that each sampled label stands
for.
"""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError, ValidationInfo, field_validator

from assess.audits.explain import carries, parse_address
from assess.audits.saved import SavedAudit, SavedMention
from assess.corpus.tables import small_table
from assess.errors import InputError, Place, Problem, UsageError, visible
from assess.report.tables import csv_text, safe_text
from assess.report.text import dump
from assess.taxonomy.phrases import closest
from assess.taxonomy.strict_yaml import read_text
from assess.whole_files import check_file, write_whole

PER_CELL = 10
COLUMNS = ("id", "image_id", "phrase", "caption", "category", "question", "answer")
KEY_SUFFIX = ".key.json"
_LONGEST, _BEFORE = 600, 200  # maximum length of a shown caption, and how much of it may precede its phrase


@dataclass(frozen=True, slots=True)
class SheetStratum:
    """A set of labels to sample from."""

    category: str
    value: Annotated[str, Field(alias="group")]  # of the group, or `all` without a group
    said: bool  # whether the tool gave them the category
    population: Annotated[int, Field(ge=0, le=2**53)]  # limited to integers that a float represents exactly


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A question for a rater."""

    id: str
    stratum: int  # index of the stratum in the sheet
    category: str
    description: str
    mention: SavedMention


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows in the order in which raters see them, and the strata that they come from."""

    id: str
    by: str | None
    seed: int
    rows: tuple[SheetRow, ...]
    strata: tuple[SheetStratum, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """What to sample from an audit. None means that the audit determines it."""

    by: str | None = None  # the group; by default the first one, if there is any
    categories: tuple[str, ...] = ()  # by default those with a disparity, otherwise all in use
    systems: tuple[str, ...] = ()  # by default all except references
    per_cell: int = PER_CELL
    seed: int = 0

    def __post_init__(self) -> None:
        if self.per_cell < 1:
            raise UsageError("a sheet needs at least one label per cell", hint="10 to 50 are typical")


def draw_sheet(audit: SavedAudit, draw: Draw) -> Sheet:
    """Draw a sheet. The sample depends only on the audit and the seed, not on the order of labels."""
    by = _group(audit, draw)
    systems = _systems(audit, draw)
    categories = _categories(audit, draw, by, systems)
    pools: dict[tuple[str, str, bool], _Pool] = {}
    for mention in audit.mentions():
        if mention.system in systems:
            value = audit.value(by, mention) if by else "all"
            analysis = audit.analysis(mention)
            for category in categories:
                said = carries(analysis, ("modifier", category)) == "best"
                pool = pools.setdefault((category, value, said), _Pool(draw.per_cell))
                pool.offer(mention, _rank(draw.seed, category, mention))
    return _sheet(audit, draw, by, {key: pools[key] for key in sorted(pools)})


@dataclass(slots=True)
class _Pool:
    """Keeps the labels of a stratum with the lowest pseudo-random ranks."""

    size: int
    population: int = 0
    _kept: list[tuple[int, SavedMention]] = field(default_factory=list)

    def offer(self, mention: SavedMention, rank: int) -> None:
        self.population += 1
        # A heap has its smallest element on top, so ranks are negated to remove the largest.
        item = (-rank, mention)
        if len(self._kept) < self.size:
            heapq.heappush(self._kept, item)
        elif -rank > self._kept[0][0]:
            heapq.heapreplace(self._kept, item)

    def drawn(self) -> Iterator[tuple[int, SavedMention]]:
        for rank, mention in self._kept:
            yield -rank, mention


def _rank(seed: int, category: str, mention: SavedMention) -> int:
    text = json.dumps([seed, category, *mention.key])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=12).digest(), "big")


def _sheet(audit: SavedAudit, draw: Draw, by: str | None, pools: dict[tuple[str, str, bool], _Pool]) -> Sheet:
    strata = tuple(SheetStratum(*key, population=pool.population) for key, pool in pools.items())
    # All strata are sorted together by rank, so that the position of a row does not reveal the tool's answer.
    drawn = sorted(
        (rank, place, mention) for place, pool in enumerate(pools.values()) for rank, mention in pool.drawn()
    )
    identity = _identity(audit, draw, strata)
    rows = []
    for number, (_, place, mention) in enumerate(drawn, start=1):
        category = strata[place].category
        description = audit.modifiers[category].description
        rows.append(SheetRow(f"{identity}-{number:04d}", place, category, description, mention))
    return Sheet(identity, by, draw.seed, tuple(rows), strata)


def _identity(audit: SavedAudit, draw: Draw, strata: Sequence[SheetStratum]) -> str:
    """Return a short id that connects a sheet with its key."""
    content = [
        audit.results.signature.as_dict(),
        draw.seed,
        draw.per_cell,
        [repr(stratum) for stratum in strata],
    ]
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _group(audit: SavedAudit, draw: Draw) -> str | None:
    if draw.by is None:
        return next(iter(audit.groups), None)
    if draw.by not in audit.groups:
        raise UsageError(
            f"the audit has no group called '{visible(draw.by)}'", hint=closest(draw.by, audit.groups)
        )
    return draw.by


def _systems(audit: SavedAudit, draw: Draw) -> set[str]:
    for name in draw.systems:
        if name not in audit.results.systems:
            hint = closest(name, audit.results.systems)
            raise UsageError(f"the audit has no system called '{visible(name)}'", hint=hint)
    return set(draw.systems or audit.systems)


def _categories(audit: SavedAudit, draw: Draw, by: str | None, systems: set[str]) -> list[str]:
    if draw.categories:
        first = sorted(systems)[0]
        named = [parse_address(f"{first}/{category}", audit).key for category in draw.categories]
        for role, category in named:
            if role == "head":
                raise UsageError(
                    f"`{category}` is a head category", hint="sheets cover modifier categories only"
                )
        return list(dict.fromkeys(category for _, category in named))
    cells = audit.groups[by].cells if by else ()
    unequal = {
        c.category for c in cells if c.verdict == "disparity" and c.system in systems and c.role == "modifier"
    }
    used = {
        name.removeprefix("modifier.")
        for system in systems
        for name, count in audit.results.systems[system].categories.items()
        if name.startswith("modifier.") and count.best_labels
    }
    return sorted(unequal or used)


def write_sheet(path: Path, sheet: Sheet, audit: SavedAudit) -> Path:
    """Write a sheet and, next to it, its key; return the path of the key."""
    key = path.with_suffix(KEY_SUFFIX)
    check_file(path)
    # The key comes first, because a sheet without a key would be useless.
    write_whole(key, dump(sheet_key(sheet, audit)) + "\n")
    write_whole(path, sheet_csv(sheet))
    return key


def sheet_csv(sheet: Sheet) -> str:
    """Return the rows for raters, without the tool's groups and answers."""
    return csv_text([COLUMNS, *(_row_cells(row) for row in sheet.rows)])


def _row_cells(row: SheetRow) -> list[str]:
    mention = row.mention
    question = f"Does the phrase express this in the caption? {row.description}"
    cells = (row.id, mention.image, mention.caption[mention.start : mention.end], _context(mention))
    return [safe_text(visible(cell, len(cell) + 1)) for cell in (*cells, row.category, question, "")]


def _context(mention: SavedMention) -> str:
    """Return the caption with its phrase marked; a long caption is truncated around the phrase."""
    caption, start, end = mention.caption, mention.start, mention.end
    marked = f"{caption[:start]}«{caption[start:end]}»{caption[end:]}"
    if len(marked) <= _LONGEST:
        return marked
    first = max(0, start - _BEFORE)
    return ("…" if first else "") + marked[first : first + _LONGEST] + "…"


def sheet_key(sheet: Sheet, audit: SavedAudit) -> dict[str, Any]:
    """Return the key of the rows. Raters must not see it until they are done."""
    places: dict[str, dict[str, str | int]] = {}
    for row in sheet.rows:
        system, image, record, start, *_ = row.mention
        places[row.id] = {"system": system, "image_id": image, "record": record, "start": start}
    key = SheetKey(
        sheet=sheet.id,
        signature=audit.results.signature.as_dict(),
        by=sheet.by,
        seed=sheet.seed,
        strata=sheet.strata,
        rows={row.id: row.stratum for row in sheet.rows},
        places=places,
    )
    return key.model_dump(by_alias=True)


# Reading rated sheets.

YES = frozenset({"y", "yes", "1", "true", "x", "ja", "oui"})
NO = frozenset({"n", "no", "0", "false", "nein", "non"})
UNCLEAR = frozenset({"?", "unclear", "unsure", "skip"})
_HINT = "answers are yes, no or ? (unclear); leave a cell empty if it is not rated yet"
_KEY_HINT = "give the key written by `assess sample` with --key FILE"


class SheetKey(BaseModel):
    """The key of a sheet's rows."""

    sheet: str
    signature: dict[str, Any]  # signature of the sampled audit
    by: str | None
    seed: int = 0
    strata: tuple[SheetStratum, ...]
    rows: dict[str, int]  # id of the row -> index of its stratum
    places: dict[str, dict[str, str | int]] = Field(default_factory=dict)  # place of each row's phrase

    @field_validator("rows")
    @classmethod
    def _has_strata(cls, rows: dict[str, int], info: ValidationInfo) -> dict[str, int]:
        if not all(0 <= place < len(info.data.get("strata", ())) for place in rows.values()):
            raise ValueError("a row refers to a stratum that does not exist")
        return rows


Ratings = Mapping[str, bool]
"""Ids of rows, with the rater's answer whether the phrase has the category. Unclear answers are omitted."""


def find_key(sheet: Path) -> Path:
    """Return the key of a sheet: the one next to it that contains its rows."""
    first = next(iter(_rows(sheet)), None)
    if first is None:
        raise InputError("the sheet has no rows", place=Place(str(sheet)))
    for path in sorted(sheet.parent.glob(f"*{KEY_SUFFIX}")):
        if first[1] in read_key(path).rows:
            return path
    raise InputError("there is no matching key next to the sheet", place=Place(str(sheet)), hint=_KEY_HINT)


def read_key(path: Path) -> SheetKey:
    """Read the key of a sheet."""
    try:
        return SheetKey.model_validate_json(read_text(path))
    except ValidationError as error:
        message = f"is not the key of a sheet: {error.errors()[0]['msg'].removeprefix('Value error, ')}"
        raise InputError(message, place=Place(str(path)), hint=_KEY_HINT) from None


def read_ratings(path: Path, key: SheetKey) -> Ratings:
    """Return a rater's answers by row; raises one error with all mistakes in a sheet."""
    problems: list[Problem] = []
    ratings: dict[str, bool] = {}
    seen: set[str] = set()
    for line, row, answer in _rows(path):
        place = Place(str(path), line=line)
        said = answer.strip().strip("'").lower()
        if row not in key.rows:
            hint = "does the sheet belong to another key? --key FILE"
            problems.append(Problem(f"the key has no row '{visible(row)}'", place, hint))
        elif row in seen:
            problems.append(Problem(f"the row '{visible(row)}' appears twice", place, "keep one"))
        elif said in YES | NO:
            ratings[row] = said in YES
        elif said and said not in UNCLEAR:
            problems.append(Problem(f"'{visible(answer, 40)}' is not an answer", place, _HINT))
        seen.add(row)
    if problems:
        raise InputError(problems)
    return ratings


def _rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, id and answer of each row; a spreadsheet may have changed the separators."""
    text = read_text(path)
    header = text.splitlines()[0] if text.strip() else ""
    delimiter = max(",;\t", key=header.count)
    rows = small_table(text, delimiter=delimiter, file=str(path))
    names = [name.strip().lower() for name in next(rows, (1, []))[1]]
    identity, answer = (_column(names, name, path) for name in ("id", "answer"))
    for line, cells in rows:
        row = [*cells, *[""] * (len(names) - len(cells))]
        yield line, row[identity].strip(), row[answer]


def _column(names: Sequence[str], name: str, path: Path) -> int:
    if name not in names:
        raise InputError(
            f"the sheet has no column `{name}`; its columns are {visible(', '.join(names))}",
            place=Place(str(path), line=1),
            hint="keep the header row written by `assess sample`",
        )
    return names.index(name)

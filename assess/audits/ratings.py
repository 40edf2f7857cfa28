"""Rated sheets, read back and scored: precision per category, corrected rates, and how far raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.audits.sheet import SheetStratum
from assess.audits.validation import corrected_by_strata, kappa, more_to_rate, weighted_rate
from assess.corpus.tables import small_table
from assess.errors import InputError, Place, Problem, some, visible
from assess.measures.bias.forest import folded
from assess.measures.bias.references import triple
from assess.measures.bias.tables import UNDEFINED, Estimate, Tally, wilson
from assess.report.terminal import new_table
from assess.report.text import UNDEFINED as DASH
from assess.report.text import count, percent, plain, rate
from assess.taxonomy.strict_yaml import read_text

YES = frozenset({"y", "yes", "1", "true", "x", "ja", "oui"})
NO = frozenset({"n", "no", "0", "false", "nein", "non"})
UNCLEAR = frozenset({"?", "unclear", "unsure", "skip"})
_HINT = "answers are yes, no or ? (unclear); an empty one is not rated yet"
_KEY_HINT = "give the key that `assess sample` wrote next to the sheet: --key FILE"


@dataclass(frozen=True, slots=True)
class SheetKey:
    """What a sheet's rows stand for."""

    sheet: str
    by: str | None
    strata: tuple[SheetStratum, ...]
    rows: Mapping[str, int]  # a row's id, and the place of its stratum


Ratings = Mapping[str, bool]
"""A row's id, and whether the rater says that the phrase has the category. What is unclear is not there."""


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """How well the tool finds one category."""

    category: str
    precision: Estimate  # of the labels that were given it, those that have it
    missed: Estimate  # of the labels that were not given it, those that have it
    rated: Tally  # the rated labels that were given it: confirmed, and all
    more: int  # ratings still needed for the precision asked for


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A rate as counted, and corrected by what the raters said."""

    category: str
    value: str
    apparent: Tally
    confirmed: Tally
    missed: Tally
    corrected: Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters of the same rows."""

    both: int
    kappa: Estimate
    counts: tuple[tuple[int, int], tuple[int, int]]  # yes/no of the first by yes/no of the second
    disagreed: tuple[str, ...]  # rows to talk about


@dataclass(frozen=True, slots=True)
class Score:
    """All that one or two rated sheets say."""

    key: SheetKey
    rated: int
    rows: int
    categories: tuple[CategoryScore, ...]
    rates: tuple[CorrectedRate, ...]
    agreement: Agreement | None


def score(
    key: SheetKey,
    ratings: Ratings,
    second: Ratings | None = None,
    *,
    half_width: float = 0.05,
    level: float = 0.95,
) -> Score:
    """Score a rated sheet. The second rater measures agreement; the first one's answers make the rates."""
    tallies = _tallies(key, ratings)
    categories = list(dict.fromkeys(stratum.category for stratum in key.strata))
    return Score(
        key=key,
        rated=len(ratings),
        rows=len(key.rows),
        categories=tuple(_category(name, key, tallies, half_width, level) for name in categories),
        rates=tuple(
            _corrected(category, value, key, tallies, level)
            for category in categories
            for value in dict.fromkeys(s.value for s in key.strata if s.category == category)
        ),
        agreement=_agreement(ratings, second, level) if second is not None else None,
    )


def _tallies(key: SheetKey, ratings: Ratings) -> list[Tally]:
    """Return, for each stratum, the rated labels that have the category."""
    yes, total = [0] * len(key.strata), [0] * len(key.strata)
    for row, has in ratings.items():
        total[key.rows[row]] += 1
        yes[key.rows[row]] += has
    return [Tally(*counts) for counts in zip(yes, total, strict=True)]


def _category(
    name: str, key: SheetKey, tallies: Sequence[Tally], half_width: float, level: float
) -> CategoryScore:
    given, not_given = (
        [
            (stratum.population, tally)
            for stratum, tally in zip(key.strata, tallies, strict=True)
            if stratum.category == name and stratum.said is said
        ]
        for said in (True, False)
    )
    rated = Tally(sum(tally.yes for _, tally in given), sum(tally.total for _, tally in given))
    return CategoryScore(
        category=name,
        precision=weighted_rate(given, level=level),
        missed=weighted_rate(not_given, level=level),
        rated=rated,
        more=more_to_rate(rated, half_width=half_width, level=level),
    )


def _corrected(
    category: str, value: str, key: SheetKey, tallies: Sequence[Tally], level: float
) -> CorrectedRate:
    said = {True: (0, Tally(0, 0)), False: (0, Tally(0, 0))}
    for stratum, tally in zip(key.strata, tallies, strict=True):
        if (stratum.category, stratum.value) == (category, value):
            said[stratum.said] = stratum.population, tally
    (given, confirmed), (not_given, missed) = said[True], said[False]
    apparent = Tally(given, given + not_given)
    if given and not_given:
        corrected = corrected_by_strata(apparent, confirmed=confirmed, missed=missed, level=level)
    else:
        # The tool said one thing only, so what was rated is a sample of all labels.
        rated = confirmed if given else missed
        corrected = wilson(rated.yes, rated.total, level=level)
    return CorrectedRate(category, value, apparent, confirmed, missed, corrected)


def _agreement(first: Ratings, second: Ratings, level: float) -> Agreement:
    both = sorted(first.keys() & second.keys())
    counts = [[0, 0], [0, 0]]
    for row in both:
        counts[not first[row]][not second[row]] += 1
    return Agreement(
        both=len(both),
        kappa=kappa(counts, level=level) if both else UNDEFINED,
        counts=((counts[0][0], counts[0][1]), (counts[1][0], counts[1][1])),
        disagreed=tuple(row for row in both if first[row] != second[row]),
    )


class _Stratum(BaseModel):
    category: str
    group: str
    said: bool
    population: int = Field(ge=0)


class _Key(BaseModel):
    """A key as it stands in its file."""

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
    raise InputError("no key next to the sheet has its rows", place=Place(str(sheet)), hint=_KEY_HINT)


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
    """Yield line, id and answer of each row; a spreadsheet may have saved it with other separators."""
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
            hint="keep the first row as `assess sample` wrote it",
        )
    return names.index(name)


# What raters said, for a terminal and as JSON.


def score_report(score: Score, *, half_width: float) -> Iterator[RenderableType]:
    """Yield precision, corrected rates and agreement."""
    left = score.rows - score.rated
    yield Group(
        Text("What the raters say", style="bold"),
        Text(f"{count(score.rated)} of {some(score.rows, 'row')} rated; {count(left)} empty or unclear."),
        *_agreement_lines(score.agreement),
    )
    yield _category_table(score, half_width)
    yield _rate_table(score)


def _agreement_lines(agreement: Agreement | None) -> Iterator[Text]:
    if agreement is None:
        return
    kappa = agreement.kappa
    shown = rate(kappa.value)
    if kappa.low == kappa.low:
        shown += f" ({rate(kappa.low)}, {rate(kappa.high)})"
    yield Text(f"Two raters on {some(agreement.both, 'row')}: Cohen's kappa {shown}.")
    if agreement.disagreed:
        named = ", ".join(agreement.disagreed[:8]) + (", …" if len(agreement.disagreed) > 8 else "")
        yield plain(f"They differ on {some(len(agreement.disagreed), 'row')}: {named}", 400)


def _category_table(score: Score, half_width: float) -> Table:
    table = new_table(
        "Precision by category",
        caption="right: of the labels that were given the category, those that have it. missed: of those that"
        " were not, those that do. Weighted by what the rows stand for.\nmore: ratings still needed for"
        f" ±{half_width * 100:g} points, should the share stay.",
        tight=True,
    )
    table.add_column("category", no_wrap=True)
    for name in ("rated", "right (95%)", "missed (95%)", "more"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in score.categories:
        table.add_row(
            folded(item.category, 20),
            count(item.rated.total),
            _interval(item.precision),
            _interval(item.missed),
            count(item.more),
        )
    return table


def _rate_table(score: Score) -> Table:
    table = new_table(
        "Corrected rates",
        caption="Rate per label as counted, and corrected by the ratings (precision and misses by stratum).",
        tight=True,
    )
    table.add_column("category", no_wrap=True)
    table.add_column("of", overflow="fold")
    for name in ("labels", "counted", "corrected (95%)"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in score.rates:
        table.add_row(
            folded(item.category, 20),
            plain(item.value),
            count(item.apparent.total),
            percent(item.apparent.rate),
            _interval(item.corrected),
        )
    return table


def _interval(estimate: Estimate) -> str:
    if estimate.value != estimate.value:
        return DASH
    return f"{percent(estimate.value)} ({percent(estimate.low)}, {percent(estimate.high)})"


def score_shape(score: Score, signature: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of `assess score --json`."""
    agreement = score.agreement
    return {
        "signature": signature,
        "sheet": score.key.sheet,
        "by": score.key.by,
        "rows": score.rows,
        "rated": score.rated,
        "categories": [
            {
                "category": item.category,
                "confirmed": item.rated.yes,
                "rated": item.rated.total,
                "precision": triple(item.precision),
                "missed": triple(item.missed),
                "more_to_rate": item.more,
            }
            for item in score.categories
        ],
        "rates": [
            {
                "category": item.category,
                "group": item.value,
                "yes": item.apparent.yes,
                "labels": item.apparent.total,
                "rate": item.apparent.rate,
                "confirmed": [item.confirmed.yes, item.confirmed.total],
                "missed": [item.missed.yes, item.missed.total],
                "corrected": triple(item.corrected),
            }
            for item in score.rates
        ],
        "agreement": {
            "rows": agreement.both,
            "kappa": triple(agreement.kappa),
            "counts": agreement.counts,
            "disagreed": agreement.disagreed,
        }
        if agreement
        else None,
    }

"""Taxonomies as tables for spreadsheets: one row per word, with `role,category,word` and its properties.

Sets, function words, excluded phrases, attributes after the noun, members of groups and settings of the whole
file are rows too, with roles of their own; a pattern is a word with braces. Examples and a taxonomy's own
phrase structure cannot be written as rows.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assess.errors import InputError, Place, Problem
from assess.taxonomy.model import Category, Entry, ModifierCategory, Pronouns, Taxonomy
from assess.taxonomy.phrases import PLACEHOLDER, closest, constraint_of, spaced
from assess.taxonomy.syntax import category_id
from assess.taxonomy.words import plural_of

SETTINGS = ("version", "language", "description", "hyphens", "plurals_are", "levels")
"""Settings of the whole taxonomy, one row each."""
PRONOUN = "pronoun"  # the setting that names the noun that stands for pronouns
GROUP_SEPARATOR = "/"  # between a group and its value
# Roles without categories, with the key of their list in the taxonomy.
_ONE_LIST = {"excluded": "excluded", "kind": "kinds", "nothing": "says_nothing"}
_UNCATEGORISED = {*_ONE_LIST, "apart", "pronoun", "rival"}


@dataclass(frozen=True, slots=True)
class Row:
    """A word with its category and everything else that its source states about it."""

    role: str  # one of `ROLES`, where "after" is a modifier
    category: str
    word: str
    pattern: bool = False
    after: bool = False  # an attribute that follows the noun
    of: bool = False  # a noun of of-phrases
    plural: str | None = None
    no_plural: bool = False
    not_with: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    note: str = ""
    grades: str = ""  # for a whole category: yes; for a word: no
    parent: str = ""
    evidence: str = ""
    sensitivity: str = ""
    description: str = ""


def taxonomy_values(rows: Iterable[Row], *, name: str, source: str) -> dict[str, Any]:
    """Return the values of a taxonomy with these rows, in order. Each word counts once per category."""
    rows = list(rows)
    settings = {row.category: row.word for row in rows if row.role == "setting"}
    exact = settings.get("hyphens") == "exact"
    members: dict[tuple[str, str], dict[tuple[str, bool, bool], Row]] = {}
    for row in rows:
        if row.role != "setting":
            written = row.pattern or row.after or row.role == "nothing"
            form = row.word if written else spaced(row.word, exact=exact)
            members.setdefault((row.role, row.category), {}).setdefault((form, row.after, row.of), row)
    values: dict[str, Any] = {
        "taxonomy": name,
        "version": "1.0.0",
        "description": f"Imported from {source.rpartition('/')[2]}.",
        **{key: value for key, value in settings.items() if key != PRONOUN},
        "sets": {},
        "heads": {},
        "modifiers": {},
        "function_words": {},
        "excluded": [],
        "groups": {},
        "kinds": [],
        "says_nothing": [],
    }
    for (role, category), own in members.items():
        _add(values, role, category, list(own.values()))
    if PRONOUN in settings:
        values["pronouns"] = {"noun": settings[PRONOUN], **values.pop("pronouns", {})}
    return {key: value for key, value in values.items() if value or key == "heads"}


def _add(values: dict[str, Any], role: str, category: str, rows: list[Row]) -> None:
    words = [row.word for row in rows]
    if role in _ONE_LIST:
        values[_ONE_LIST[role]] += words
    elif role == "set":
        values["sets"][category] = [_entry(row, {}) for row in rows]
    elif role == "function":
        values["function_words"][category] = words
    elif role == "group":
        group, _, value = category.partition(GROUP_SEPARATOR)
        values["groups"].setdefault(group, {})[value] = words
    elif role == "pronoun":
        told = {word: category.split(GROUP_SEPARATOR) if category else [] for word in words}
        values.setdefault("pronouns", {}).setdefault("words", {}).update(told)
    elif role == "rival":
        values.setdefault("pronouns", {})["rivals"] = words
    elif role == "apart":
        for word in words:
            values["modifiers"][word]["stands_apart"] = True
    elif role == "head":
        values["heads"][category] = _with_words(_about(rows), _without_plurals(rows), {})
    else:
        values["modifiers"][category] = _modifier(rows)


def _about(rows: Sequence[Row]) -> dict[str, Any]:
    first = rows[0]
    values = {"description": first.description or f"Imported: {first.category}."}
    return values | ({"parent": first.parent} if first.parent else {})


def _modifier(rows: Sequence[Row]) -> dict[str, Any]:
    first = rows[0]
    values = _about(rows)
    values["evidence"] = first.evidence or "visible"
    values["sensitivity"] = first.sensitivity or "none"
    if first.grades == YES:
        values["grades"] = True
    said_before = [row for row in rows if not row.after and not row.of and row.word]
    shared = _shared_constraints(said_before) if said_before else {}
    values = _with_words(values | shared, said_before, shared)
    if nouns := [_entry(row, {}) for row in rows if row.of]:
        values["of"] = nouns
    if after := [row.word for row in rows if row.after]:
        values["after"] = after
    return values


def _shared_constraints(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the constraints that all words of a category share. A pattern has no others of its own."""
    shared: dict[str, list[str]] = {}
    common = [name for name in rows[0].not_with if all(name in row.not_with for row in rows)]
    if common:
        shared["not_with"] = common
    patterns = [row for row in rows if row.pattern]
    only = (patterns or rows)[0].only_with
    # A word without `only_with` of its own would inherit the category's.
    if only and all(row.only_with for row in rows):
        shared["only_with"] = list(only)
    return shared


def _with_words(
    values: dict[str, Any], rows: Sequence[Row], shared: Mapping[str, list[str]]
) -> dict[str, Any]:
    lists: dict[str, list[Any]] = {
        "words": [_entry(row, shared) for row in rows if not row.pattern and row.word],
        "patterns": [row.word for row in rows if row.pattern],
    }
    return values | {key: members for key, members in lists.items() if members}


def _entry(row: Row, shared: Mapping[str, list[str]]) -> str | dict[str, Any]:
    entry: dict[str, Any] = {"word": row.word}
    if row.no_plural or row.plural:
        entry["plural"] = None if row.no_plural else row.plural
    lists = {
        "not_with": [name for name in row.not_with if name not in shared.get("not_with", ())],
        "only_with": [] if list(row.only_with) == shared.get("only_with") else list(row.only_with),
        "also": list(row.also),
        "says": list(row.says),
    }
    entry |= {key: names for key, names in lists.items() if names}
    if row.note:
        entry["note"] = row.note
    if row.grades == NO:
        entry["grades"] = False
    return entry if len(entry) > 1 else row.word


def _without_plurals(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without regular plurals of other rows, since those are generated."""
    generated = {
        spaced(plural)
        for row in rows
        if not row.pattern
        and not row.plural
        and not row.no_plural
        and (plural := plural_of(spaced(row.word)))
    }
    return [
        row
        for row in rows
        # A word that is stated to have no plural is kept.
        if row.pattern or row.plural or row.no_plural or spaced(row.word) not in generated
    ]


_DELIMITERS = ",;\t"
# No cell written by a person is this long: it means that an unclosed quotation mark swallowed the following
# rows. The limit is ours, below the csv module's own, which applies to the whole process and may be raised by
# others.
_LONGEST_CELL = 10_000


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row, by the lower-case names of its columns, and the line on which it ends."""

    cells: dict[str, str]
    line: int


def read_table(text: str, *, file: str) -> tuple[list[str], list[TableRow]]:
    """Read a small table written by a person: the names of its columns and its non-empty rows.

    Cells are separated by commas, semicolons or tabs; the first row is the header.
    """
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count))
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        rows = [(cells, reader.line_num) for cells in reader]
    except csv.Error as error:
        raise _no_table(str(error), Place(file, line=reader.line_num)) from None
    for cells, line in rows:
        if (longest := max(map(len, cells), default=0)) > _LONGEST_CELL:
            raise _no_table(f"a cell of {longest:,} characters", Place(file, line=line))
    return header, [_table_row(cells, header, line) for cells, line in rows if any(map(str.strip, cells))]


def _no_table(reason: str, place: Place) -> InputError:
    return InputError(f"not a table: {reason}", place=place, hint="check the quotation marks")


def _table_row(cells: list[str], header: list[str], line: int) -> TableRow:
    values = [unguarded(cell.strip()) for cell in cells]
    # A row may be shorter than the header.
    values += [""] * (len(header) - len(values))
    return TableRow(dict(zip(header, values, strict=False)), line)


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that keeps spreadsheets from running it as a formula."""
    return re.sub(r"^'(?=\s*[=+\-@\uff0b\uff0d\uff1d\uff20])", "", cell)


_NAMES = ("not_with", "only_with", "also", "says")  # columns with several names per cell
_TEXTS = ("note", "grades", "parent", "evidence", "sensitivity", "description")
COLUMNS = ("role", "category", "word", "plural", *_NAMES, *_TEXTS)
ROLES = (
    *("head", "modifier", "after", "of", "apart", "set", "function", "excluded", "nothing", "group", "kind"),
    *("pronoun", "rival", "setting"),
)
NOT_IN_ROWS = ("syntax", "examples")
NO_PLURAL = "(none)"  # an empty cell means the regular plural
YES, NO = "yes", "no"
_SEPARATOR = "; "


def word_rows(taxonomy: Taxonomy) -> Iterator[dict[str, str]]:
    """Yield a taxonomy's words as rows of a table."""
    for name in SETTINGS:
        if (value := getattr(taxonomy, name)) is not None and name in taxonomy.model_fields_set:
            yield from _rows("setting", [value], name)
    for name, entries in taxonomy.sets.items():
        yield from ({"role": "set", "category": name, **_entry_cells(entry)} for entry in entries)
    for name, head in taxonomy.heads.items():
        about = {"description": head.description, "parent": head.parent or ""}
        yield from _category_rows("head", name, head, about)
    for name, modifier in taxonomy.modifiers.items():
        about = {
            "evidence": modifier.evidence,
            "sensitivity": modifier.sensitivity,
            "description": modifier.description,
            "parent": modifier.parent or "",
            "grades": YES if modifier.grades else "",
        }
        yield from _category_rows("modifier", name, modifier, about)
        for entry in modifier.of:
            yield {"role": "of", "category": name, **about, **_entry_cells(entry)}
        yield from (row | about for row in _rows("after", modifier.after, name))
    for name, words in taxonomy.function_words.items():
        yield from _rows("function", words, name)
    yield from _rows("excluded", taxonomy.excluded)
    yield from _rows("nothing", taxonomy.says_nothing)
    yield from _rows("apart", [name for name, each in taxonomy.modifiers.items() if each.stands_apart])
    yield from _pronoun_rows(taxonomy.pronouns)
    yield from _rows("kind", taxonomy.kinds)
    for group, values in taxonomy.groups.items():
        for value, members in values.items():
            yield from _rows("group", members, f"{group}{GROUP_SEPARATOR}{value}")


def _rows(role: str, words: Iterable[str], category: str = "") -> Iterator[dict[str, str]]:
    return ({"role": role, "category": category, "word": word} for word in words)


def _pronoun_rows(pronouns: Pronouns | None) -> Iterator[dict[str, str]]:
    if pronouns is not None:
        yield from _rows("setting", [pronouns.noun], PRONOUN)
        for word, tells in pronouns.words.items():
            yield from _rows("pronoun", [word], GROUP_SEPARATOR.join(tells))
        yield from _rows("rival", pronouns.rivals)


def _category_rows(
    role: str, name: str, category: Category, about: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    for entry in category.words:
        own = {"grades": NO} if not entry.grades else {}
        constraints = _constraint_cells(category, entry)
        yield {"role": role, "category": name, **_entry_cells(entry), **constraints, **about, **own}
    patterns = category.patterns
    if not (category.words or patterns or getattr(category, "of", ()) or getattr(category, "after", ())):
        patterns = ("",)  # a parent without words of its own
    for row in _rows(role, patterns, name):
        yield {**row, **_constraint_cells(category, None), **about}


def _entry_cells(entry: Entry) -> dict[str, str]:
    """Return the cells of a word that do not depend on its category."""
    names = {key: _SEPARATOR.join(getattr(entry, key)) for key in _NAMES}
    plural = (entry.plural or NO_PLURAL) if entry.states_plural else ""
    return {"word": entry.word, "plural": plural, "note": entry.note or "", **names}


def _constraint_cells(category: Category, entry: Entry | None) -> dict[str, str]:
    return {key: _SEPARATOR.join(_constraint(key, category, entry)) for key in ("not_with", "only_with")}


def _constraint(key: str, category: Category, entry: Entry | None) -> list[str]:
    """Return the names in a word's constraint, the category's first, in the order of the file."""
    if entry is not None and not isinstance(category, ModifierCategory):
        return list(getattr(entry, key))  # words that change a head's meaning
    allowed = getattr(constraint_of(category, entry), key)
    written = [*getattr(category, key, ()), *(getattr(entry, key) if entry else ())]
    return [name for name in dict.fromkeys(written) if name in allowed]


def read_word_table(text: str, *, file: str) -> list[Row]:
    """Return the rows of a table; the columns `role,category,word` are enough."""
    header, rows = read_table(text, file=file)
    missing = [column for column in ("role", "category", "word") if column not in header]
    if missing:
        hint = "the first line must name the columns: role,category,word"
        raise InputError(f"there is no column `{missing[0]}`", place=Place(file, line=1), hint=hint)
    problems = [_problem(row.cells, Place(file, line=row.line)) for row in rows]
    if any(problems):
        raise InputError(problem for problem in problems if problem is not None)
    return [_row(row.cells) for row in rows]


def _problem(record: Mapping[str, str], place: Place) -> Problem | None:
    role = record["role"].lower()
    if role not in ROLES:
        return Problem(f"`{record['role']}` is not a role", place, closest(role, ROLES))
    if role not in _UNCATEGORISED and not record["category"]:
        return Problem("the category is empty", place, "every word needs one")
    settings = (*SETTINGS, PRONOUN)
    if role == "setting" and record["category"] not in settings:
        return Problem(
            f"there is no setting `{record['category']}`", place, closest(record["category"], settings)
        )
    if role == "group" and record["category"].count(GROUP_SEPARATOR) != 1:
        return Problem(
            f"`{record['category']}` is not a value of a group", place, "for example gender/female"
        )
    if not record["word"] and not (role in {"head", "modifier"} and record.get("description")):
        return Problem("the word is empty", place, "fill it in, or remove the row")
    return None


def _row(record: Mapping[str, str]) -> Row:
    plural = record.get("plural", "")
    role = record["role"].lower()
    cells: dict[str, Any] = {name: _listed(record.get(name, "")) for name in _NAMES}
    cells |= {name: record.get(name, "") for name in _TEXTS}
    return Row(
        # Attributes after the noun belong to a modifier category, like those before it.
        role="modifier" if role in {"after", "of"} else role,
        category=_category(role, record["category"]),
        word=record["word"],
        pattern=role != "after" and bool(PLACEHOLDER.search(record["word"])),
        after=role == "after",
        of=role == "of",
        plural=plural or None,
        no_plural=plural == NO_PLURAL,
        **cells,
    )


def _category(role: str, name: str) -> str:
    if role == "setting" or not name:
        return name
    return GROUP_SEPARATOR.join(map(category_id, name.split(GROUP_SEPARATOR)))


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(";") if part.strip())

"""Taxonomies as tables for spreadsheets: one row a word, `role,category,word` and what belongs to it.

Sets, function words and excluded phrases are rows too, with their own roles, and a pattern is a word with
braces. Groups, examples, attributes after the noun and a phrase structure of one's own have no place in rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.errors import InputError, Place, Problem
from assess.taxonomy.cfg_import import category_id
from assess.taxonomy.model import Entry, HeadCategory, ModifierCategory, Taxonomy
from assess.taxonomy.names import closest
from assess.taxonomy.phrases import PLACEHOLDER, constraint_of
from assess.taxonomy.table_text import read_table
from assess.taxonomy.word_values import Row

COLUMNS = (
    "role",
    "category",
    "word",
    "plural",
    "not_with",
    "only_with",
    "also",
    "evidence",
    "sensitivity",
    "description",
)
ROLES = ("head", "modifier", "set", "function", "excluded")
NO_PLURAL = "(none)"  # an empty cell means the regular plural
_SEPARATOR = "; "


def word_rows(taxonomy: Taxonomy) -> Iterator[dict[str, str]]:
    """Yield a taxonomy's words as rows of a table."""
    for name, words in taxonomy.sets.items():
        yield from ({"role": "set", "category": name, "word": word} for word in words)
    for name, head in taxonomy.heads.items():
        yield from _category_rows("head", name, head, {"description": head.description})
    for name, modifier in taxonomy.modifiers.items():
        about = {
            "evidence": modifier.evidence,
            "sensitivity": modifier.sensitivity,
            "description": modifier.description,
        }
        yield from _category_rows("modifier", name, modifier, about)
    for name, words in taxonomy.function_words.items():
        yield from ({"role": "function", "category": name, "word": word} for word in words)
    yield from ({"role": "excluded", "category": "", "word": phrase} for phrase in taxonomy.excluded)


def _category_rows(
    role: str, name: str, category: HeadCategory | ModifierCategory, about: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    entries: list[tuple[str, Entry | None]] = [(entry.word, entry) for entry in category.words]
    entries += [(pattern, None) for pattern in category.patterns]
    for word, entry in entries:
        constraint = constraint_of(category, entry)
        yield {
            "role": role,
            "category": name,
            "word": word,
            "plural": _plural_cell(entry),
            "not_with": _SEPARATOR.join(constraint.not_with),
            "only_with": _SEPARATOR.join(constraint.only_with),
            "also": _SEPARATOR.join(entry.also if entry else ()),
            **about,
        }


def _plural_cell(entry: Entry | None) -> str:
    if entry is None or not entry.states_plural:
        return ""
    return entry.plural or NO_PLURAL


def read_word_table(text: str, *, file: str) -> list[Row]:
    """Return the rows of a table; the columns `role,category,word` are enough."""
    header, rows = read_table(text, file=file)
    missing = [column for column in ("role", "category", "word") if column not in header]
    if missing:
        hint = "the first line names the columns: role,category,word"
        raise InputError(f"no column `{missing[0]}`", place=Place(file, line=1), hint=hint)
    problems = [_problem(row.cells, Place(file, line=row.line)) for row in rows]
    if any(problems):
        raise InputError(problem for problem in problems if problem is not None)
    return [_row(row.cells) for row in rows]


def _problem(record: Mapping[str, str], place: Place) -> Problem | None:
    role = record["role"].lower()
    if role not in ROLES:
        return Problem(f"`{record['role']}` is no role", place, closest(role, ROLES))
    if role != "excluded" and not record["category"]:
        return Problem("the category is empty", place, "every word needs one")
    if not record["word"]:
        return Problem("the word is empty", place, "fill it in, or remove the row")
    return None


def _row(record: Mapping[str, str]) -> Row:
    plural = record.get("plural", "")
    return Row(
        role=record["role"].lower(),
        category=category_id(record["category"]) if record["category"] else "",
        word=record["word"],
        pattern=bool(PLACEHOLDER.search(record["word"])),
        plural=plural or None,
        no_plural=plural == NO_PLURAL,
        not_with=_listed(record.get("not_with", "")),
        only_with=_listed(record.get("only_with", "")),
        also=_listed(record.get("also", "")),
        evidence=record.get("evidence", ""),
        sensitivity=record.get("sensitivity", ""),
        description=record.get("description", ""),
    )


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(";") if part.strip())

"""Taxonomies as tables for spreadsheets: one row a word, `role,category,word` and what belongs to it.

Sets, function words, excluded phrases, attributes after the noun, members of groups and what is said of
the whole file are rows too, with their own roles; a pattern is a word with braces. Examples and a phrase
structure of one's own have no place in rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.errors import InputError, Place, Problem
from assess.taxonomy.cfg_import import category_id
from assess.taxonomy.model import Entry, HeadCategory, ModifierCategory, Taxonomy
from assess.taxonomy.names import closest
from assess.taxonomy.phrases import PLACEHOLDER, constraint_of
from assess.taxonomy.table_text import read_table
from assess.taxonomy.word_values import BETWEEN, SETTINGS, Row

COLUMNS = (
    "role",
    "category",
    "word",
    "plural",
    "not_with",
    "only_with",
    "also",
    "says",
    "evidence",
    "sensitivity",
    "description",
)
ROLES = ("head", "modifier", "after", "set", "function", "excluded", "group", "setting")
NOT_IN_ROWS = ("syntax", "examples")
NO_PLURAL = "(none)"  # an empty cell means the regular plural
_SEPARATOR = "; "


def word_rows(taxonomy: Taxonomy) -> Iterator[dict[str, str]]:
    """Yield a taxonomy's words as rows of a table."""
    for name in SETTINGS:
        if (value := getattr(taxonomy, name)) is not None and name in taxonomy.model_fields_set:
            yield {"role": "setting", "category": name, "word": value}
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
        yield from ({"role": "after", "category": name, "word": text, **about} for text in modifier.after)
    for name, words in taxonomy.function_words.items():
        yield from ({"role": "function", "category": name, "word": word} for word in words)
    yield from ({"role": "excluded", "category": "", "word": phrase} for phrase in taxonomy.excluded)
    for group, values in taxonomy.groups.items():
        for value, members in values.items():
            place = f"{group}{BETWEEN}{value}"
            yield from ({"role": "group", "category": place, "word": member} for member in members)


def _category_rows(
    role: str, name: str, category: HeadCategory | ModifierCategory, about: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    entries: list[tuple[str, Entry | None]] = [(entry.word, entry) for entry in category.words]
    entries += [(pattern, None) for pattern in category.patterns]
    for word, entry in entries:
        yield {
            "role": role,
            "category": name,
            "word": word,
            "plural": _plural_cell(entry),
            "not_with": _SEPARATOR.join(_constraint("not_with", category, entry)),
            "only_with": _SEPARATOR.join(_constraint("only_with", category, entry)),
            "also": _SEPARATOR.join(entry.also if entry else ()),
            "says": _SEPARATOR.join(entry.says if entry else ()),
            **about,
        }


def _constraint(key: str, category: HeadCategory | ModifierCategory, entry: Entry | None) -> list[str]:
    """Return the names of a word's constraint, the category's first, in the order of the file."""
    allowed = getattr(constraint_of(category, entry), key)
    written = [*getattr(category, key, ()), *(getattr(entry, key) if entry else ())]
    return [name for name in dict.fromkeys(written) if name in allowed]


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
    if role == "setting" and record["category"] not in SETTINGS:
        return Problem(
            f"no setting is called `{record['category']}`", place, closest(record["category"], SETTINGS)
        )
    if role == "group" and record["category"].count(BETWEEN) != 1:
        return Problem(f"`{record['category']}` is no value of a group", place, "as in gender/female")
    if not record["word"]:
        return Problem("the word is empty", place, "fill it in, or remove the row")
    return None


def _row(record: Mapping[str, str]) -> Row:
    plural = record.get("plural", "")
    role = record["role"].lower()
    return Row(
        # What follows the noun belongs to a modifier category, like what precedes it.
        role="modifier" if role == "after" else role,
        category=_category(role, record["category"]),
        word=record["word"],
        pattern=role != "after" and bool(PLACEHOLDER.search(record["word"])),
        after=role == "after",
        plural=plural or None,
        no_plural=plural == NO_PLURAL,
        not_with=_listed(record.get("not_with", "")),
        only_with=_listed(record.get("only_with", "")),
        also=_listed(record.get("also", "")),
        says=_listed(record.get("says", "")),
        evidence=record.get("evidence", ""),
        sensitivity=record.get("sensitivity", ""),
        description=record.get("description", ""),
    )


def _category(role: str, name: str) -> str:
    if role == "setting" or not name:
        return name
    return BETWEEN.join(map(category_id, name.split(BETWEEN)))


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(";") if part.strip())

"""New taxonomies: a template, or the contents of files in other formats.

These are NLTK grammars, tables, folders of word lists, quanteda and LIWC dictionaries, and our own JSON.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from assess.errors import InputError, Place, Problem, UsageError
from assess.taxonomy.load import parse_taxonomy
from assess.taxonomy.model import Identifier, Taxonomy, Trail
from assess.taxonomy.phrases import closest, spaced
from assess.taxonomy.strict_yaml import Document, MisreadScalar, describe, parse_document, read_text, scalar
from assess.taxonomy.syntax import ImportedGrammar, category_id, import_cfg
from assess.taxonomy.word_table import Row, read_word_table, taxonomy_values
from assess.taxonomy.words import singular_of

JUDGE = "the source has no evidence or sensitivity: `visible` and `none` are placeholders; review them"
_FOLDERS = {"heads": "head", "head": "head", "modifiers": "modifier", "modifier": "modifier"}
_CONDITION = re.compile(r"(?:\([^)]*\)|<[^>]*>)\S*")
_KINDS = (
    "a .cfg (NLTK), a .csv or .tsv (role,category,word), a .yaml (quanteda), a .dic (LIWC),"
    " a .json of `export`, or a folder of .txt files"
)


def import_taxonomy(path: Path, *, name: str, heads: Collection[str] = ()) -> ImportedGrammar:
    """Return the taxonomy that a file or folder in another format describes, and notes for the author.

    Dictionaries do not state which of their categories are the nouns that phrases are about: `heads` names
    them.
    """
    if path.is_dir():
        return _from_rows(_folder_rows(path), path, name)
    kind = path.suffix.lower()
    if kind not in {".cfg", ".csv", ".tsv", ".json", ".yaml", ".yml", ".dic"}:
        raise InputError("this cannot be imported", place=Place(str(path)), hint=f"give {_KINDS}")
    text = read_text(path)
    if kind == ".cfg":
        return _from_cfg(text, path, name)
    if kind == ".json":
        return _from_json(text, path, name)
    if kind in {".yaml", ".yml", ".dic"}:
        listed = _liwc_words(text, path) if kind == ".dic" else _quanteda_words(text, path)
        rows, notes = _dictionary_rows(listed, heads, path)
        imported = _from_rows(rows, path, name)
        return ImportedGrammar(imported.taxonomy, (*imported.notes, *notes))
    return _from_rows(read_word_table(text, file=str(path)), path, name)


class _Listed(NamedTuple):
    """A word of a dictionary and its categories; an empty word stands for a category without words."""

    word: str
    categories: tuple[str, ...]
    parent: str = ""


def _quanteda_words(text: str, path: Path) -> list[_Listed]:
    """Return the words of a quanteda dictionary: keys with words, or with further keys."""
    document = parse_document(text, str(path))
    if document.problems:
        raise InputError(document.problems)
    if not isinstance(document.value, dict):
        hint = "a quanteda dictionary has keys with lists of words"
        raise InputError("this is not a dictionary", place=Place(str(path)), hint=hint)
    if "taxonomy" in document.value:
        hint = "it does not need to be imported; give its path as the domain"
        raise InputError("this is already a taxonomy", place=Place(str(path)), hint=hint)
    return list(_keys(document, (), document.value, ""))


def _keys(document: Document, trail: Trail, values: dict[str, Any], parent: str) -> Iterator[_Listed]:
    for key, value in values.items():
        here = (*trail, key)
        if parent or isinstance(value, dict):
            yield _Listed("", (key,), parent)
        for index, each in enumerate(value if isinstance(value, list) else [value]):
            written = each.written if isinstance(each, MisreadScalar) else each
            if isinstance(each, dict):
                yield from _keys(document, (*here, index) if isinstance(value, list) else here, each, key)
            elif isinstance(written, str):
                yield _Listed(written, (key,), parent)
            elif written is not None:
                raise InputError([document.problem(f"{describe(each)} is not a word", here)])


def _liwc_words(text: str, path: Path) -> list[_Listed]:
    """Return the words of a LIWC dictionary: categories between two lines of %, then words with numbers."""
    lines = text.splitlines()
    marks = [number for number, line in enumerate(lines) if line.strip() == "%"]
    if len(marks) < 2:
        hint = "categories must be between two lines with %: 1<tab>family"
        raise InputError("this is not a LIWC dictionary", place=Place(str(path)), hint=hint)
    names: dict[str, str] = {}
    problems: list[Problem] = []
    found: list[_Listed] = []
    for number, line in enumerate(lines[marks[0] + 1 :], start=marks[0] + 2):
        place = Place(str(path), number, 1, source=line)
        if not line.strip() or number == marks[1] + 1:
            continue
        if number <= marks[1]:
            cells = line.split(maxsplit=1)
            if len(cells) < 2:
                problems.append(
                    Problem("a category needs a number and a name", place, "for example 1<tab>family")
                )
            else:
                names[cells[0]] = cells[1].partition("(")[0].strip() or cells[1].strip()
            continue
        word, numbers, conditions = _liwc_entry(line)
        strange = [each for each in numbers if each not in names]
        if strange or not (numbers or conditions):
            what = f"no category has the number {strange[0]}" if strange else "a word without categories"
            problems.append(
                Problem(what, place, closest(strange[0], names) if strange else "add its numbers")
            )
            continue
        if numbers:
            found.append(_Listed(word, tuple(dict.fromkeys(names[each] for each in numbers))))
        # A category that depends on the words around is skipped like other things that are not words.
        found += [_Listed(f"{word} {condition}", ()) for condition in conditions]
    if problems:
        raise InputError(problems)
    return found


def _liwc_entry(line: str) -> tuple[str, list[str], list[str]]:
    """Return the word of a line, its numbers, and what depends on other words, such as (02 134)125/464.

    Tabs separate them in most dictionaries, spaces in some.
    """
    word, tab, rest = line.strip().partition("\t")
    if not tab:
        entry = re.fullmatch(r"(.*?)((?:\s+(?:\d+|[(<].*))*)", word)
        word, rest = entry.groups() if entry else (word, "")
    conditions = re.findall(_CONDITION, rest)
    return word.strip(), re.sub(_CONDITION, " ", rest).split(), conditions


def _dictionary_rows(
    listed: Sequence[_Listed], heads: Collection[str], path: Path
) -> tuple[list[Row], list[str]]:
    """Return the rows of a dictionary: its categories, then its words, each with all of its categories."""
    parents: dict[str, str] = {}
    words: dict[str, dict[str, None]] = {}
    for each in listed:
        names = list(map(category_id, each.categories))
        for name in names:
            parents.setdefault(name, category_id(each.parent) if each.parent else "")
        words.setdefault(each.word, {}).update(dict.fromkeys(names))
    wanted = {category_id(name) for name in heads}
    if missing := sorted(wanted - parents.keys()):
        raise UsageError(f"the dictionary has no category `{missing[0]}`", hint=closest(missing[0], parents))
    if not wanted:
        hint = "name the head categories: --heads family,friend"
        raise InputError(
            "the dictionary does not say which categories are heads", place=Place(str(path)), hint=hint
        )
    # A category has the same role as the category that it is nested in.
    tops = {_top(name, parents) for name in wanted}
    roles = {name: "head" if _top(name, parents) in tops else "modifier" for name in parents}
    taken = sorted(name for name, role in roles.items() if role == "head" and name not in wanted)
    notes = [f"nested with a head category, so taken as one too: {', '.join(taken)}"] if taken else []
    rows = [Row(role, name, "", parent=parents[name]) for name, role in roles.items()]
    sizes = Counter(name for categories in words.values() for name in categories)
    for word, categories in words.items():
        for role in ("head", "modifier"):
            rows += _word_rows(word, role, [name for name in categories if roles[name] == role], sizes)
    left = [word for word in words if word and _stem(word) is None]
    shown = ", ".join(left[:10]) + (", ..." if len(left) > 10 else "")
    notes += [f"skipped, because they are not valid words or patterns: {shown}"] if left else []
    return rows, notes


def _top(name: str, parents: Mapping[str, str]) -> str:
    """Return the outermost category that contains a category, or itself."""
    seen = {name}
    while (parent := parents.get(name, "")) and parent not in seen:
        seen.add(name := parent)
    return name


def _word_rows(word: str, role: str, categories: list[str], sizes: Counter[str]) -> Iterator[Row]:
    """Yield a word in its smallest category, and its wildcard in all of its categories."""
    stem = _stem(word)
    if stem is None or not categories:
        return
    owner = min(categories, key=lambda name: sizes[name])
    yield Row(role, owner, stem, also=tuple(name for name in categories if name != owner))
    if stem != word:
        yield from (Row(role, name, f"{stem}{{word}}", pattern=True) for name in categories)


def _stem(word: str) -> str | None:
    """Return a word without its final wildcard; None if it has other wildcards or is not a word."""
    stem = word.removesuffix("*")
    return None if re.search(r"[*?{}()]", stem) or not spaced(stem) else stem


def _from_cfg(text: str, path: Path, name: str) -> ImportedGrammar:
    try:
        return import_cfg(text, file=str(path), name=name)
    except ValidationError as error:
        raise _no_taxonomy(path, error) from None


def _from_json(text: str, path: Path, name: str) -> ImportedGrammar:
    # JSON is YAML, so mistakes are located as in any taxonomy.
    taxonomy = parse_taxonomy(text, str(path))[0]
    return ImportedGrammar(taxonomy.model_copy(update={"taxonomy": name}), ())


def _from_rows(rows: list[Row], path: Path, name: str) -> ImportedGrammar:
    judged = all(row.evidence and row.sensitivity for row in rows if row.role == "modifier")
    try:
        taxonomy = Taxonomy.model_validate(taxonomy_values(rows, name=name, source=path.resolve().name))
    except ValidationError as error:
        raise _no_taxonomy(path, error) from None
    return ImportedGrammar(taxonomy, () if judged else (JUDGE,))


def _no_taxonomy(path: Path, error: ValidationError) -> InputError:
    details = error.errors()[0]
    where = ".".join(map(str, details["loc"]))
    if where == "heads":
        hint = (
            "names of head categories must end in Noun (AgeNoun), or their files must be in a folder `heads`"
        )
        return InputError("there is no head category", place=Place(str(path)), hint=hint)
    return InputError(f"{where}: {details['msg']}", place=Place(str(path)))


def _folder_rows(folder: Path) -> list[Row]:
    files = sorted(folder.rglob("*.txt"))
    if not files:
        hint = (
            "use one file per category, such as heads/animal.txt and modifiers/color.txt, with one"
            " word per line"
        )
        raise InputError("this folder contains no .txt file", place=Place(str(folder)), hint=hint)
    return [row for file in files for row in _list_rows(file, file.relative_to(folder).parts[:-1])]


def _list_rows(file: Path, folders: Sequence[str]) -> list[Row]:
    """Return the words of one list. Its folder or name states the role: AgeNoun.txt contains heads."""
    noun = re.fullmatch(r"(?i)(.*?)[-_ ]?nouns?", file.stem)
    roles = [_FOLDERS[folder.lower()] for folder in folders if folder.lower() in _FOLDERS]
    role = roles[-1] if roles else ("head" if noun else "modifier")
    category = category_id(noun[1] if noun and noun[1] and role == "head" else file.stem)
    words = (line.partition("#")[0].strip() for line in read_text(file).splitlines())
    return [Row(role, category, word, pattern="{" in word) for word in words if word]


_SCAFFOLD = """\
# yaml-language-server: $schema=taxonomy.schema.json
# The line above lets an editor check this file as you type (`assess schema > taxonomy.schema.json`).
#
# The loop: write a few words, then
#   assess domain lint {file}
#       mistakes, words with two senses, untested categories
#   assess domain test {file}
#       runs the examples at the end of this file
#   assess domain coverage CAPTIONS --domain {file}
#       what captions say that is not in here yet
#   assess domain suggest CAPTIONS --domain {file}
#       where the missing words probably belong
#   assess domain assign CAPTIONS --domain {file}
#       the same, one key per word: writes your decisions into this file
#   assess domain studio CAPTIONS --domain {file}
#       decide on one screen, with the captions beside the words
#   assess domain coverage CAPTIONS --domain {file} --watch
#       updates the coverage whenever you save this file
#   assess domain sample CAPTIONS --domain {file}
#       draws labels for you to judge: is what was read right?
taxonomy: {name}
version: 0.1.0
language: en
description: What captions say about {title}.

# Heads: what a noun phrase is about. A phrase is in the domain when it ends in one of these words.
# A word may be listed in several head categories; its phrases then count in all of them.
heads:
  {name}:
    description: Says that it is {title} and nothing more.   # every category needs a description
    words:
      - {word}
      # Regular plurals are generated ("box" brings "boxes"). Others are stated:
      # - knife: knives          (the singular, then the plural)
      # - rice: null             (no plural)
      # `says` adds the modifier category that the noun itself implies (a giant is big):
      # - {{word: giant, says: [size]}}

# Modifiers: what is said about the head by the words before it.
modifiers:
  size:
    description: How big it is.
    evidence: visible          # visible, inferred or invisible: can it be judged from the image?
    sensitivity: none          # none, personal, protected or offensive
    words: [big, large, little, small, tiny]
    # A space in an entry is a space or a hyphen: `bite sized` is also "bite-sized".
    # A word in two categories has two senses. Tell them apart by the head, so that no head has both:
    #   - {{word: hot, only_with: [curry, salsa]}}   under taste
    #   - {{word: hot, not_with: [curry, salsa]}}    under temperature
  color:
    description: Its color.
    evidence: visible
    sensitivity: none
    words: [black, brown, green, red, white, yellow]
    # Productive forms are patterns, not lists. Placeholders: {{number}}, {{word}}, a set or a category.
    patterns: ["{{color}}-colored"]

# Sets are word lists for patterns, constraints and groups. They are never reported themselves:
# sets:
#   material: [wooden, metal, plastic]

# Phrases that end like a head but are something else:
# excluded: [hot dog]

# Contrasts for audits: each value lists head words, sets or head categories.
# groups:
#   kind: {{first: [{word}], second: [other]}}

# Examples are tests. They name the categories of the best reading, all of them and no others.
examples:
  - {{text: the {phrase}, heads: [{name}], modifiers: []}}
  - {{text: the small red {phrase}, heads: [{name}], modifiers: [size, color]}}
  - {{text: the brown-colored {phrase}, heads: [{name}], modifiers: [color]}}
  - {{text: something else, in_domain: false}}
"""


def scaffold(name: str, *, file: str) -> str:
    """Return the text of a new taxonomy with that name."""
    check_id(name)
    title = name.replace("-", " ")
    before, space, last = title.rpartition(" ")
    word = before + space + singular_of(last)
    # YAML reads a bare `on` as true and `null` as nothing.
    return _SCAFFOLD.format(name=scalar(name), title=title, word=scalar(word), phrase=word, file=file)


def check_id(name: str) -> None:
    """Raise an error if a name cannot be the id of a domain."""
    try:
        TypeAdapter(Identifier).validate_python(name)
    except ValidationError:
        hint = f"use a letter, then lowercase letters, digits and single hyphens, as in `{category_id(name)}`"
        raise UsageError(f"{name!r} is not a valid id", hint=hint) from None

"""Taxonomies from elsewhere: NLTK grammars, tables, folders of word lists, and JSON of our own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from assess.errors import InputError, Place
from assess.taxonomy.cfg_import import ImportedGrammar, category_id, import_cfg
from assess.taxonomy.load import parse_taxonomy
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.nodes import read_text
from assess.taxonomy.word_table import read_word_table
from assess.taxonomy.word_values import Row, taxonomy_values

JUDGE = "the source does not tell evidence and sensitivity: `visible` and `none` are fillers; judge them"
_FOLDERS = {"heads": "head", "head": "head", "modifiers": "modifier", "modifier": "modifier"}
_KINDS = "a .cfg (NLTK), a .csv or .tsv (role,category,word), a .json of `export`, or a folder of .txt files"


def import_taxonomy(path: Path, *, name: str) -> ImportedGrammar:
    """Return the taxonomy that a foreign file or folder describes, and what the author should know."""
    if path.is_dir():
        return _from_rows(_folder_rows(path), path, name)
    kind = path.suffix.lower()
    if kind not in {".cfg", ".csv", ".tsv", ".json"}:
        raise InputError("this cannot be imported", place=Place(str(path)), hint=f"give {_KINDS}")
    text = read_text(path)
    if kind == ".cfg":
        return _from_cfg(text, path, name)
    if kind == ".json":
        return _from_json(text, path, name)
    return _from_rows(read_word_table(text, file=str(path)), path, name)


def _from_cfg(text: str, path: Path, name: str) -> ImportedGrammar:
    try:
        return import_cfg(text, file=str(path), name=name)
    except ValidationError as error:
        raise _no_taxonomy(path, error) from None


def _from_json(text: str, path: Path, name: str) -> ImportedGrammar:
    # JSON is YAML, so its mistakes are found and placed like those of any taxonomy.
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
        hint = "names of head categories end in Noun (AgeNoun), or their files stand in a folder `heads`"
        return InputError("no head category", place=Place(str(path)), hint=hint)
    return InputError(f"{where}: {details['msg']}", place=Place(str(path)))


def _folder_rows(folder: Path) -> list[Row]:
    files = sorted(folder.rglob("*.txt"))
    if not files:
        hint = "one file a category, such as heads/animal.txt and modifiers/color.txt, with a word a line"
        raise InputError("no .txt file in this folder", place=Place(str(folder)), hint=hint)
    return [row for file in files for row in _list_rows(file, file.relative_to(folder).parts[:-1])]


def _list_rows(file: Path, folders: Sequence[str]) -> list[Row]:
    """Return the words of one list. The folder tells the role, or else the name: AgeNoun.txt has heads."""
    noun = re.fullmatch(r"(?i)(.*?)[-_ ]?nouns?", file.stem)
    roles = [_FOLDERS[folder.lower()] for folder in folders if folder.lower() in _FOLDERS]
    role = roles[-1] if roles else ("head" if noun else "modifier")
    category = category_id(noun[1] if noun and noun[1] and role == "head" else file.stem)
    words = (line.partition("#")[0].strip() for line in read_text(file).splitlines())
    return [Row(role, category, word, pattern="{" in word) for word in words if word]

"""Strict YAML: plain values with their locations, and writing taxonomies in the style of an author.

PyYAML's safe loader keeps the last of two equal keys, expands aliases without limit and reads `no` as False,
which hides mistakes in files written by hand. Here, values are built from the node tree instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from assess.errors import AssessError, InputError, Place, Problem
from assess.limits import FILE_SIZE
from assess.taxonomy.model import Entry, Example, Taxonomy, Trail

# libyaml reads the same language ten times as fast, but is not available on every platform.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LARGEST = 20_000_000  # characters; a larger taxonomy must be a mistake
_DEEPEST = 30  # levels; a taxonomy has six, and a hundred thousand would overflow libyaml's stack
_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # the line endings of YAML


@dataclass(slots=True)
class Document:
    """The values of a YAML file and their locations."""

    file: str
    text: str
    value: Any = None
    keys: dict[Trail, yaml.Mark] = field(default_factory=dict)
    values: dict[Trail, yaml.Mark] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    sources: dict[Trail, tuple[Document, Trail]] = field(default_factory=dict)
    """Locations of values that come from another file, or from another part of this one."""
    lines: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = _LINE_BREAK.split(self.text)

    def place(self, path: Trail, *, key: bool = False) -> Place:
        """Return the place of a value (or of its key); if it has none, that of the nearest known parent."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.sources:
                document, trail = self.sources[path[:length]]
                return document.place(trail + path[length:], key=key)
        while True:
            mark = (self.keys.get(path) if key else None) or self.values.get(path)
            if mark is not None or not path:
                return self.place_of(mark) if mark is not None else Place(self.file)
            path = path[:-1]

    def place_of(self, mark: Any) -> Place:
        """Return the place of a mark with the text of its line. Each loader has its own class of marks."""
        source = self.lines[mark.line] if mark.line < len(self.lines) else ""
        return Place(self.file, line=mark.line + 1, column=mark.column + 1, source=source)

    def problem(self, message: str, path: Trail, *, hint: str | None = None, key: bool = False) -> Problem:
        """Return a problem at the place of a value."""
        return Problem(message, self.place(path, key=key), hint)


def read_text(path: Path) -> str:
    """Read a whole UTF-8 file; errors have the location."""
    most = FILE_SIZE.most
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)  # a device such as /dev/zero never ends
    except FileNotFoundError:
        raise InputError("the file does not exist", place=Place(str(path)), hint="check the path") from None
    except IsADirectoryError:
        raise InputError("this is a folder, not a file", place=Place(str(path))) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", place=Place(str(path))) from None
    except ValueError as error:  # the path contains a NUL character
        raise InputError(f"cannot be read: {error}", place=Place(str(path))) from None
    FILE_SIZE.check(len(raw), "the file is too large", Place(str(path)))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"byte {error.start + 1} is not UTF-8",
            place=Place(str(path), line=line),
            hint="save the file as UTF-8",
        ) from None


def parse_document(text: str, file: str) -> Document:
    """Parse YAML text strictly. All syntax mistakes are collected in `problems`."""
    document = Document(file, text)
    if len(text) > _LARGEST:
        raise AssessError("the file is too large for a hand-written file", place=Place(file))
    _refuse_characters(document)
    try:
        if not document.problems:
            _refuse_dangers(document)
        if document.problems:
            return document
        node = yaml.compose(text, Loader=LOADER)
    except yaml.MarkedYAMLError as error:
        document.problems.append(_syntax_problem(document, error))
        return document
    value = None if node is None else _value(node, (), document)
    if value is None:
        document.problems.append(Problem("the file is empty", Place(file), "see `assess domain show people`"))
    document.value = value
    return document


def _refuse_characters(document: Document) -> None:
    """Report the first character that YAML does not allow; the loaders disagree about its location."""
    for number, line in enumerate(document.lines, start=1):
        found = yaml.reader.Reader.NON_PRINTABLE.search(line)
        if found:
            place = Place(document.file, line=number, column=found.start() + 1, source=line)
            message = f"character #{ord(found.group()):04x} is not allowed in YAML"
            document.problems.append(Problem(message, place, "remove it"))
            return


def _refuse_dangers(document: Document) -> None:
    """Report what must not reach the composer: aliases, and excessive nesting."""
    depth = 0
    for event in yaml.parse(document.text, Loader=LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            # With aliases, ten lines can expand to a billion words; `sets` is the readable way to name a list
            # that is used twice.
            hint = "define the list once under `sets:` and use its name"
            message = f"YAML aliases (*{event.anchor}) are not allowed here"
            document.problems.append(Problem(message, document.place_of(event.start_mark), hint))
        if depth > _DEEPEST:
            place = document.place_of(event.start_mark)
            document.problems.append(Problem("nested too deeply", place, "a taxonomy has only a few levels"))
            return


_OPENED = {"while parsing a flow": "bracket", "while scanning a quoted scalar": "quote"}


def _closes(document: Document, mark: yaml.Mark) -> bool:
    """Whether a bracket closes here, possibly after the last line."""
    source = document.place_of(mark).source or ""
    return source[mark.column : mark.column + 1] in {"]", "}"}


def _syntax_problem(document: Document, error: yaml.MarkedYAMLError) -> Problem:
    opened, mark = error.context_mark, error.problem_mark or error.context_mark
    what = next((name for begin, name in _OPENED.items() if (error.context or "").startswith(begin)), None)
    # The parser reports the mistake later, at a place that is correct.
    if what and opened and mark and (opened.line < mark.line or _closes(document, mark)):
        message = f"not valid YAML: this {what} is not closed (noticed at line {mark.line + 1})"
        return Problem(message, document.place_of(opened), f"close the {what}, or add the missing comma")
    message = f"not valid YAML: {error.problem or error.context}"
    place = document.place_of(mark) if mark else Place(document.file)
    line = place.source or ""
    hint = error.note or "check quotes, brackets and indentation"
    if "\t" in line[: (place.column or 1)]:
        message, hint = "a tab in the indentation", "indent YAML with spaces"
    elif ": " in line.split("#")[0].partition(": ")[2]:
        hint = 'put text that contains ": " in quotes'
    return Problem(message, place, hint)


def _value(node: yaml.Node, path: Trail, document: Document) -> Any:
    document.values[path] = node.start_mark
    if isinstance(node, yaml.MappingNode):
        return dict(_items(node, path, document))
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, (*path, index), document) for index, child in enumerate(node.value)]
    assert isinstance(node, yaml.ScalarNode)
    return _scalar(node)


def _items(node: yaml.MappingNode, path: Trail, document: Document) -> Iterator[tuple[str, Any]]:
    seen: dict[str, yaml.Mark] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            place = document.place_of(key_node.start_mark)
            document.problems.append(Problem("a key must be a plain word", place))
            continue
        key = key_node.value
        key_value = _scalar(key_node)
        place = document.place_of(key_node.start_mark)
        if not isinstance(key_value, str):
            document.problems.append(
                Problem(
                    f"YAML reads the key {key} as {describe(key_value)}",
                    place,
                    f'put it in quotes: "{key}"',
                )
            )
        if key in seen:
            document.problems.append(
                Problem(
                    f"the key `{key}` appears twice; first at line {seen[key].line + 1}",
                    place,
                    "merge the two, or rename one",
                )
            )
            continue
        seen[key] = key_node.start_mark
        document.keys[(*path, key)] = key_node.start_mark
        yield key, _value(value_node, (*path, key), document)


class MisreadScalar:
    """A plain word that YAML does not read as text: `no`, `on`, `1.0`, `12:30`, `2020-01-01`."""

    def __init__(self, written: str, read_as: str) -> None:
        self.written = written
        self.read_as = read_as


def _scalar(node: yaml.ScalarNode) -> Any:
    """Return a text, a boolean spelled true/false, or None; anything else is an `MisreadScalar`."""
    tag = node.tag.rpartition(":")[2]
    if tag == "str":
        return node.value
    if tag == "null":
        return None
    if tag == "bool" and node.value in {"true", "false"}:
        return node.value == "true"
    return MisreadScalar(node.value, tag)


_KINDS = {"bool": "true/false", "int": "a number", "float": "a number", "timestamp": "a date"}
_TYPES: dict[type, str] = {str: "a text", dict: "a mapping", list: "a list"}


def describe(value: Any) -> str:
    """Return the kind of a value for messages."""
    if isinstance(value, MisreadScalar):
        return _KINDS.get(value.read_as, value.read_as)
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "true/false"
    return _TYPES.get(type(value), type(value).__name__)


# Writing: short forms, and lists in brackets, wrapped.

WIDTH = 100
# Letters and digits and, between them, characters without a meaning in YAML.
_HARMLESS = re.compile(r"[\w<](?:[\w './<>&;()+-]*[\w'.>)])?")
_RESOLVER: Any = yaml.resolver.Resolver()
_TEXT = "tag:yaml.org,2002:str"
# The keys of categories and pronouns, in the order in which they are written.
_KEYS = (
    *("description", "parent", "evidence", "sensitivity", "stands_apart", "grades", "not_with", "only_with"),
    *("noun", "words", "rivals", "of", "patterns", "after"),
)


def scalar(text: str) -> str:
    """Return a text as a YAML scalar, in brackets or not: plain if that is safe, otherwise in quotes."""
    if _HARMLESS.fullmatch(text) and _RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) == _TEXT:
        return text
    # A JSON string is a YAML string, but YAML allows fewer characters unescaped.
    return "".join(
        character if character.isprintable() else f"\\U{ord(character):08x}"
        for character in json.dumps(text, ensure_ascii=False)
    )


def taxonomy_text(taxonomy: Taxonomy, *, comments: Sequence[str] = ()) -> str:
    """Return a taxonomy as YAML text. Reading it gives an equal taxonomy with the same hash."""
    lines = [f"# {comment}" for comment in comments]
    for key in Taxonomy.model_fields:
        # Parts that were stated as empty are kept, because they are part of the hash.
        if key in taxonomy.model_fields_set and (value := getattr(taxonomy, key)) is not None:
            lines += [] if isinstance(value, str) else [""]
            lines += _part(key, value, dashes=key in {"syntax", "examples"})
    return "\n".join(lines) + "\n"


def _part(key: str, value: Any, indent: str = "", *, dashes: bool = False) -> list[str]:
    """Return the lines of a key and its value; lists are in brackets, or with one item per line."""
    opening, inner = f"{indent}{scalar(key)}:", f"{indent}  "
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in _KEYS if name in value.model_fields_set}
    if isinstance(value, Mapping):
        parts = (_part(name, part, inner, dashes=dashes) for name, part in value.items() if part is not None)
        return [opening, *chain.from_iterable(parts)] if value else [f"{opening} {{}}"]
    if not isinstance(value, tuple):
        return [f"{opening} {_value_text(value)}"]
    items = [_item_text(item) for item in value]
    if dashes and items:
        return [opening, *(f"{inner}- {item}" for item in items)]
    return wrapped(f"{opening} ", items, inner)


def _item_text(item: str | Entry | Example) -> str:
    if isinstance(item, Example):
        return example_text(item)
    return entry_text(item) if isinstance(item, Entry) else scalar(item)


def example_text(example: Example) -> str:
    """Return an example on one line."""
    return _mapping(example.model_dump(by_alias=True, exclude_unset=True))


def entry_text(entry: Entry) -> str:
    """Return an entry in its shortest form."""
    plain = {"word": entry.word}
    stated = entry.model_dump(exclude_unset=True)
    if stated == plain:
        return scalar(entry.word)
    if stated.keys() == {"word", "plural"} and entry.word not in Entry.model_fields:
        # In quotes if YAML might read something else.
        return f"{scalar(entry.word)}: {'null' if entry.plural is None else scalar(entry.plural)}"
    return _mapping(stated)


def _mapping(values: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {_value_text(value)}" for key, value in values.items()) + "}"


def _value_text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return scalar(value)
    return "[" + ", ".join(_value_text(item) for item in value) + "]"


def wrapped(opening: str, items: Sequence[str], indent: str) -> list[str]:
    """Return a list in brackets, wrapped at the usual width."""
    lines = [f"{opening}["]
    for number, item in enumerate(items, start=1):
        closed = item + ("," if number < len(items) else "]")
        space = "" if lines[-1].endswith("[") else " "
        if len(lines[-1]) + len(space) + len(closed) <= WIDTH or not lines[-1].strip():
            lines[-1] += space + closed
        else:
            lines.append(indent + closed)
    if not items:
        lines[-1] += "]"
    return lines

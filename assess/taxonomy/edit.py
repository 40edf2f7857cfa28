"""Adding a word, category, exclusion or example to a taxonomy's text without changing anything else.

Rewriting a file with a YAML library would re-wrap lists and move comments. Instead, the parser's marks show
where the list is, and only the new text is inserted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from assess.errors import Place, UsageError
from assess.records import Role
from assess.taxonomy.load import taxonomy_of
from assess.taxonomy.model import Category, Entry, Example, HeadCategory, ModifierCategory, Taxonomy
from assess.taxonomy.phrases import closest
from assess.taxonomy.strict_yaml import LOADER, WIDTH, entry_text, example_text, read_text, scalar, wrapped
from assess.whole_files import alone_in, write_whole


@dataclass(frozen=True, slots=True)
class Addition:
    """A word for a category."""

    role: Role
    category: str
    entry: Entry
    key: Literal["words", "of"] = "words"


OF = " of"


@dataclass(frozen=True, slots=True)
class Sharing:
    """A shared word list for a category, or a pattern that uses the words of a set or category."""

    role: Role
    category: str
    key: Literal["use", "patterns"]
    text: str  # such as colors; {fruit}


@dataclass(frozen=True, slots=True)
class NewCategory:
    """A category with its first words, or with a shared list or a pattern instead.

    Under `of` there are nouns without their plurals.
    """

    role: Role
    category: str
    description: str
    entries: tuple[Entry, ...] = ()
    key: Literal["words", "of"] = "words"
    shared: Sharing | None = None

    def build(self) -> Category:
        """Return the category, with the default evidence and sensitivity for its author to change."""
        listed: dict[str, Any] = {self.key: self.entries}
        if self.shared is not None:  # the words of a list to use are known once the file is read
            listed = {"patterns": (self.shared.text,)} if self.shared.key == "patterns" else {}
        if self.role == "head":
            return HeadCategory(description=self.description, **listed)
        return ModifierCategory(
            description=self.description, evidence="visible", sensitivity="none", **listed
        )


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A phrase that ends like a head but is outside the domain."""

    phrase: str


@dataclass(frozen=True, slots=True)
class NewExample:
    """A phrase and its correct reading."""

    example: Example


Edit = Addition | Sharing | NewCategory | Exclusion | NewExample


def apply_edit(text: str, edit: Edit, *, file: str) -> str:
    """Return the text with one addition, valid and otherwise unchanged."""
    if isinstance(edit, Addition):
        return add_word(text, edit, file=file)
    if isinstance(edit, Sharing):
        return _share(text, edit, file=file)
    before = taxonomy_of(text, file)
    editor = _Editor(text)
    if isinstance(edit, NewCategory):
        if edit.category in before.roles[edit.role]:
            raise UsageError(f"there is already a {edit.role} category `{edit.category}`")
        edited = editor.add_category(edit)
        key = f"{edit.role}s"
        change: dict[str, Any] = {key: {**getattr(before, key), edit.category: edit.build()}}
        what = edit.category
    elif isinstance(edit, Exclusion):
        if edit.phrase in before.excluded:
            raise UsageError(f"`{edit.phrase}` is already excluded")
        edited = editor.add_item("excluded", scalar(edit.phrase), edit.phrase)
        change, what = {"excluded": (*before.excluded, edit.phrase)}, edit.phrase
    else:
        edited = editor.add_item("examples", example_text(edit.example))
        change, what = {"examples": (*before.examples, edit.example)}, edit.example.text
    after = taxonomy_of(edited, file)
    if isinstance(edit, NewCategory) and edit.shared is not None and edit.shared.key == "use":
        used = after.roles[edit.role][edit.category].words
        change[key][edit.category] = edit.build().model_copy(update={"words": used})
    same = _sorted_lists(after) == _sorted_lists(before.model_copy(update=change))
    if not same:
        raise UsageError(
            f"cannot add `{what}` without other changes", hint="write the lists one item per line"
        )
    return edited


def _sorted_lists(taxonomy: Taxonomy) -> Taxonomy:
    """Return a taxonomy with sorted exclusions, because an edit may insert one in alphabetical order."""
    return taxonomy.model_copy(update={"excluded": tuple(sorted(taxonomy.excluded))})


def add_word(text: str, addition: Addition, *, file: str) -> str:
    """Return the text with the word added to its category's list, valid and otherwise unchanged."""
    taxonomy = taxonomy_of(text, file)
    category = _named(taxonomy, addition)
    if addition.entry.word.endswith(OF) and isinstance(category, ModifierCategory) and category.of:
        # If the nouns of of-phrases have their own list, the new noun belongs there.
        noun = addition.entry.model_copy(update={"word": addition.entry.word.removesuffix(OF)})
        addition = Addition(addition.role, addition.category, noun, key="of")
    edited = _Editor(text).add(addition, entry_text(addition.entry), addition.entry.word)
    # An unusual layout could mislead us, so the result must differ by exactly this word.
    if not _differ_by(taxonomy, taxonomy_of(edited, file), addition):
        raise UsageError(
            f"cannot add `{addition.entry.word}` to `{addition.category}` without other changes",
            hint="write the words of that category as one list",
        )
    return edited


def _named(taxonomy: Taxonomy, edit: Addition | Sharing) -> Category:
    known = taxonomy.roles[edit.role]
    if edit.category not in known:
        raise UsageError(
            f"there is no {edit.role} category `{edit.category}`", hint=closest(edit.category, known)
        )
    return known[edit.category]


def _share(text: str, sharing: Sharing, *, file: str) -> str:
    """Return the text with a list to use or a pattern added, and otherwise unchanged."""
    before = taxonomy_of(text, file)
    old = _named(before, sharing)
    edited = _Editor(text).add(sharing, scalar(sharing.text), sharing.text)
    after = taxonomy_of(edited, file)
    new = _named(after, sharing)
    key, part = f"{sharing.role}s", "words" if sharing.key == "use" else "patterns"
    missing = Counter(map(str, getattr(old, part))) - Counter(map(str, getattr(new, part)))
    restored = new.model_copy(update={part: getattr(old, part)})
    whole = after.model_copy(update={key: {**getattr(after, key), sharing.category: restored}})
    if missing or new == old or whole != before:
        raise UsageError(f"cannot add `{sharing.text}` to `{sharing.category}` without other changes")
    return edited


def _differ_by(before: Taxonomy, after: Taxonomy, addition: Addition) -> bool:
    key = f"{addition.role}s"
    category, old = (taxonomy.roles[addition.role][addition.category] for taxonomy in (after, before))
    now, then = getattr(category, addition.key), getattr(old, addition.key)
    if Counter(map(_form, now)) != Counter(map(_form, (*then, addition.entry))):
        return False
    restored = category.model_copy(update={addition.key: then})
    return after.model_copy(update={key: {**getattr(after, key), addition.category: restored}}) == before


def _form(entry: Entry) -> str:
    return entry.model_dump_json(exclude_unset=True)


class _Editor:
    """Edits one text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def add(self, addition: Addition | Sharing, word: str, sorted_by: str) -> str:
        """Add a word, as written, to a list of a category."""
        root = yaml.compose(self._text, Loader=LOADER)
        section = _value(root, f"{addition.role}s")
        category = None if section is None else _value(section, addition.category)
        if category is None:
            # The category is inherited: a file that extends another contains only additions.
            return self._add_category(root, addition.role, addition.category, {addition.key: [word]})
        words = _value(category, addition.key)
        if words is None:
            return self._add_to_mapping(category, f"{addition.key}: [{word}]")
        return self._add_to_list(words, word, sorted_by)

    def add_category(self, new: NewCategory) -> str:
        """Add a category after the last one of its role."""
        made = new.build()
        told: dict[str, str | list[str]] = {"description": scalar(new.description)}
        if isinstance(made, ModifierCategory):
            told |= {"evidence": made.evidence, "sensitivity": made.sensitivity}
        if new.shared is None:
            told[new.key] = list(map(entry_text, new.entries))
        else:
            told[new.shared.key] = [scalar(new.shared.text)]
        root = yaml.compose(self._text, Loader=LOADER)
        return self._add_category(root, new.role, new.category, told)

    def add_item(self, key: str, item: str, word: str | None = None) -> str:
        """Add an item to a list at the top level; `word` is its key in a sorted list."""
        root = yaml.compose(self._text, Loader=LOADER)
        listed = _value(root, key)
        if listed is None:
            return self._add_key(root, key, [f"- {item}"])
        if listed.value == "":  # `examples:` without a value
            return self._insert(listed.start_mark.index, f" [{item}]")
        return self._add_to_list(listed, item, word)

    def _add_category(
        self, root: yaml.MappingNode, role: Role, category: str, told: Mapping[str, str | list[str]]
    ) -> str:
        """Add a category, and the section for its role if it is missing."""
        key, name = f"{role}s", scalar(category)
        section = _value(root, key)
        step = "  "
        if section is not None and section.value:
            first, like = section.value[0]
            if isinstance(like, yaml.MappingNode) and like.value and not like.flow_style:
                step = " " * max(like.value[0][0].start_mark.column - first.start_mark.column, 1)
        block = [f"{name}:"]
        for own, value in told.items():
            opening = f"{step}{own}: "
            block += [opening + value] if isinstance(value, str) else wrapped(opening, value, 2 * step)
        if section is None:
            return self._add_key(root, key, block)
        texts = {
            own: value if isinstance(value, str) else f"[{', '.join(value)}]" for own, value in told.items()
        }
        inner = ", ".join(f"{own}: {text}" for own, text in texts.items())
        return self._add_to_mapping(section, f"{name}: {{{inner}}}", block)

    def _add_key(self, root: yaml.MappingNode, key: str, block: Sequence[str]) -> str:
        """Add a new section: before the examples, which are last, or at the end."""
        keys = {name.value: name.start_mark.index for name, _ in root.value}
        added = "".join(f"{line}{self._newline}" for line in (f"{key}:", *(f"  {line}" for line in block)))
        if "examples" in keys:
            # Comments directly above the examples belong to them.
            start = keys["examples"]
            while (line := self._text[: max(start - 1, 0)].rpartition("\n")[2]).startswith("#"):
                start -= len(line) + 1
            return self._insert(start, added + self._newline)
        gap = "" if not self._text or self._text.endswith("\n") else self._newline
        return self._text + gap + added

    def _add_to_mapping(self, mapping: yaml.MappingNode, inline: str, block: Sequence[str] = ()) -> str:
        """Add a key after the last one: on its line if there are braces, otherwise on new lines."""
        if not mapping.value:  # `modifiers: {}`
            return self._insert(mapping.start_mark.index + 1, inline)
        end = self._end(mapping.value[-1][1])
        if mapping.flow_style:
            return self._insert(end, f", {inline}")
        margin = self._newline + " " * mapping.value[0][0].start_mark.column
        return self._insert(self._line_end(end), "".join(margin + line for line in block or [inline]))

    def _add_to_list(self, listed: yaml.SequenceNode, item: str, word: str | None) -> str:
        if not listed.value:
            return self._insert(listed.start_mark.index + 1, item)
        place = len(listed.value) if word is None else _place(listed, word)
        add = self._add_in_brackets if listed.flow_style else self._add_line
        return add(listed, place, item)

    def _insert(self, index: int, inserted: str) -> str:
        return self._text[:index] + inserted + self._text[index:]

    def _add_line(self, words: yaml.SequenceNode, place: int, word: str) -> str:
        """Add a line to a list with one item per line: after the preceding item, or before the first one."""
        dash = words.start_mark
        indent = " " * dash.column
        if place == 0:
            start = self._line_start(dash.index)
            return self._insert(start, f"{indent}- {word}{self._newline}")
        end = self._line_end(self._end(words.value[place - 1]))
        return self._insert(end, f"{self._newline}{indent}- {word}")

    def _add_in_brackets(self, words: yaml.SequenceNode, place: int, word: str) -> str:
        if place == len(words.value):
            index = self._end(words.value[-1])
            return self._insert(index, f",{' ' if self._fits(index, word) else self._break(words)}{word}")
        index = words.value[place].start_mark.index
        if self._fits(index, word):
            return self._insert(index, f"{word}, ")
        before = self._text[self._line_start(index) : index].rstrip()
        if before and before[-1] != "[":
            # The line is full: its rest moves to a new line, after the new word.
            end = len(self._text[:index].rstrip(" "))
            return self._text[:end] + f"{self._break(words)}{word}, " + self._text[index:]
        return self._insert(index, f"{word},{self._break(words)}")

    def _fits(self, index: int, word: str) -> bool:
        """Whether a line has room for another word; lines that were already too long are not wrapped."""
        length = self._line_end(index) - self._line_start(index)
        return length > WIDTH or length + len(f"{word}, ") <= WIDTH

    def _break(self, words: yaml.SequenceNode) -> str:
        """Return a line break and the indentation of the list's continuation lines."""
        start = words.start_mark
        further = [item.start_mark for item in words.value if item.start_mark.line > start.line]
        own = self._line_start(start.index)
        margin = len(self._text[own:]) - len(self._text[own:].lstrip(" "))
        return self._newline + " " * (further[0].column if further else margin + 2)

    def _line_start(self, index: int) -> int:
        return self._text.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        end = self._text.find("\n", index)
        end = len(self._text) if end < 0 else end
        return end - 1 if self._text[end - 1 : end] == "\r" and end > index else end

    def _end(self, node: yaml.Node) -> int:
        """Return where the text of a node ends; the end mark of a block mapping is at the following token."""
        index: int = node.end_mark.index
        if isinstance(node, yaml.ScalarNode):
            return len(self._text[:index].rstrip()) if node.style in ("|", ">") else index
        closed = self._text[node.start_mark.index] in "[{"
        if closed or not node.value:
            return index
        last = node.value[-1]
        return self._end(last[1] if isinstance(node, yaml.MappingNode) else last)


def _value(mapping: yaml.MappingNode, name: str) -> Any:
    return next((value for key, value in mapping.value if key.value == name), None)


def _place(words: yaml.SequenceNode, word: str) -> int:
    """Return the index for a word: alphabetical if the list is sorted, otherwise at the end."""
    listed = [_word(item).lower() for item in words.value]
    if len(listed) > 1 and listed == sorted(listed):
        return sum(other <= word.lower() for other in listed)
    return len(listed)


def _word(item: yaml.Node) -> str:
    if isinstance(item, yaml.MappingNode):
        long = _value(item, "word")
        return str((long if long is not None else item.value[0][0]).value)
    return str(item.value)


# A taxonomy file that is being edited: it is replaced in one step or not at all.

_MARK = b"\xef\xbb\xbf"  # some editors begin UTF-8 files with it


class TaxonomyFile:
    """A YAML file to edit. It is read again for every edit, so it may also be open in an editor."""

    def __init__(self, path: Path) -> None:
        # For a symbolic link, the file that it points to is replaced.
        self.path = path.resolve()
        self._shown = str(path)
        self._done: list[tuple[str, str]] = []  # texts before and after each edit

    def read(self) -> Taxonomy:
        """Return the current taxonomy."""
        return taxonomy_of(self._text(), self._shown)

    def add(self, *edits: Edit) -> Taxonomy:
        """Make one or several edits to the current file in one step, and return the resulting taxonomy."""
        with alone_in(self.path.parent):
            before, after = self._text(), None
            while after is None:
                after = before
                for edit in edits:
                    after = apply_edit(after, edit, file=self._shown)
                # Another program may have changed the file meanwhile.
                if (now := self._text()) != before:
                    before, after = now, None
            self._replace(after)
        self._done.append((before, after))
        return taxonomy_of(after, self._shown)

    def undo(self) -> bool:
        """Undo the last edit. False if there is none; an error if the file has changed since."""
        if not self._done:
            return False
        before, after = self._done[-1]
        with alone_in(self.path.parent):
            if self._text() != after:
                raise UsageError(
                    "the file was changed by another program since the last edit, so the edit cannot be"
                    " undone",
                    place=Place(self._shown),
                    hint="remove the word by hand",
                )
            self._replace(before)
        self._done.pop()
        return True

    def _text(self) -> str:
        return read_text(self.path)

    def _replace(self, text: str) -> None:
        """Replace the file in one step, so that other programs can read and write it meanwhile."""
        try:
            mark = _MARK if self.path.read_bytes().startswith(_MARK) else b""
            mode = self.path.stat().st_mode & 0o7777
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror}", place=Place(self._shown)) from None
        write_whole(self.path, mark + text.encode("utf-8"), mode=mode)

"""Writing and reading the files of an audit: `audit.json`, and files that lead back to every caption.

`mentions.jsonl` contains every mention with its place, `labels.jsonl` the analysis of each distinct label.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json

from assess.audits.result import AuditResult, FileFacts, all_category_names, as_saved, label_text, read_label
from assess.corpus.files import StoredFile
from assess.disk_cache import DiskCache
from assess.errors import InputError, Place
from assess.measures.bias.result import GroupResult
from assess.measures.coverage.compute import CategoryFacts
from assess.measures.coverage.run import TAKEN_AT_ONCE, MentionLine
from assess.measures.measure import Result, saved_json
from assess.measures.registry import find_measure, names
from assess.records import Analysis
from assess.taxonomy.strict_yaml import read_text
from assess.whole_files import TextFile, finish_folder, whole_file, write_whole

HINT = "an audit is a folder written by `assess audit ... --out FOLDER` or `assess bias ... --out FOLDER`"
RESULTS, MENTIONS, LABELS = "audit.json", "mentions.jsonl", "labels.jsonl"

AUDITS = DiskCache("audits", most=64)
"""Stored results for the same captions and settings, and the captions of pages."""

# Default values of fields, which are omitted from lines.
_TOLD: tuple[tuple[str, object], ...] = (
    ("person", 0),
    ("repeats", False),
    ("places", ()),
)
_MENTION = ("system", "image_id", "record", "start", "end", "label", "caption")
MENTION_COLUMNS: dict[str, object] = {
    **dict.fromkeys(_MENTION),
    **dict.fromkeys(("head", "heads", "modifiers", "modifiers_all", "groups", "person")),
    "unread": [],
    "pronoun": False,
    "repeats": False,
    "places": [],
}
"""The columns of `mentions.jsonl`, with the defaults for omitted ones."""


class SavedMention(NamedTuple):
    """A label with its place and its caption."""

    system: str
    image: str
    record: int
    start: int
    end: int
    label: str
    caption: str
    person: int = 0
    repeats: bool = False  # another mention of a person that was already counted
    places: Sequence[Sequence[int]] = ()  # the ranges of the label's parts after its noun

    @property
    def key(self) -> tuple[str, str, int, int, int]:
        """Uniquely identifies this label in its audit."""
        return self.system, self.image, self.record, self.start, self.end


Pair = tuple[str, str]
"""A system and a label, on which all counts of a report depend."""


class MentionIndex:
    """The offsets in `mentions.jsonl` of the counted labels, with twelve bytes each."""

    def __init__(self) -> None:
        self.pairs: dict[Pair, int] = {}
        self.offsets, self.numbers = array("q"), array("i")  # offsets in bytes, and numbers of pairs

    def add(self, offset: int, system: str, label: str) -> None:
        """Add a line."""
        self.offsets.append(offset)
        self.numbers.append(self.pairs.setdefault((system, label), len(self.pairs)))


Labels = tuple[Mapping[str, Analysis], Mapping[str, Mapping[str, str]]]
"""The analyses of labels, by text, and for each group the value of each label or image."""


class AuditFiles:
    """The files of an audit that is running."""

    def __init__(self, folder: Path, mentions: TextFile) -> None:
        self._folder = folder
        self._mentions = mentions
        self._lines = 0
        self._digest = hashlib.sha256()
        self._size = 0  # bytes
        self.index = MentionIndex()  # built while writing, so that the page need not read the files
        self.labels: Labels | None = None  # the same
        self.results: AuditResult | None = None  # the same

    def add_lines(self, system: str, lines: Iterable[MentionLine]) -> None:
        """Write a system's mentions as lines, each with its caption and all statements about its person."""
        opening = f'{{"system": {json.dumps(system, ensure_ascii=False)}, "image_id": '
        waiting = iter(lines)
        while some := list(islice(waiting, TAKEN_AT_ONCE)):
            written = [f'{opening}{line.image}, "record": {line.record}, {line.told}}}\n' for line in some]
            for line, text in zip(some, written, strict=True):
                if line.label is not None:
                    self.index.add(self._size, system, line.label)
                self._size += len(text) if text.isascii() else len(text.encode())
            together = "".join(written)
            self._lines += len(some)
            self._digest.update(together.encode())
            self._mentions.write(together)

    def finish(self, audit: AuditResult) -> None:
        """Write the results, the analyses of the distinct labels, and the identities of both files."""
        labels = label_text(audit).encode()
        write_whole(self._folder / LABELS, labels)
        if audit.analyses:
            members = {name: group.members for name, group in audit.bias.items()}
            self.labels = {analysis.text: as_saved(analysis) for analysis in audit.analyses}, members
        facts = {
            MENTIONS: FileFacts(lines=self._lines, sha256=self._digest.hexdigest()),
            LABELS: FileFacts(lines=labels.count(b"\n"), sha256=hashlib.sha256(labels).hexdigest()),
        }
        self.results = audit.model_copy(update={"files": facts})
        write_whole(self._folder / RESULTS, self.results.to_saved())


@contextmanager
def write_results(folder: Path) -> Iterator[AuditFiles]:
    """Provide the files to write to an existing folder, without the page."""
    with whole_file(folder / MENTIONS) as mentions:
        yield AuditFiles(folder, mentions)


class SavedAudit:
    """A saved audit: its results, and the folder with its labels."""

    def __init__(
        self,
        file: Path,
        results: AuditResult,
        *,
        beside: Path | None = None,
        written: AuditFiles | None = None,
    ) -> None:
        """Results of other measures are read from the same folder, or from the folder `beside`."""
        self.file = file
        self.results = results
        self._beside = beside or file.parent
        self._ours = written is not None
        if written is not None:
            self.index = written.index
        if written is not None and written.labels is not None:
            self._labels = written.labels

    @cached_property
    def index(self) -> MentionIndex:
        """The offsets in the file of the counted labels."""
        index, offset = MentionIndex(), 0
        path = self.file.parent / MENTIONS
        for number, line in enumerate(self._lines(path), start=1):
            mention = _mention(line, Place(str(path), line=number))
            if not mention.repeats:
                index.add(offset, mention.system, mention.label)
            offset += len(line)
        return index

    def mentions_at(self, offsets: Iterable[int]) -> Iterator[SavedMention]:
        """Yield the labels at some offsets of the index. Lines that this run wrote are not validated."""
        path = self.file.parent / MENTIONS
        place, at = Place(str(path)), 0
        with path.open("rb") as file:
            for offset in offsets:
                if at != offset:
                    file.seek(offset)
                line = file.readline()
                at = offset + len(line)
                yield _row_mention(from_json(line)) if self._ours else _mention(line, place)

    @cached_property
    def _labels(self) -> Labels:
        """The analyses of labels and, for each group, the value of each label."""
        members = {name: dict(group.members) for name, group in self.groups.items()}
        path = self.file.parent / LABELS
        if LABELS not in self.results.files:  # an audit of an earlier version
            return {analysis.text: analysis for analysis in self.results.analyses}, members
        analyses: dict[str, Analysis] = {}
        for number, line in enumerate(self._lines(path), start=1):
            try:
                analysis, told = read_label(line)
            except _UNSOUND:
                place = Place(str(path), line=number)
                raise InputError("is not a label of a saved audit", place=place, hint=HINT) from None
            if unknown := all_category_names(analysis).difference(self.results.categories):
                place, name = Place(str(path), line=number), min(unknown)
                raise InputError(f"the audit has no category '{name}'", place=place, hint=_UNFIT)
            analyses[analysis.text] = analysis
            for name, value in told.items():
                members.setdefault(name, {})[analysis.text] = value
        return analyses, members

    @property
    def analyses(self) -> Mapping[str, Analysis]:
        """The analyses of the distinct labels, by text."""
        return self._labels[0]

    @property
    def members(self) -> Mapping[str, Mapping[str, str]]:
        """For each group, the value of each label or image."""
        return self._labels[1]

    @property
    def systems(self) -> list[str]:
        """The names of the systems, without references."""
        return list(self.results.machines)

    @property
    def modifiers(self) -> dict[str, CategoryFacts]:
        """The modifier categories of the taxonomy, by name."""
        named = ((name.partition("."), category) for name, category in self.results.categories.items())
        return {name: category for (role, _, name), category in named if role == "modifier"}

    @property
    def groups(self) -> dict[str, GroupResult]:
        """The contrasted groups, by name."""
        return self.results.bias

    def with_others(self) -> AuditResult:
        """Return the results, with those of files such as `recall.json` in the same folder.

        Such a file was placed there to be shown: it may have other settings, and replaces the audit's own
        measurement. A file about other captions is skipped, and a note names it.
        """
        measures, notes = dict(self.results.measures), list(self.results.notes)
        for name in names():
            file = self._beside / f"{name}.json"
            if not file.is_file():
                continue
            found = read_measure(file, name)
            if self._foreign(found):
                notes.append(f"{file.name} was measured on different captions and is ignored.")
            else:
                measures[name] = found
        ordered = {name: measures[name] for name in names() if name in measures}
        return self.results.model_copy(update={"measures": ordered, "notes": tuple(notes)})

    def _foreign(self, found: Result) -> bool:
        mine = {item.name: item.sha256 for item in self.results.signature.inputs}
        return any(mine.get(item.name, item.sha256) != item.sha256 for item in found.signature.inputs)

    def value(self, by: str, mention: SavedMention) -> str:
        """Return a label's value of a group."""
        group = self.groups[by]
        key = mention.label if group.told_by == "words" else mention.image
        try:
            return self.members[by][key]
        except KeyError:
            raise self.unfit(f"the audit does not know whom '{key}' is about") from None

    def analysis(self, mention: SavedMention) -> Analysis:
        """Return the analysis of a label."""
        try:
            return self.analyses[mention.label]
        except KeyError:
            raise self.unfit(f"the audit has no analysis of '{mention.label}'") from None

    def unfit(self, message: str) -> InputError:
        """Return the error for an audit whose files do not belong together."""
        return InputError(message, place=Place(str(self.file)), hint=_UNFIT)

    def mentions(self, *, repeated: bool = False) -> Iterator[SavedMention]:
        """Yield the counted labels in order; with `repeated`, also further mentions of the same people."""
        path = self.file.parent / MENTIONS
        for number, line in enumerate(self._lines(path), start=1):
            mention = _mention(line, Place(str(path), line=number))
            if repeated or not mention.repeats:
                yield mention

    def rows(self, *, repeated: bool = False) -> Iterator[list[object]]:
        """Yield the lines of `mentions.jsonl` with all columns, in the order of `MENTION_COLUMNS`."""
        path = self.file.parent / MENTIONS
        for number, line in enumerate(self._lines(path), start=1):
            row = _parsed(line, Place(str(path), line=number))
            if repeated or not row.get("repeats"):
                yield [row.get(name, missing) for name, missing in MENTION_COLUMNS.items()]

    def check(self) -> None:
        """Raise an error if the files next to the results belong to another audit; they may be missing."""
        for name in sorted({MENTIONS, *self.results.files}):
            path = self.file.parent / name
            if path.exists():
                for _ in self._lines(path):
                    pass

    def _lines(self, path: Path) -> Iterator[bytes]:
        """Yield the lines of a file, and check at the end that the file belongs to the audit."""
        known = self.results.files.get(path.name)
        if known is None:
            message = f"does not record which {path.name} belongs to it"
            hint = "it was written by an earlier version or edited by hand: run the audit again"
            raise InputError(message, place=Place(str(self.file)), hint=hint)
        if path.exists() and not path.is_file():  # a pipe or a device may have no end
            raise InputError("is not a file", place=Place(str(path)), hint=HINT)
        number = 0
        try:
            with path.open("rb") as binary:
                stored = StoredFile(binary, file=str(path))
                for line in stored.lines():
                    number += 1
                    yield line
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", place=Place(str(path)), hint=HINT) from None
        found = FileFacts(lines=number, sha256=stored.sha256)
        if found != known:
            raise InputError(_difference(found, known), place=Place(str(path)), hint=_UNFIT)


_UNFIT = "the files of this audit come from different runs, or one of them was changed: run the audit again"


def _difference(found: FileFacts, known: FileFacts) -> str:
    if found.lines == known.lines:
        return f"is not the file that was written together with {RESULTS}"
    return f"has {found.lines:,} lines; the file written together with {RESULTS} has {known.lines:,}"


def read_audit(
    path: str | Path, *, beside: Path | None = None, written: AuditFiles | None = None
) -> SavedAudit:
    """Read a saved audit from its folder or its `audit.json`, and check that its files belong together.

    If `written` is given, the files have just been written and are neither read nor checked.
    """
    given = Path(path)
    file = given / RESULTS if given.is_dir() else given
    _finish(file.parent)
    if given.is_dir() and not file.is_file():
        raise InputError(f"this folder contains no {RESULTS}", place=Place(str(path)), hint=HINT)
    results = _results(file) if written is None or written.results is None else written.results
    audit = SavedAudit(file, results, beside=beside, written=written)
    if written is None:
        audit.check()
    return audit


def _finish(folder: Path) -> None:
    try:
        finish_folder(folder)
    except OSError as error:
        if not os.access(folder, os.X_OK):  # nothing is known about earlier runs
            raise InputError(f"cannot be read: {error.strerror}", place=Place(str(folder))) from None
        message = (
            "an earlier run was killed while writing its files, and they cannot be completed:"
            f" {error.strerror}"
        )
        raise InputError(message, place=Place(str(folder)), hint="make the folder writable") from None


# Exceptions that reading a foreign or modified result can raise.
_UNSOUND = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def _results(file: Path) -> AuditResult:
    text = read_text(file)
    try:
        results = AuditResult.from_saved(saved_json(text))
        for measure in results.measures.values():
            measure.sections()
    except _UNSOUND as error:
        message = f"is not a saved audit: {_reason(error)}"
        raise InputError(message, place=Place(str(file)), hint=HINT) from None
    return results


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"][:4])
        return f"{where + ': ' if where else ''}{first['msg']}"
    if isinstance(error, json.JSONDecodeError):
        return "it is not JSON"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def read_measure(file: Path, name: str) -> Result:
    """Read the result of a measure, as written by its command."""
    hint = "write it again with --json, or remove it from the folder"
    measure, text = find_measure(name), read_text(file)
    try:
        found = measure.result.model_validate(saved_json(text))
        found.sections()  # also validates the parts that the model leaves open
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error}", place=Place(str(file)), hint=hint) from None
    except _UNSOUND as error:
        message = f"is not the output of `assess {measure.command}`: {_reason(error)}"
        raise InputError(message, place=Place(str(file)), hint=hint) from None
    return found


def _parsed(line: bytes, place: Place) -> dict[str, Any]:
    try:
        return dict(json.loads(line))
    except (ValueError, TypeError, RecursionError):
        raise InputError("is not a mention of a saved audit", place=place, hint=HINT) from None


def _mention(line: bytes, place: Place) -> SavedMention:
    try:
        mention = _row_mention(_parsed(line, place))
    except (KeyError, TypeError, AttributeError):
        mention = None
    if mention is None or not _is_sound(mention):
        raise InputError("is not a mention of a saved audit", place=place, hint=HINT) from None
    return mention


def _row_mention(row: Mapping[str, Any]) -> SavedMention:
    return SavedMention(*[row[name] for name in _MENTION], *[row.get(*told) for told in _TOLD])


def _is_sound(mention: SavedMention) -> bool:
    """Whether all values have the right types, and the label is inside its caption."""
    system, image, record, start, end, label, caption, person, repeats, places = mention
    return (
        _all_are(str, system, image, label, caption)
        and _all_are(int, record, start, end, person, repeats)
        and 0 <= start <= end <= len(caption)
        and isinstance(places, list | tuple)
        and all(isinstance(at, list) and len(at) == 2 and _all_are(int, *at) for at in places)
    )


def _all_are(kind: type, *values: object) -> bool:
    return all(isinstance(value, kind) for value in values)

"""The input and output of caption readers, and how the fields of a record become captions."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from assess.corpus.files import filled_lines, lines
from assess.corpus.json_input import Item, listed, unexpected
from assess.corpus.source import Source
from assess.errors import InputError, Place, visible
from assess.records import GoldSpan

# In order of preference. `id` is last: next to another of these fields, it identifies the caption.
ID_FIELDS = (
    "image_id", "imageid", "img_id", "imgid", "cocoid", "image", "img", "image_name", "image_file",
    "image_path", "img_path", "filename", "file_name", "filepath", "file", "path", "id",
    "index",  # in predictions of VLMEvalKit
)  # fmt: skip
# For files of answers, which name their question instead of their image.
QUESTION_FIELDS = ("question_id", "questionid", "id")
# No preference: if a record has two of these, the user must choose; see `_EXPECTED` for the exception.
CAPTION_FIELDS = (
    "caption", "captions", "text", "texts", "output", "outputs", "answer", "model_answer", "pred",
    "prediction", "predicted_caption", "generated_caption", "generated_text", "generated", "hypothesis",
    "response", "description", "descriptions", "sentence", "sentences", "comment", "conversations",
    "messages",
)  # fmt: skip
# Next to a model's output, `answer` is the expected answer: a reference, or the correct choice.
_EXPECTED = "answer"
_PREDICTED = frozenset({"pred", "prediction", "model_answer", "response"})
_SPEAKER = ("from", "role")  # the field of a conversation's turn that says who speaks
_SPEECH = ("value", "content")  # the field that holds what was said
_MODELS = frozenset({"gpt", "assistant", "model"})
_SPLIT_FIELD = "split"

# A place is only created for an error, since extracting the source line costs time and memory.
Locate = Callable[[], Place]


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the id field and the caption field, as spelled in the file."""

    image: str
    caption: str


@dataclass(frozen=True, slots=True)
class Opening:
    """What a reader that starts in the middle of a file needs to know about the part before it."""

    format: str | None = None  # as detected at the beginning of the file; None: not detected yet
    line: int = 1  # number of the first line to read
    records: int = 0  # number of records before it
    header: str | None = None  # the first row of a table
    fields: Fields | None = None  # which fields to read; determined by the file's first record


BEGINNING = Opening()


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a file or part of a file, which can be read once."""

    file: str  # as shown in messages
    chunks: Iterator[str]
    images: Mapping[str, str] | None = None  # question id -> image, from a join file
    opening: Opening = BEGINNING
    rows: tuple[int, int] | None = None  # range of rows in a Parquet table; None: all
    prefix: str = ""  # prepended to image ids that are only line numbers, if a system has several files

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines without line endings, each with its line number in the file."""
        return enumerate(lines(self.chunks, file=self.file), start=self.opening.line)

    def filled_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not blank, as `lines` does."""
        return filled_lines(self.chunks, file=self.file, start=self.opening.line)


class Row(NamedTuple):
    """A caption as read from a file, not yet numbered."""

    image: str
    text: str
    gold: tuple[GoldSpan, ...] = ()


Reader = Callable[[Document, Source], Iterator[Row]]


def rows_of_items(
    items: Iterable[Item],
    source: Source,
    *,
    id_fields: Iterable[str] = ID_FIELDS,
    image: Callable[[Item, str], str] | None = None,
    fields: Fields | None = None,
) -> Iterator[Row]:
    """Yield the captions of records. Unless the fields to read are given, the first record determines them.

    `image` takes a record and the name of its id field, and returns the image id.
    """
    image = image or image_of
    splits = SplitFilter(source)
    everything = source.split is None
    for item in items:
        if fields is None:
            names = members_of(item)
            fields = choose_fields(names, source=source, place=item.place, id_fields=id_fields)
        if everything or splits.keeps(item):
            image_id = image(item, fields.image)
            # Most records have one caption, as text.
            if isinstance(text := members_of(item).get(fields.caption), str):
                yield Row(image_id, text)
                continue
            for text in captions_of(item, fields.caption, wanted=source.wanted):
                yield Row(image_id, text)
    splits.finish()


class SplitFilter:
    """Keeps the records of one split and remembers which other splits occurred."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seen: Counter[str] = Counter()

    def keeps(self, item: Item) -> bool:
        """Whether a record belongs to the requested split. If none was requested, every record does."""
        if self._source.split is None:
            return True
        split = str(field_of(item, _SPLIT_FIELD))
        self._seen[split] += 1
        return split == self._source.split

    def finish(self) -> None:
        """Raise an error if the requested split never occurred: a typo, or the wrong file."""
        wanted = self._source.split
        if wanted is not None and wanted not in self._seen:
            message = f"there is no split '{visible(wanted)}'; the splits are {listed(sorted(self._seen))}"
            raise InputError(message, place=Place(self._source.file))


# Values of a record.


def members_of(item: Item) -> dict[str, object]:
    """Return the members of an item; raises an error if it is not an object."""
    if not isinstance(item.value, dict):
        wanted = "each record must be an object with an image id and a caption"
        raise unexpected(wanted, item.value, place=item.place())
    return item.value


def field_of(item: Item, field: str) -> object:
    """Return the value of a required field."""
    members = members_of(item)
    if field not in members:
        message = f"the record has no '{visible(field)}'; its fields are {listed(members)}"
        raise InputError(message, place=item.place())
    return members[field]


def image_of(item: Item, field: str) -> str:
    """Return an image id as text: 42, 42.0 and "42" are the same image, "042" is a different one."""
    value = field_of(item, field)
    if type(value) is int:
        return _digits(value, partial(item.place, field), name=field)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    wanted = f"'{visible(field)}' must be an integer or text"
    raise unexpected(wanted, value, place=item.place(field), hint="every caption needs the id of its image")


def _digits(value: int, place: Locate, *, name: str) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no more than 4,300 digits
        message = f"'{visible(name)}' is a number with too many digits"
        raise InputError(message, place=place(), hint="give long ids as text") from None


def captions_of(item: Item, field: str, *, wanted: str) -> Iterator[str]:
    """Yield the captions in a field, which may hold one or several; `wanted` says so in messages."""
    value = field_of(item, field)
    if isinstance(value, str):
        yield value
    else:
        yield from texts_in(value, name=field, place=partial(item.place, field), wanted=wanted)


def texts_in(
    value: object, *, name: str, place: Locate, wanted: str, hint: str | None = None
) -> Iterator[str]:
    """Yield captions from a value: a text, an object that contains a caption, or a list of these.

    In a conversation, each turn of the model is a caption.
    """
    elements: list[Any] = value if isinstance(value, list) else [value]
    if elements and all(_is_turn(element) for element in elements):
        elements = _spoken_by_model(elements, name=name, place=place)
    for element in elements:
        text = _caption_in(element) if isinstance(element, dict) else element
        if not isinstance(text, str):
            missing = 'write "" for an empty caption, or remove the record' if text is None else None
            expected = f"'{visible(name)}' must be {wanted}"
            raise unexpected(expected, value, place=place(), hint=hint or missing)
        yield text


def _is_turn(element: object) -> bool:
    return isinstance(element, dict) and any(name in element for name in _SPEAKER)


def _spoken_by_model(turns: Iterable[dict[str, Any]], *, name: str, place: Locate) -> list[Any]:
    """Return what the model says in a conversation, without the turns of the user."""
    spoken: list[Any] = []
    for turn in turns:
        speaker = next(turn[key] for key in _SPEAKER if key in turn)
        if isinstance(speaker, str) and speaker.lower() in _MODELS:
            speech = next((turn[key] for key in _SPEECH if key in turn), turn)
            # In newer formats, a turn consists of parts, such as texts and images.
            spoken += speech if isinstance(speech, list) else [speech]
    if not spoken:
        message = f"'{visible(name)}' has no turn of {listed(sorted(_MODELS))}"
        raise InputError(message, place=place())
    return spoken


def _caption_in(members: dict[str, object]) -> object:
    """Return the caption in an object such as `{"caption": "a man"}`, or the object itself."""
    return next((members[name] for name in CAPTION_FIELDS if name in members), members)


# Choosing the fields for image ids and captions.


def choose_fields(
    names: Collection[str], *, source: Source, place: Locate, id_fields: Iterable[str] = ID_FIELDS
) -> Fields:
    """Find the image id and the caption among a record's field names; raises an error if that fails."""
    return Fields(
        image=choose_id_field(names, source=source, place=place, id_fields=id_fields),
        caption=choose_caption_field(names, source=source, place=place),
    )


def choose_id_field(
    names: Collection[str], *, source: Source, place: Locate, id_fields: Iterable[str]
) -> str:
    """Return the id field: the one that the user named, or the first of `id_fields` that exists."""
    if source.id_field is not None:
        return require_field(source.id_field, names, place=place)
    found = _known(names, id_fields)
    if not found:
        message = f"no field is recognised as the image id; the fields are {listed(names)}"
        raise InputError(message, place=place(), hint="choose one with --id-field")
    return found[0]


def choose_caption_field(names: Collection[str], *, source: Source, place: Locate) -> str:
    """Return the caption field: the one that the user named, or the only candidate."""
    if source.caption_field is not None:
        return require_field(source.caption_field, names, place=place)
    found = _known(names, CAPTION_FIELDS)
    if any(_folded(name) in _PREDICTED for name in found):
        found = [name for name in found if _folded(name) != _EXPECTED]
    if len(found) == 1:
        return found[0]
    if found:
        message = f"more than one field may be the caption: {listed(found)}"
    else:
        message = f"no field is recognised as the caption; the fields are {listed(names)}"
    raise InputError(message, place=place(), hint="choose one with --caption-field")


def has_fields(names: Collection[str], *, source: Source, id_fields: Iterable[str] = ID_FIELDS) -> bool:
    """Whether a record has an image id and a caption, under the user's names or the usual names.

    The usual names count even if the user gives others, because a wrong field name is not a wrong format.
    """
    has_id = source.id_field in names or bool(_known(names, id_fields))
    return has_id and (source.caption_field in names or bool(_known(names, CAPTION_FIELDS)))


def names_a_field(name: str) -> bool:
    """Whether a word is a usual name of the id field or the caption field."""
    return _folded(name) in ID_FIELDS or _folded(name) in CAPTION_FIELDS


def require_field(name: str, names: Collection[str], *, place: Locate) -> str:
    """Return a field's name, or raise an error that lists the existing fields."""
    if name in names:
        return name
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{visible(close[0])}'?" if close else None
    message = f"there is no field '{visible(name)}'; the fields are {listed(names)}"
    raise InputError(message, place=place(), hint=hint)


def _known(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return those of the names that are known, in the order of `known`."""
    by_folded = {_folded(name): name for name in reversed(list(names))}
    return [by_folded[name] for name in known if name in by_folded]


def _folded(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")

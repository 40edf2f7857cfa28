"""Which field of a record is the image id and which the caption."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from assess.corpus.source import Source
from assess.errors import InputError, Place, visible

# A place is made only for an error: its excerpt of the source costs time and memory.
Locate = Callable[[], Place]

# In order of preference. `id` is last: beside another of these it is the id of the caption.
ID_FIELDS = (
    "image_id",
    "imageid",
    "img_id",
    "imgid",
    "cocoid",
    "image",
    "img",
    "image_name",
    "image_file",
    "image_path",
    "img_path",
    "filename",
    "file_name",
    "filepath",
    "file",
    "path",
    "id",
)
# All equal: if a record has two of these, the user must choose.
CAPTION_FIELDS = (
    "caption",
    "captions",
    "text",
    "texts",
    "output",
    "outputs",
    "answer",
    "prediction",
    "predicted_caption",
    "generated_caption",
    "generated_text",
    "generated",
    "hypothesis",
    "response",
    "description",
    "descriptions",
    "sentence",
    "sentences",
    "comment",
)


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the two fields that we read, as the file spells them."""

    image: str
    caption: str


def choose_fields(
    names: Collection[str], *, source: Source, place: Locate, id_fields: Iterable[str] = ID_FIELDS
) -> Fields:
    """Find the image id and the caption among a record's field names, or say why that fails."""
    return Fields(
        image=choose_id_field(names, source=source, place=place, id_fields=id_fields),
        caption=_choose_caption_field(names, source=source, place=place),
    )


def choose_id_field(
    names: Collection[str], *, source: Source, place: Locate, id_fields: Iterable[str]
) -> str:
    """Find the image id: the field that the user names, or the first of `id_fields` that is there."""
    if source.id_field is not None:
        return require_field(source.id_field, names, place=place)
    found = _known(names, id_fields)
    if not found:
        message = f"no field is known as the image id; the fields are {listed(names)}"
        raise InputError(message, place=place(), hint="choose one with --id-field")
    return found[0]


def _choose_caption_field(names: Collection[str], *, source: Source, place: Locate) -> str:
    if source.caption_field is not None:
        return require_field(source.caption_field, names, place=place)
    found = _known(names, CAPTION_FIELDS)
    if not found:
        message = f"no field is known as the caption; the fields are {listed(names)}"
        raise InputError(message, place=place(), hint="choose one with --caption-field")
    if len(found) > 1:
        message = f"more than one field may be the caption: {listed(found)}"
        raise InputError(message, place=place(), hint="choose one with --caption-field")
    return found[0]


def has_fields(names: Collection[str], *, source: Source, id_fields: Iterable[str] = ID_FIELDS) -> bool:
    """Whether a record has an image id and a caption, by the user's names for them or by the usual ones.

    The usual ones count even if the user gives others: a wrong name is then told from a wrong format.
    """
    has_id = source.id_field in names or bool(_known(names, id_fields))
    return has_id and (source.caption_field in names or bool(_known(names, CAPTION_FIELDS)))


def names_a_field(name: str) -> bool:
    """Whether a word is the usual name of an image id or a caption."""
    return _folded(name) in ID_FIELDS or _folded(name) in CAPTION_FIELDS


def require_field(name: str, names: Collection[str], *, place: Locate) -> str:
    """Return the name, or say which fields there are instead."""
    if name in names:
        return name
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{visible(close[0])}'?" if close else None
    message = f"there is no field '{visible(name)}'; the fields are {listed(names)}"
    raise InputError(message, place=place(), hint=hint)


def listed(names: Collection[str], *, most: int = 12) -> str:
    """Return names for a message: quoted, and not too many."""
    shown = ", ".join(f"'{visible(name, 40)}'" for name in list(names)[:most])
    return (shown + ", …" if len(names) > most else shown) or "none"


def _known(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the names that are known, in the order of `known`."""
    by_folded = {_folded(name): name for name in reversed(list(names))}
    return [by_folded[name] for name in known if name in by_folded]


def _folded(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")

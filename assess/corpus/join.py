"""The questions file of LLaVA-style models: which image each question is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from assess.corpus.fields import ID_FIELDS, choose_id_field, image_of, members_of
from assess.corpus.files import CHUNK, decoded, lines, open_stored, take_head
from assess.corpus.json_input import Item, JsonStream, line_items
from assess.corpus.source import Source
from assess.errors import InputError, Place, visible

QUESTION_FIELDS = ("question_id", "questionid", "id")
_IMAGE_FIELDS = tuple(field for field in ID_FIELDS if field not in QUESTION_FIELDS)


@dataclass(frozen=True, slots=True)
class Join:
    """The image of each question, and the hash of the file that says so."""

    images: dict[str, str]
    sha256: str


def read_join(path: str) -> Join:
    """Read `{"question_id": 1, "image": "1.jpg", …}`, one a line or as elements of an array."""
    with open_stored(path) as stored:
        images: dict[str, str] = {}
        for question, image, item in _questions(decoded(stored.chunks(), file=stored.file), path=path):
            if images.setdefault(question, image) != image:
                message = f"the question '{visible(question)}' has two images"
                raise InputError(message, place=item.place())
        if not images:
            raise InputError("the join file has no questions", place=Place(stored.file))
        return Join(images, stored.sha256)


def _questions(chunks: Iterator[str], *, path: str) -> Iterator[tuple[str, str, Item]]:
    source = Source(name="join", path=path)
    fields = None
    for item in _objects(chunks, file=source.file):
        if fields is None:
            names = members_of(item)
            question = choose_id_field(names, source=source, place=item.place, id_fields=QUESTION_FIELDS)
            image = choose_id_field(names, source=source, place=item.place, id_fields=_IMAGE_FIELDS)
            fields = question, image
        yield image_of(item, fields[0]), image_of(item, fields[1]), item


def _objects(chunks: Iterator[str], *, file: str) -> Iterator[Item]:
    head = take_head(chunks, CHUNK, "")
    chunks = chain([head], chunks)
    if head.lstrip().startswith("["):
        stream = JsonStream(chunks, file=file)
        yield from stream.items()
        stream.finish()
    else:
        yield from line_items(lines(chunks), file=file)

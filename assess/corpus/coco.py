"""JSON documents of caption records: COCO results, COCO annotations, and a plain id-to-caption mapping."""

from __future__ import annotations

from collections.abc import Iterator

from assess.corpus.json_stream import JsonStream
from assess.corpus.json_values import Item
from assess.corpus.rows import Document, Row
from assess.corpus.source import Source
from assess.corpus.values import rows_of_items, texts_in
from assess.errors import InputError, Place


def read_results(document: Document, source: Source) -> Iterator[Row]:
    """Read `[{"image_id": 1, "caption": "…"}, …]`."""
    stream = JsonStream(document.chunks, file=document.file)
    yield from rows_of_items(stream.items(), source)
    stream.finish()


def read_annotations(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"images": […], "annotations": [{"image_id": 1, "caption": "…"}, …]}`."""
    yield from rows_of_items(array_of(document, "annotations"), source)


def array_of(document: Document, wanted: str) -> Iterator[Item]:
    """Yield the elements of one array of a document's object; the rest is checked and forgotten."""
    stream = JsonStream(document.chunks, file=document.file)
    found = False
    for key in stream.members():
        if key == wanted:
            found = True
            yield from stream.items()
        else:
            stream.skip()
    stream.finish()
    if not found:
        raise InputError(f"the document has no list '{wanted}'", place=Place(document.file))


def read_mapping(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"1": "…", "2": ["…", "…"]}`; a list may also hold objects with a caption."""
    del source  # a mapping has no fields to choose
    stream = JsonStream(document.chunks, file=document.file)
    for number, image in enumerate(stream.members(), start=1):
        item = stream.item(number)
        for text in _texts(image, item):
            yield Row(image, text)
    stream.finish()


def _texts(image: str, item: Item) -> Iterator[str]:
    if isinstance(item.value, str):
        yield item.value
    else:
        hint = "the keys of this object are read as image ids; choose another format with --format"
        yield from texts_in(item.value, name=image, place=item.place, hint=hint)

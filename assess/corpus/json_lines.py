"""JSON Lines: one record a line, and the answers of LLaVA-style models."""

from __future__ import annotations

from collections.abc import Iterator

from assess.corpus.decoding import lines
from assess.corpus.join import QUESTION_FIELDS
from assess.corpus.json_values import Item, line_items
from assess.corpus.rows import Document, Row
from assess.corpus.source import Source
from assess.corpus.values import image_of, rows_of_items
from assess.errors import InputError, visible


def read_lines(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"image_id": 1, "caption": "…"}` or `{"image": "1.jpg", "captions": ["…", …]}`, one a line."""
    yield from rows_of_items(_items(document), source, fields=document.opening.fields)


def read_answers(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"question_id": 1, "text": "…", "answer_id": …}`, one a line.

    With a join file the image is that of the question; without one the question's id stands for it.
    """

    def image_of_question(item: Item, field: str) -> str:
        question = image_of(item, field)
        if document.images is None:
            return question
        if question not in document.images:
            message = f"the question '{visible(question)}' is not in the join file"
            hint = f"are these answers to the questions of {visible(source.join or '')}?"
            raise InputError(message, place=item.place(field), hint=hint)
        return document.images[question]

    yield from rows_of_items(_items(document), source, id_fields=QUESTION_FIELDS, image=image_of_question)


def _items(document: Document) -> Iterator[Item]:
    opening = document.opening
    return line_items(lines(document.chunks), file=document.file, line=opening.line, records=opening.records)

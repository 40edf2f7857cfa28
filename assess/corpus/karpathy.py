"""The dataset files of Karpathy's splits (`dataset_coco.json`, `dataset_flickr30k.json`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from assess.corpus.coco import array_of
from assess.corpus.fields import choose_id_field, require_field
from assess.corpus.json_values import Item
from assess.corpus.rows import Document, Row
from assess.corpus.source import Source
from assess.corpus.values import SplitFilter, described, field_of, image_of, members_of
from assess.errors import InputError

# COCO's own id pairs with COCO files; elsewhere the file name pairs with Flickr files.
# `imgid` only counts the images of this one file, so it is the last resort.
_ID_FIELDS = ("cocoid", "filename", "imgid")
_SENTENCES = "sentences"


def read_dataset(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"images": [{"cocoid": 1, "split": "test", "sentences": [{"raw": "…"}, …]}, …]}`."""
    splits = SplitFilter(source)
    id_field = None
    for item in array_of(document, "images"):
        if id_field is None:
            names = members_of(item)
            id_field = choose_id_field(names, source=source, place=item.place, id_fields=_ID_FIELDS)
        if splits.keeps(item):
            image = image_of(item, id_field)
            for text in _sentences(item, caption_field=source.caption_field or "raw"):
                yield Row(image, text)
    splits.finish()


def _sentences(item: Item, *, caption_field: str) -> Iterator[str]:
    sentences = field_of(item, _SENTENCES)
    place = partial(item.place, _SENTENCES)
    if not isinstance(sentences, list):
        raise InputError(f"'sentences' must be a list, not {described(sentences)}", place=place())
    for number, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, dict):
            message = f"sentence {number} must be an object, not {described(sentence)}"
            raise InputError(message, place=place())
        text = sentence[require_field(caption_field, sentence, place=place)]
        if not isinstance(text, str):
            message = f"'{caption_field}' of sentence {number} must be text, not {described(text)}"
            raise InputError(message, place=place())
        yield text

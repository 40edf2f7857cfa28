"""From a record's values to rows: image ids, captions and splits, with an error where one is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from assess.corpus.fields import CAPTION_FIELDS, ID_FIELDS, Fields, Locate, choose_fields, listed
from assess.corpus.json_values import Item
from assess.corpus.rows import Row
from assess.corpus.source import Source
from assess.errors import InputError, Place, visible

_SPLIT_FIELD = "split"


def rows_of_items(
    items: Iterable[Item],
    source: Source,
    *,
    id_fields: Iterable[str] = ID_FIELDS,
    image: Callable[[Item, str], str] | None = None,
    fields: Fields | None = None,
) -> Iterator[Row]:
    """Yield the captions of records. The first record decides which fields are read, unless that is known.

    `image` turns a record and the name of its id field into the image's id.
    """
    image = image or image_of
    splits = SplitFilter(source)
    for item in items:
        if fields is None:
            names = members_of(item)
            fields = choose_fields(names, source=source, place=item.place, id_fields=id_fields)
        if splits.keeps(item):
            image_id = image(item, fields.image)
            for text in captions_of(item, fields.caption):
                yield Row(image_id, text)
    splits.finish()


def members_of(item: Item) -> dict[str, object]:
    """Return the members of an item that must be an object."""
    if not isinstance(item.value, dict):
        message = f"each record must be an object with an image id and a caption, not {described(item.value)}"
        raise InputError(message, place=item.place())
    return item.value


def field_of(item: Item, field: str) -> object:
    """Return the value of a field that must be there."""
    members = members_of(item)
    if field not in members:
        message = f"the record has no '{visible(field)}'; its fields are {listed(members)}"
        raise InputError(message, place=item.place())
    return members[field]


def image_of(item: Item, field: str) -> str:
    """Return an image id as text: 42, 42.0 and "42" are one image, "042" is another."""
    value = field_of(item, field)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    message = f"'{visible(field)}' must be a whole number or a text, not {described(value)}"
    raise InputError(message, place=item.place(field), hint="every caption needs the id of its image")


def captions_of(item: Item, field: str) -> Iterator[str]:
    """Yield the one or more captions of a field."""
    value = field_of(item, field)
    if isinstance(value, str):
        yield value
    else:
        yield from texts_in(value, name=field, place=partial(item.place, field))


def texts_in(value: object, *, name: str, place: Locate, hint: str | None = None) -> Iterator[str]:
    """Yield captions: a text, an object with a caption in it, or a list of these."""
    for element in value if isinstance(value, list) else [value]:
        text = _caption_in(element) if isinstance(element, dict) else element
        if not isinstance(text, str):
            message = f"'{visible(name)}' must be a caption or a list of captions, not {described(value)}"
            missing = 'write "" for an empty caption, or leave the record out' if text is None else None
            raise InputError(message, place=place(), hint=hint or missing)
        yield text


def _caption_in(members: dict[str, object]) -> object:
    """Return the caption of an object such as `{"caption": "a man"}`, or the object itself."""
    return next((members[name] for name in CAPTION_FIELDS if name in members), members)


def described(value: object) -> str:
    """Say what a JSON value is."""
    if isinstance(value, list):
        odd = [element for element in value if not isinstance(element, str)]
        return f"a list with {described(odd[0])} in it" if odd else "a list of texts"
    if isinstance(value, dict):
        return f"an object with {listed(value, most=4)}"
    if isinstance(value, str):
        return f"the text '{visible(value, 40)}'" if value else "an empty text"
    names = {None: "null", True: "true", False: "false"}
    return names[value] if value is None or isinstance(value, bool) else f"the number {value}"


class SplitFilter:
    """Keeps the records of one split, and knows which others there were."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seen: Counter[str] = Counter()

    def keeps(self, item: Item) -> bool:
        """Whether the record is in the wanted split; without one, every record is."""
        if self._source.split is None:
            return True
        split = str(field_of(item, _SPLIT_FIELD))
        self._seen[split] += 1
        return split == self._source.split

    def finish(self) -> None:
        """Raise if a split was wanted and never found: it is misspelt, or this is the wrong file."""
        wanted = self._source.split
        if wanted is not None and wanted not in self._seen:
            message = f"there is no split '{visible(wanted)}'; the splits are {listed(sorted(self._seen))}"
            raise InputError(message, place=Place(self._source.file))

"""Groups from a file: whom each image shows, as somebody has annotated it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from assess.corpus import CaptionReader, Source, parse_source
from assess.errors import InputError, Place, Problem, UsageError, visible
from assess.records import Analysis, Caption

NOT_CONTRASTED = frozenset({"mixed", "neutral", "none", "unclear", "unknown"})
"""Values that tell of no one group: shown as columns, and contrasted only when asked for by name."""
UNLISTED = "unlisted"
"""The value of an image that the file does not have, where that is allowed."""

_HINT = "a groups file is CSV or JSONL with the fields image_id and group"


@dataclass(frozen=True, slots=True)
class ImageGroups:
    """The value of each image, from a file."""

    name: str
    file: str
    sha256: str
    by_image: dict[str, str]

    @property
    def values(self) -> tuple[str, ...]:
        """The values that are contrasted, in alphabetical order."""
        return tuple(sorted({value for value in self.by_image.values() if value not in NOT_CONTRASTED}))

    def value(self, _analysis: Analysis | None, image: str, /) -> str:
        """Return the value of an image, whatever its labels say."""
        return self.by_image.get(image, UNLISTED)


def read_image_groups(argument: str) -> ImageGroups:
    """Read `[NAME=]FILE` with the fields image_id and group; the name defaults to the file's stem."""
    source = parse_source(argument, caption_field="group")
    reader = CaptionReader(source)
    by_image: dict[str, str] = {}
    try:
        for caption in reader:
            _add(by_image, caption, source)
    except UsageError:
        raise InputError(
            "is not a table of images and groups", place=Place(source.file), hint=_HINT
        ) from None
    except InputError as error:
        last = error.problems[-1]
        raise InputError([*error.problems[:-1], Problem(last.message, last.place, _HINT)]) from None
    if not by_image:
        raise InputError("the file has no images", place=Place(source.file), hint=_HINT)
    return ImageGroups(source.name, source.file, reader.summary.sha256, by_image)


def _add(by_image: dict[str, str], caption: Caption, source: Source) -> None:
    value = " ".join(caption.text.split())
    place = Place(source.file, record=caption.record)
    if not value:
        raise InputError(f"the image '{visible(caption.image)}' has no group", place=place)
    if by_image.setdefault(caption.image, value) != value:
        first = visible(by_image[caption.image], 40)
        message = f"the image '{visible(caption.image)}' has two groups: {first} and {visible(value, 40)}"
        raise InputError(message, place=place)


def check_images(
    groups: ImageGroups, images: Collection[str], *, file: str, partial: bool = False
) -> str | None:
    """Compare the images of a caption file with those of a groups file, by id.

    Raise `InputError` where none is in both or, unless `partial`, where captions have no group. Otherwise
    return a note about images that were passed over, if there are any.
    """
    missing = sorted(image for image in images if image not in groups.by_image)
    if not missing:
        return None
    counts = (
        f"{len(missing)} of the {len(images)} images of '{visible(file)}' are not among"
        f" the {len(groups.by_image)} images of '{visible(groups.file)}'"
    )
    if len(missing) == len(images):
        raise InputError(f"no image id is in both files: {counts}", hint=_unlike(missing, groups.by_image))
    if not partial:
        hint = "complete the groups, or leave those images out with --partial"
        raise InputError(f"{counts}: {_named(missing)}", hint=hint)
    return f"{counts}; their labels are in the column `{UNLISTED}`"


def _unlike(missing: list[str], known: Iterable[str]) -> str:
    return f"the ids look like {_named(missing[:1])} here and {_named(sorted(known)[:1])} there"


def _named(images: list[str]) -> str:
    named = ", ".join(f"'{visible(image, 40)}'" for image in images[:3])
    return named + (", …" if len(images) > 3 else "")

"""Groups: the value of each label, stated by its words or by a file for its image."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import ClassVar

from assess.corpus import CaptionReader, Source, parse_source, unlike_ids
from assess.errors import InputError, NoCaptionsError, Place, Problem, UsageError, some, visible
from assess.grammar import Grammar
from assess.grammar.groups import MIXED, NEUTRAL, TOLD_BY, GroupWords, Told, ToldBy
from assess.records import Analysis, Caption

NOT_CONTRASTED = frozenset({MIXED, NEUTRAL, "none", "unclear", "unknown"})
"""Values in a file that do not state a group: they are columns, and contrasted only on request."""
UNLISTED = "unlisted"
"""The value of images that are missing from the file, if that is allowed."""
MOST_VALUES = 6
"""With more values, there are too many pairs to read, so pairs must be named."""

CROSSING = "*"
"""Separates the names of crossed groups."""

Pair = tuple[str, str]

_HINT = "a groups file is CSV or JSONL with the fields image_id and group"


class WordGroups:
    """A group of a taxonomy, such as gender, as stated by the words of labels."""

    file = None  # values do not come from a file

    def __init__(self, grammar: Grammar, name: str, *, told_by: tuple[ToldBy, ...] = TOLD_BY) -> None:
        self._words = GroupWords(grammar, name)
        self._told_by = told_by
        self.name = name
        self.values = self._words.values  # contrasted in this order; other values are only columns
        # The modifier categories whose words state the values: contrasting them would be circular.
        self.told_in = self._words.told_in if "modifiers" in told_by else frozenset[str]()
        self._known: dict[str, Told] = {}

    def value(self, analysis: Analysis, _image: str = "", /) -> str:
        """Return the value that a label states in its best reading."""
        return self.told(analysis).value

    def told(self, analysis: Analysis) -> Told:
        """Return the value, and the words that state it."""
        if analysis.text not in self._known:
            self._known[analysis.text] = self._words.told(analysis, by=self._told_by)
        return self._known[analysis.text]


class CrossedGroups:
    """Several groups of a taxonomy combined, such as gender and age: "female child"."""

    file = None

    def __init__(self, parts: Sequence[WordGroups]) -> None:
        self.parts = tuple(parts)
        self.name = CROSSING.join(part.name for part in parts)
        self.values = tuple(map(" ".join, product(*(part.values for part in parts))))
        self.told_in = frozenset[str]().union(*(part.told_in for part in parts))

    def value(self, analysis: Analysis, image: str = "", /) -> str:
        """Return the combined value of a label, if its words state one value of every group."""
        found = [part.value(analysis, image) for part in self.parts]
        if MIXED in found:
            return MIXED
        return NEUTRAL if NEUTRAL in found else " ".join(found)

    @property
    def pairs(self) -> list[Pair]:
        """The pairs of values that differ in one group and agree in the others."""
        return [
            pair
            for place, part in enumerate(self.parts)
            for chosen in combinations(part.values, 2)
            for _, pair in self.within(place, chosen)
        ]

    def within(self, place: int, pair: Pair) -> list[tuple[str, Pair]]:
        """Return a pair of one group's values within each value of the others: (adult, combined names)."""
        before = [part.values for part in self.parts[:place]]
        after = [part.values for part in self.parts[place + 1 :]]
        found = []
        for first, last in product(product(*before), product(*after)):
            one, other = (" ".join([*first, value, *last]) for value in pair)
            found.append((" ".join([*first, *last]), (one, other)))
        return found


def crossed_names(text: str) -> tuple[str, ...]:
    """Return the groups that a name crosses: both gender,age and gender*age mean gender and age."""
    return tuple(name.strip() for name in text.replace(",", CROSSING).split(CROSSING))


def with_crossings(names: Sequence[str]) -> tuple[str, ...]:
    """Return the groups to contrast: a crossing is accompanied by its groups, for comparison."""
    found: list[str] = []
    for name in names:
        crossed = crossed_names(name)
        if len(set(crossed)) != len(crossed) or not all(crossed):
            raise UsageError(
                f"'{visible(name)}' does not name groups to cross", hint="write them as in gender,age"
            )
        found += [*crossed, *([CROSSING.join(crossed)] if len(crossed) > 1 else [])]
    return tuple(dict.fromkeys(found))


def word_groups(
    grammar: Grammar, name: str, *, told_by: tuple[ToldBy, ...] = TOLD_BY
) -> WordGroups | CrossedGroups:
    """Return a group of a taxonomy, or a crossing of groups, by name."""
    parts = [WordGroups(grammar, part, told_by=told_by) for part in crossed_names(name)]
    return parts[0] if len(parts) == 1 else CrossedGroups(parts)


def same_attribute(first: Grouping, second: Grouping) -> bool:
    """Whether two groups describe the same attribute, such as gender from words and gender from a file.

    They do if two values of one are values of the other, possibly under another name: Female, f, woman.
    """
    return max(_matched(first, second), _matched(second, first)) >= 2


def _matched(first: Grouping, second: Grouping) -> int:
    """Return how many values of the first group are values of the second."""
    return len({_same_value(value, second) for value in first.values} - {None})


def _same_value(value: str, other: Grouping) -> str | None:
    name = value.casefold()
    for known in other.values:
        if known.casefold().startswith(name) or name.startswith(known.casefold()):
            return known
    if other.file is None:  # words of the group may be the values in a file
        told = other.value(Analysis(name), "")
        return told if told in other.values else None
    return None


def parse_contrast(text: str) -> Pair:
    """Parse `VALUE,VALUE` from the command line."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts) or parts[0] == parts[1]:
        raise UsageError(
            f"'{visible(text)}' does not name two values to contrast", hint="write them as in female,male"
        )
    return parts[0], parts[1]


def pairs_of(
    grouping: Grouping, wanted: tuple[Pair, ...] = (), *, columns: tuple[str, ...] = ()
) -> list[Pair]:
    """Return the pairs of values to contrast: those requested that exist, or by default all."""
    known = {*grouping.values, *columns}
    chosen = [pair for pair in wanted if known.issuperset(pair)]
    if chosen:
        return chosen
    if isinstance(grouping, CrossedGroups):
        return grouping.pairs
    if len(grouping.values) > MOST_VALUES:
        raise UsageError(
            f"the group `{visible(grouping.name)}` has {len(grouping.values)} values, which gives too"
            " many pairs",
            hint="select pairs, for example with --contrast female,male",
        )
    return list(combinations(grouping.values, 2))


@dataclass(frozen=True, slots=True)
class ImageGroups:
    """The group of each image, from a file of annotations."""

    name: str
    file: str
    sha256: str
    by_image: dict[str, str]

    told_in: ClassVar[frozenset[str]] = frozenset()

    @property
    def values(self) -> tuple[str, ...]:
        """The contrasted values, in alphabetical order."""
        return tuple(sorted({value for value in self.by_image.values() if value not in NOT_CONTRASTED}))

    def value(self, _analysis: Analysis | None, image: str, /) -> str:
        """Return the value of an image, regardless of its labels."""
        return self.by_image.get(image, UNLISTED)


Grouping = WordGroups | CrossedGroups | ImageGroups
"""A way to determine the group of labels."""


def read_image_groups(argument: str) -> ImageGroups:
    """Read `[NAME=]FILE` with the fields image_id and group; the name defaults to the file's stem."""
    source = replace(parse_source(argument, caption_field="group"), wanted="the name of a group, as text")
    reader = CaptionReader(source)
    by_image: dict[str, str] = {}
    try:
        for caption in reader:
            _add(by_image, caption, source)
    except UsageError:
        raise InputError(
            "is not a table of images and groups", place=Place(source.file), hint=_HINT
        ) from None
    except NoCaptionsError:
        pass  # reported below, in terms of this file
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

    Returns a note about images that are missing from the groups file, if there are any.
    """
    missing = missing_images(groups, images, file=file, partial=partial)
    return f"{missing}; their labels are counted as `{UNLISTED}`" if missing else None


def missing_images(
    groups: ImageGroups, images: Collection[str], *, file: str, partial: bool = False
) -> str | None:
    """Return how many images of a caption file are missing from a groups file; None if there are none.

    Raises `InputError` if the files share no image or, unless `partial` is set, if captions have no group.
    """
    missing = sorted(image for image in images if image not in groups.by_image)
    if not missing:
        return None
    counts = (
        f"{len(missing)} of the {len(images)} images of '{visible(file)}' are not among"
        f" the {len(groups.by_image)} images of '{visible(groups.file)}'"
    )
    if len(missing) == len(images):
        raise InputError(f"no image id is in both files: {counts}", hint=unlike_ids(missing, groups.by_image))
    if not partial:
        hint = "complete the groups file, or use --partial to exclude these images"
        raise InputError(f"{counts}: {_named(missing)}", hint=hint)
    return counts


def _named(images: list[str]) -> str:
    named = ", ".join(f"'{visible(image, 40)}'" for image in images[:3])
    return named + (", …" if len(images) > 3 else "")


# Whether systems, references and groups files describe the same images.

Images = Mapping[Source, Collection[str]]
"""The image ids of each input."""


def check_pairs(
    images: Images, references: Collection[Source], groups: Sequence[ImageGroups], *, partial: bool
) -> Iterator[str]:
    """Raise `InputError` if ids do not match, and yield notes about what is skipped."""
    human = {image for source in references for image in images[source]}
    files = " and ".join(f"'{source.file}'" for source in references)
    for source, found in images.items():
        if source in references:
            continue  # references may describe more images than the systems
        notes = [check_images(group, found, file=source.file, partial=partial) for group in groups]
        if human:
            notes.append(check_references(found, human, name=source.file, other=files))
        yield from (note for note in notes if note)


def check_references(
    images: Collection[str], references: Collection[str], *, name: str, other: str = "the references"
) -> str | None:
    """Compare the images of a system with those of the references, by id.

    Raises `InputError` if they share no image; returns a note if some images have no reference.
    """
    known = set(references)
    missing = sum(image not in known for image in images)
    if missing == len(images):
        raise InputError(
            f"no image id is in both: '{visible(name)}' has {some(len(images), 'image')},"
            f" {visible(other)} {len(known)}",
            hint=unlike_ids(images, references),
        )
    if not missing:
        return None
    which = f"{missing:,} of {some(len(images), 'image')} of '{visible(name)}'"
    return f"not compared, because they have no references: {which}"

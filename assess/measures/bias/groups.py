"""Whom a label is about: the value of a group that its head tells, or that a file tells of its image."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar

from assess.corpus import CaptionReader, Source, parse_source, unlike_ids
from assess.errors import InputError, NoCaptionsError, Place, Problem, UsageError, some, visible
from assess.grammar import Grammar
from assess.grammar.groups import MIXED, NEUTRAL, TOLD_BY, GroupWords, Told, ToldBy
from assess.records import Analysis, Caption

NOT_CONTRASTED = frozenset({MIXED, NEUTRAL, "none", "unclear", "unknown"})
"""Values of a file that tell of no one group: shown as columns, and contrasted only when asked for."""
UNLISTED = "unlisted"
"""The value of an image that the file does not have, where that is allowed."""
MOST_VALUES = 6
"""More values than this give more pairs than anyone reads: then the pairs have to be named."""

CROSSING = "*"
"""Stands between the names of groups that are crossed."""

Pair = tuple[str, str]

_HINT = "a groups file is CSV or JSONL with the fields image_id and group"


class WordGroups:
    """One group of a taxonomy, such as gender, as the words of labels tell it."""

    file = None  # which tells the values of images

    def __init__(self, grammar: Grammar, name: str, *, told_by: tuple[ToldBy, ...] = TOLD_BY) -> None:
        self._words = GroupWords(grammar, name)
        self._told_by = told_by
        self.name = name
        self.values = self._words.values  # that are contrasted, in order; other ones are columns only
        # The modifier categories whose words tell the values: contrasting them would say nothing.
        self.told_in = self._words.told_in if "modifiers" in told_by else frozenset[str]()
        self._known: dict[str, Told] = {}

    def value(self, analysis: Analysis, _image: str = "", /) -> str:
        """Return the value that a label tells in its best reading."""
        return self.told(analysis).value

    def told(self, analysis: Analysis) -> Told:
        """Return the value and which words tell it."""
        if analysis.text not in self._known:
            self._known[analysis.text] = self._words.told(analysis, by=self._told_by)
        return self._known[analysis.text]


class CrossedGroups:
    """Several groups of a taxonomy at once, such as gender and age: "female child"."""

    file = None

    def __init__(self, parts: Sequence[WordGroups]) -> None:
        self.parts = tuple(parts)
        self.name = CROSSING.join(part.name for part in parts)
        self.values = tuple(map(" ".join, product(*(part.values for part in parts))))
        self.told_in = frozenset[str]().union(*(part.told_in for part in parts))

    def value(self, analysis: Analysis, image: str = "", /) -> str:
        """Return the values that the heads of a label tell, if they tell one of every group."""
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
        """Return two values of the group at a place within each value of the others: (adult, their names)."""
        before = [part.values for part in self.parts[:place]]
        after = [part.values for part in self.parts[place + 1 :]]
        found = []
        for first, last in product(product(*before), product(*after)):
            one, other = (" ".join([*first, value, *last]) for value in pair)
            found.append((" ".join([*first, *last]), (one, other)))
        return found


def crossed_names(text: str) -> tuple[str, ...]:
    """Return the groups that a name crosses: gender,age and gender*age are both gender and age."""
    return tuple(name.strip() for name in text.replace(",", CROSSING).split(CROSSING))


def with_crossings(names: Sequence[str]) -> tuple[str, ...]:
    """Return the groups to contrast: a crossing comes with the groups that it crosses, for comparison."""
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
    """Return a group of a taxonomy, or a crossing of some, by its name."""
    parts = [WordGroups(grammar, part, told_by=told_by) for part in crossed_names(name)]
    return parts[0] if len(parts) == 1 else CrossedGroups(parts)


def same_attribute(first: Grouping, second: Grouping) -> bool:
    """Whether two groups tell the same of people, such as gender by words and gender as a file has it.

    They do where two values of the one are values of the other, maybe by another name: Female, f, woman.
    """
    return max(_matched(first, second), _matched(second, first)) >= 2


def _matched(first: Grouping, second: Grouping) -> int:
    """Return how many values of the first are values of the second."""
    return len({_same_value(value, second) for value in first.values} - {None})


def _same_value(value: str, other: Grouping) -> str | None:
    name = value.casefold()
    for known in other.values:
        if known.casefold().startswith(name) or name.startswith(known.casefold()):
            return known
    if other.file is None:  # its words may be what the file says
        told = other.value(Analysis(name), "")
        return told if told in other.values else None
    return None


def parse_contrast(text: str) -> Pair:
    """Read `VALUE,VALUE` from a command line."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts) or parts[0] == parts[1]:
        raise UsageError(
            f"'{visible(text)}' does not name two values to contrast", hint="write them as in female,male"
        )
    return parts[0], parts[1]


def pairs_of(
    grouping: Grouping, wanted: tuple[Pair, ...] = (), *, columns: tuple[str, ...] = ()
) -> list[Pair]:
    """Return the pairs of values to contrast: those that were asked for and exist, or else all."""
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
    """The value of each image, from a file in which somebody has written whom it shows."""

    name: str
    file: str
    sha256: str
    by_image: dict[str, str]

    told_in: ClassVar[frozenset[str]] = frozenset()

    @property
    def values(self) -> tuple[str, ...]:
        """The values that are contrasted, in alphabetical order."""
        return tuple(sorted({value for value in self.by_image.values() if value not in NOT_CONTRASTED}))

    def value(self, _analysis: Analysis | None, image: str, /) -> str:
        """Return the value of an image, whatever its labels say."""
        return self.by_image.get(image, UNLISTED)


Grouping = WordGroups | CrossedGroups | ImageGroups
"""A way to tell whom labels are about."""


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
    except NoCaptionsError:
        pass  # told below, in the words of this file
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

    Return a note about images that the file does not have, if there are any.
    """
    missing = missing_images(groups, images, file=file, partial=partial)
    return f"{missing}; their labels are counted as `{UNLISTED}`" if missing else None


def missing_images(
    groups: ImageGroups, images: Collection[str], *, file: str, partial: bool = False
) -> str | None:
    """Return how many images of a caption file a groups file does not have; None where it has them all.

    Raise `InputError` where none is in both or, unless `partial`, where captions have no group.
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


# Whether the images of systems, references and groups files are the same.

Images = Mapping[Source, Collection[str]]
"""The image ids of each input."""


def check_pairs(
    images: Images, references: Collection[Source], groups: Sequence[ImageGroups], *, partial: bool
) -> Iterator[str]:
    """Raise `InputError` where ids do not match, and yield notes about what is passed over."""
    human = {image for source in references for image in images[source]}
    files = " and ".join(f"'{source.file}'" for source in references)
    for source, found in images.items():
        if source in references:
            continue  # references may describe more images than anybody asks about
        notes = [check_images(group, found, file=source.file, partial=partial) for group in groups]
        if human:
            notes.append(check_references(found, human, name=source.file, other=files))
        yield from (note for note in notes if note)


def check_references(
    images: Collection[str], references: Collection[str], *, name: str, other: str = "the references"
) -> str | None:
    """Compare the images of a system with those of the references, by id.

    Raise `InputError` where none is in both; return a note where some have no reference.
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

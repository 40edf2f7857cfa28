"""Reading the captions of a source one at a time, counting what was read, and pairing sources by image id."""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path, PurePath

from assess.corpus.fields import Row
from assess.corpus.formats import check_options, format_named
from assess.corpus.partition import Partition, open_partition, whole_files
from assess.corpus.readers import read_join
from assess.corpus.source import LONE_SURROGATE, Source, image_number
from assess.disk_cache import PackedHashes
from assess.errors import AssessError, InputError, NoCaptionsError, Place, Problem, visible
from assess.limits import overlong
from assess.records import Caption

_NAMED_UNREAD = 3  # this many unread captions are named in a result; the rest are only counted
_POSITION_FORMATS = (
    "text",
    "list",
)  # formats in which ids are positions in the file, not names of images
_EXACT_LIMIT = 65_536  # up to this many ids are compared as text, so the count is exact


@dataclass(slots=True)
class DistinctCounter:
    """Counts the distinct texts in a stream, with 8 bytes per text instead of about a hundred.

    The first 65,536 texts are compared as they are. Later ones are compared by 64-bit hashes, kept in sorted
    runs that merge like a binary counter. Among a hundred million ids, the chance of any collision is 1 in
    3,700.
    """

    recent: set[str] = field(default_factory=set)
    runs: list[PackedHashes] = field(default_factory=list)  # sorted; each at least twice as long as the next

    def add(self, text: str) -> None:
        """Count a text unless it was counted before."""
        self.recent.add(text)
        if len(self.recent) >= _EXACT_LIMIT:
            self._start_run()

    def add_counter(self, other: DistinctCounter) -> None:
        """Count the texts of another counter as well."""
        self.runs = sorted([*self.runs, *other.runs], key=len, reverse=True)
        self._merge_runs()
        for text in other.recent:
            self.add(text)

    def __len__(self) -> int:
        if not self.runs:
            return len(self.recent)
        self._start_run()
        return self._distinct()

    def _distinct(self) -> int:
        """Count over all runs, a sixteenth of the hash range at a time: merging would double the memory."""
        import numpy as np

        runs = [np.frombuffer(run, dtype=np.uint64) for run in self.runs]
        edges = np.arange(16, dtype=np.uint64) << np.uint64(60)
        places = [[*np.searchsorted(run, edges).tolist(), len(run)] for run in runs]
        total = 0
        for part in range(16):
            pieces = [run[at[part] : at[part + 1]] for run, at in zip(runs, places, strict=True)]
            total += len(np.unique(np.concatenate(pieces)))
        return total

    def _start_run(self) -> None:
        self.runs.append(array("Q", sorted(map(_hash_of, self.recent))))
        self.recent = set()
        self._merge_runs()

    def _merge_runs(self) -> None:
        while len(self.runs) > 1 and len(self.runs[-2]) < 2 * len(self.runs[-1]):
            self._merge_last()

    def _merge_last(self) -> None:
        # Imported here because only files with many images need numpy, which is slow to import.
        import numpy as np

        shorter, longer = (np.frombuffer(self.runs.pop(), dtype=np.uint64) for _ in range(2))
        both = np.concatenate((longer, shorter))
        del shorter, longer
        both.sort(kind="stable")  # fast for two sorted runs
        new = np.concatenate(([True], both[1:] != both[:-1]))
        merged = array("Q")
        merged.frombytes((both if new.all() else both[new]).data.cast("B"))
        self.runs.append(merged)


def _hash_of(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """What was read from an input, as recorded in the signature of a result."""

    name: str
    format: str
    captions: int
    images: int  # number of distinct ids
    repeated: int  # captions of an image that already had one; they are kept
    empty: int  # captions without any text; they are kept
    sha256: str  # hash of the stored file; for several files, hash of their hashes, one per line
    replaced: int = 0  # captions in which a lone surrogate became U+FFFD
    join_sha256: str | None = None  # hash of the join file, which determines the image ids
    unread: int = 0  # captions that are too long to analyse; they are kept without their words
    unread_at: tuple[str, ...] = ()  # the locations of the first few of them


@dataclass(slots=True)
class CorpusTally:
    """Numbers captions and counts them. The tallies of a source's parts add up to that of the whole."""

    system: str
    captions: int = 0
    empty: int = 0
    replaced: int = 0
    images: DistinctCounter = field(default_factory=DistinctCounter)
    formats: dict[str, str] = field(default_factory=dict)  # format -> the first file that has it
    hashes: dict[int, str] = field(default_factory=dict)  # file number -> its hash
    join_sha256: str | None = None
    unread: int = 0
    unread_at: list[str] = field(default_factory=list)

    def caption(self, row: Row, *, before: int = 0, number_ids: bool = False) -> Caption:
        """Count a caption and give it its record number, which continues after `before`."""
        image, text, lone = row.image, row.text, 0
        if not (image.isascii() and text.isascii()):  # most captions are, and it costs nothing to check
            image, _ = _without_lone_surrogates(image)
            text, lone = _without_lone_surrogates(text)
        if number_ids:
            image = image_number(image) or image
        self.captions += 1
        self.empty += not text
        self.replaced += bool(lone)
        self.images.add(image)
        return Caption(self.system, image, text, before + self.captions, row.gold)

    def unread_caption(self, caption: Caption, place: Place) -> Caption:
        """Count a caption as too long to analyse, and return it without its words."""
        self.unread += 1
        if len(self.unread_at) < _NAMED_UNREAD:
            self.unread_at.append(str(place))
        return caption._replace(text="", gold=())

    def add(self, other: CorpusTally) -> None:
        """Add the tally of the next part of the source."""
        self.captions += other.captions
        self.empty += other.empty
        self.replaced += other.replaced
        self.images.add_counter(other.images)
        for name, file in other.formats.items():
            self.add_format(name, file)
        self.hashes.update(other.hashes)
        self.join_sha256 = self.join_sha256 or other.join_sha256
        self.unread += other.unread
        self.unread_at = [*self.unread_at, *other.unread_at][:_NAMED_UNREAD]

    def add_format(self, name: str, file: str) -> None:
        """Record a file's format; all files of a system must have the same one."""
        self.formats.setdefault(name, file)
        if len(self.formats) > 1:
            (first, first_file), *_ = self.formats.items()
            message = f"this file has the format '{name}', but {first_file} has '{first}'"
            hint = "all files of a system must have the same format"
            raise InputError(message, place=Place(file), hint=hint)

    def summary(self) -> CorpusSummary:
        """Return a summary of everything that was read. Raises an error if there was no caption."""
        if not self.captions:
            hint = "give a file with at least one caption"
            place = Place(next(iter(self.formats.values()), self.system))
            raise NoCaptionsError("there are no captions in this file", place=place, hint=hint)
        images = len(self.images)
        return CorpusSummary(
            name=self.system,
            format=next(iter(self.formats)),
            captions=self.captions,
            images=images,
            repeated=self.captions - images,
            empty=self.empty,
            sha256=self.sha256,
            replaced=self.replaced,
            join_sha256=self.join_sha256,
            unread=self.unread,
            unread_at=tuple(self.unread_at),
        )

    @property
    def sha256(self) -> str:
        """The hash of the stored file, or of the hashes of several files."""
        hashes = [self.hashes[number] for number in sorted(self.hashes)]
        return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def _without_lone_surrogates(text: str) -> tuple[str, int]:
    """Return a text with lone surrogates replaced, and how many there were."""
    return LONE_SURROGATE.subn("\N{REPLACEMENT CHARACTER}", text)


class CaptionReader:
    """Iterates over the captions of one source in file order. Each iteration reads the files again.

    A lone surrogate (`"\\ud800"` in JSON) is not a character and cannot be written as UTF-8, so it is
    replaced by U+FFFD, and the summary counts it. A caption that is too long to analyse is returned without
    its words, and the summary names it. Otherwise, captions are left unchanged. With a partition, only that
    part of the source is read.
    """

    def __init__(self, source: Source, partition: Partition | None = None) -> None:
        self.source = source
        self._partitions = whole_files(source) if partition is None else (partition,)
        # Records of a stretch are numbered from the beginning of the file, so that messages name the right
        # one.
        self.before = partition.opening.records if partition else 0
        self._starts: list[int] = []  # number of captions before each partition
        self._tally: CorpusTally | None = None
        self._whole = partition is None
        self._format = source.format
        if source.format is not None:
            check_options(source, format_=format_named(source.format))

    @property
    def tally(self) -> CorpusTally:
        """The tally of the last complete iteration, which can be added to the tallies of other parts."""
        if self._tally is None:
            raise RuntimeError("there is a summary only after all captions were read")
        return self._tally

    @property
    def summary(self) -> CorpusSummary:
        """The summary of the last complete iteration."""
        return self.tally.summary()

    def __iter__(self) -> Iterator[Caption]:
        self._tally, self._starts = None, []
        join = read_join(self.source.join) if self.source.join is not None else None
        tally = CorpusTally(self.source.name, join_sha256=join.sha256 if join else None)
        is_overlong = overlong()
        for partition in self._partitions:
            self._starts.append(tally.captions)
            with open_partition(partition, join) as opened:
                self._format = opened.format.name
                tally.add_format(opened.format.name, partition.source.file)
                for row in opened.rows():
                    caption = tally.caption(row, before=self.before, number_ids=self.source.number_ids)
                    if is_overlong(row.text):
                        caption = tally.unread_caption(caption, self._record_place(partition, tally.captions))
                    yield caption
            if opened.sha256 is not None:
                tally.hashes[partition.number] = opened.sha256
        self._tally = tally
        if self._whole:
            tally.summary()  # raises now if the source has no captions, before any further work is done

    @property
    def format(self) -> str | None:
        """The format of the source, once the first caption has been read."""
        return self._format

    def _record_place(self, partition: Partition, record: int) -> Place:
        """Return the place of a record. The file is given by name only: results do not depend on folders."""
        name = PurePath(partition.source.file).name
        return Place(name, record=self.before + record - self._starts[-1])

    def placed(self, error: InputError) -> InputError:
        """Return an error with the place in the file itself, if the source has several files."""
        if not self.source.parts:
            return error
        return InputError(replace(problem, place=self._place(problem)) for problem in error.problems)

    def _place(self, problem: Problem) -> Place | None:
        place = problem.place
        if place is None or place.file != self.source.file or place.record is None:
            return place
        number = sum(start < place.record for start in self._starts) - 1
        return Place(self._partitions[number].source.file, record=place.record - self._starts[number])


def read_captions(source: Source) -> Iterator[Caption]:
    """Yield the captions of a source, in file order."""
    return iter(CaptionReader(source))


# Image ids may be written differently: `COCO_val2014_000000100001.jpg` in one file, `100001` in another.
#
# Images are paired by comparing ids as text. If none of a file's ids occurs in the other files, but every id
# ends in a unique number and these numbers do occur there, the numbers are used as ids, and a note says so.


def paired_by_number(
    systems: Sequence[Source], references: Sequence[Source]
) -> tuple[list[Source], list[Source], str | None]:
    """Return the sources, set to use numbers as ids if only numbers match, and a note if this changes any."""
    sources = [*systems, *references]
    if len(sources) < 2 or not _may_differ(sources):
        return [*systems], [*references], None
    images = [_images(source) for source in sources]
    numbers = [_numbers(found) for found in images]
    anchors = slice(len(systems), None) if references else slice(1)
    unpaired = [place for place in range(len(sources)) if not _pairs(images, place, anchors)]
    if not (unpaired and all(numbers) and all(_pairs(numbers, place, anchors) for place in unpaired)):
        return [*systems], [*references], None
    changed = [found != own for found, own in zip(numbers, images, strict=True)]
    read = [replace(source, number_ids=by) for source, by in zip(sources, changed, strict=True)]
    first = changed.index(True)
    named = [source.name for source in read if source.number_ids]
    return read[: len(systems)], read[len(systems) :], _note(named, min(images[first]))


def _pairs(ids: Sequence[set[str]], place: int, anchors: slice) -> bool:
    """Whether a source has an id in common with the references (if there are none: the first system)."""
    return any(ids[place] & anchor for anchor in ids[anchors])


def _note(names: Sequence[str], example: str) -> str:
    listed = ", ".join(visible(name, 40) for name in names)
    return (
        f"the image ids of {listed} are file names; the numbers in them are used as ids, so that"
        f" they match: '{visible(example, 60)}' is {image_number(example)}"
    )


def _may_differ(sources: Sequence[Source]) -> bool:
    """Whether the first ids of the files differ in form. False if a source cannot be read twice."""
    shapes: set[str] = set()
    for source in sources:
        if not all(Path(path).is_file() for path in source.parts or (source.path,)):
            return False
        try:
            reader = CaptionReader(source)
            (first,) = islice(reader, 1)
        except AssessError:  # the error is reported when the file is read for the analysis
            return False
        if reader.format in _POSITION_FORMATS or image_number(first.image) is None:
            return False
        shapes.add(_without_number(first.image))
    return len(shapes) > 1


def _without_number(image: str) -> str:
    """Return an id without its final number. Leading zeros are kept: such a number is part of a name."""
    return re.sub(r"[1-9]\d*(?=\D*$)", "", image)


def _images(source: Source) -> set[str]:
    try:
        return {caption.image for caption in CaptionReader(source)}
    except AssessError:
        return set()


def _numbers(images: Collection[str]) -> set[str]:
    """Return the numbers at the end of ids, or nothing if an id has none or two ids share one."""
    found = {number for image in images if (number := image_number(image)) is not None}
    return found if len(found) == len(images) else set()


def unlike_ids(images: Iterable[str], others: Iterable[str]) -> str:
    """Return a hint for ids that do not match, with an example from each side."""
    mine, theirs = (f"'{visible(min(side, default=''), 40)}'" for side in (images, others))
    return (
        f"images are paired by id, but the ids look like {mine} here and {theirs} there; choose a"
        " field with matching ids with --id-field, or write the same ids to both files (file"
        " names match numbers only if every name ends in a unique number)"
    )

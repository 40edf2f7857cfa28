"""What was read of a source, kept so that the tallies of its parts add up to that of the whole."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from assess.corpus.distinct import DistinctCounter
from assess.corpus.rows import Row
from assess.errors import InputError, Place
from assess.records import Caption

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """What was read: the part of a result's signature that names an input."""

    name: str
    format: str
    captions: int
    images: int  # distinct ones
    repeated: int  # captions of an image that had one before; they are kept
    empty: int  # captions without any text; they are kept
    sha256: str  # of the file as it is stored; of several files: of their hashes, one a line
    replaced: int = 0  # captions in which a lone surrogate became U+FFFD
    join_sha256: str | None = None  # of the join file, which decides the image ids


@dataclass(slots=True)
class CorpusTally:
    """Counts captions while it numbers them, and keeps the hashes of the files they came from."""

    system: str
    captions: int = 0
    empty: int = 0
    replaced: int = 0
    images: DistinctCounter = field(default_factory=DistinctCounter)
    formats: dict[str, str] = field(default_factory=dict)  # format -> the first file that has it
    hashes: dict[int, str] = field(default_factory=dict)  # number of the file -> its hash
    join_sha256: str | None = None

    def caption(self, row: Row, *, before: int = 0) -> Caption:
        """Count a caption and number it, from the one after `before`."""
        image, _ = _characters(row.image)
        text, lone = _characters(row.text)
        self.captions += 1
        self.empty += not text
        self.replaced += bool(lone)
        self.images.add(image)
        return Caption(self.system, image, text, before + self.captions, row.gold)

    def add(self, other: CorpusTally) -> None:
        """Add what was read of the part that follows."""
        self.captions += other.captions
        self.empty += other.empty
        self.replaced += other.replaced
        self.images.add_counter(other.images)
        for name, file in other.formats.items():
            self.add_format(name, file)
        self.hashes.update(other.hashes)
        self.join_sha256 = self.join_sha256 or other.join_sha256

    def add_format(self, name: str, file: str) -> None:
        """Keep a file's format; all files of a system have the same."""
        self.formats.setdefault(name, file)
        if len(self.formats) > 1:
            (first, first_file), *_ = self.formats.items()
            message = f"this part is in the format '{name}', but {first_file} is in '{first}'"
            hint = "the parts of a system are all in one format"
            raise InputError(message, place=Place(file), hint=hint)

    def summary(self) -> CorpusSummary:
        """Return what was read, once all of it was."""
        images = len(self.images)
        return CorpusSummary(
            name=self.system,
            format=next(iter(self.formats)),
            captions=self.captions,
            images=images,
            repeated=self.captions - images,
            empty=self.empty,
            sha256=self._sha256(),
            replaced=self.replaced,
            join_sha256=self.join_sha256,
        )

    def _sha256(self) -> str:
        hashes = [self.hashes[number] for number in sorted(self.hashes)]
        return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def _characters(text: str) -> tuple[str, int]:
    """Return a text without lone surrogates, and how many there were."""
    if text.isascii():  # costs nothing, and most captions are
        return text, 0
    return _LONE_SURROGATE.subn("\N{REPLACEMENT CHARACTER}", text)

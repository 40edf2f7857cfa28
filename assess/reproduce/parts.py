"""Parts of the reproduction: a table, the data that it needs, and how its cells are computed."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from assess.corpus import CaptionReader, CorpusSummary, Source
from assess.disk_cache import Codec, DiskCache, code_digest, shipped_files
from assess.engine.annotating import AnnotationService
from assess.engine.captions import CaptionJob, SourceCaptions
from assess.engine.jobs import LocalEngine, Progress, file_sha256
from assess.errors import InputError, Place, UsageError
from assess.records import Depth

# The research data, read once when a part needs them.

SYSTEMS = "coco_val2014/systems"
REFERENCES = "coco_val2014/references.json.gz"
SPLITS = "coco_val2014/karpathy_split.json.gz"


class ResearchData:
    """A folder with the papers' data, optionally restricted to captions of a sample of images."""

    def __init__(
        self,
        folder: Path,
        *,
        annotations: AnnotationService,
        sample: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        if not folder.is_dir():
            raise InputError("there is no such folder", place=Place(str(folder)))
        if sample is not None and sample < 1:
            raise UsageError(f"a sample has at least one image, not {sample}")
        self.folder = folder
        self.annotations = annotations
        self.sample = sample
        self.summaries: dict[str, CorpusSummary] = {}  # of the files that were read
        self._progress = progress
        self._used: set[str] = set()  # the captions that the current part uses
        self._hashes: dict[str, tuple[str, ...]] = {}
        self._readers: dict[Depth, Callable[[Source], SourceCaptions]] = {}
        self._read: dict[tuple[str, Depth], SourceCaptions] = {}

    @property
    def system_names(self) -> list[str]:
        """The systems with captions, by name."""
        return sorted(path.name.partition(".")[0] for path in (self.folder / SYSTEMS).glob("*.json*"))

    def source(self, name: str) -> Source:
        """Return the source of a system's captions."""
        path = next((self.folder / SYSTEMS).glob(f"{name}.json*"), None)
        if path is None:
            raise InputError(f"there are no captions of {name}", place=Place(str(self.folder / SYSTEMS)))
        return Source(name, str(path))

    @property
    def references(self) -> Source:
        """The source of the references."""
        return Source("references", str(self.folder / REFERENCES))

    def text(self, name: str) -> str:
        """Return the unpacked text of a file in the folder."""
        stored = (self.folder / name).read_bytes()
        return (gzip.decompress(stored) if name.endswith(".gz") else stored).decode("utf-8")

    def json(self, name: str) -> Any:
        """Return the contents of a JSON file in the folder."""
        return json.loads(self.text(name))

    def split_images(self, split: str | None = None) -> tuple[str, ...]:
        """Return the images of a Karpathy split, or of all, in file order; empty if there is no file."""
        if not (self.folder / SPLITS).exists():
            return ()
        splits: dict[str, list[int]] = self.json(SPLITS)
        chosen = splits.values() if split is None else [splits.get(split, [])]
        return tuple(str(image) for images in chosen for image in images)

    @cached_property
    def images(self) -> frozenset[str] | None:
        """The images to use: every n-th id for a sample, or None for all."""
        if self.sample is None or not self.system_names:
            return None
        images = sorted({caption.image for caption in CaptionReader(self.source(self.system_names[0]))})
        step = max(1, len(images) // self.sample)
        return frozenset(images[::step][: self.sample])

    def hashes(self, needs: Sequence[str]) -> tuple[str, ...]:
        """Return the hashes of all files in the folders that a part needs."""
        folders = sorted({need.partition("/")[0] for need in needs})
        return tuple(hash_ for folder in folders for hash_ in self._folder_hashes(folder))

    def _folder_hashes(self, folder: str) -> tuple[str, ...]:
        if folder not in self._hashes:
            paths = sorted(path for path in (self.folder / folder).rglob("*") if path.is_file())
            self._hashes[folder] = tuple(f"{path.name} {file_sha256(str(path))}" for path in paths)
        return self._hashes[folder]

    def run(self, part: Part) -> StoredPart:
        """Run a part, and record which captions it uses."""
        self._used.clear()
        reproduced = part.run(self)
        return StoredPart(reproduced, {name: self.summaries[name] for name in sorted(self._used)})

    def words(self, source: Source) -> SourceCaptions:
        """Return the captions of a source as words."""
        return self._captions(source, Depth.WORDS)

    def annotated(self, source: Source) -> SourceCaptions:
        """Return the captions of a source with tags and trees."""
        return self._captions(source, Depth.TREE)

    def _captions(self, source: Source, depth: Depth) -> SourceCaptions:
        if depth not in self._readers:
            job = CaptionJob(depth, self.images)
            self._readers[depth] = LocalEngine(self.annotations).reader(job, self._progress)
        key = (source.name, depth)
        if key not in self._read:
            self._read[key] = self._readers[depth](source)
        self.note_summary(self._read[key].summary)
        return self._read[key]

    def note_summary(self, summary: CorpusSummary) -> None:
        """Record the summary of a file that a part read by itself."""
        self.summaries[summary.name] = summary
        self._used.add(summary.name)


Value = float | int | str


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A published value and the computed one."""

    row: str
    column: str
    published: Value
    computed: Value  # nan if it is undefined
    digits: int = 0  # decimals of the published number
    printed: bool = True  # in the paper; otherwise computed earlier with other code
    again: bool = False  # printed, but already counted in another table
    tolerance: float | None = None  # for a value that was measured from a figure

    @property
    def counted(self) -> bool:
        """Whether it is a cell printed in the paper, each of which counts once."""
        return self.printed and not self.again

    @property
    def difference(self) -> float:
        """Computed minus published; `nan` for words."""
        if isinstance(self.published, str) or isinstance(self.computed, str):
            return math.nan
        return float(self.computed) - float(self.published)

    @property
    def equal(self) -> bool:
        """Whether the computed value, rounded like the published one, equals it."""
        if isinstance(self.published, str) or isinstance(self.computed, str):
            return self.published == self.computed
        if math.isnan(self.computed):
            return False
        if self.tolerance is not None:
            return abs(self.difference) <= self.tolerance
        return f"{self.computed:.{self.digits}f}" == f"{self.published:.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Printed cells that cannot be computed from the data."""

    what: str
    cells: int
    why: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A redrawn figure: what its axes show, and one line per system."""

    x: str
    y: str
    lines: dict[str, tuple[tuple[float, ...], tuple[float, ...]]]


@dataclass(frozen=True, slots=True)
class Reproduced:
    """The cells of a table, reasons for differences, omitted cells, and further notes."""

    cells: tuple[ComparedCell, ...]
    notes: tuple[str, ...] = ()
    because: str = ""  # why cells differ, if any do
    left_out: tuple[LeftOut, ...] = ()
    drawn: Drawn | None = None

    @property
    def explanation(self) -> str:
        """Why cells differ; empty if all are equal."""
        return "" if all(cell.equal for cell in self.cells) else self.because


@dataclass(frozen=True, slots=True)
class Part:
    """A table or figure in a paper."""

    name: str
    title: str
    source: str  # key in docs/references.bib
    needs: tuple[str, ...]  # required files and folders below DATA
    run: Callable[[ResearchData], Reproduced]
    sampled: bool = True  # whether a sample of images is useful
    installed: Callable[[], bool] | None = None  # returns whether other requirements are installed


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a part: a result, or what is missing."""

    part: Part
    result: Reproduced | None
    missing: tuple[str, ...] = field(default=())


def run_part(part: Part, data: ResearchData) -> Outcome:
    """Run a part if its data exist, or take its cells from the cache."""
    missing = tuple(need for need in part.needs if not (data.folder / need).exists())
    if missing:
        return Outcome(part, None, missing)
    key = _key(part, data)
    stored = REPRODUCED.take(key, _CODEC) if key else None
    if stored is None:
        stored = data.run(part)
        if key:
            REPRODUCED.put(key, stored, _CODEC)
    data.summaries.update(stored.summaries)
    return Outcome(part, stored.reproduced)


# The cells of a part on disk: computing everything takes minutes, even with cached annotations.

REPRODUCED = DiskCache("reproduced", most=64)


@dataclass(frozen=True, slots=True)
class StoredPart:
    """The cells of a part, and which captions were read for them."""

    reproduced: Reproduced
    summaries: dict[str, CorpusSummary]


_CODEC: Codec[StoredPart, StoredPart] = Codec(StoredPart)


def _key(part: Part, data: ResearchData) -> tuple[str, ...]:
    """Return everything that the cells of a part depend on; empty if they must not be stored."""
    if data.annotations.origin is None:
        return ()
    code = (
        code_digest("**/*.py"),
        *(file_sha256(str(path)) or "" for path in shipped_files("taxonomies", "*")),
    )
    installed = part.installed is None or part.installed()
    chosen = (part.name, repr(data.sample), repr(installed))
    return (data.annotations.origin, *code, *chosen, *data.hashes(part.needs))

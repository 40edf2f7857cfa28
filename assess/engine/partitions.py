"""A worker of a cluster and its partition: what it checks, what it keeps, and how counts are added up."""

from __future__ import annotations

import platform
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar
from uuid import uuid4

from assess import __version__
from assess.annotate.model import model_identity
from assess.corpus import CaptionReader, CorpusTally, Partition, Source
from assess.corpus.partition import Cuts, cut, whole_files
from assess.engine.dask import DaskCluster, unable
from assess.errors import AssessError, InputError, Place, UsageError
from assess.resources import code_digest


class Counts(Protocol):
    """Counts of a part of a system, which add up in the order of the parts."""

    @property
    def corpus(self) -> CorpusTally:
        """What was read."""
        ...

    def empty(self) -> Self:
        """Return counts of nothing, of the same system."""
        ...

    def add(self, other: Self, /) -> None:
        """Add the counts of the part that follows."""
        ...


Counted = TypeVar("Counted", bound=Counts)
CountedThere = TypeVar("CountedThere", bound=Counts, covariant=True)
Kept = TypeVar("Kept")


class Job(Protocol[CountedThere]):
    """What is to be done with every partition."""

    @property
    def model(self) -> str:
        """The model's name."""
        ...

    @property
    def versions(self) -> str:
        """What the driver has installed."""
        ...

    def count(self, partition: Partition) -> CountedThere:
        """Read a partition and count it."""
        ...


def versions_of(model: str) -> str:
    """Return what has to be the same on all machines for their counts to add up."""
    identity = model_identity(model)
    return (
        f"assess {__version__} ({code_digest('**/*.py')[:8]}) with {identity.name} {identity.version}"
        f" and spaCy {identity.spacy_version}"
    )


def work_on(partition: Partition, job: Job[Counted]) -> Counted:
    """Do a job with a partition, on a worker. Whatever goes wrong is an error that says where."""
    _check_versions(job)
    check_seen(partition)
    try:
        return job.count(partition)
    except AssessError as error:
        # It says all there is to say; what caused it need not travel, and may not be able to.
        raise error from None
    except Exception as error:
        message = f"the work on this part failed with {type(error).__name__}: {error}"
        hint = "run the same on one machine, without --engine, to see more"
        raise InputError(message, place=partition.place, hint=hint) from error


def merge(parts: Sequence[Counted]) -> Counted:
    """Add up the counts of parts, in order. The parts stay as they are: they may be asked for again."""
    total = parts[0].empty()
    for part in parts:
        total.add(part)
    return total


def check_seen(partition: Partition) -> None:
    """Raise an error that names this machine where it does not have the partition's file."""
    if not Path(partition.source.path).is_file():
        message = f"the worker on {platform.node()} does not see this file"
        hint = "put it where all workers see it, or add --ship to read it here"
        raise InputError(message, place=partition.place, hint=hint)


def _check_versions(job: Job[Counted]) -> None:
    mine = kept("versions", job.model, lambda: versions_of(job.model))
    if mine != job.versions:
        message = f"the worker on {platform.node()} has {mine}, and the driver {job.versions}"
        raise UsageError(message, hint="install the same versions everywhere; results would differ otherwise")


# What takes long to make, the latest of each kind. A thread has its own: none of it serves two at a time.
_OF_THREAD = threading.local()


def kept(kind: str, key: Hashable, make: Callable[[], Kept]) -> Kept:
    """Return what this thread made for the same key before, or make it."""
    latest: dict[str, tuple[Hashable, Kept]] = _OF_THREAD.__dict__.setdefault("latest", {})
    if kind not in latest or latest[kind][0] != key:
        latest[kind] = (key, make())
    return latest[kind][1]


# Partitions read and counted by the workers of a Dask cluster; the driver gets sums, not captions.
#
# Large files are cut first, which is a task of its own. The counts of 64 partitions that follow each other
# are added up on the cluster, eight at a time; only then the driver gets them, adds them to what it has,
# and hands out the next. So neither scheduler nor driver has to remember more than about 1,000 tasks at a
# time.

IN_FLIGHT = 1_000  # tasks; more only fill the scheduler's memory
FAN_IN = 8
GROUP = FAN_IN**2
LEAST, MOST = 1 << 16, 1 << 20  # bytes of a partition: some 500 to 10,000 captions
A_THREAD = 8  # partitions for each thread, where the input is large enough

Step = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The partitions of a source, and the hashes of the files that were cut, by number."""

    source: Source
    partitions: tuple[Partition, ...]
    hashes: dict[int, str]


@dataclass(frozen=True, slots=True)
class _Group:
    """Partitions on their way, and the sum that is to come of them."""

    plan: _Plan
    last: bool  # of its source
    partitions: dict[str, Partition]  # by the key of their task
    sum: Any


class PartitionRun(Generic[Counted]):
    """One job, done with all partitions of some sources."""

    def __init__(self, cluster: DaskCluster, job: Job[Counted]) -> None:
        self._cluster, self._client = cluster, cluster.client
        self._token = uuid4().hex[:8]
        self._numbers = count()
        # A task and not scattered data: what a task gave can be worked out again when a worker is lost.
        self._job = self._client.submit(_same, job, key=f"assess-job-{self._token}", pure=False)

    def counts(self, sources: Sequence[Source], each: Callable[[Counted], None]) -> Iterator[Counted]:
        """Yield the counts of each source, in order; `each` sees a source's counts whenever they grow."""
        waiting = self._groups(self._plans(sources))
        threads = self._cluster.threads
        flying = deque(map(self._send, islice(waiting, max(IN_FLIGHT, 2 * threads) // GROUP + 1)))
        total: Counted | None = None
        while flying:
            group = flying.popleft()
            counts = self._result(group)
            flying.extend(map(self._send, islice(waiting, 1)))
            total = counts.empty() if total is None else total
            total.add(counts)
            if group.last:
                total.corpus.hashes.update(group.plan.hashes)
            each(total)
            if group.last:
                yield total
                total = None

    def _plans(self, sources: Sequence[Source]) -> list[_Plan]:
        """Cut what is large; a file that is not is a partition as it is."""
        files = {source: whole_files(source) for source in sources}
        sizes = {p: Path(p.source.path).stat().st_size for whole in files.values() for p in whole}
        size = min(MOST, max(LEAST, sum(sizes.values()) // (A_THREAD * self._cluster.threads)))
        cuts = self._cut([whole for whole, bytes_ in sizes.items() if bytes_ > size], size)
        return [_plan(source, [cuts.get(p, Cuts((p,))) for p in whole]) for source, whole in files.items()]

    def _cut(self, files: Sequence[Partition], size: int) -> dict[Partition, Cuts]:
        found: dict[Partition, Cuts] = {}
        for start in range(0, len(files), IN_FLIGHT):
            some = files[start : start + IN_FLIGHT]
            keys = {self._key("cut", file): file for file in some}
            futures = self._client.map(cut_file, some, key=list(keys), size=size, pure=False)
            found.update((file, self._of(future, keys)) for file, future in zip(some, futures, strict=True))
        return found

    def _groups(self, plans: Iterable[_Plan]) -> Iterator[tuple[_Plan, int]]:
        return ((plan, start) for plan in plans for start in range(0, len(plan.partitions), GROUP))

    def _send(self, where: tuple[_Plan, int]) -> _Group:
        plan, start = where
        some = plan.partitions[start : start + GROUP]
        keys = {self._key("count", partition): partition for partition in some}
        sums = self._client.map(work_on, some, key=list(keys), job=self._job, pure=False)
        while len(sums) > 1:
            # In order: the first sight of a label or an image is that of the whole.
            sums = [
                self._client.submit(merge, sums[place : place + FAN_IN], pure=False)
                for place in range(0, len(sums), FAN_IN)
            ]
        return _Group(plan, start + GROUP >= len(plan.partitions), keys, sums[0])

    def _key(self, work: str, partition: Partition) -> str:
        """Name a task after its partition, so that Dask's own pages and errors show where it reads."""
        start = partition.stretch[0] if partition.stretch else 0
        # Numbered: two systems may have files of one name, and two tasks of one key would be one task.
        return f"{work}-{Path(partition.source.path).name}:{start}-{self._token}-{next(self._numbers)}"

    def _result(self, group: _Group) -> Counted:
        found: Counted = self._of(group.sum, group.partitions)
        return found

    def _of(self, future: Any, partitions: dict[str, Partition]) -> Any:
        try:
            return future.result()
        except AssessError:
            raise
        except self._cluster.distributed.KilledWorker as error:
            raise _killing(partitions.get(error.task)) from error
        except Exception as error:
            raise unable(error) from error


def cut_file(file: Partition, size: int) -> Cuts:
    """Cut a file into partitions, on a worker."""
    check_seen(file)
    return cut(file, size)


def _same(job: Job[Counted]) -> Job[Counted]:
    return job


def _plan(source: Source, cuts: Sequence[Cuts]) -> _Plan:
    hashes = {number: found.sha256 for number, found in enumerate(cuts) if found.sha256 is not None}
    return _Plan(source, tuple(p for found in cuts for p in found.partitions), hashes)


def _killing(partition: Partition | None) -> InputError:
    """Say which partition ended one worker after another."""
    place = partition.place if partition else None
    what = "this file" if partition is None or partition.stretch is None else _stretch(partition)
    return InputError(
        f"{what} ended one worker after another, and was given up",
        place=place or Place("the Dask cluster"),
        hint="look there for very long captions, and whether workers have enough memory",
    )


def _stretch(partition: Partition) -> str:
    start, end = partition.stretch or (0, 0)
    return f"the part of the file from {start:,} to {end:,}"


# The image ids of partitions: what is checked before any work, without annotating anything.


@dataclass(slots=True)
class ImageIds:
    """The images of a system, or of a part of it."""

    corpus: CorpusTally
    images: set[str] = field(default_factory=set)

    def empty(self) -> ImageIds:
        """Return no images, of the same system."""
        return ImageIds(CorpusTally(self.corpus.system))

    def add(self, other: ImageIds) -> None:
        """Add the images of the part that follows."""
        self.corpus.add(other.corpus)
        self.images |= other.images


@dataclass(frozen=True)
class ImageJob:
    """Read image ids."""

    model: str
    versions: str

    def count(self, partition: Partition) -> ImageIds:
        """Read the image ids of a partition."""
        reader = CaptionReader(partition.source, partition)
        images = {caption.image for caption in reader}
        return ImageIds(reader.tally, images)

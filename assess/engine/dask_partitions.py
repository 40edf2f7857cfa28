"""Partitions read and counted by the workers of a Dask cluster; the driver gets sums, not captions.

Large files are cut first, which is a task of its own. The counts of 64 partitions that follow each other
are added up on the cluster, eight at a time; only then the driver gets them, adds them to what it has, and
hands out the next. So neither scheduler nor driver has to remember more than about 1,000 tasks at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, Generic
from uuid import uuid4

from assess.corpus import Partition, Source
from assess.corpus.cutting import Cuts, cut
from assess.corpus.partition import whole_files
from assess.engine.dask_client import DaskCluster, unable
from assess.engine.partition_work import Counted, Job, check_seen, merge, work_on
from assess.errors import AssessError, InputError, Place

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

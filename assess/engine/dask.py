"""Work on a Dask cluster: its workers read the files that they can access, and the driver gets sums."""

from __future__ import annotations

import os
import platform
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import cache, partial
from itertools import count, islice
from pathlib import Path
from typing import Any, Generic, TypeVar
from uuid import uuid4

from assess import __version__
from assess.annotate.model import model_identity
from assess.corpus import CaptionReader, Partition, Source
from assess.corpus.partition import Cuts, cut, divides, whole_files
from assess.corpus.source import STANDARD_INPUT
from assess.disk_cache import code_digest
from assess.engine.annotating import AnnotationService
from assess.engine.dask_workers import IN_FLIGHT, SAME_VERSIONS, DaskWorkers
from assess.engine.jobs import Job, LocalEngine, Progress, Reading, Result
from assess.errors import AssessError, InputError, Place, UsageError, visible


def _unable(error: Exception) -> UsageError:
    """Return the error for work that could not start; errors during the work are handled elsewhere."""
    message = f"the cluster failed: {type(error).__name__}: {visible(str(error), 300)}"
    hint = "is the same version of assess installed on all workers, and is the scheduler still running?"
    return UsageError(message, hint=hint)


Item = TypeVar("Item")


# Jobs on a worker: what it checks, and what it prepares once.


def versions_of(model: str) -> str:
    """Return the versions that must be the same on all machines, so that their results can be added."""
    identity = model_identity(model)
    return (
        f"assess {__version__} ({code_digest('**/*.py')[:8]}) with {identity.name} {identity.version}"
        f" and spaCy {identity.spacy_version}"
    )


_versions_here = cache(versions_of)


@dataclass(frozen=True)
class Task(Generic[Result]):
    """A job, with everything a worker needs to do it exactly as the driver would."""

    job: Job[Result]
    key: tuple[str, ...]  # readings with the same key are interchangeable
    model: str
    versions: str  # versions installed on the driver
    cache: bool  # whether the worker may use its cache, if it has one

    def reading(self) -> Reading[Result]:
        """Return this thread's reading for the job. Each thread keeps its latest reading."""
        if getattr(_this_thread, "key", None) != self.key:
            # On a worker, the home folder may be a network drive, on which SQLite's locks do not work. So a
            # worker only uses a cache whose location was configured.
            told_where = "ASSESS_CACHE" in os.environ
            annotations = AnnotationService(self.model, processes=1, cache=self.cache and told_where)
            _this_thread.reading, _this_thread.key = self.job.start(annotations), self.key
        reading: Reading[Result] = _this_thread.reading
        return reading


_this_thread = threading.local()


def do_task(partition: Partition, task: Task[Result]) -> Result:
    """Process a partition on a worker. Every failure becomes an error with a location."""
    if (mine := _versions_here(task.model)) != task.versions:
        message = f"the worker on {platform.node()} has {mine}, but the driver has {task.versions}"
        raise UsageError(message, hint=SAME_VERSIONS)
    _check_seen(partition)
    try:
        return task.reading()(CaptionReader(partition.source, partition), None)
    except AssessError as error:
        # The message is complete; its cause may not be picklable.
        raise error from None
    except Exception as error:
        message = f"the work on this part failed with {type(error).__name__}: {error}"
        hint = "run the command on one machine, without --engine, for details"
        raise InputError(message, place=partition.place, hint=hint) from error


def merge(parts: Sequence[Result]) -> Result:
    """Return the sum of parts, in order. The parts are unchanged, because they may be requested again."""
    total = parts[0].empty()
    for part in parts:
        total.add(part)
    return total


def cut_file(file: Partition, size: int) -> Cuts:
    """Cut a file into partitions, on a worker."""
    _check_seen(file)
    return cut(file, size)


def sees_files(sizes: dict[str, int]) -> bool:
    """Return, on a worker, whether files exist and have these sizes."""
    try:
        return all(Path(path).stat().st_size == size for path, size in sizes.items())
    except OSError:
        return False


def _check_seen(partition: Partition) -> None:
    """Raise an error that names this machine if the partition's file is missing."""
    if not Path(partition.source.path).is_file():
        message = f"the worker on {platform.node()} cannot access this file"
        hint = "put it where all workers can access it, or add --ship to read it on this machine"
        raise InputError(message, place=partition.place, hint=hint)


def _unchanged(item: Item) -> Item:
    return item


# Workers read partitions; the driver gets sums, not captions.
#
# Large files are cut first, which is a task of its own. The results of 64 consecutive partitions are added on
# the cluster, eight at a time. Only then does the driver fetch the sum, add it to its total, and submit the
# next ones. So the scheduler and the driver never hold more than about 1,000 tasks.

FAN_IN = 8
GROUP = FAN_IN**2
SMALLEST, LARGEST = 1 << 16, 1 << 20  # bytes in a partition: some 500 to 10,000 captions
PARTITIONS_PER_THREAD = 8  # if the input is large enough
_SHIP = "omit --no-ship, or add --ship, to read it on this machine"


@dataclass(frozen=True, slots=True)
class _Plan:
    """The partitions of a source, and the hashes of the files that were cut, by file number."""

    source: Source
    partitions: tuple[Partition, ...]
    hashes: dict[int, str]


@dataclass(frozen=True, slots=True)
class _Group:
    """Partitions that are being processed, and the future of their sum."""

    plan: _Plan
    last: bool  # whether it is the last group of its source
    partitions: dict[str, Partition]  # key of the task -> its partition
    sum: Any


class DaskEngine:
    """Lets workers read the files that they can access; others are read here, and their texts are sent.

    If `ship` is True, all files are read here. If it is False, none are, and an error states why that is
    impossible. If it is None, sources are read here that cannot be partitioned or that some worker cannot
    access.
    cannot be read in partitions, and those that some worker does not see.
    """

    def __init__(
        self, scheduler: str, model: str | None = None, *, ship: bool | None = None, cache: bool = True
    ) -> None:
        self._workers = DaskWorkers(model, scheduler)
        self._client = self._workers.client
        self.annotations = AnnotationService(model, cache=cache, workers=self._workers)
        self._local = LocalEngine(self.annotations)
        self._ship, self._cache = ship, cache
        self._token = uuid4().hex[:8]
        self._numbers = count()

    def run(
        self,
        job: Job[Result],
        sources: Sequence[Source],
        *,
        progress: Progress | None = None,
        grown: Callable[[Result], None] | None = None,
    ) -> dict[str, Result]:
        """Run a job on all sources in order, each where it can be read."""
        with self._workers.watch.connected():
            return self._run(job, sources, progress, grown)

    def _run(
        self,
        job: Job[Result],
        sources: Sequence[Source],
        progress: Progress | None,
        grown: Callable[[Result], None] | None,
    ) -> dict[str, Result]:
        there = self.read_there(sources)
        if not there:
            return self._local.run(job, sources, progress=progress, grown=grown)
        sums = self._sums(job, there, progress, grown)
        here: Callable[[Source], Result] | None = None
        results: dict[str, Result] = {}
        for source in sources:
            if source in there:
                results[source.name] = next(sums)
            else:
                here = here or self._local.reader(job, progress, grown)
                results[source.name] = here(source)
        return results

    def close(self) -> None:
        """Disconnect from the cluster, which keeps running."""
        self.annotations.close()

    def read_there(self, sources: Sequence[Source]) -> list[Source]:
        """Return the sources that workers read."""
        if self._ship:
            return []
        if self._ship is None:
            return [source for source in sources if self._obstacle(source) is None and divides(source)]
        for source in sources:
            if reason := self._obstacle(source):
                raise UsageError(f"workers cannot read '{visible(source.file)}': {reason}", hint=_SHIP)
        return list(sources)

    def _obstacle(self, source: Source) -> str | None:
        """Return what prevents workers from reading a source; None if nothing does."""
        if source.path == STANDARD_INPUT:
            return "only the driver can read its standard input"
        if source.join is not None:
            return "--join needs the whole file"
        if source.split is not None:
            return "--split needs the whole file"
        files = source.parts or (source.path,)
        if missing := [path for path in files if not Path(path).is_file()]:
            return f"the file '{visible(missing[0])}' does not exist"
        # If there are many parts, only the first and the last are checked.
        worker = self.worker_without({path: Path(path).stat().st_size for path in {files[0], files[-1]}})
        return f"the worker at {worker} does not see the same file as the driver" if worker else None

    def worker_without(self, sizes: dict[str, int]) -> str | None:
        """Return a worker that cannot access all of these files with these sizes; None if there is none."""
        try:
            patience = self._workers.watch.patience
            # Like `Client.run`, which would wait forever for a frozen worker.
            seen: dict[str, bool] = self._client.sync(
                self._client._run, sees_files, sizes, callback_timeout=patience
            )
        except TimeoutError:
            message = f"a worker of the Dask cluster has not answered for {patience:g} seconds"
            raise UsageError(message, hint="restart it, or wait until the scheduler removes it") from None
        except Exception as error:
            raise _unable(error) from error
        return next((worker for worker, sees in seen.items() if not sees), None)

    def _sums(
        self,
        job: Job[Result],
        sources: Sequence[Source],
        progress: Progress | None,
        grown: Callable[[Result], None] | None,
    ) -> Iterator[Result]:
        """Yield the result for each source, in order."""
        model = self._workers.model
        key = (model, str(self._cache), *(job.key or (uuid4().hex,)))
        task = Task(job, key, model, versions_of(model), self._cache)
        # A task instead of scattered data, because the result of a task can be recomputed if a worker is
        # lost.
        sent = self._client.submit(_unchanged, task, key=f"assess-job-{self._token}-{next(self._numbers)}")
        waiting = (
            (plan, at) for plan in self._plans(sources) for at in range(0, len(plan.partitions), GROUP)
        )
        send = partial(self._send, sent)
        flying = deque(map(send, islice(waiting, max(IN_FLIGHT, 2 * self._workers.threads) // GROUP + 1)))
        total: Result | None = None
        while flying:
            group = flying.popleft()
            part: Result = self._result(group.sum, group.partitions)
            flying.extend(map(send, islice(waiting, 1)))
            total = part.empty() if total is None else total
            total.add(part)
            if group.last:
                total.corpus.hashes.update(group.plan.hashes)
            if progress is not None:
                progress(group.plan.source.name, part.corpus.captions)
            if grown is not None:
                grown(total)
            if group.last:
                yield total
                total = None

    def _plans(self, sources: Sequence[Source]) -> list[_Plan]:
        """Cut large files; each small file is one partition."""
        files = {source: whole_files(source) for source in sources}
        sizes = {p: Path(p.source.path).stat().st_size for whole in files.values() for p in whole}
        partitions = PARTITIONS_PER_THREAD * self._workers.threads
        size = min(LARGEST, max(SMALLEST, sum(sizes.values()) // partitions))
        cuts = self._cut([whole for whole, bytes_ in sizes.items() if bytes_ > size], size)
        return [_plan(source, [cuts.get(p, Cuts((p,))) for p in whole]) for source, whole in files.items()]

    def _cut(self, files: Sequence[Partition], size: int) -> dict[Partition, Cuts]:
        found: dict[Partition, Cuts] = {}
        for start in range(0, len(files), IN_FLIGHT):
            some = files[start : start + IN_FLIGHT]
            keys = {self._key("cut", file): file for file in some}
            futures = self._client.map(cut_file, some, key=list(keys), size=size, pure=False)
            found.update(
                (file, self._result(future, keys)) for file, future in zip(some, futures, strict=True)
            )
        return found

    def _send(self, task: Any, where: tuple[_Plan, int]) -> _Group:
        plan, start = where
        some = plan.partitions[start : start + GROUP]
        keys = {self._key("count", partition): partition for partition in some}
        sums = self._client.map(do_task, some, key=list(keys), task=task, pure=False)
        while len(sums) > 1:
            # In order, so that the first occurrence of a label or image is the same as in the whole source.
            sums = [
                self._client.submit(merge, sums[place : place + FAN_IN], pure=False)
                for place in range(0, len(sums), FAN_IN)
            ]
        return _Group(plan, start + GROUP >= len(plan.partitions), keys, sums[0])

    def _key(self, work: str, partition: Partition) -> str:
        """Name a task after its partition, so that Dask's dashboard and errors show what it reads."""
        start = partition.stretch[0] if partition.stretch else 0
        # Numbered, because two systems may have files of the same name, and equal keys mean equal tasks.
        return f"{work}-{Path(partition.source.path).name}:{start}-{self._token}-{next(self._numbers)}"

    def _result(self, future: Any, partitions: dict[str, Partition]) -> Any:
        try:
            return self._workers.watch.result(future)
        except AssessError:
            raise
        except CancelledError:
            raise  # handled by the caller
        except self._workers.distributed.KilledWorker as error:
            raise _killing(partitions.get(error.task)) from error
        except Exception as error:
            raise _unable(error) from error


def _plan(source: Source, cuts: Sequence[Cuts]) -> _Plan:
    hashes = {number: found.sha256 for number, found in enumerate(cuts) if found.sha256 is not None}
    return _Plan(source, tuple(p for found in cuts for p in found.partitions), hashes)


def _killing(partition: Partition | None) -> InputError:
    """Return the error for a partition that ended several workers."""
    what = "this file"
    if partition is not None and partition.stretch is not None:
        start, end = partition.stretch
        what = f"the part of the file from {start:,} to {end:,}"
    return InputError(
        f"{what} killed one worker after another and was abandoned",
        place=partition.place if partition else Place("the Dask cluster"),
        hint="check this part for very long captions, and whether workers have enough memory",
    )

"""Annotation in several processes; the pool survives the death of a process.

Each worker has its own pipe and loads the model once. Each gets at most two batches at a time, so that
nothing piles up. If a worker dies, it is replaced and its batch is given to another; a batch that kills three
workers becomes an error that names its captions.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from assess.annotate.extract import Annotator, DepthOf, to_the_tree
from assess.engine.annotation_cache import encode
from assess.errors import AssessError, InputError, Place, Problem, visible
from assess.records import Caption, Depth

# Batches of texts for workers of any kind, and merging their answers in order.

BATCH = 512  # texts: enough to keep a worker busy, and few enough to lose


class Batch(NamedTuple):
    """Texts and the requested depth of each, as bytes, which are cheap to send."""

    texts: list[str]
    depths: bytes

    def annotated(self, annotator: Annotator) -> list[bytes]:
        """Return the encoded annotation of each text."""
        wanted = dict(zip(self.texts, map(Depth, self.depths), strict=True))
        annotations = annotator.annotate(self.texts, depth=wanted.__getitem__)
        return [
            encode(annotation, depth) for annotation, depth in zip(annotations, wanted.values(), strict=True)
        ]


Answers = Iterator[tuple[int, list[bytes]]]  # the number of a batch, and a record for each of its texts
Step = Callable[[int], None]


def annotate_in_batches(
    texts: Sequence[str], depth: DepthOf, run: Callable[[list[Batch]], Answers], progress: Step | None
) -> dict[str, bytes]:
    """Return the record of each distinct text in alphabetical order, regardless of the order of answers."""
    # Texts that are close in alphabetical order share words, which makes annotation cheaper.
    order = sorted(set(texts))
    parts = (order[start : start + BATCH] for start in range(0, len(order), BATCH))
    batches = [Batch(part, bytes(map(depth, part))) for part in parts]
    found: dict[int, list[bytes]] = {}
    for number, records in run(batches):
        found[number] = records
        if progress is not None:
            progress(len(batches[number].texts))
    return dict(zip(order, (record for n in range(len(batches)) for record in found[n]), strict=True))


# Errors for captions that cannot be annotated.


class DeadlyBatchError(InputError):
    """A batch of texts that ended several workers."""

    def __init__(self, texts: Sequence[str], *, deaths: int) -> None:
        self.texts = frozenset(texts)
        super().__init__(
            f"annotating a batch of {len(texts):,} captions killed {deaths} workers; it begins with"
            f' "{visible(texts[0], 80)}"',
            hint="look for very long captions, or try --processes 1 to see the cause",
        )


def placed(error: InputError, captions: Sequence[Caption], *, file: str) -> InputError:
    """Return the error with the file and the record of the first caption that it concerns."""
    record = _first_record(error, captions)
    if record is None:
        return error
    place = Place(file, record=record)
    return InputError(
        Problem(problem.message, problem.place or place, problem.hint) for problem in error.problems
    )


def _first_record(error: InputError, captions: Sequence[Caption]) -> int | None:
    texts: Collection[str] = error.texts if isinstance(error, DeadlyBatchError) else ()
    return next((caption.record for caption in captions if caption.text in texts), None)


_ATTEMPTS = 3


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    batches: deque[int] = field(default_factory=deque)  # numbers of its batches


class AnnotatorPool:
    """Annotates texts in worker processes, with the same results in the same order as one process."""

    def __init__(self, model: str | None, processes: int) -> None:
        self._model = model
        self._context = multiprocessing.get_context("spawn")
        self._workers = [self._start() for _ in range(processes)]

    @property
    def block_size(self) -> int:
        """How many texts keep all workers busy: eight batches for each of them."""
        return 8 * BATCH * len(self._workers)

    def annotate(
        self, texts: Sequence[str], *, depth: DepthOf = to_the_tree, progress: Step | None = None
    ) -> dict[str, bytes]:
        """Return the encoded annotation of each distinct text, in alphabetical order."""
        return annotate_in_batches(texts, depth, self._run, progress)

    def _run(self, batches: list[Batch]) -> Answers:
        waiting = deque(range(len(batches)))
        deaths = [0] * len(batches)
        open_batches = len(batches)
        while open_batches:
            for worker in self._workers:
                self._hand_out(worker, waiting, batches)
            ready = wait([worker.pipe for worker in self._workers])
            for worker in list(self._workers):
                if worker.pipe not in ready:
                    # A dead worker's pipe is always ready: first with its last answers, then with its end.
                    continue
                result = self._receive(worker)
                if result is None:
                    self._replace(worker, waiting, deaths, batches)
                else:
                    open_batches -= 1
                    yield result

    def _hand_out(self, worker: _Worker, waiting: deque[int], batches: list[Batch]) -> None:
        while waiting and len(worker.batches) < 2:
            number = waiting.popleft()
            try:
                worker.pipe.send((number, batches[number]))
            except OSError:
                waiting.appendleft(number)
                return
            worker.batches.append(number)

    def _receive(self, worker: _Worker) -> tuple[int, list[bytes]] | None:
        try:
            number, answer = worker.pipe.recv()
        except (EOFError, OSError):
            return None
        worker.batches.remove(number)
        if isinstance(answer, AssessError):
            raise answer
        return number, answer

    def _replace(self, worker: _Worker, waiting: deque[int], deaths: list[int], batches: list[Batch]) -> None:
        """Replace a dead worker, and hand out its batches again."""
        for position, number in enumerate(worker.batches):
            # Only its first batch was being processed.
            deaths[number] += position == 0
            if deaths[number] >= _ATTEMPTS:
                raise DeadlyBatchError(batches[number].texts, deaths=_ATTEMPTS)
        waiting.extendleft(reversed(worker.batches))
        worker.pipe.close()
        self._workers[self._workers.index(worker)] = self._start()

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, self._model), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()


def _work(pipe: Connection, model: str | None) -> None:
    """Annotate batches until the pipe is closed."""
    # Ctrl-C reaches the whole process group; the parent decides what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    annotator: Annotator | None = None
    while True:
        try:
            number, batch = pipe.recv()
        except (EOFError, OSError):
            return
        answer: Any
        try:
            annotator = annotator or Annotator(model)
            answer = batch.annotated(annotator)
        except AssessError as error:
            answer = error
        pipe.send((number, answer))

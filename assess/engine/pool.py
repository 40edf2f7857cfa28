"""Annotation in several processes that survives the death of one.

Each worker has its own pipe and loads the model once. Work is handed out batch by batch, at most two a
worker, so nothing piles up. A worker that dies is replaced and its batch given to another; a batch that
kills three workers is an error that names its captions.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from assess.annotate.extract import Annotator
from assess.engine.batches import BATCH, Answers, Batch, Progress, annotate_in_batches
from assess.engine.coding import encode
from assess.engine.poisoned import PoisonedBatchError
from assess.errors import AssessError

_LIVES = 3


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    batches: deque[int] = field(default_factory=deque)  # numbers of the batches it has


class AnnotatorPool:
    """Annotates texts in worker processes. Results are those of one process, in the same order."""

    def __init__(self, model: str | None, processes: int) -> None:
        self._model = model
        self._context = multiprocessing.get_context("spawn")
        self._workers = [self._start() for _ in range(processes)]

    @property
    def appetite(self) -> int:
        """How many texts keep all workers busy: eight batches for each of them."""
        return 8 * BATCH * len(self._workers)

    def annotate(self, texts: Sequence[str], *, progress: Progress | None = None) -> dict[str, bytes]:
        """Return the encoded annotation of each distinct text, in alphabetical order."""
        return annotate_in_batches(texts, self._run, progress)

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
        """Start another worker in place of a dead one, and hand its batches out again."""
        for position, number in enumerate(worker.batches):
            # Only the first one was being worked on.
            deaths[number] += position == 0
            if deaths[number] >= _LIVES:
                raise PoisonedBatchError(batches[number], deaths=_LIVES)
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
    # Ctrl-C goes to the whole group; the parent decides what happens then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    annotator: Annotator | None = None
    while True:
        try:
            number, texts = pipe.recv()
        except (EOFError, OSError):
            return
        answer: Any
        try:
            annotator = annotator or Annotator(model)
            answer = [encode(annotation) for annotation in annotator.annotate(texts)]
        except AssessError as error:
            answer = error
        pipe.send((number, answer))

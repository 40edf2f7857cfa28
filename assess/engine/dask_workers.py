"""A Dask cluster that is already running: connecting to it, waiting for it, and annotation by its workers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import islice
from typing import Any

from assess.annotate.extract import DepthOf, to_the_tree
from assess.annotate.model import ModelIdentity, choose_model, model_identity
from assess.engine.annotating import Step, thread_annotator
from assess.engine.pool import BATCH, Answers, Batch, DeadlyBatchError, annotate_in_batches
from assess.errors import AssessError, MissingPartError, UsageError, install_extra, visible

CONNECT_SECONDS = 30
ATTEMPTS = 4  # to do a task that ends its workers, unless the scheduler's settings say otherwise
IN_FLIGHT = 1_000  # tasks; more only fill the scheduler's memory
PATIENCE = 120
"""Seconds without a sign of life of any worker until they are given up; Dask's setting `assess.patience`."""
_LOOK = 2  # seconds between two looks at the workers
SAME_VERSIONS = "install the same versions everywhere; otherwise results would differ"


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        message = "--engine dask needs Dask, which is not installed"
        raise MissingPartError(message, hint=install_extra("dask")) from error
    return distributed


class Watch:
    """Waits for a cluster, and notices when all of it is gone or frozen: Dask itself would wait for ever."""

    def __init__(self, client: Any, scheduler: str) -> None:
        from dask import config
        from dask.utils import parse_timedelta
        from distributed.comm import CommClosedError

        self._client, self._scheduler = client, scheduler
        self._breaks = (CancelledError, CommClosedError)
        self.patience = float(parse_timedelta(config.get("assess.patience", PATIENCE)))
        self._seen: dict[str, float] = {}
        self._alive = time.monotonic()

    def result(self, future: Any) -> Any:
        """Return what a task gives, once it is done."""
        self._wait(future.done)
        return future.result()

    def next_of(self, done: Any) -> Any:
        """Return the next of some tasks that is done."""
        self._wait(done.has_ready)
        return next(done)

    def _wait(self, over: Callable[[], bool]) -> None:
        self._alive, looked, pause = time.monotonic(), time.monotonic(), 0.001
        while not over():
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
            if time.monotonic() - looked > _LOOK:
                self._look()
                looked = time.monotonic()

    def _look(self) -> None:
        """Raise an error where no worker has reported to the scheduler for too long."""
        if self._client.status != "running":
            raise CancelledError  # a scheduler that comes again knows nothing of our tasks
        workers = self._client.scheduler_info()["workers"]
        seen = {address: worker["last_seen"] for address, worker in workers.items()}
        if any(self._seen.get(address) != at for address, at in seen.items()):
            self._alive = time.monotonic()
        self._seen = seen
        if time.monotonic() - self._alive > self.patience:
            what = f"none of its {len(seen)} workers has responded" if seen else "it has had no workers"
            message = (
                f"the Dask scheduler at '{visible(self._scheduler)}': {what} for {self.patience:g} seconds"
            )
            raise UsageError(message, hint="check the workers; to wait longer, set DASK_ASSESS__PATIENCE=600")

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Let whatever a lost scheduler breaks be one error, which says so."""
        try:
            yield
        except AssessError:
            raise
        except Exception as error:
            if not isinstance(error, self._breaks) and self._client.status == "running":
                raise
            message = (
                f"the connection to the Dask scheduler at '{visible(self._scheduler)}' was lost:"
                f" {type(error).__name__}"
            )
            raise UsageError(
                message, hint="start the scheduler again, then run this command again"
            ) from error


# Annotation by the workers of a cluster. The driver ships texts; workers send back short records.
#
# Batches, their order and the merging are the driver's, so the result is that of one process, byte for
# byte, whatever workers come, go or die.

Answer = tuple[ModelIdentity, list[bytes]]


class DaskWorkers:
    """The workers of a scheduler, which annotate texts."""

    def __init__(self, model: str | None, scheduler: str) -> None:
        self.model = choose_model(model)
        self._identity = model_identity(self.model)
        self.distributed = _import_distributed()
        self.client = self._connect(scheduler)
        self.watch = Watch(self.client, scheduler)

    def _connect(self, scheduler: str) -> Any:
        # What it logs of a lost scheduler are tracebacks, which say less than our one message.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        try:
            client = self.distributed.Client(
                scheduler, timeout=CONNECT_SECONDS, set_as_default=False, name="assess"
            )
        except (OSError, TimeoutError, ValueError) as error:
            hint = "start one with `dask scheduler`, and give the address it prints"
            raise UsageError(f"no Dask scheduler answers at '{visible(scheduler)}'", hint=hint) from error
        if not client.nthreads():
            client.close()
            message = f"the Dask scheduler at '{visible(scheduler)}' has no workers"
            raise UsageError(message, hint=f"start one with `dask worker {scheduler}`")
        return client

    @property
    def threads(self) -> int:
        """How many tasks the workers do at the same time."""
        # They may all be gone for a while, and then come again.
        return max(1, sum(map(int, self.client.nthreads().values())))

    @property
    def block_size(self) -> int:
        """How many texts keep all workers busy: four batches for each of their threads."""
        return 4 * BATCH * self.threads

    def annotate(
        self, texts: Sequence[str], *, depth: DepthOf = to_the_tree, progress: Step | None = None
    ) -> dict[str, bytes]:
        """Return the encoded annotation of each distinct text, in alphabetical order."""
        with self.watch.connected():
            return annotate_in_batches(texts, depth, self._run, progress)

    def close(self) -> None:
        """Leave the cluster. It goes on running."""
        self.client.close()

    def _run(self, batches: list[Batch]) -> Answers:
        waiting = iter(range(len(batches)))
        numbers: dict[Any, int] = {}
        done = self.distributed.as_completed(loop=self.client.loop)
        for number in islice(waiting, IN_FLIGHT):
            done.add(self._submit(batches, number, numbers))
        while numbers:
            future = self.watch.next_of(done)
            number = numbers.pop(future)
            yield number, self._records(future, batches[number])
            for following in islice(waiting, 1):
                done.add(self._submit(batches, following, numbers))

    def _submit(self, batches: list[Batch], number: int, numbers: dict[Any, int]) -> Any:
        # Not pure: hashing a batch to look for an equal task takes longer than it could save.
        future = self.client.submit(annotate_batch, self.model, batches[number], pure=False)
        numbers[future] = number
        return future

    def _records(self, future: Any, batch: Batch) -> list[bytes]:
        try:
            identity, records = future.result()
        except self.distributed.KilledWorker as error:
            raise DeadlyBatchError(batch.texts, deaths=ATTEMPTS) from error
        if identity != self._identity:
            message = (
                f"a worker has {_described(identity)}, but this machine has {_described(self._identity)}"
            )
            raise UsageError(message, hint=SAME_VERSIONS)
        return list(records)


def annotate_batch(model: str, batch: Batch) -> Answer:
    """Annotate texts on a worker. The model is loaded once a thread."""
    annotator = thread_annotator(model)
    return annotator.identity, batch.annotated(annotator)


def _described(identity: ModelIdentity) -> str:
    return f"{identity.name} {identity.version} with spaCy {identity.spacy_version}"

"""Connecting to a running Dask cluster, waiting for its results, and annotation by its workers."""

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
ATTEMPTS = 4  # attempts at a task that ends its workers, unless the scheduler is configured otherwise
IN_FLIGHT = 1_000  # tasks; more would only fill the scheduler's memory
PATIENCE = 120
"""Seconds without any contact to a worker before giving up; Dask's setting `assess.patience`."""
_LOOK = 2  # seconds between two checks of the workers
SAME_VERSIONS = "install the same versions everywhere; otherwise results would differ"


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        message = "--engine dask needs Dask, which is not installed"
        raise MissingPartError(message, hint=install_extra("dask")) from error
    return distributed


class Watch:
    """Waits for results, and notices if the whole cluster is lost or frozen; Dask would wait forever."""

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
        """Return the result of a task when it is done."""
        self._wait(future.done)
        return future.result()

    def next_of(self, done: Any) -> Any:
        """Return the next completed task."""
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
        """Raise an error if no worker has contacted the scheduler for too long."""
        if self._client.status != "running":
            raise CancelledError  # a restarted scheduler does not know our tasks
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
        """Turn every failure caused by a lost scheduler into a single error."""
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


# Annotation by the workers of a cluster: the driver sends texts, and workers return short records.
#
# The driver defines batches, their order and the merging, so the result is byte for byte that of one process,
# even if workers join, leave or die.

Answer = tuple[ModelIdentity, list[bytes]]


class DaskWorkers:
    """Annotates texts with the workers of a scheduler."""

    def __init__(self, model: str | None, scheduler: str) -> None:
        self.model = choose_model(model)
        self._identity = model_identity(self.model)
        self.distributed = _import_distributed()
        self.client = self._connect(scheduler)
        self.watch = Watch(self.client, scheduler)

    def _connect(self, scheduler: str) -> Any:
        # Dask logs tracebacks when the scheduler is lost, which are less clear than our error.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        try:
            if "://" not in scheduler:  # without a port, Dask waits for a minute and prints a traceback
                self.distributed.comm.get_address_host_port(scheduler)
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
        """The number of tasks that the workers can run at the same time."""
        # There may temporarily be no workers.
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
        """Disconnect from the cluster, which keeps running."""
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
        # pure=False, because hashing a batch to find an equal task takes longer than it could save.
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
    """Annotate texts on a worker. Each thread loads the model once."""
    annotator = thread_annotator(model)
    return annotator.identity, batch.annotated(annotator)


def _described(identity: ModelIdentity) -> str:
    return f"{identity.name} {identity.version} with spaCy {identity.spacy_version}"

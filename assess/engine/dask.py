"""The connection to a Dask cluster that is already running."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from assess.annotate.extract import Annotator
from assess.annotate.model import ModelIdentity, choose_model, model_identity
from assess.engine.annotation_cache import encode
from assess.engine.pool import BATCH, Answers, Batch, PoisonedBatchError, Progress, annotate_in_batches
from assess.errors import MissingPartError, UsageError, visible

CONNECT_SECONDS = 30
LIVES = 3  # workers that a task may end and be tried again, unless the scheduler's settings say otherwise


class DaskCluster:
    """A client of a scheduler that has workers."""

    def __init__(self, scheduler: str) -> None:
        self.address = scheduler
        self.distributed = _import_distributed()
        self.client = self._connect()

    @property
    def threads(self) -> int:
        """How many tasks the workers do at the same time."""
        return sum(self.client.nthreads().values())

    def blind_worker(self, sizes: dict[str, int]) -> str | None:
        """Return a worker that does not see all of these files, with these sizes; None if all workers do."""
        try:
            seen: dict[str, bool] = self.client.run(sees_files, sizes)
        except Exception as error:
            raise unable(error) from error
        return next((worker for worker, sees in seen.items() if not sees), None)

    def close(self) -> None:
        """Leave the cluster. It goes on running."""
        self.client.close()

    def _connect(self) -> Any:
        try:
            client = self.distributed.Client(
                self.address, timeout=CONNECT_SECONDS, set_as_default=False, name="assess"
            )
        except (OSError, TimeoutError, ValueError) as error:
            hint = "start one with `dask scheduler`, and give the address that it shows"
            message = f"no Dask scheduler answers at '{visible(self.address)}'"
            raise UsageError(message, hint=hint) from error
        if not client.nthreads():
            client.close()
            message = f"the Dask scheduler at '{visible(self.address)}' has no workers"
            raise UsageError(message, hint=f"start one with `dask worker {self.address}`")
        return client


def unable(error: Exception) -> UsageError:
    """Return the error for work that did not even begin: all that goes wrong in it has errors of its own."""
    message = f"the cluster cannot do this work: {type(error).__name__}: {visible(str(error), 300)}"
    hint = "is the same version of assess installed on all workers, and is the scheduler still there?"
    return UsageError(message, hint=hint)


def sees_files(sizes: dict[str, int]) -> bool:
    """Tell, on a worker, whether files are there and have these sizes."""
    try:
        return all(Path(path).stat().st_size == size for path, size in sizes.items())
    except OSError:
        return False


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        message = "--engine dask needs Dask, which is not installed"
        raise MissingPartError(message, hint="pip install 'assess[dask]'") from error
    return distributed


# Annotation by the workers of a Dask cluster. The driver ships texts; workers send back short records.
#
# Batches, their order and the merging are the driver's, so the result is that of one process, byte for
# byte, whatever workers come, go or die.

IN_FLIGHT = 1_000  # tasks; more only fill the scheduler's memory

Answer = tuple[ModelIdentity, list[bytes]]


class DaskWorkers:
    """Annotates texts on a cluster that is already running."""

    def __init__(self, model: str | None, scheduler: str, *, cluster: DaskCluster | None = None) -> None:
        self._model = choose_model(model)
        self._identity = model_identity(self._model)
        self._cluster = cluster or DaskCluster(scheduler)
        self._distributed, self._client = self._cluster.distributed, self._cluster.client

    @property
    def appetite(self) -> int:
        """How many texts keep all workers busy: four batches for each of their threads."""
        return 4 * BATCH * self._cluster.threads

    def annotate(self, texts: Sequence[str], *, progress: Progress | None = None) -> dict[str, bytes]:
        """Return the encoded annotation of each distinct text, in alphabetical order."""
        return annotate_in_batches(texts, self._run, progress)

    def close(self) -> None:
        """Leave the cluster. It goes on running."""
        self._cluster.close()

    def _run(self, batches: list[Batch]) -> Answers:
        waiting = iter(range(len(batches)))
        numbers: dict[Any, int] = {}
        done = self._distributed.as_completed(loop=self._client.loop)
        for number in islice(waiting, IN_FLIGHT):
            done.add(self._submit(batches, number, numbers))
        for future in done:
            number = numbers.pop(future)
            yield number, self._records(future, batches[number])
            for following in islice(waiting, 1):
                done.add(self._submit(batches, following, numbers))

    def _submit(self, batches: list[Batch], number: int, numbers: dict[Any, int]) -> Any:
        # Not pure: hashing a batch to look for an equal task takes longer than it could save.
        future = self._client.submit(annotate_batch, self._model, batches[number], pure=False)
        numbers[future] = number
        return future

    def _records(self, future: Any, batch: list[str]) -> list[bytes]:
        try:
            identity, records = future.result()
        except self._distributed.KilledWorker as error:
            raise PoisonedBatchError(batch, deaths=LIVES + 1) from error
        if identity != self._identity:
            raise UsageError(
                f"a worker has {_described(identity)}, and this machine {_described(self._identity)}",
                hint="install the same versions everywhere; results would differ otherwise",
            )
        return list(records)


def annotate_batch(model: str, texts: list[str]) -> Answer:
    """Annotate texts on a worker. The model is loaded once a thread."""
    annotator: Annotator | None = getattr(_OF_THREAD, model, None)
    if annotator is None:
        annotator = Annotator(model)
        setattr(_OF_THREAD, model, annotator)
    return annotator.identity, [encode(annotation) for annotation in annotator.annotate(texts)]


# An annotator serves one thread, and a worker may have several.
_OF_THREAD = threading.local()


def _described(identity: ModelIdentity) -> str:
    return f"{identity.name} {identity.version} with spaCy {identity.spacy_version}"

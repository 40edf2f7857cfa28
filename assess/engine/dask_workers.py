"""Annotation by the workers of a Dask cluster. The driver ships texts; workers send back short records.

Batches, their order and the merging are the driver's, so the result is that of one process, byte for
byte, whatever workers come, go or die.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import islice
from typing import Any

from assess.annotate.extract import Annotator
from assess.annotate.model import ModelIdentity, choose_model, model_identity
from assess.engine.batches import BATCH, Answers, Batch, Progress, annotate_in_batches
from assess.engine.coding import encode
from assess.engine.dask_client import LIVES, DaskCluster
from assess.engine.poisoned import PoisonedBatchError
from assess.errors import UsageError

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

"""A worker of a cluster and its partition: what it checks, what it keeps, and how counts are added up."""

from __future__ import annotations

import platform
import threading
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Protocol, Self, TypeVar

from assess import __version__
from assess.annotate.model import model_identity
from assess.corpus import CorpusTally, Partition
from assess.errors import AssessError, InputError, UsageError
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

"""Work on partitions, as a worker of a cluster does it. A thread keeps what takes long to make."""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, Self, TypeVar

from assess import __version__
from assess.annotate.model import model_identity
from assess.corpus import CaptionReader, CorpusTally, Partition
from assess.engine.annotating import AnnotationService
from assess.engine.corpora import WordReader
from assess.engine.counting import LabelCounts, count_labels
from assess.engine.kept_labels import code_digest
from assess.engine.local import Labeller
from assess.engine.word_counts import WordCounts, count_words
from assess.errors import AssessError, InputError, UsageError
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.records import Mention
from assess.taxonomy import Taxonomy


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
        f"assess {__version__} ({code_digest()[:8]}) with {identity.name} {identity.version}"
        f" and spaCy {identity.spacy_version}"
    )


@dataclass(frozen=True)
class LabelJob:
    """Find the labels of captions and count them."""

    taxonomy: Taxonomy
    model: str
    versions: str
    join_of: bool
    after: bool
    by_image: bool
    mentions: bool  # they are sent back too, with their captions
    cache: bool  # may be used, where the worker has one

    def count(self, partition: Partition) -> LabelCounts:
        """Read a partition and count its labels."""
        reader, rows = CaptionReader(partition.source, partition), list[tuple[Mention, str]]()

        def keep(mention: Mention, text: str) -> None:
            # Captions count from the partition's first here, and are numbered on when parts are added.
            rows.append((replace(mention, caption=mention.caption - reader.before), text))

        key = ("labels", self.taxonomy.identity, self.model, self.join_of, self.after, self.cache)
        labeller = _kept(key, self._labeller)
        sink = keep if self.mentions else None
        counts = count_labels(reader, labeller, by_image=self.by_image, mentions=sink)
        counts.rows = rows
        return counts

    def _labeller(self) -> Labeller:
        # On a worker nobody knows whether the home folder is a network drive, where SQLite's locks do
        # not work. So there is a cache only where somebody said where to put it.
        cache = self.cache and "ASSESS_CACHE" in os.environ
        service = AnnotationService(self.model, processes=1, cache=cache)
        return Labeller(service, LabelFinder(Parser(self.taxonomy), join_of=self.join_of, after=self.after))


@dataclass(frozen=True)
class WordJob:
    """Find the words of captions and send them back as codes."""

    model: str
    versions: str
    texts: bool  # they are sent back too

    def count(self, partition: Partition) -> WordCounts:
        """Read a partition as words."""
        reader = _kept(("words", self.model), lambda: WordReader(self.model))
        return count_words(CaptionReader(partition.source, partition), reader, texts=self.texts)


def work_on(partition: Partition, job: Job[Counted]) -> Counted:
    """Do a job with a partition, on a worker. Whatever goes wrong is an error that says where."""
    _check_versions(job)
    check_seen(partition)
    try:
        return job.count(partition)
    except AssessError:
        raise
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
    mine = _kept(("versions", job.model), lambda: versions_of(job.model))
    if mine != job.versions:
        message = f"the worker on {platform.node()} has {mine}, and the driver {job.versions}"
        raise UsageError(message, hint="install the same versions everywhere; results would differ otherwise")


# What takes long to make. A thread has its own: none of it serves two at a time.
_OF_THREAD = threading.local()


def _kept(key: Hashable, make: Callable[[], Kept]) -> Kept:
    kept: dict[Hashable, Kept] = _OF_THREAD.__dict__.setdefault("kept", {})
    if key not in kept:
        kept[key] = make()
    return kept[key]

"""The annotation service: cached, in this process, in several processes, or on other machines."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import Any, Protocol

from assess.annotate.extract import Annotator, DepthOf, to_the_tree
from assess.annotate.model import ModelIdentity, choose_model, load_pipeline, model_identity, tokenise
from assess.engine.annotation_cache import AnnotationCache, as_kept, decode, encode
from assess.engine.pool import AnnotatorPool
from assess.errors import UsageError, visible
from assess.limits import chosen_limits
from assess.records import Annotation, Depth

Step = Callable[[int], None]
"""Called with the number of texts finished since the last call."""

BLOCK = 16_384
"""Texts to request at once: few enough for memory, and little is lost when a run is killed."""

NOTHING = Annotation((), (), (), ())

WORTH_A_POOL = 3_000
"""With fewer new texts, starting processes takes longer than it saves."""


class Annotate(Protocol):
    """Annotates texts to a given depth."""

    def __call__(self, texts: Sequence[str], *, progress: Step | None = None) -> Iterator[Annotation]:
        """Yield the annotation of each text, in order."""
        ...


def same_depth(depth: Depth) -> DepthOf:
    """Request the same depth for all texts."""
    return lambda _text: depth


class Workers(Protocol):
    """Other processes that annotate, on this machine or others."""

    @property
    def block_size(self) -> int:
        """How many texts are needed to keep all of them busy."""
        ...

    def annotate(
        self, texts: Sequence[str], *, depth: DepthOf = ..., progress: Step | None = None
    ) -> dict[str, bytes]:
        """Return the encoded annotation of each distinct text."""
        ...

    def close(self) -> None:
        """Release the processes."""
        ...


MOST_PROCESSES = 256  # each takes some 300 MB


def all_processes() -> int:
    """Return how many processes this machine has room for."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_this_thread = threading.local()


def thread_annotator(model: str) -> Annotator:
    """Return this thread's annotator. The latest is reused, because loading a model takes half a second.

    An audit needs it once, but a notebook requests many in sequence.
    """
    identity = model, model_identity(model)
    if getattr(_this_thread, "identity", None) != identity:
        _this_thread.annotator, _this_thread.identity = Annotator(model), identity
    annotator: Annotator = _this_thread.annotator
    return annotator


class AnnotationService:
    """Annotates texts: from the cache, by workers if there are many, otherwise in this process.

    The model is only loaded if a text is not in the cache. If `workers` are given, they annotate any number
    of texts; otherwise a pool of `processes` is started once there are enough.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        processes: int | None = None,
        cache: bool = True,
        cache_path: Path | None = None,
        workers: Workers | None = None,
    ) -> None:
        self._model = choose_model(model)
        self.identity: ModelIdentity = model_identity(self._model)
        if processes is not None and (type(processes) is not int or not 1 <= processes <= MOST_PROCESSES):
            given = visible(repr(processes), 40)
            raise UsageError(f"--processes must be a whole number from 1 to {MOST_PROCESSES}, not {given}")
        self._processes = processes or all_processes()
        limits = chosen_limits()
        self._origin = f"{self._model} {self.identity.version} {self.identity.spacy_version}" + (
            f" {limits}" if limits else ""
        )
        self._cache = AnnotationCache(self._origin, path=cache_path) if cache else None
        self._workers = workers

    def annotate(
        self, texts: Sequence[str], *, depth: DepthOf = to_the_tree, progress: Step | None = None
    ) -> Iterator[Annotation]:
        """Yield the annotation of each text in order, to the requested depth."""
        wanted = {text: depth(text) for text in texts}
        deep = [text for text, wish in wanted.items() if wish >= Depth.TAGS]
        found = self._cache.get(deep, wanted.__getitem__) if self._cache else {}
        new = {text: wanted[text] for text in deep if text not in found}
        if progress and len(texts) > len(new):
            progress(len(texts) - len(new))
        if new:
            found.update(self._work(new, progress))
        return (found[text] if text in found else self._shallow(text, wanted[text]) for text in texts)

    def tokenise(self, texts: Sequence[str], *, progress: Step | None = None) -> Iterator[Annotation]:
        """Yield only the words that the annotator would find in each text, in order."""
        return self.annotate(texts, depth=same_depth(Depth.WORDS), progress=progress)

    def _shallow(self, text: str, depth: Depth) -> Annotation:
        """Return the words of a text, or nothing: this is as fast as asking a cache or a worker."""
        if depth is Depth.NOTHING:
            return NOTHING
        # The text of a token is a new string each time; interning keeps one copy of each word.
        words = [intern(token.text) for token in tokenise(self._tokeniser, text)]
        return Annotation(tuple(words), (), (), ())

    @property
    def block_size(self) -> int:
        """How many texts to request at once."""
        return max(BLOCK, self._workers.block_size if self._workers else 0)

    @property
    def origin(self) -> str | None:
        """Everything that annotations depend on besides texts; None if they must not be stored."""
        return self._origin if self._cache is not None else None

    @cached_property
    def _tokeniser(self) -> Any:
        return load_pipeline(self._model)

    def _work(self, wanted: Mapping[str, Depth], progress: Step | None) -> dict[str, Annotation]:
        texts, depth = list(wanted), wanted.__getitem__
        if self._workers is None and self._processes > 1 and len(texts) >= WORTH_A_POOL:
            self._workers = AnnotatorPool(self._model, self._processes)
        if self._workers is not None:
            records = self._workers.annotate(texts, depth=depth, progress=progress)
            found = {text: _decoded(text, records[text], wanted[text]) for text in texts}
        else:
            annotations = thread_annotator(self._model).annotate(texts, depth=depth, progress=progress)
            found = {text: as_kept(text, each) for text, each in zip(texts, annotations, strict=True)}
            kept = found.items() if self._cache else ()
            records = {text: encode(annotation, wanted[text]) for text, annotation in kept}
        if self._cache:
            self._cache.put(records)
        return found

    def close(self) -> None:
        """Close the workers and the cache."""
        if self._workers is not None:
            self._workers.close()
        if self._cache is not None:
            self._cache.close()


def _decoded(text: str, record: bytes, depth: Depth) -> Annotation:
    annotation = decode(text, record, depth)
    assert annotation is not None, "workers go as deep as they are asked to"
    return annotation

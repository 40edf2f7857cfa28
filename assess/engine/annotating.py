"""Annotation as the rest of the program sees it: cached, in one process, several, or on other machines."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from assess.annotate.extract import Annotator
from assess.annotate.model import ModelIdentity, choose_model, model_identity
from assess.engine.annotation_cache import AnnotationCache, decode, encode
from assess.engine.pool import AnnotatorPool
from assess.records import Annotation

Progress = Callable[[int], None]

BLOCK = 16_384
"""Texts to ask for at once: few enough for memory, and not much lost when a run is killed."""

WORTH_A_POOL = 4_000
"""New texts; below that, starting processes takes longer than it saves."""


def all_processes() -> int:
    """Return how many processes this machine has room for."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_this_thread = threading.local()


def _annotator(model: str, origin: str) -> Annotator:
    """Return this thread's annotator of a model; one is kept, because loading it takes half a second.

    An audit needs it once, but a notebook asks for many, one after the other.
    """
    if getattr(_this_thread, "origin", None) != origin:
        _this_thread.annotator, _this_thread.origin = Annotator(model), origin
    kept: Annotator = _this_thread.annotator
    return kept


class Workers(Protocol):
    """Other processes that annotate, here or elsewhere."""

    @property
    def appetite(self) -> int:
        """How many texts keep all of them busy."""
        ...

    def annotate(self, texts: Sequence[str], *, progress: Progress | None = None) -> dict[str, bytes]:
        """Return the encoded annotation of each distinct text."""
        ...

    def close(self) -> None:
        """Let them go."""
        ...


class AnnotationService:
    """Annotates texts with what is there: the cache first, then workers for many texts, or this process.

    The model is loaded only when a text is not in the cache. `workers` are used for any number of texts;
    without them, a pool of `processes` starts once there are enough.
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
        name = choose_model(model)
        self.identity: ModelIdentity = model_identity(name)
        self._model = name
        self._processes = processes or all_processes()
        self._origin = f"{name} {self.identity.version} {self.identity.spacy_version}"
        self._cache = AnnotationCache(self._origin, path=cache_path) if cache else None
        self._workers = workers

    def annotate(self, texts: Sequence[str], *, progress: Progress | None = None) -> Iterator[Annotation]:
        """Yield the annotation of each text, in order."""
        distinct = list(dict.fromkeys(texts))
        found = self._cache.get(distinct) if self._cache else {}
        new = [text for text in distinct if text not in found]
        if progress and len(texts) > len(new):
            progress(len(texts) - len(new))
        if new:
            records = self._work(new, progress)
            if self._cache:
                self._cache.put(records)
            found.update((text, decode(text, records[text])) for text in new)
        return (found[text] for text in texts)

    @property
    def appetite(self) -> int:
        """How many texts are worth asking for at once."""
        return max(BLOCK, self._workers.appetite if self._workers else 0)

    @property
    def origin(self) -> str | None:
        """All that annotations depend on besides the texts; None where nothing may be kept on disk."""
        return self._origin if self._cache is not None else None

    def _work(self, texts: Sequence[str], progress: Progress | None) -> dict[str, bytes]:
        if self._workers is None and self._processes > 1 and len(texts) >= WORTH_A_POOL:
            self._workers = AnnotatorPool(self._model, self._processes)
        if self._workers is not None:
            return self._workers.annotate(texts, progress=progress)
        annotations = _annotator(self._model, self._origin).annotate(texts, progress=progress)
        return {text: encode(annotation) for text, annotation in zip(texts, annotations, strict=True)}

    def close(self) -> None:
        """Let go of workers and cache."""
        if self._workers is not None:
            self._workers.close()
        if self._cache is not None:
            self._cache.close()

"""Labels of captions, worked out in this process, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from assess.engine.annotating import BLOCK, AnnotationService
from assess.engine.poisoned import placed
from assess.errors import InputError
from assess.grammar.labels import Found, LabelFinder
from assess.records import Caption

__all__ = ["BLOCK", "LabelledCaption", "Labeller"]

REMEMBERED = 24_576  # texts whose labels are kept; captions repeat, within a system and between systems

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class LabelledCaption:
    """A caption, how many chunks it has, and those that are labels of the domain."""

    caption: Caption
    chunks: int
    labels: tuple[Found, ...]


class TextLabels(NamedTuple):
    """How many chunks a text has, and those that are labels of the domain."""

    chunks: int
    labels: tuple[Found, ...]


class Labeller:
    """Finds the labels of captions. A text that is remembered is not worked out again."""

    def __init__(self, annotator: AnnotationService, finder: LabelFinder) -> None:
        self._annotator = annotator
        self.finder = finder
        self._remembered: dict[str, TextLabels] = {}

    @property
    def origin(self) -> str | None:
        """All that labels depend on besides captions and code; None where nothing may be kept on disk."""
        origin = self._annotator.origin
        return f"{origin}\0{self.finder.identity}" if origin is not None else None

    def label(
        self, captions: Iterable[Caption], *, progress: Progress | None = None, file: str = ""
    ) -> Iterator[LabelledCaption]:
        """Yield captions with their labels, in order. The file is named where captions cannot be read."""
        waiting = iter(captions)
        while block := list(islice(waiting, self._annotator.appetite)):
            try:
                self._prepare([caption.text for caption in block], progress)
            except InputError as error:
                raise placed(error, block, file=file) from None
            for caption in block:
                found = self._remembered[caption.text]
                yield LabelledCaption(caption, found.chunks, found.labels)

    def _prepare(self, texts: list[str], progress: Progress | None) -> None:
        if len(self._remembered) > REMEMBERED:
            for text in list(islice(self._remembered, len(self._remembered) // 2)):
                del self._remembered[text]  # the ones that came first
        new = list(dict.fromkeys(text for text in texts if text not in self._remembered))
        if progress and len(texts) > len(new):
            progress(len(texts) - len(new))
        if new:
            self._work_out(new, progress)

    def _work_out(self, texts: list[str], progress: Progress | None) -> None:
        annotations = self._annotator.annotate(texts, progress=progress)
        for text, annotation in zip(texts, annotations, strict=True):
            found = self.finder.find(text, annotation)
            labels = tuple([chunk for chunk in found if self.finder.analyse(chunk.key).in_domain])
            self._remembered[text] = TextLabels(len(found), labels)

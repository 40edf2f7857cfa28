"""Annotation without a model, for measuring everything else: words by white space, chunks by articles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from assess.annotate.extract import DepthOf, to_the_tree
from assess.annotate.model import ModelIdentity
from assess.engine.annotating import BLOCK, AnnotationService
from assess.records import Annotation, Chunk

_CHUNK = re.compile(r"\b(?:a|an|the|two|three|some)\b(?: [a-z]+){1,2}", re.IGNORECASE)


class QuickAnnotations(AnnotationService):
    """Stands in for the service in tests and measurements of memory."""

    def __init__(self) -> None:
        self.identity = ModelIdentity("none", "0", "0")

    @property
    def block_size(self) -> int:
        """As many as the real service asks for."""
        return BLOCK

    def annotate(
        self,
        texts: Sequence[str],
        *,
        depth: DepthOf = to_the_tree,
        progress: Callable[[int], None] | None = None,
    ) -> Iterator[Annotation]:
        """Yield an annotation of each text, in order."""
        for text in texts:
            yield _annotation(text).up_to(depth(text))
            if progress is not None:
                progress(1)

    @property
    def origin(self) -> None:
        """Keep nothing."""


def _annotation(text: str) -> Annotation:
    words = tuple(text.split(" "))
    offsets = tuple(accumulate((len(word) + 1 for word in words[:-1]), initial=0))
    chunks = tuple(Chunk(match.start(), match.end()) for match in _CHUNK.finditer(text))
    heads = tuple(range(len(words)))
    return Annotation(words, offsets, ("NN",) * len(words), chunks, heads, ("dep",) * len(words))

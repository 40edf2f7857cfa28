"""References as a system: as many parallel sets of descriptions as every image can fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from assess.corpus import CorpusSummary
from assess.engine.corpora import WordCorpus, Words
from assess.engine.image_sets import NOTHING_SHARED, described_images, left_out, set_notes
from assess.metrics.diversity_corpus import TokenCorpus, parallel
from assess.metrics.metric import Mode

Description = tuple[str, Words]  # its text and its words


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceSets:
    """The references of images that systems describe, as parallel sets."""

    summaries: tuple[CorpusSummary, ...]
    images: int
    corpora: tuple[TokenCorpus, ...]
    captions: tuple[tuple[tuple[str, ...], tuple[Words, ...]], ...]  # texts and words of each set
    by_image: Mapping[str, Sequence[Words]]
    notes: tuple[str, ...]
    image_notes: tuple[str, ...]


def reference_sets(
    references: Sequence[WordCorpus], systems: Mapping[str, WordCorpus], mode: Mode
) -> ReferenceSets | None:
    """Return the parallel sets of all reference files together; None where there is no caption.

    Images that no system describes are left out: types grow with the number of captions. Where no
    image is in common (plain text has line numbers for ids), all are kept, and a note says so.
    """
    everything = _descriptions(references)
    shared = described_images({name: corpus.images for name, corpus in systems.items()}) & everything.keys()
    kept = {image: texts for image, texts in everything.items() if image in shared} or everything
    if not kept:
        return None
    words = {image: [words for _, words in texts] for image, texts in kept.items()}
    corpora = parallel(words, mode=mode)
    return ReferenceSets(
        summaries=tuple(corpus.summary for corpus in references),
        images=len(kept),
        corpora=corpora,
        captions=tuple(_set(kept, number) for number in range(len(corpora))),
        by_image=words,
        notes=set_notes([len(texts) for texts in kept.values()], len(corpora)),
        image_notes=left_out(everything, kept) if shared else (NOTHING_SHARED,),
    )


def _descriptions(references: Sequence[WordCorpus]) -> dict[str, list[Description]]:
    found: dict[str, list[Description]] = {}
    rows = (zip(corpus.images, corpus.texts, corpus.words, strict=True) for corpus in references)
    for image, text, words in chain.from_iterable(rows):
        found.setdefault(image, []).append((text, words))
    return found


def _set(kept: Mapping[str, Sequence[Description]], number: int) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    texts, words = zip(*(descriptions[number] for descriptions in kept.values()), strict=True)
    return texts, words

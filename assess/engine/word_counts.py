"""The words of captions as codes: what a partition sends back for measures that read captions in order.

Windows of words run over the ends of partitions. The codes of all partitions, one after the other, are
the codes of the whole, so such measures stay exact wherever a file was cut.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np

from assess.corpus import CaptionReader, CorpusTally
from assess.engine.corpora import WordCorpus, WordReader


@dataclass(slots=True)
class WordCounts:
    """The captions of a system, or of a part of it, in order: four bytes a word, and their images."""

    corpus: CorpusTally
    vocabulary: dict[str, int] = field(default_factory=dict)
    codes: array[int] = field(default_factory=lambda: array("i"))
    lengths: array[int] = field(default_factory=lambda: array("i"))  # words of each caption
    images: list[str] = field(default_factory=list)  # of each caption
    texts: list[str] = field(default_factory=list)  # of each caption, where they are asked for

    def empty(self) -> WordCounts:
        """Return counts of nothing, of the same system."""
        return WordCounts(CorpusTally(self.corpus.system))

    def add(self, other: WordCounts) -> None:
        """Add the captions of the part that follows."""
        ours = self.vocabulary
        recoded = np.array([ours.setdefault(word, len(ours)) for word in other.vocabulary], dtype=np.int32)
        codes = np.frombuffer(other.codes, dtype=np.int32)
        self.codes.frombytes(recoded[codes].tobytes())
        self.corpus.add(other.corpus)
        self.lengths += other.lengths
        self.images += other.images
        self.texts += other.texts

    def words(self) -> WordCorpus:
        """Return the captions as the measures read them. Texts that nobody asked for are empty."""
        strings = list(map(list(self.vocabulary).__getitem__, self.codes))
        ends = np.cumsum(np.frombuffer(self.lengths, dtype=np.int32), dtype=np.int64).tolist()
        starts = [0, *ends]
        return WordCorpus(
            self.corpus.summary(),
            tuple(self.images),
            tuple(self.texts) or ("",) * len(self.images),
            tuple(tuple(strings[start:end]) for start, end in zip(starts, ends, strict=False)),
        )


def count_words(captions: CaptionReader, reader: WordReader, *, texts: bool) -> WordCounts:
    """Read captions as words."""
    found = WordCounts(CorpusTally(captions.source.name))
    for caption, words in reader.stream(captions):
        codes = found.vocabulary
        found.codes.extend([codes.setdefault(word, len(codes)) for word in words])
        found.lengths.append(len(words))
        found.images.append(caption.image)
        if texts:
            found.texts.append(caption.text)
    found.corpus = captions.tally
    return found

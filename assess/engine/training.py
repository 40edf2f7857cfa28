"""Training captions: what a system could have copied, and the words it could have learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assess.corpus import CaptionReader, CorpusSummary, Source
from assess.engine.corpora import Progress, WordReader, Words
from assess.metrics.diversity_novelty import paper_key, token_key
from assess.metrics.metric import Mode

Key = Words  # as captions are compared: the words, or the one text of the paper's rule


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """The training captions, as far as the measures need them; the captions themselves are not kept."""

    summaries: tuple[CorpusSummary, ...]
    keys: frozenset[Key]  # each distinct caption, as captions are compared
    counts: Mapping[str, int]  # of each lowercased word


def caption_key(text: str, words: Words, mode: Mode) -> Key:
    """Return a caption as the mode compares it with training captions."""
    return (paper_key(text),) if mode == "paper" else token_key(words)


def caption_keys(texts: Iterable[str], words: Iterable[Words], mode: Mode) -> list[Key]:
    """Return the keys of captions, given as texts and as words."""
    return [caption_key(text, each, mode) for text, each in zip(texts, words, strict=True)]


def read_training(
    reader: WordReader, sources: Sequence[Source], *, mode: Mode, progress: Progress | None = None
) -> Training | None:
    """Read the training captions; None where no file is given."""
    if not sources:
        return None
    keys: set[Key] = set()
    counts: Counter[str] = Counter()
    summaries = []
    for source in sources:
        captions = CaptionReader(source)
        for caption, words in reader.stream(captions, progress=progress):
            keys.add(caption_key(caption.text, words, mode))
            counts.update(word.lower() for word in words)
        summaries.append(captions.summary)
    return Training(tuple(summaries), frozenset(keys), counts)

"""How captions are built: compounds, prepositional phrases, parts of speech and complexity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from assess.metrics.metric import Counts, Mode
from assess.metrics.recall_words import Parsed, Tagset
from assess.metrics.syntax_measures import COUNTS, MEASURES, analyse, syntax_counts
from assess.metrics.syntax_words import Lexicon, tag_distribution, tags_of

Words = tuple[str, ...]
Sized = tuple[int, Words]  # a compound with its length, or a prepositional phrase with its depth


@dataclass(frozen=True, slots=True, eq=False)
class SyntaxTally:
    """Counts of captions, and of each compound, phrase and tag. The sum of two is that of both."""

    counts: Counts  # as named in COUNTS
    compounds: Mapping[Sized, int]
    phrases: Mapping[Sized, int]
    tags: Mapping[str, int]

    def __add__(self, other: SyntaxTally) -> SyntaxTally:
        return SyntaxTally(
            self.counts + other.counts,
            Counter(self.compounds) + Counter(other.compounds),
            Counter(self.phrases) + Counter(other.phrases),
            Counter(self.tags) + Counter(other.tags),
        )


def syntax_tally(
    captions: Iterable[Parsed],
    *,
    mode: Mode = "assess",
    tagset: Tagset = "fine",
    lexicon: Lexicon | None = None,
) -> SyntaxTally:
    """Return the counts of captions. A caption that many images share is counted once for each."""
    counts = np.zeros(len(COUNTS))
    nouns: Counter[Sized] = Counter()
    phrases: Counter[Sized] = Counter()
    tags: Counter[str] = Counter()
    for caption, times in _distinct(captions):
        found = analyse(caption, mode=mode, lexicon=lexicon)
        counts += times * syntax_counts(found)
        for run in found.compounds:
            nouns[len(run), run] += times
        for phrase in found.phrases:
            phrases[phrase] += times
        for tag in tags_of(caption, tagset=tagset, mode=mode):
            tags[tag] += times
    return SyntaxTally(counts, nouns, phrases, tags)


def _distinct(captions: Iterable[Parsed]) -> list[tuple[Parsed, int]]:
    """Return each caption object once, with its number: the annotator shares one between equal texts."""
    texts = list(captions)
    times = Counter(map(id, texts))
    return [(caption, times[key]) for key, caption in {id(caption): caption for caption in texts}.items()]


@dataclass(frozen=True, slots=True)
class Phrases:
    """Compounds by length, or prepositional phrases by depth."""

    total: int
    ratio: float  # a caption
    sizes: Mapping[int, int]  # length or depth -> how many
    types: Mapping[int, int]  # length or depth -> how many distinct ones


@dataclass(frozen=True, slots=True)
class Syntax:
    """The syntax of one system's captions."""

    mode: Mode
    captions: int
    compounds: Phrases
    phrases: Phrases
    tags: Mapping[str, float]  # share of each part of speech
    yngve: float
    yngve_deepest: float
    frazier: float
    frazier_hardest: float
    abstract_ratio: float
    lexicon_coverage: float
    notes: tuple[str, ...]


def syntax(tally: SyntaxTally, *, mode: Mode) -> Syntax:
    """Return the measures of counted captions (van Miltenburg et al. 2018, Table 3, and complexity)."""
    values = {name: float(measure.value(tally.counts)) for name, measure in MEASURES.items()}
    named = dict(zip(COUNTS, tally.counts.tolist(), strict=True))
    return Syntax(
        mode=mode,
        captions=int(named["captions"]),
        compounds=_phrases(tally.compounds, values.pop("compound_ratio")),
        phrases=_phrases(tally.phrases, values.pop("phrase_ratio")),
        tags=tag_distribution(tally.tags),
        notes=_notes(named),
        **values,
    )


def _phrases(counts: Mapping[Sized, int], per_caption: float) -> Phrases:
    sizes: Counter[int] = Counter()
    for (size, _), count in counts.items():
        sizes[size] += count
    types = Counter(size for size, _ in counts)
    return Phrases(sizes.total(), per_caption, dict(sorted(sizes.items())), dict(sorted(types.items())))


def _notes(counts: Mapping[str, float]) -> tuple[str, ...]:
    notes = []
    if not counts["captions"]:
        notes.append("no captions: every ratio is undefined")
    if wordless := counts["captions"] - counts["described"]:
        notes.append(f"{wordless:g} captions without a word have no complexity and are left out of its means")
    if not counts["known"]:
        notes.append("no content word is in a lexicon: the abstract/concrete ratio is undefined")
    return tuple(notes)

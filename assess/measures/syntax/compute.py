"""How captions are built: compounds, prepositional phrases, parts of speech and complexity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from assess.errors import some
from assess.measures.measure import Model, Number
from assess.measures.metric import Counts, Direction, Metric, ratio
from assess.measures.settings import Mode, Tagset
from assess.measures.syntax.caption import (
    Complexity,
    Lexicon,
    complexity,
    compounds,
    concreteness_counts,
    prepositional_phrases,
    tag_distribution,
    tags_of,
)
from assess.measures.words import Parsed

# The measures of syntax whose tallies are vectors of counts, one a caption: ready for the bootstrap.

Words = tuple[str, ...]

# The counts of a caption, in the order of its vector.
COUNTS = (
    "captions",
    "described",  # captions that have a word: the others have no complexity
    "words",
    "compounds",
    "phrases",
    "yngve",
    "frazier",
    "deepest",
    "hardest",
    "abstract",
    "concrete",
    "known",  # content words that the lexicon has
    "content",
)


class ParsedCaption(NamedTuple):
    """A caption with its words at hand."""

    words: Words
    tags: Words
    heads: tuple[int, ...]
    deps: Words


@dataclass(frozen=True, slots=True)
class CaptionSyntax:
    """What one caption is built of."""

    compounds: tuple[Words, ...]
    phrases: tuple[tuple[int, Words], ...]  # prepositional, with their depths
    complexity: Complexity
    concreteness: tuple[int, int, int]  # abstract, concrete and all content words; 0 without a lexicon


def analyse(caption: Parsed, *, mode: Mode = "assess", lexicon: Lexicon | None = None) -> CaptionSyntax:
    """Return what a caption is built of; the mode decides what a prepositional phrase is."""
    # Once: a caption may decode its words whenever it is asked for them.
    caption = ParsedCaption(caption.words, caption.tags, caption.heads, caption.deps)
    return CaptionSyntax(
        compounds=tuple(compounds(caption)),
        phrases=tuple(prepositional_phrases(caption, mode=mode)),
        complexity=complexity(caption),
        concreteness=concreteness_counts(caption, lexicon) if lexicon else (0, 0, 0),
    )


def syntax_counts(caption: CaptionSyntax) -> Counts:
    """Return the counts of an analysed caption, as named in COUNTS."""
    scores = caption.complexity
    abstract, concrete, content = caption.concreteness
    counts = {
        "captions": 1,
        "described": bool(scores.yngve),
        "words": len(scores.yngve),
        "compounds": len(caption.compounds),
        "phrases": len(caption.phrases),
        "yngve": sum(scores.yngve),
        "frazier": sum(scores.frazier),
        "deepest": scores.deepest,
        "hardest": scores.hardest,
        "abstract": abstract,
        "concrete": concrete,
        "known": abstract + concrete,
        "content": content,
    }
    return np.array([counts[name] for name in COUNTS], dtype=float)


def caption_counts(caption: Parsed) -> Counts:
    """Return the counts of a caption in our mode, without a lexicon."""
    return syntax_counts(analyse(caption))


# When a measure is undefined, by the count that it is divided by.
_NONE = {
    "captions": "no captions",
    "described": "no caption with a word",
    "words": "no words",
    "concrete": "without a lexicon, or no concrete words",
    "content": "without a lexicon, or no content words",
}


def _quotient(part: str, whole: str, counts: Counts) -> Counts:
    return np.asarray(ratio(counts[..., COUNTS.index(part)], counts[..., COUNTS.index(whole)]))


def _measure(
    name: str, parts: tuple[str, str], formula: str, reference: str, direction: Direction
) -> Metric[Parsed, Counts]:
    return Metric(
        name,
        formula,
        reference,
        direction,
        caption_counts,
        partial(_quotient, *parts),
        undefined=_NONE[parts[1]],
    )


PAPER = "vanmiltenburg2018measuring"
_PER_CAPTION = "mean over captions of the largest"

# Their own `tally` is in our mode and without a lexicon. For the paper's mode or with a lexicon, sum
# `syntax_counts(analyse(...))`: their `value` is the same.
MEASURES: dict[str, Metric[Parsed, Counts]] = {
    measure.name: measure
    for measure in (
        _measure("compound_ratio", ("compounds", "captions"), "compounds / captions", PAPER, "higher"),
        _measure(
            "phrase_ratio", ("phrases", "captions"), "prepositional phrases / captions", PAPER, "higher"
        ),
        _measure("yngve", ("yngve", "words"), "mean depth of a word", "yngve1960model", "higher"),
        _measure(
            "yngve_deepest", ("deepest", "described"), f"{_PER_CAPTION} depth", "yngve1960model", "higher"
        ),
        _measure("frazier", ("frazier", "words"), "mean score of a word", "frazier1985syntactic", "higher"),
        _measure(
            "frazier_hardest",
            ("hardest", "described"),
            f"{_PER_CAPTION} sum of three scores in a row",
            "frazier1985syntactic",
            "higher",
        ),
        _measure(
            "abstract_ratio",
            ("abstract", "concrete"),
            "abstract / concrete content words",
            "brysbaert2014concreteness",
            "neither",
        ),
        _measure(
            "lexicon_coverage",
            ("known", "content"),
            "content words in the lexicon / content words",
            "brysbaert2014concreteness",
            "neither",
        ),
    )
}


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


class Phrases(Model):
    """Compounds by length, or prepositional phrases by depth."""

    total: int
    ratio: Number  # per caption
    sizes: dict[int, int]  # length or depth -> how many
    types: dict[int, int]  # length or depth -> how many distinct ones


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
    return Phrases(
        total=sizes.total(),
        ratio=per_caption,
        sizes=dict(sorted(sizes.items())),
        types=dict(sorted(types.items())),
    )


def _notes(counts: Mapping[str, float]) -> tuple[str, ...]:
    notes = []
    if not counts["captions"]:
        notes.append("no captions: every ratio is undefined")
    if wordless := counts["captions"] - counts["described"]:
        notes.append(
            f"left out of the means of complexity: {some(round(wordless), 'caption')} without a word"
        )
    if not counts["known"]:
        notes.append("no content word is in a lexicon: the abstract/concrete ratio is undefined")
    return tuple(notes)

"""The measures of syntax whose tallies are vectors of counts, one a caption: ready for the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from assess.metrics.metric import Counts, Direction, Metric, Mode, ratio
from assess.metrics.recall_words import Parsed
from assess.metrics.syntax_complexity import Complexity, complexity
from assess.metrics.syntax_phrases import compounds, prepositional_phrases
from assess.metrics.syntax_words import Lexicon, concreteness_counts

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


@dataclass(frozen=True, slots=True)
class CaptionSyntax:
    """What one caption is built of."""

    compounds: tuple[Words, ...]
    phrases: tuple[tuple[int, Words], ...]  # prepositional, with their depths
    complexity: Complexity
    concreteness: tuple[int, int, int]  # abstract, concrete and all content words; 0 without a lexicon


def analyse(caption: Parsed, *, mode: Mode = "assess", lexicon: Lexicon | None = None) -> CaptionSyntax:
    """Return what a caption is built of; the mode decides what a prepositional phrase is."""
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


_PAPER = "vanmiltenburg2018measuring"
_PER_CAPTION = "mean over captions of the largest"

# Their own `tally` is in our mode and without a lexicon. For the paper's mode or with a lexicon, sum
# `syntax_counts(analyse(...))`: their `value` is the same.
MEASURES: dict[str, Metric[Parsed, Counts]] = {
    measure.name: measure
    for measure in (
        _measure("compound_ratio", ("compounds", "captions"), "compounds / captions", _PAPER, "higher"),
        _measure(
            "phrase_ratio", ("phrases", "captions"), "prepositional phrases / captions", _PAPER, "higher"
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

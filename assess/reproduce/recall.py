"""Recall in van Miltenburg et al. (2018): Loc5 and Cov of Table 1, omitted words of Table 2, Figure 5."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce

from assess.engine.captions import AnnotatedCaption, descriptions
from assess.measures.recall.compute import ReferenceWords, local_recall, reference_words
from assess.measures.recall.keyness import (
    Omission,
    WordMisses,
    by_count,
    by_miss_ratio,
    omitted_words,
    word_misses,
)
from assess.reproduce.parts import REFERENCES, ComparedCell, LeftOut, Part, Reproduced, ResearchData
from assess.reproduce.parts import SYSTEMS as SYSTEMS_FOLDER
from assess.reproduce.published_2018 import (
    FIGURE_5,
    LEARNABLE,
    SYSTEMS,
    TABLE_1,
    TABLE_1_COLUMNS,
    TABLE_2,
)

# Loc5 and the rankings of omitted words (Tables 1 and 2 of the 2018 paper).

_CLASSES = 5
_NEEDS = (SYSTEMS_FOLDER, REFERENCES)
# The paper says ten occurrences per system; its code asks for more than ninety in all.
_MORE_THAN = 10 * len(SYSTEMS)


def _references(data: ResearchData) -> dict[str, ReferenceWords]:
    return reference_words(descriptions([data.annotated(data.references)]))


def local(data: ResearchData) -> Reproduced:
    """Compute local recall in the highest importance class, over all words."""
    published = published_column("Loc5")
    found = local_recalls(data)
    cells = [ComparedCell(name, "Loc5", published[name], found[name][-1], 2) for name in SYSTEMS]
    return Reproduced(tuple(cells), because=TAGGER)


TAGGER = (
    "a word counts as content by its tag, and the tags are those of another version of the tagger (spaCy"
    " 2.0.4"
    " then)"
)


def local_recalls(data: ResearchData) -> dict[str, tuple[float, ...]]:
    """Return each system's local recall by importance class."""
    references = _references(data)
    return {
        name: tuple(
            local_recall(data.annotated(data.source(name)).by_image(), references, classes=_CLASSES).micro
        )
        for name in SYSTEMS
    }


def published_column(column: str) -> dict[str, float]:
    """Return a column of Table 1."""
    place = list(TABLE_1_COLUMNS).index(column)
    return {name: float(row[place]) for name, row in TABLE_1.items()}


def figure_5(data: ResearchData) -> Reproduced:
    """Compute local recall in each importance class."""
    found = local_recalls(data)
    cells = [
        ComparedCell(name, f"Loc{number}", drawn, computed, 4, tolerance=_DRAWN_WITHIN)
        for name in SYSTEMS
        for number, (drawn, computed) in enumerate(zip(FIGURE_5[name], found[name], strict=True), start=1)
    ]
    return Reproduced(
        tuple(cells), (f"paper: read off its drawing, so within {_DRAWN_WITHIN} counts as equal",), TAGGER
    )


_DRAWN_WITHIN = 0.002


def coverage_of_systems(data: ResearchData) -> Reproduced:
    """Compute which share of the learnable words each system says, without the training captions."""
    published, found = published_column("Cov"), recalled_words(data)
    cells = [ComparedCell(name, "Cov", published[name], found[name] / LEARNABLE, 2) for name in SYSTEMS]
    return Reproduced(
        tuple(cells),
        (
            f"The training captions are not among the data, but the paper gives the number of learnable words"
            f" ({LEARNABLE:,}). Words of the references that a system says are taken to be learnable",
        ),
        because="some words that a system says may not be in the training captions",
    )


def recalled_words(data: ResearchData) -> dict[str, int]:
    """Return how many words of the references each system says."""
    spoken = _counts(data.annotated(data.references).captions).keys()
    return {
        name: len(spoken & _counts(data.annotated(data.source(name)).captions).keys()) for name in SYSTEMS
    }


def omitted(data: ResearchData) -> Reproduced:
    """Compute the rankings of omitted words over the nine systems together."""
    references = _references(data)
    captions = {name: data.annotated(data.source(name)) for name in SYSTEMS}
    misses = reduce(
        operator.add,
        (word_misses(corpus.by_image(), references) for corpus in captions.values()),
        WordMisses(),
    )
    said = set().union(*(_counts(corpus.captions) for corpus in captions.values()))
    spoken = _counts(data.annotated(data.references).captions)
    size = len(next(iter(TABLE_2.values())))
    rankings = {
        "Val": [word for word, _ in omitted_words(said, spoken, learnable=spoken)[:size]],
        "Absolute": [one.word for one in by_count(misses, _CLASSES)[:size]],
        "Relative": _aspublished_column(by_miss_ratio(misses, _CLASSES))[:size],
        "Relative10": _aspublished_column(by_miss_ratio(misses, _CLASSES, least=_MORE_THAN + 1))[:size],
    }
    cells = [
        ComparedCell(f"{rank + 1}.", column, TABLE_2[column][rank], _word(words, rank))
        for column, words in rankings.items()
        for rank in range(size)
    ]
    return Reproduced(
        tuple(cells),
        (*_shared(rankings), *_OMITTED_NOTES),
        "words with the same count (Val, Absolute) were in no particular order then, and are in alphabetical"
        f" order here; and {TAGGER}",
        (LeftOut("Train", size, "needs COCO's training captions"),),
    )


_OMITTED_NOTES = (
    "The ranking by validation frequency does not check that training has the word, which these words surely"
    " pass",
    "Relative10 follows the code, which asks for more than ninety occurrences; the paper says at least ten"
    " per"
    " system, which would let three words in before the first",
)


def _aspublished_column(ranking: Iterable[Omission]) -> list[str]:
    """Return a ranking by share with its ties as in the paper: the more frequent word, then from z to a."""
    ordered = sorted(ranking, key=lambda one: (one.miss_ratio, one.occurrences, one.word), reverse=True)
    return [one.word for one in ordered]


def _counts(captions: Iterable[AnnotatedCaption]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for caption in captions:
        counts.update(word.lower() for word in caption.words)
    return counts


def _word(words: Sequence[str], rank: int) -> str:
    return words[rank] if rank < len(words) else ""


def _shared(rankings: dict[str, list[str]]) -> list[str]:
    """Return how many words two rankings share, wherever they stand."""
    parts = [
        f"{column} {len(set(words) & set(TABLE_2[column]))} of {len(TABLE_2[column])}"
        for column, words in rankings.items()
    ]
    return [f"Words in both rankings, at whatever rank: {', '.join(parts)}"]


RECALL_PARTS = (
    Part(
        "local-recall",
        "Table 1: local recall of the most important words",
        "vanmiltenburg2018measuring",
        _NEEDS,
        local,
    ),
    Part("figure-5", "Figure 5: local recall by importance", "vanmiltenburg2018measuring", _NEEDS, figure_5),
    Part(
        "coverage",
        "Table 1: coverage of learnable words",
        "vanmiltenburg2018measuring",
        _NEEDS,
        coverage_of_systems,
    ),
    Part(
        "omitted", "Table 2: omitted words, over nine systems", "vanmiltenburg2018measuring", _NEEDS, omitted
    ),
)

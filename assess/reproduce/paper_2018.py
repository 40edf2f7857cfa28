"""Recall in van Miltenburg, Elliott and Vossen (2018), and all published values of this paper.

Parts: Loc5 and Cov in Table 1, omitted words in Table 2, Figure 5.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from functools import reduce
from itertools import combinations

from assess.engine.captions import descriptions
from assess.engine.columns import AnnotatedCaption
from assess.measures.recall.compute import Omission, by_count, by_miss_ratio, global_recall, omitted_words
from assess.measures.recall.local import (
    ReferenceWords,
    WordMisses,
    local_recall,
    reference_words,
    word_misses,
)
from assess.reproduce.parts import REFERENCES, ComparedCell, Drawn, LeftOut, Part, Reproduced, ResearchData
from assess.reproduce.parts import SYSTEMS as SYSTEMS_FOLDER

# Published values, also from the output files of the paper's code, for comparison only.

VALIDATION = "Validation"

# Table 1. Columns: ASL, SDSL, Types, TTR1, TTR2, %Novel, Cov, Loc5.
TABLE_1: dict[str, tuple[float, float, int, float, float, float, float, float]] = {
    "Dai-et-al-2017": (9.8, 1.63, 1922, 0.23, 0.55, 87.7, 0.15, 0.76),
    "Liu-et-al-2017": (10.3, 1.32, 598, 0.17, 0.38, 50.1, 0.05, 0.70),
    "Mun-et-al-2017": (9.4, 1.12, 1009, 0.16, 0.38, 50.0, 0.08, 0.78),
    "Shetty-et-al-2016": (9.0, 1.03, 1112, 0.15, 0.34, 43.0, 0.08, 0.74),
    "Shetty-et-al-2017": (9.4, 1.31, 2611, 0.24, 0.54, 80.5, 0.20, 0.71),
    "Tavakoli-et-al-2017": (9.2, 1.03, 917, 0.15, 0.33, 38.8, 0.07, 0.66),
    "Vinyals-et-al-2017": (10.1, 1.28, 953, 0.21, 0.43, 90.5, 0.07, 0.69),
    "Wu-et-al-2016": (9.1, 1.03, 849, 0.14, 0.32, 44.5, 0.06, 0.72),
    "Zhou-et-al-2017": (9.3, 1.20, 1334, 0.22, 0.51, 60.1, 0.10, 0.80),
}
SYSTEMS = tuple(TABLE_1)
TABLE_1_COLUMNS = {"ASL": 1, "SDSL": 2, "Types": 0, "TTR1": 2, "TTR2": 2, "%Novel": 1, "Cov": 2, "Loc5": 2}

# The table's validation row: means over five parallel descriptions, and the totals in its caption.
VALIDATION_ROW = {"ASL": 11.3, "SDSL": 2.61, "Types": 9200, "TTR1": 0.32, "TTR2": 0.72}
VALIDATION_TOTALS = {"All types": 17557, "All tokens": 2296146}

# Table 2: the first twenty entries of each ranking over the nine systems together, from the output file of
# the paper's code.
_RANKINGS = {
    "Train": "'s elderly toast we whole laughing displays meadow located ham"
    " nicely n't almost more picking gentleman driver tablet booth sunlight",
    "Val": "'s elderly toast we thrown whole ham located driver mat"
    " n't heading displays amongst simple more laughing picking almost booth",
    "Absolute": "man dog woman people cat umbrella dogs sign pizza ball"
    " cake bear bed table elephant phone horse girl frisbee bus",
    "Relative": "pillow kitten flag turkey milk ice chips rainbow potatoes map"
    " eggs cream butter strawberries pregnant piano peanut pancakes moon garage",
    "Relative10": "door paper van pink head doll hair pool fork tray"
    " carrot girls apple women rice lights basket benches lot cars",
}
TABLE_2 = {column: tuple(words.split()) for column, words in _RANKINGS.items()}

# Table 3. Columns: compounds of length 2, 3, 4, their ratio and types of length 2; prepositional phrases of
# depth 1 to 5, their ratio and types of depth 1.
TABLE_3_COLUMNS = (
    *("C2", "C3", "C4", "C ratio", "C types-2"),
    *("PP1", "PP2", "PP3", "PP4", "PP5", "PP ratio", "PP types-1"),
)
TABLE_3: dict[str, tuple[float, ...]] = {
    VALIDATION: (17739, 1252, 149, 0.47, 6089, 52380, 14639, 3037, 502, 73, 1.74, 22237),
    "Dai-et-al-2017": (14381, 504, 24, 0.37, 2576, 51170, 16613, 3753, 402, 20, 1.78, 11709),
    "Liu-et-al-2017": (13449, 56, 0, 0.33, 122, 51542, 18653, 4493, 528, 15, 1.86, 1145),
    "Mun-et-al-2017": (13158, 99, 9, 0.33, 300, 49827, 16920, 3266, 311, 4, 1.74, 2423),
    "Shetty-et-al-2016": (11969, 192, 0, 0.30, 319, 47392, 16305, 2825, 350, 0, 1.65, 2426),
    "Shetty-et-al-2017": (16027, 772, 71, 0.42, 1446, 46732, 14908, 2217, 246, 6, 1.58, 8439),
    "Tavakoli-et-al-2017": (13381, 133, 5, 0.33, 259, 47395, 17798, 3824, 640, 2, 1.72, 1888),
    "Vinyals-et-al-2017": (15266, 546, 1, 0.39, 275, 46436, 18818, 4095, 970, 2, 1.74, 1678),
    "Wu-et-al-2016": (13640, 281, 1, 0.34, 237, 46732, 17558, 3471, 557, 0, 1.69, 1732),
    "Zhou-et-al-2017": (13510, 214, 20, 0.34, 472, 49200, 16783, 2953, 164, 3, 1.71, 3451),
}

# According to the text: all types in the validation captions minus those missing from training captions.
LEARNABLE = 17557 - 4356

# BLEU-4 and Meteor in percent: computed for Dai and Vinyals, according to the caption, and quoted for the
# others.
BLEU_4 = {
    "Dai-et-al-2017": 20.7,
    "Liu-et-al-2017": 32.3,
    "Mun-et-al-2017": 32.6,
    "Shetty-et-al-2016": 31.9,
    "Tavakoli-et-al-2017": 28.7,
    "Vinyals-et-al-2017": 32.1,
    "Wu-et-al-2016": 31.0,
    "Zhou-et-al-2017": 30.0,
}
METEOR = {"Dai-et-al-2017": 22.4, "Vinyals-et-al-2017": 25.7}
METEOR_QUOTED = 7  # cells of the other systems

# Absolute Spearman correlations over the nine systems, as printed in Figures 2 and 6.
_MEASURES = ("ASL", "SDSL", "Types", "TTR1", "TTR2", "Novel")
_PRINTED_2 = (0.83, 0.1, 0.57, 0.52, 0.7, 0.33, 0.85, 0.8, 0.77, 0.68, 0.78, 0.43, 0.95, 0.82, 0.83)
FIGURE_2 = dict(zip(combinations(_MEASURES, 2), _PRINTED_2, strict=True))
_PRINTED_6 = {"Cov": (0.1, 0.33, 1.0, 0.68, 0.78, 0.43, 0.5), "Loc5": (0.17, 0.02, 0.5, 0.15, 0.37, 0.1)}
FIGURE_6 = {
    (measure, other): value
    for measure, values in _PRINTED_6.items()
    for other, value in zip((*_MEASURES, "Loc5"), values, strict=False)
}

# Figure 5: local recall in importance classes 1 to 5, measured from the figure.
FIGURE_5: dict[str, tuple[float, ...]] = {
    "Dai-et-al-2017": (0.0656, 0.2043, 0.3631, 0.5516, 0.7589),
    "Liu-et-al-2017": (0.0634, 0.2059, 0.3664, 0.5298, 0.7037),
    "Mun-et-al-2017": (0.072, 0.2331, 0.4149, 0.6016, 0.7846),
    "Shetty-et-al-2016": (0.0699, 0.2164, 0.3797, 0.5548, 0.7384),
    "Shetty-et-al-2017": (0.0689, 0.2009, 0.3372, 0.5053, 0.7069),
    "Tavakoli-et-al-2017": (0.0674, 0.1989, 0.3365, 0.4864, 0.6575),
    "Vinyals-et-al-2017": (0.0736, 0.2018, 0.3379, 0.4938, 0.688),
    "Wu-et-al-2016": (0.0773, 0.2293, 0.3883, 0.5549, 0.7202),
    "Zhou-et-al-2017": (0.0699, 0.2346, 0.4233, 0.625, 0.8038),
}


# Loc5 and the rankings of omitted words (Tables 1 and 2 of the 2018 paper).

_CLASSES = 5
# The paper says ten occurrences per system; its code requires more than ninety in total.
_MORE_THAN = 10 * len(SYSTEMS)


def _references(data: ResearchData) -> ReferenceWords:
    return reference_words(descriptions([data.annotated(data.references)]))


def local(data: ResearchData) -> Reproduced:
    """Compute local recall in the highest importance class, over all words."""
    published = published_column("Loc5")
    found = local_recalls(data)
    cells = [ComparedCell(name, "Loc5", published[name], found[name][-1], 2) for name in SYSTEMS]
    return Reproduced(tuple(cells), because=TAGGER)


TAGGER = (
    "tags decide which words are content words, and they come from another version of the tagger (the paper"
    " used spaCy 2.0.4)"
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
    classes = tuple(map(float, range(1, _CLASSES + 1)))
    return Reproduced(
        tuple(cells),
        (f"paper: read off its drawing, so within {_DRAWN_WITHIN} counts as equal",),
        TAGGER,
        drawn=Drawn(
            "references with the word", "local recall", {name: (classes, found[name]) for name in SYSTEMS}
        ),
    )


_DRAWN_WITHIN = 0.002


def coverage_of_systems(data: ResearchData) -> Reproduced:
    """Compute the share of learnable words that each system uses, without the training captions."""
    published, found = published_column("Cov"), recalled_words(data)
    cells = [ComparedCell(name, "Cov", published[name], found[name] / LEARNABLE, 2) for name in SYSTEMS]
    return Reproduced(
        tuple(cells),
        (
            f"The training captions are not among the data, but the paper gives the number of learnable words"
            f" ({LEARNABLE:,}). Words of the references that a system says are taken to be learnable",
        ),
        because="some of a system's words may be missing from the training captions",
    )


def recalled_words(data: ResearchData) -> dict[str, int]:
    """Return how many words of the references each system uses."""
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
        "Relative": _ties_as_published(by_miss_ratio(misses, _CLASSES))[:size],
        "Relative10": _ties_as_published(by_miss_ratio(misses, _CLASSES, least=_MORE_THAN + 1))[:size],
    }
    cells = [
        ComparedCell(f"{rank + 1}.", column, TABLE_2[column][rank], words[rank] if rank < len(words) else "")
        for column, words in rankings.items()
        for rank in range(size)
    ]
    return Reproduced(
        tuple(cells),
        (*_shared(rankings), *_OMITTED_NOTES),
        "words with the same count (Val, Absolute) were in arbitrary order in the paper, and are in"
        f" alphabetical order here; and {TAGGER}",
        (LeftOut("Train", size, "needs COCO's training captions"),),
    )


_OMITTED_NOTES = (
    "The ranking by validation frequency does not check whether a word occurs in the training captions, but"
    " these words certainly do",
    "Relative10 follows the code, which requires more than ninety occurrences; the paper says at least ten"
    " per system, which would add three words before the first",
)


def _ties_as_published(ranking: Iterable[Omission]) -> list[str]:
    """Return a ranking by share with ties as in the paper: by frequency, then from z to a."""
    ordered = sorted(ranking, key=lambda one: (one.miss_ratio, one.occurrences, one.word), reverse=True)
    return [one.word for one in ordered]


def _counts(captions: Iterable[AnnotatedCaption]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for caption in captions:
        counts.update(word.lower() for word in caption.words)
    return counts


def _shared(rankings: dict[str, list[str]]) -> list[str]:
    """Return how many words two rankings share, regardless of position."""
    parts = [
        f"{column} {len(set(words) & set(TABLE_2[column]))} of {len(TABLE_2[column])}"
        for column, words in rankings.items()
    ]
    return [f"Words in both rankings, at whatever rank: {', '.join(parts)}"]


def figure_4(data: ResearchData) -> Reproduced:
    """Draw coverage by the frequency of words in the references; the paper gives no numbers for it."""
    spoken = _counts(data.annotated(data.references).captions)
    tenths = range(1, 11)
    lines = {
        name: (
            tuple(map(float, tenths)),
            global_recall(_counts(data.annotated(data.source(name)).captions), spoken, mode="paper").deciles,
        )
        for name in SYSTEMS
    }
    last = "; ".join(f"{name} {values[0]:.2f} to {values[-1]:.2f}" for name, (_, values) in lines.items())
    return Reproduced(
        (),
        (
            "Coverage of each tenth of the words of the references, the most frequent first; words that"
            " training captions lack count too, as in the paper",
            f"From the first tenth to the last: {last}",
        ),
        drawn=Drawn("decile of words, most frequent first", "coverage", lines),
    )


PAPER = "vanmiltenburg2018measuring"
NEEDS = (SYSTEMS_FOLDER, REFERENCES)
RECALL_PARTS = (
    Part("local-recall", "Table 1: local recall of the most important words", PAPER, NEEDS, local),
    Part("figure-4", "Figure 4: coverage by frequency", PAPER, NEEDS, figure_4),
    Part("figure-5", "Figure 5: local recall by importance", PAPER, NEEDS, figure_5),
    Part("coverage", "Table 1: coverage of learnable words", PAPER, NEEDS, coverage_of_systems),
    Part("omitted", "Table 2: omitted words, over nine systems", PAPER, NEEDS, omitted),
)

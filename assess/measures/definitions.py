"""What the reported numbers mean whose tallies do not add, or which are plain counts.

The others say it themselves, where they are counted: see `Metric`. A test holds both together against
the fields of the results, so that none is reported without a definition.
"""

from __future__ import annotations

from assess.measures.metric import Definition

_PEOPLE = "vanmiltenburg2020people"
_SELECTION = "wang2015generating"
_PREGEN = "tanti2018pregen"
_NO_LABELS = "no labels"

COVERAGE = (
    Definition("captions", "captions read, empty ones too", "", "neither", ""),
    Definition("labelled_captions", "captions with a label", _PEOPLE, "neither", ""),
    Definition("chunks", "noun chunks that the annotator finds", "", "neither", ""),
    Definition(
        "labels", "phrases of the domain: chunks that end in one of its heads", _PEOPLE, "neither", ""
    ),
    Definition("distinct_labels", "distinct labels, as texts", _PEOPLE, "neither", ""),
    Definition("partial_labels", "labels with an unknown word among known ones", "", "lower", ""),
    Definition("uncovered_labels", "labels in which no category was found", "", "lower", ""),
    Definition(
        "modifiers", "sum over labels of their modifier categories, each once", _PEOPLE, "neither", ""
    ),
    Definition("modifiers_per_label", "modifiers / labels", _PEOPLE, "neither", _NO_LABELS),
    Definition("modifier_categories", "modifier categories that some label has", _PEOPLE, "higher", ""),
    Definition("head_categories", "head categories that some label has", _PEOPLE, "higher", ""),
    Definition("after_labels", "labels with an attribute after the noun", "", "neither", ""),
    Definition(
        "after_modifiers", "modifiers of the best reading that only such attributes tell", "", "neither", ""
    ),
    Definition("share", "labels with the category / labels", _PEOPLE, "neither", _NO_LABELS),
    Definition("best_labels", "labels with the category in the best reading", "", "neither", ""),
)

SELECTION = (
    Definition(
        "P",
        "mean over images of the mean over descriptions of right boxes / selected boxes",
        _SELECTION,
        "higher",
        "no image; with --empty skip also an empty selection",
    ),
    Definition(
        "R",
        "the same of right boxes / mentioned boxes",
        _SELECTION,
        "higher",
        "no image; with --empty skip also an empty description",
    ),
    Definition(
        "F",
        "mean over images of 2PR / (P + R), of the image's means; 0 where both are 0",
        _SELECTION,
        "higher",
        "as P",
    ),
    Definition("sd", "population standard deviation over images", _SELECTION, "neither", "as P"),
    Definition(
        "upper_bound",
        "each description against the others of its image; mean within images, then over them",
        _SELECTION,
        "neither",
        "no image with several descriptions",
    ),
    Definition(
        "tau",
        "Kendall's tau of the order of mention, on the boxes that both mention; mean as above",
        "kendall1938new",
        "higher",
        "fewer than two shared boxes in every image",
    ),
)

PREGEN = (
    Definition("none", "tier 1, words: all", _PREGEN, "neither", ""),
    Definition(
        "filter0",
        "tier 1, words: those that were not the first choice (the paper's code)",
        _PREGEN,
        "neither",
        "",
    ),
    Definition("only0", "tier 1, words: those that were (the paper's text)", _PREGEN, "neither", ""),
    Definition(
        "prefix0", "tier 1, words: up to the first that was not the first choice", _PREGEN, "neither", ""
    ),
    Definition(
        "prob", "tier 2, a caption: product of the kept words' p; 0 where none is kept", _PREGEN, "higher", ""
    ),
    Definition(
        "pplx",
        "tier 2, a caption: 2^(-mean log2 p); infinite where none is kept or some p is 0",
        _PREGEN,
        "lower",
        "",
    ),
    Definition("count", "tier 2, a caption: kept words", _PREGEN, "higher", ""),
    Definition("normcount", "tier 2, a caption: kept words / words", _PREGEN, "higher", ""),
    Definition(
        "sum, mean, median, geomean, max, min",
        "tier 3, an image's captions, and tier 4, images; a geometric mean with a zero is 0",
        _PREGEN,
        "neither",
        "",
    ),
    Definition("join", "tier 3: the captions of all images as they are", _PREGEN, "neither", ""),
)

CORRELATION = (
    Definition(
        "spearman",
        "Pearson's correlation of ranks; equals share their mean rank",
        "",
        "neither",
        "fewer than two systems, or a constant column",
    ),
    Definition(
        "pearson", "correlation of the values", "", "neither", "fewer than two systems, or a constant column"
    ),
    Definition(
        "r2",
        "square of Pearson's r between a pre-gen and a post-gen score",
        _PREGEN,
        "higher",
        "few rows, infinite values, or a constant column",
    ),
)

DOMAIN = (
    Definition("full", "labels whose words are all known / labels", "", "higher", _NO_LABELS),
    Definition("partial", "labels with an unknown word among known ones / labels", "", "lower", _NO_LABELS),
    Definition("none", "labels in which no category was found / labels", "", "lower", _NO_LABELS),
    Definition(
        "likeness",
        "of the nouns that keep the most similar company, the share that are known heads, weighted",
        "",
        "neither",
        "a taxonomy without heads in these captions",
    ),
)

"""What the reported numbers mean whose tallies do not add, or which are plain counts.

The others say it themselves, where they are counted: see `Metric`. A test holds both together against
the fields of the results, so that none is reported without a definition.
"""

from __future__ import annotations

from assess.measures.metric import Definition

_PEOPLE = "vanmiltenburg2020people"
_PAPER = "vanmiltenburg2018measuring"
_NO_LABELS = "no labels"
_NO_TRAINING = "no training captions"

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

DIVERSITY = (
    Definition("captions", "captions; of references, the mean over parallel sets", _PAPER, "neither", ""),
    Definition("empty", "captions without a token; they count, with length 0", "", "neither", ""),
    Definition("tokens", "tokens of all captions", _PAPER, "neither", ""),
    Definition(
        "ttr1, ttr2, ttr3 (paper)",
        "mean over windows of 1000 n-grams, in the order of the file, of distinct n-grams / 1000",
        _PAPER,
        "higher",
        "fewer than 1000 n-grams, which is one window",
    ),
    Definition(
        "mtld",
        "tokens / stretches until the type-token ratio falls to .72; both directions, mean of random orders",
        "mccarthy2010mtld",
        "higher",
        "no token is ever repeated",
    ),
    Definition(
        "novel", "captions that the training captions lack / captions", _PAPER, "higher", _NO_TRAINING
    ),
)

RECALL = (
    Definition("evaluation", "distinct words of the references", _PAPER, "neither", ""),
    Definition(
        "learnable", "of these, words that training captions have too", _PAPER, "neither", _NO_TRAINING
    ),
    Definition("recalled", "learnable words that the system says at least once", _PAPER, "higher", ""),
    Definition("coverage", "recalled / learnable", _PAPER, "higher", f"{_NO_TRAINING}, or none shared"),
    Definition("limit", "learnable / evaluation", _PAPER, "neither", f"{_NO_TRAINING}, or no references"),
    Definition(
        "deciles",
        "coverage of each tenth of the words, from the most to the least frequent in the references",
        _PAPER,
        "higher",
        "a tenth without words",
    ),
    Definition(
        "log_likelihood",
        "G² of a word's counts in the system and in the references",
        "dunning1993accurate",
        "neither",
        "one side has no words: nothing is listed",
    ),
    Definition(
        "log_ratio",
        "log2 of the ratio of relative frequencies; infinite where one side lacks the word",
        "rayson2000comparing",
        "neither",
        "as log_likelihood",
    ),
)

SYNTAX = (
    Definition("compounds.sizes", "runs of two and more nouns, by length", _PAPER, "higher", ""),
    Definition("compounds.types", "distinct compounds of two nouns (Types-2)", _PAPER, "higher", ""),
    Definition("prepositional_phrases.sizes", "prepositional phrases, by depth", _PAPER, "higher", ""),
    Definition("prepositional_phrases.types", "distinct phrases of depth 1 (Types-1)", _PAPER, "higher", ""),
    Definition("tags", "tokens with the tag / tokens", "", "neither", "no tokens"),
)

POSTGEN = (
    Definition(
        "BLEU-1 to BLEU-4",
        "brevity penalty x geometric mean of modified n-gram precisions, over the corpus, unsmoothed",
        "papineni2002bleu",
        "higher",
        "no caption with an n-gram of some length",
    ),
    Definition(
        "CIDEr",
        "CIDEr-D: mean over n of clipped TF-IDF cosines with a Gaussian length penalty, x 10",
        "vedantam2015cider",
        "higher",
        "no images",
    ),
    Definition(
        "METEOR", "by the COCO tools (extra `coco`, Java)", "denkowski2014meteor", "higher", "no images"
    ),
    Definition("SPICE", "by the COCO tools (extra `coco`, Java)", "anderson2016spice", "higher", "no images"),
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

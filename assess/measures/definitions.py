"""What the reported numbers mean whose tallies do not add, or which are plain counts.

The others say it themselves, where they are counted: see `Metric`. A test holds both together against
the fields of the results, so that none is reported without a definition.
"""

from __future__ import annotations

from assess.measures.metric import Definition

_PEOPLE = "vanmiltenburg2020people"
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

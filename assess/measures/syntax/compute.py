"""The structure of captions: compounds, prepositional phrases, parts of speech and complexity.

To report another number of a system, add it to `QUANTITIES`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from assess.errors import some
from assess.measures.measure import Model, Number, Row
from assess.measures.metric import Counts, ratio
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
from assess.report.quantity import Direction, Quantity, defined, values_of
from assess.report.text import Form, count, decimals, number, percent

Words = tuple[str, ...]
Sized = tuple[int, Words]  # a compound with its length, or a prepositional phrase with its depth


@dataclass(frozen=True, slots=True)
class Rules:
    """How to count captions; the mode defines what a prepositional phrase is."""

    mode: Mode = "assess"
    tagset: Tagset = "fine"
    lexicon: Lexicon | None = None


USUAL_RULES = Rules()

# The counts of a caption, in the order of its vector, for the bootstrap.
COUNTS = (
    "captions",
    "described",  # captions with a word: the others have no complexity
    "words",
    "compounds",
    "phrases",
    "yngve",
    "frazier",
    "deepest",
    "hardest",
    "abstract",
    "concrete",
    "known",  # content words in the lexicon
    "content",
)


class ParsedCaption(NamedTuple):
    """A caption that gives access to its words."""

    words: Words
    tags: Words
    heads: tuple[int, ...]
    deps: Words


@dataclass(frozen=True, slots=True)
class CaptionSyntax:
    """The structure of one caption."""

    compounds: tuple[Words, ...]
    phrases: tuple[Sized, ...]  # prepositional phrases
    complexity: Complexity
    # numbers of abstract, concrete and all content words; 0 without a lexicon
    concreteness: tuple[int, int, int]

    @property
    def counts(self) -> Counts:
        """Its counts, in the order of COUNTS."""
        scores = self.complexity
        abstract, concrete, content = self.concreteness
        counts = {
            "captions": 1,
            "described": bool(scores.yngve),
            "words": len(scores.yngve),
            "compounds": len(self.compounds),
            "phrases": len(self.phrases),
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


def analyse(caption: Parsed, rules: Rules = USUAL_RULES) -> CaptionSyntax:
    """Return the structure of a caption."""
    # Only once, because a caption may decode its words on each access.
    caption = ParsedCaption(caption.words, caption.tags, caption.heads, caption.deps)
    return CaptionSyntax(
        compounds=tuple(compounds(caption)),
        phrases=tuple(prepositional_phrases(caption, mode=rules.mode)),
        complexity=complexity(caption),
        concreteness=concreteness_counts(caption, rules.lexicon) if rules.lexicon else (0, 0, 0),
    )


@dataclass(frozen=True, slots=True, eq=False)
class SyntaxTally:
    """Counts over captions, and of each compound, phrase and tag."""

    counts: Counts  # in the order of COUNTS
    compounds: Mapping[Sized, int]
    phrases: Mapping[Sized, int]
    tags: Mapping[str, int]


def syntax_tally(captions: Iterable[Parsed], rules: Rules = USUAL_RULES) -> SyntaxTally:
    """Return the counts of captions. A caption object shared by many images counts once for each."""
    counts = np.zeros(len(COUNTS))
    nouns: Counter[Sized] = Counter()
    phrases: Counter[Sized] = Counter()
    tags: Counter[str] = Counter()
    for caption, times in _distinct(captions):
        found = analyse(caption, rules)
        counts += times * found.counts
        for run in found.compounds:
            nouns[len(run), run] += times
        for phrase in found.phrases:
            phrases[phrase] += times
        for tag in tags_of(caption, tagset=rules.tagset, mode=rules.mode):
            tags[tag] += times
    return SyntaxTally(counts, nouns, phrases, tags)


def _distinct(captions: Iterable[Parsed]) -> list[tuple[Parsed, int]]:
    """Return each caption object once, with its frequency: equal texts share one object."""
    texts = list(captions)
    times = Counter(map(id, texts))
    return [(caption, times[key]) for key, caption in {id(caption): caption for caption in texts}.items()]


# Reported numbers: ratios of counts, each undefined if its denominator is 0.

RATIOS = {
    "compounds_ratio": ("compounds", "captions"),
    "prepositional_phrases_ratio": ("phrases", "captions"),
    "yngve": ("yngve", "words"),
    "yngve_deepest": ("deepest", "described"),
    "frazier": ("frazier", "words"),
    "frazier_hardest": ("hardest", "described"),
    "abstract_ratio": ("abstract", "concrete"),
    "lexicon_coverage": ("known", "content"),
}
OF_LEXICON = frozenset({"abstract_ratio", "lexicon_coverage"})
_NONE = {
    "captions": "no captions",
    "described": "no caption with a word",
    "words": "no words",
    "concrete": "without a lexicon, or no concrete words",
    "content": "without a lexicon, or no content words",
}
LENGTHS, DEPTHS = range(2, 5), range(1, 6)  # columns in the paper
_PAPER, _YNGVE, _FRAZIER = "vanmiltenburg2018measuring", "yngve1960model", "frazier1985syntactic"
_CONCRETENESS = "brysbaert2014concreteness"
_TWO = decimals(2)


def ratio_of_counts(name: str, counts: Counts) -> Counts:
    """Return one of the ratios for a vector of counts, or for one vector per row."""
    part, whole = (COUNTS.index(count) for count in RATIOS[name])
    return np.asarray(ratio(counts[..., part], counts[..., whole]))


def _of_tally(name: str, tally: SyntaxTally) -> float:
    return float(ratio_of_counts(name, tally.counts))


def _ratio(
    name: str,
    heading: str,
    formula: str,
    reference: str,
    direction: Direction = "higher",
    form: Form = _TWO,
    **shown: Any,
) -> Quantity[Any]:
    get = shown.pop("get", partial(_of_tally, name))
    undefined = _NONE[RATIOS[name][1]]
    return Quantity(name, heading, get, form, formula, reference, direction, undefined, **shown)


_depth = partial(_ratio, reference=_YNGVE, table="complexity", group="Yngve depth")
_score = partial(_ratio, reference=_FRAZIER, table="complexity", group="Frazier score")
_abstract = partial(
    _ratio, reference=_CONCRETENESS, direction="neither", table="complexity", group="Abstract"
)
QUANTITIES: list[Quantity[SyntaxTally]] = [
    Quantity(
        "captions",
        "captions",
        lambda found: int(found.counts[COUNTS.index("captions")]),
        count,
        "captions; of references, those of one parallel set",
    ),
    _depth(
        "yngve",
        "mean",
        "mean depth of a word",
        chart="Yngve depth",
        meaning="Mean depth of a word in its sentence.",
    ),
    _depth("yngve_deepest", "deepest", "mean over captions of the largest depth"),
    _score("frazier", "mean", "mean score of a word"),
    _score("frazier_hardest", "hardest", "mean over captions of the largest sum of three scores in a row"),
    _abstract(
        "abstract_ratio",
        "/ concrete",
        "abstract / concrete content words",
        form=decimals(3),
        chart="Abstract words",
        meaning="Number of abstract words per concrete word.",
    ),
    _abstract("lexicon_coverage", "in lexicon", "content words in the lexicon / content words", form=percent),
]


def phrase_quantities(*, longer: bool, deeper: bool) -> list[Quantity[Any]]:
    """Return the columns for compounds and prepositional phrases, as in the paper's Table 3.

    Compounds that are `longer`, or phrases that are `deeper`, than in the paper have a further column.
    """
    return [
        *_sizes("compounds", "Compound length", LENGTHS, "longer" if longer else ""),
        _ratio(
            "compounds_ratio",
            "Ratio",
            "compounds / captions",
            _PAPER,
            get=attrgetter("compounds.ratio"),
            table="syntax",
            group="Compounds",
            chart="Compounds",
            meaning="Number of compounds of several nouns per caption.",
        ),
        _counted("compounds.types", 2, "Types-2", "Compounds"),
        *_sizes("prepositional_phrases", "Prepositional phrase depth", DEPTHS, "deeper" if deeper else ""),
        _ratio(
            "prepositional_phrases_ratio",
            "Ratio",
            "prepositional phrases / captions",
            _PAPER,
            get=attrgetter("prepositional_phrases.ratio"),
            table="syntax",
            group="PPs",
            chart="Prepositional phrases",
            meaning="Number of phrases such as “on a beach” per caption.",
        ),
        _counted("prepositional_phrases.types", 1, "Types-1", "PPs"),
    ]


def _sizes(kind: str, group: str, sizes: range, beyond: str) -> Iterator[Quantity[Any]]:
    for size in sizes:
        yield _counted(f"{kind}.sizes", size, str(size), group)
    if beyond:
        yield _counted(f"{kind}.sizes", sizes.stop, f"≥{sizes.stop}", group, beyond)


def _counted(where: str, least: int, heading: str, group: str, beyond: str = "") -> Quantity[Any]:
    """Return the count of one size, or of this size and `beyond`, from a row's counts by size."""

    def get(row: Any) -> int:
        counts: Mapping[int, int] = attrgetter(where)(row)
        return sum(found for size, found in counts.items() if size == least or (beyond and size > least))

    key = f"{where.replace('.', '_')}_{beyond or least}"
    return Quantity(key, heading, get, count, table="syntax", group=group)


def documented() -> Sequence[Quantity[Any]]:
    """Return all numbers of syntax for the reference page; sizes and tags are described once."""
    ratios = [quantity for quantity in phrase_quantities(longer=False, deeper=False) if quantity.formula]
    lists = {
        "compounds.sizes": "sequences of two or more nouns, by length",
        "compounds.types": "distinct compounds, by length; those of two nouns are Types-2",
        "prepositional_phrases.sizes": "prepositional phrases, by depth",
        "prepositional_phrases.types": "distinct phrases, by depth; those of depth 1 are Types-1",
    }
    counted: list[Quantity[Any]] = [defined(key, formula, _PAPER, "higher") for key, formula in lists.items()]
    tags: Quantity[Any] = defined("tags", "tokens with the tag / tokens", undefined="no tokens")
    return [*ratios, *counted, tags, *QUANTITIES]


class Phrases(Model):
    """Compounds by length, or prepositional phrases by depth."""

    total: int
    ratio: Number  # per caption
    sizes: dict[int, int]  # length or depth -> count
    types: dict[int, int]  # length or depth -> number of distinct ones


class SystemSyntax(Row):
    """The syntax of one system, or of references as the mean over their parallel sets."""

    reference: bool = False
    compounds: Phrases
    prepositional_phrases: Phrases
    tags: dict[str, Number]  # share of each part of speech, most frequent first
    yngve: Number
    yngve_deepest: Number
    frazier: Number
    frazier_hardest: Number
    abstract_ratio: Number
    lexicon_coverage: Number
    notes: tuple[str, ...]


def caption_syntax(captions: Iterable[Parsed], rules: Rules = USUAL_RULES) -> SystemSyntax:
    """Return the syntax of captions (van Miltenburg et al. 2018, Table 3, and complexity)."""
    tally = syntax_tally(captions, rules)
    return SystemSyntax(
        compounds=_phrases(tally.compounds, _of_tally("compounds_ratio", tally)),
        prepositional_phrases=_phrases(tally.phrases, _of_tally("prepositional_phrases_ratio", tally)),
        tags=tag_distribution(tally.tags),
        notes=_notes(dict(zip(COUNTS, tally.counts.tolist(), strict=True)), rules),
        **values_of(QUANTITIES, tally),
    )


def _phrases(counts: Mapping[Sized, int], per_caption: float) -> Phrases:
    sizes: Counter[int] = Counter()
    for (size, _), times in counts.items():
        sizes[size] += times
    types = Counter(size for size, _ in counts)
    return Phrases(
        total=sizes.total(),
        ratio=per_caption,
        sizes=dict(sorted(sizes.items())),
        types=dict(sorted(types.items())),
    )


def _notes(counts: Mapping[str, float], rules: Rules) -> tuple[str, ...]:
    notes = []
    if not counts["captions"]:
        notes.append("no captions: every ratio is undefined")
    if wordless := counts["captions"] - counts["described"]:
        notes.append(
            f"excluded from the means of complexity: {some(round(wordless), 'caption')} without a word"
        )
    if rules.lexicon is not None and not counts["known"]:
        notes.append("no content word is in a lexicon: the abstract/concrete ratio is undefined")
    return tuple(notes)


def reference_syntax(references: Mapping[str, Sequence[Parsed]], rules: Rules = USUAL_RULES) -> SystemSyntax:
    """Return the mean syntax of parallel sets of descriptions, as many as every image can fill."""
    sets = [
        caption_syntax([texts[place] for texts in references.values()], rules)
        for place in range(min(map(len, references.values())))
    ]
    tags = sorted({tag for one in sets for tag in one.tags})
    shares = {tag: fmean(one.tags.get(tag, 0.0) for one in sets) for tag in tags}
    keys = [quantity.key for quantity in QUANTITIES if quantity.key != "captions"]
    means = {
        "reference": True,
        "compounds": _mean_phrases([one.compounds for one in sets]),
        "prepositional_phrases": _mean_phrases([one.prepositional_phrases for one in sets]),
        "tags": dict(sorted(shares.items(), key=lambda item: (-item[1], item[0]))),
        "notes": tuple(dict.fromkeys(note for one in sets for note in one.notes)),
    }
    return sets[0].model_copy(update=means | {key: fmean(number(one[key]) for one in sets) for key in keys})


def _mean_phrases(sets: Sequence[Phrases]) -> Phrases:
    """Return mean counts, rounded as in the paper."""
    return Phrases(
        total=round(fmean(one.total for one in sets)),
        ratio=fmean(one.ratio for one in sets),
        sizes=_mean_counts([one.sizes for one in sets]),
        types=_mean_counts([one.types for one in sets]),
    )


def _mean_counts(counts: Sequence[Mapping[int, int]]) -> dict[int, int]:
    total: Counter[int] = Counter()
    for one in counts:
        total.update(one)
    return {size: round(total[size] / len(counts)) for size in sorted(total)}

"""Content selection of files: systems, baselines and people on the same images."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations
from typing import Any, ClassVar

from pydantic import Field

from assess.corpus.source import Source, check_names
from assess.errors import UsageError, some
from assess.grammar import Parser, load_grammar
from assess.measures.intervals import FEWEST_IMAGES, Resampled, Triple
from assess.measures.measure import Model, Number, Result, Row
from assess.measures.selection import compute
from assess.measures.selection.baselines import (
    Curves,
    Ground,
    Sentences,
    baseline_scores,
    chosen_baselines,
    concept_term,
    wanted_sentences,
)
from assess.measures.selection.compute import (
    CategoriesOf,
    CategoryRecall,
    Ordering,
    PhraseCategories,
    Scores,
    SelectionSummary,
)
from assess.measures.selection.files import (
    GoldSource,
    gold_identity,
    read_gold_source,
    read_selection_source,
    selection_identity,
)
from assess.measures.selection.input import Box, GoldImage, Selection, pair_selections
from assess.measures.settings import SelectionSettings
from assess.report.quantity import values_of
from assess.signature import InputIdentity, Signature

UPPER_BOUND = "upper_bound"  # the name of people among the resampled systems


# The saved results.


@dataclass(frozen=True, slots=True)
class BaselineScores(Scores):
    """Means and deviations over images for a baseline that selects a fixed number of boxes."""

    sd: Scores


class CategorySelection(Model):
    """What a system does with the boxes of one category."""

    selected_boxes: int
    recalled: int
    recall: Number


class SelectionRow(Row):
    """Selection and ordering by people, or by one system."""

    sd: Scores
    # by measure; empty if there are too few images
    intervals: dict[str, Triple] = Field(default_factory=dict)
    ordering: Ordering


class SystemSelection(SelectionRow):
    """Selection and ordering by one system, and its treatment of each category of boxes."""

    categories: dict[str, CategorySelection]
    never_selected: tuple[str, ...]


class Comparison(Model):
    """The first system's value of a measure minus the second's."""

    first: str
    second: str
    measure: str
    difference: Triple
    p: Number


class CategoryBoxes(Model):
    """The boxes of one category, and how often people mention them."""

    boxes: int
    mentioned_boxes: int  # in any description
    mentions: int


class BoxCategories(Model):
    """What people mention by category of boxes, and the source of the categories."""

    source: str  # name of a domain, or "the input's own"
    boxes: dict[str, CategoryBoxes]
    without_category: int  # number of boxes
    never_mentioned: tuple[str, ...]
    without_boxes: tuple[str, ...]  # categories of the taxonomy without boxes


@dataclass(frozen=True, slots=True)
class Referring(Scores):
    """How the categories of phrases agree with those of people's phrases for the same boxes."""

    boxes: int
    sd: Scores


@dataclass(frozen=True, slots=True)
class ImageScores(Scores):
    """The scores of one image."""

    tau: Number


class SelectionResult(Result):
    """Content selection by systems, baselines and people on the same images."""

    measure: ClassVar[str] = "selection"

    images: int
    descriptions: int
    boxes: int
    development_images: int
    P: Number  # of the first system, like R, F and sd
    R: Number
    F: Number
    sd: Scores | None
    systems: dict[str, SystemSelection]
    comparisons: tuple[Comparison, ...]
    baselines: dict[str, dict[int, BaselineScores]]  # baseline -> k -> scores
    upper_bound: SelectionRow
    categories: BoxCategories | None
    referring: dict[str, Referring]  # by system, and for people; empty without a domain or without phrases
    sentences: dict[str, Sentences]
    notes: tuple[str, ...]
    # measures whose baselines the terminal shows
    shown: tuple[str, ...] = Field(default=("F",), exclude=True)
    by_image: dict[str, dict[str, ImageScores]] = Field(default_factory=dict, exclude=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the command's `--json`, including keys without a value."""
        return self.model_dump()

    def urgent_notes(self) -> tuple[str, ...]:
        """Return all notes."""
        return self.notes

    @property
    def rows(self) -> dict[str, SelectionRow]:
        """The systems, and people compared with each other."""
        return {**self.systems, self.people: self.upper_bound}

    @property
    def people(self) -> str:
        """The name of people, which no system may have."""
        return "people" if "people" not in self.systems else "people (upper bound)"


# Categories of boxes: those of a taxonomy for the box's concept, or those of the input.

OWN = "from the input"


@dataclass(frozen=True, slots=True)
class Categories:
    """How boxes are assigned to categories."""

    of: CategoriesOf
    of_phrase: PhraseCategories | None = None  # the categories that a taxonomy finds in a phrase
    domain: str = OWN
    taxonomy: str | None = None  # identity of the taxonomy; None for the input's own categories
    heads: tuple[str, ...] = ()  # the categories of the taxonomy


def read_categories(domain: str | None) -> Categories:
    """Return the head categories of a domain as categories of boxes, or the input's own."""
    if domain is None:
        return Categories(compute.source_categories)
    grammar = load_grammar(domain)
    parser = Parser(grammar)

    def heads(box: Box) -> tuple[str, ...]:
        return parser.analyse(concept_term(box.concept)).best.heads

    @cache
    def said(phrase: str) -> frozenset[str]:
        best = parser.analyse(phrase).best
        return frozenset((*(f"head {name}" for name in best.heads), *best.modifiers))

    return Categories(heads, said, grammar.name, grammar.identity, tuple(grammar.heads))


def box_categories(images: Sequence[GoldImage], categories: Categories) -> BoxCategories | None:
    """Count boxes and people's mentions by category; None if boxes have no categories at all."""
    people = compute.category_recall(
        images, {image.image: () for image in images}, categories_of=categories.of
    )
    if not people and categories.taxonomy is None:
        return None
    found = {category.category for category in people}
    return BoxCategories(
        source=categories.domain,
        boxes={
            one.category: CategoryBoxes(
                boxes=one.boxes, mentioned_boxes=one.mentioned_boxes, mentions=one.mentions
            )
            for one in people
        },
        without_category=sum(not tuple(categories.of(box)) for image in images for box in image.boxes),
        never_mentioned=tuple(one.category for one in people if not one.mentions),
        without_boxes=tuple(name for name in categories.heads if name not in found),
    )


Selections = Mapping[str, tuple[str, ...]]  # image -> boxes


def run_selection(
    gold: GoldSource,
    systems: Sequence[Source] = (),
    *,
    development: GoldSource | None = None,
    settings: SelectionSettings,
) -> SelectionResult:
    """Score which boxes systems, baselines and people mention."""
    # mistakes in these options are reported before any work
    shown, _ = settings.shown, settings.sentence_requests
    _check_names(systems)
    categories = read_categories(settings.domain)
    images = read_gold_source(gold)
    chosen = {source.name: pair_selections(images, read_selection_source(source)) for source in systems}
    selections = {name: {image: one.boxes for image, one in found.items()} for name, found in chosen.items()}
    ground, notes = _ground(images, development)
    names, missing = chosen_baselines(ground, settings.baselines)
    summaries = {
        name: compute.evaluate_selections(images, boxes, empty=settings.empty)
        for name, boxes in selections.items()
    } | {UPPER_BOUND: compute.human_upper_bound(images, empty=settings.empty)}
    orders = {name: compute.ordering_score(images, boxes) for name, boxes in selections.items()} | {
        UPPER_BOUND: compute.human_ordering(images)
    }
    resampled = _resampled(summaries, settings)
    rows = {name: _selection(name, summaries[name], orders[name], resampled) for name in summaries}
    people = rows.pop(UPPER_BOUND)
    found = {
        name: _with_categories(
            row, compute.category_recall(images, selections[name], categories_of=categories.of)
        )
        for name, row in rows.items()
    }
    first = next(iter(found.values()), None)
    return SelectionResult(
        signature=_signature(_identities(gold, ground, development, selections), settings, names, categories),
        images=len(images),
        descriptions=sum(len(image.descriptions) for image in images),
        boxes=sum(len(image.boxes) for image in images),
        development_images=len(ground.development),
        **{key: first[key] if first else math.nan for key in compute.MEASURES},
        sd=first.sd if first else None,
        systems=found,
        comparisons=_comparisons(list(found), resampled),
        baselines=_curves(baseline_scores(ground, names, settings)),
        upper_bound=people,
        categories=box_categories(images, categories),
        referring=_referring(images, chosen, categories.of_phrase),
        sentences=wanted_sentences(ground, settings),
        notes=(*notes, *missing, *_notes(images, settings, bool(systems))),
        shown=shown,
        by_image={name: _image_scores(summaries[name], orders[name]) for name in summaries},
    )


def _referring(
    images: Sequence[GoldImage],
    chosen: Mapping[str, Mapping[str, Selection]],
    categories: PhraseCategories | None,
) -> dict[str, Referring]:
    """Return how well systems' and people's phrases for boxes agree with other people's phrases."""
    if categories is None or not any(image.phrases for image in images):
        return {}
    people = compute.human_referring(images, categories)
    if not people.scores:
        return {}
    said = {name: {image: one.phrases for image, one in found.items()} for name, found in chosen.items()}
    summaries = {
        name: compute.referring_summary(images, phrases, categories)
        for name, phrases in said.items()
        if any(phrases.values())
    }
    return {
        name: Referring(**asdict(found.mean), boxes=found.images, sd=found.sd)
        for name, found in (*summaries.items(), (UPPER_BOUND, people))
    }


def _check_names(systems: Sequence[Source]) -> None:
    check_names(systems)
    if any(source.name == UPPER_BOUND for source in systems):
        raise UsageError(
            f"the name '{UPPER_BOUND}' is reserved for people", hint="give the system another name: NAME=FILE"
        )


def _ground(images: Sequence[GoldImage], development: GoldSource | None) -> tuple[Ground, tuple[str, ...]]:
    """Read the development set, without the images that are to be scored."""
    if development is None:
        return Ground(images, ()), ()
    scored = {image.image for image in images}
    found = read_gold_source(development)
    kept = tuple(image for image in found if image.image not in scored)
    if not kept:
        message = "every image of the development set is also scored, so nothing is left to count"
        raise UsageError(message, hint="give descriptions of other images with --development")
    shared = len(found) - len(kept)
    note = f"Removed from the development set, because they are scored here: {some(shared, 'image')}."
    return Ground(images, kept), (note,) if shared else ()


def _selection(
    name: str, summary: SelectionSummary, ordering: Ordering, resampled: Mapping[str, Resampled]
) -> SelectionRow:
    return SelectionRow(
        sd=summary.sd,
        intervals={key: found.interval(name) for key, found in resampled.items()},
        ordering=ordering,
        **values_of(compute.QUANTITIES, summary),
    )


def _with_categories(row: SelectionRow, categories: Sequence[CategoryRecall]) -> SystemSelection:
    """Return the row of a system, with its results by category of boxes."""
    found = {
        one.category: CategorySelection(
            selected_boxes=one.selected_boxes, recalled=one.recalled, recall=one.recall
        )
        for one in categories
    }
    never = tuple(one.category for one in categories if not one.selected_boxes)
    return SystemSelection(**dict(row), categories=found, never_selected=never)


def _curves(curves: Curves) -> dict[str, dict[int, BaselineScores]]:
    return {
        name: {k: BaselineScores(**asdict(found.mean), sd=found.sd) for k, found in curve.items()}
        for name, curve in curves.items()
    }


def _image_scores(summary: SelectionSummary, ordering: Ordering) -> dict[str, ImageScores]:
    return {
        image: ImageScores(**asdict(score), tau=ordering.taus[image])
        for image, score in summary.scores.items()
    }


def _resampled(
    summaries: Mapping[str, SelectionSummary], settings: SelectionSettings
) -> dict[str, Resampled]:
    """Resample images, with the same resamples for all systems and people."""
    if len(summaries) < 2 or len(summaries[UPPER_BOUND].scores) < FEWEST_IMAGES:
        return {}
    return compute.selection_intervals(summaries, resamples=settings.resamples, seed=settings.seed)


def _comparisons(systems: Sequence[str], resampled: Mapping[str, Resampled]) -> tuple[Comparison, ...]:
    """Compare each pair of systems, and each system with people."""
    pairs = [*combinations(systems, 2), *((name, UPPER_BOUND) for name in systems)]
    return tuple(
        Comparison(first=first, second=second, measure=letter, difference=difference, p=p)
        for first, second in pairs
        for letter, values in resampled.items()
        for difference, p in [values.difference(first, second)]
    )


def _notes(images: Sequence[GoldImage], settings: SelectionSettings, systems: bool) -> Iterator[str]:
    if systems and len(images) < FEWEST_IMAGES:
        yield f"Fewer than {FEWEST_IMAGES} images: too few for intervals."
    empty = sum(not description for image in images for description in image.descriptions)
    if empty:
        rule = "counted as 0" if settings.empty == "zero" else "left out"
        yield f"{some(empty, 'description')} without a box, {rule} (--empty zero or skip)."
    boxes = sum(len(image.boxes) for image in images)
    if boxes and boxes == sum(len(_mentioned(image)) for image in images):
        yield "Every box is mentioned in some description, so selecting many boxes looks better than it is."
    alone = sum(len(image.descriptions) < 2 for image in images)
    if alone:
        yield f"{some(alone, 'image')} with a single description, which cannot be compared with others."


def _mentioned(image: GoldImage) -> set[str]:
    return {box for description in image.descriptions for box in description}


def _identities(
    gold: GoldSource,
    ground: Ground,
    development: GoldSource | None,
    selections: Mapping[str, Selections],
) -> tuple[InputIdentity, ...]:
    found = [gold_identity(gold.source.name, ground.gold)]
    if development is not None:
        found.append(gold_identity(f"{development.source.name} (development)", ground.development))
    return (*found, *(selection_identity(name, chosen) for name, chosen in selections.items()))


def _signature(
    inputs: tuple[InputIdentity, ...],
    settings: SelectionSettings,
    baselines: Sequence[str],
    categories: Categories,
) -> Signature:
    return Signature(
        taxonomy=categories.taxonomy,
        inputs=inputs,
        settings={
            "baselines": ",".join(baselines) or None,
            "draws": settings.draws,
            "empty": settings.empty,
            "most": settings.most,
            "resamples": settings.resamples,
            "seed": settings.seed,
        },
    )

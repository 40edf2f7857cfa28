"""Content selection of files: systems, baselines and people on the same images."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from assess.corpus.source import Source, check_names
from assess.errors import UsageError, visible
from assess.grammar import Parser
from assess.measures.intervals import FEWEST_IMAGES, Resampled
from assess.measures.selection.baselines import (
    BASELINES,
    TextPriors,
    baseline_curves,
    baseline_orders,
    expected_random_curve,
    text_priors,
)
from assess.measures.selection.compute import (
    CategoriesOf,
    OrderingScore,
    SelectionSummary,
    baseline_sentences,
    category_recall,
    concept_term,
    evaluate_selections,
    human_upper_bound,
    kendall_tau,
    ordering_score,
    selection_intervals,
    source_categories,
)
from assess.measures.selection.files import (
    GoldSource,
    gold_identity,
    read_gold_source,
    read_selection_source,
    selection_identity,
)
from assess.measures.selection.input import Box, GoldImage, pair_selections
from assess.measures.selection.result import (
    UPPER_BOUND,
    BoxCategories,
    Curve,
    GeneratedSentences,
    GoldFacts,
    SelectionRun,
    SelectionSettings,
    SentenceRequest,
    SystemSelection,
)
from assess.signature import InputIdentity, Signature
from assess.taxonomy import load_taxonomy

# Which baselines of content selection an input allows, their curves and their sentences.

_VISUAL, _TEXTUAL = frozenset({"position", "size"}), frozenset({"unigram", "bigram"})


@dataclass(frozen=True, slots=True)
class Ground:
    """What baselines stand on: the gold images, and a development set that shares none with them."""

    gold: Sequence[GoldImage]
    development: Sequence[GoldImage]

    @property
    def priors(self) -> TextPriors:
        """What the development set says about concepts."""
        return text_priors(self.development)


def chosen_baselines(ground: Ground, wanted: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the baselines to run, and notes on those that the input does not allow."""
    if wanted is None:
        return _allowed(ground)
    for name in wanted:
        check_baseline(name, ground)
    return tuple(name for name in BASELINES if name in wanted), ()


def check_baseline(name: str, ground: Ground) -> None:
    """Raise `UsageError` where there is no such baseline, or it lacks a development set."""
    if name not in BASELINES:
        message = f"no baseline is called '{visible(name)}'"
        raise UsageError(message, hint=f"there are {', '.join(BASELINES)}")
    if _parts(name) & _TEXTUAL and not ground.development:
        message = f"the baseline {name} counts what a development set mentions"
        raise UsageError(message, hint="give other gold descriptions with --development FILE")


def _allowed(ground: Ground) -> tuple[tuple[str, ...], tuple[str, ...]]:
    shapes = any(box.geometry is not None for image in ground.gold for box in image.boxes)
    notes = []
    if not shapes:
        notes.append("No box has a geometry, so there are no baselines by position and size.")
    if not ground.development:
        notes.append("Without --development FILE there are no baselines by unigram and bigram.")
    if not shapes and not ground.development:
        # All that is left is chance over the boxes that people mention, which nobody could draw from.
        return (), tuple(notes)
    missing = (frozenset() if shapes else _VISUAL) | (frozenset() if ground.development else _TEXTUAL)
    return tuple(name for name in BASELINES if not _parts(name) & missing), tuple(notes)


def _parts(name: str) -> frozenset[str]:
    return frozenset(name.split("+"))


def baseline_scores(ground: Ground, names: Sequence[str], settings: SelectionSettings) -> dict[str, Curve]:
    """Score baselines for each k; the random one is the mean over several draws."""
    sure = baseline_curves(
        ground.gold,
        ground.priors,
        seed=settings.seed,
        most=settings.most,
        baselines=[name for name in names if name != "random"],
        empty=settings.empty,
    )
    curves: dict[str, Curve] = {}
    for name in names:
        curves[name] = sure[name] if name != "random" else _chance(ground, settings)
    return curves


def _chance(ground: Ground, settings: SelectionSettings) -> Curve:
    return expected_random_curve(
        ground.gold, draws=settings.draws, seed=settings.seed, most=settings.most, empty=settings.empty
    )


def generated_sentences(
    ground: Ground, request: SentenceRequest, settings: SelectionSettings
) -> GeneratedSentences:
    """Make the sentences of one baseline."""
    check_baseline(request.baseline, ground)
    most = request.most or mean_mentions(ground.development or ground.gold)
    orders = baseline_orders(ground.gold, ground.priors, baseline=request.baseline, seed=settings.seed)
    sentences = baseline_sentences(ground.gold, orders, most=most, seed=settings.seed)
    return GeneratedSentences(request.baseline, most, sentences)


def mean_mentions(images: Sequence[GoldImage]) -> int:
    """Return how many boxes a description mentions on average, rounded, and at least one."""
    return max(1, round(fmean(len(description) for image in images for description in image.descriptions)))


# Categories of boxes: those of a taxonomy, by its reading of a box's concept, or the input's own.

OWN = "the input's own"


@dataclass(frozen=True, slots=True)
class Categories:
    """How boxes are sorted into categories."""

    of: CategoriesOf
    domain: str = OWN
    taxonomy: str | None = None  # its identity; None for the input's own categories
    heads: tuple[str, ...] = ()  # the categories that a taxonomy has


def read_categories(domain: str | None) -> Categories:
    """Return the head categories of a domain as categories of boxes, or the input's own."""
    if domain is None:
        return Categories(source_categories)
    taxonomy = load_taxonomy(domain)
    parser = Parser(taxonomy)

    def heads(box: Box) -> tuple[str, ...]:
        return parser.analyse(concept_term(box.concept)).best.heads

    return Categories(heads, taxonomy.taxonomy, taxonomy.identity, tuple(taxonomy.heads))


def box_categories(images: Sequence[GoldImage], categories: Categories) -> BoxCategories | None:
    """Count boxes and people's mentions by category; None where boxes have no categories at all."""
    people = category_recall(images, {image.image: () for image in images}, categories_of=categories.of)
    if not people and categories.taxonomy is None:
        return None
    found = {category.category for category in people}
    return BoxCategories(
        source=categories.domain,
        people=people,
        uncategorised=sum(not tuple(categories.of(box)) for image in images for box in image.boxes),
        without_boxes=tuple(name for name in categories.heads if name not in found),
    )


Selections = Mapping[str, tuple[str, ...]]  # by image


def run_selection(
    gold: GoldSource,
    systems: Sequence[Source] = (),
    *,
    development: GoldSource | None = None,
    settings: SelectionSettings | None = None,
) -> SelectionRun:
    """Score systems, baselines and people by which boxes they mention."""
    settings = settings or SelectionSettings()
    _check_names(systems)
    categories = read_categories(settings.domain)
    images = read_gold_source(gold)
    selections = {source.name: pair_selections(images, read_selection_source(source)) for source in systems}
    ground, notes = _ground(images, development)
    names, missing = chosen_baselines(ground, settings.baselines)
    found = _systems(images, selections, categories, settings)
    people = human_upper_bound(images, empty=settings.empty)
    facts = _facts(ground)
    return SelectionRun(
        signature=_signature(_identities(gold, ground, development, selections), settings, names, categories),
        settings=settings,
        gold=facts,
        systems=found,
        baselines=baseline_scores(ground, names, settings),
        upper_bound=people,
        human_ordering=human_ordering(images),
        categories=box_categories(images, categories),
        intervals=_intervals(found, people, settings),
        sentences=tuple(generated_sentences(ground, request, settings) for request in settings.sentences),
        notes=(*notes, *missing, *_notes(facts, settings, systems=bool(systems))),
    )


def human_ordering(gold: Sequence[GoldImage]) -> OrderingScore:
    """Return how alike people order their mentions: Kendall's tau of every two descriptions of an image."""
    taus = {image.image: _mean_tau(image.descriptions) for image in gold}
    defined = [tau for tau in taus.values() if not math.isnan(tau)]
    return OrderingScore(len(defined), fmean(defined) if defined else math.nan, taus)


def _mean_tau(descriptions: Sequence[tuple[str, ...]]) -> float:
    taus = [kendall_tau(first, second) for first, second in combinations(descriptions, 2)]
    defined = [tau for tau in taus if not math.isnan(tau)]
    return fmean(defined) if defined else math.nan


def _check_names(systems: Sequence[Source]) -> None:
    check_names(systems)
    if any(source.name == UPPER_BOUND for source in systems):
        raise UsageError(f"'{UPPER_BOUND}' names people", hint="give the system another name: NAME=FILE")


def _ground(images: Sequence[GoldImage], development: GoldSource | None) -> tuple[Ground, tuple[str, ...]]:
    """Read the development set; what is to be scored must not be counted, so its images are left out."""
    if development is None:
        return Ground(images, ()), ()
    scored = {image.image for image in images}
    found = read_gold_source(development)
    kept = tuple(image for image in found if image.image not in scored)
    if not kept:
        message = "every image of the development set is scored, so nothing is left to count"
        raise UsageError(message, hint="give descriptions of other images with --development")
    shared = len(found) - len(kept)
    note = f"{shared:,} images of the development set are scored here and were left out of it."
    return Ground(images, kept), (note,) if shared else ()


def _systems(
    images: Sequence[GoldImage],
    selections: Mapping[str, Selections],
    categories: Categories,
    settings: SelectionSettings,
) -> dict[str, SystemSelection]:
    return {
        name: SystemSelection(
            evaluate_selections(images, chosen, empty=settings.empty),
            ordering_score(images, chosen),
            category_recall(images, chosen, categories_of=categories.of),
        )
        for name, chosen in selections.items()
    }


def _intervals(
    systems: Mapping[str, SystemSelection], people: SelectionSummary, settings: SelectionSettings
) -> dict[str, Resampled] | None:
    """Resample images, the same ones for every system and for people."""
    if not systems or len(people.scores) < FEWEST_IMAGES:
        return None
    summaries = {name: system.summary for name, system in systems.items()} | {UPPER_BOUND: people}
    return selection_intervals(summaries, resamples=settings.resamples, seed=settings.seed)


def _facts(ground: Ground) -> GoldFacts:
    descriptions = [description for image in ground.gold for description in image.descriptions]
    return GoldFacts(
        images=len(ground.gold),
        descriptions=len(descriptions),
        empty_descriptions=sum(not description for description in descriptions),
        single_descriptions=sum(len(image.descriptions) < 2 for image in ground.gold),
        boxes=sum(len(image.boxes) for image in ground.gold),
        mentioned_boxes=sum(len(_mentioned(image)) for image in ground.gold),
        development=len(ground.development),
    )


def _mentioned(image: GoldImage) -> set[str]:
    return {box for description in image.descriptions for box in description}


def _notes(facts: GoldFacts, settings: SelectionSettings, *, systems: bool) -> list[str]:
    notes = []
    if systems and facts.images < FEWEST_IMAGES:
        notes.append(f"Fewer than {FEWEST_IMAGES} images: too few for intervals.")
    if facts.empty_descriptions:
        rule = "count 0" if settings.empty == "zero" else "are left out"
        notes.append(
            f"{facts.empty_descriptions:,} descriptions mention no box; they {rule} (--empty zero or skip)."
        )
    if facts.boxes and facts.mentioned_boxes == facts.boxes:
        notes.append("Every box is mentioned by someone, so selecting many looks better than it is.")
    if facts.single_descriptions:
        number = facts.single_descriptions
        notes.append(f"{number:,} images have one description, so nobody to compare it with.")
    return notes


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

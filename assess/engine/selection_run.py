"""Content selection of files: systems, baselines and people on the same images."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean

from assess.corpus.selection_input import GoldImage, pair_selections
from assess.corpus.source import Source, check_names
from assess.engine.selection_baselines import Ground, baseline_scores, chosen_baselines, generated_sentences
from assess.engine.selection_categories import Categories, box_categories, read_categories
from assess.engine.selection_files import (
    GoldSource,
    gold_identity,
    read_gold_source,
    read_selection_source,
    selection_identity,
)
from assess.engine.selection_result import (
    UPPER_BOUND,
    GoldFacts,
    SelectionRun,
    SelectionSettings,
    SystemSelection,
)
from assess.errors import UsageError
from assess.metrics.bootstrap import FEWEST_IMAGES, Resampled
from assess.metrics.selection import SelectionSummary, evaluate_selections, human_upper_bound
from assess.metrics.selection_categories import category_recall
from assess.metrics.selection_intervals import selection_intervals
from assess.metrics.selection_ordering import OrderingScore, kendall_tau, ordering_score
from assess.signature import InputIdentity, Signature

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

"""Recall of caption files: what people say about the same images, and what systems omit."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import TypeVar

import numpy as np

from assess.annotate.model import ModelIdentity
from assess.corpus import check_names
from assess.corpus.source import STANDARD_INPUT
from assess.engine.captions import SourceCaptions, descriptions, measure_signature
from assess.errors import UsageError, some
from assess.grammar import load_grammar
from assess.measures.image_sets import Training, left_out, read_inputs, references_in_common, unequal_sets
from assess.measures.intervals import Intervals, Resampling, pair_rows, paired_intervals, tally_statistics
from assess.measures.measure import Inputs
from assess.measures.recall.categories import run_category_recall
from assess.measures.recall.compute import Omission, by_count, by_miss_ratio, global_recall, omitted_words
from assess.measures.recall.local import (
    LocalTallies,
    ReferenceWords,
    Spoken,
    WordMisses,
    WordNumbers,
    compare,
    recall_of_tallies,
    spoken,
    words_of_references,
)
from assess.measures.recall.quantities import (
    QUANTITIES,
    Local,
    Missed,
    Omitted,
    RecallResult,
    SystemRecall,
    local_values,
)
from assess.measures.settings import RecallSettings
from assess.measures.words import WordUse, is_content, is_word, word_uses
from assess.records import Depth
from assess.report.quantity import values_of

Value = TypeVar("Value", int, float)

RANKED = 100  # words kept in each ranking


@dataclass(frozen=True, slots=True, eq=False)
class _Evaluation:
    """What the systems are compared with."""

    references: ReferenceWords
    counts: Mapping[str, int]  # word counts of the references
    words: Mapping[str, int]  # the same without punctuation
    training: Mapping[str, int] | None
    classes: int
    settings: RecallSettings


def run_recall(inputs: Inputs, settings: RecallSettings) -> RecallResult:
    """Measure the recall of systems against references of the same images."""
    if not inputs.references:
        raise UsageError("recall needs references", hint="give human captions with --references")
    check_names(inputs.all_sources)
    grammar = load_grammar(settings.domain) if settings.domain else None
    if grammar and any(source.path == STANDARD_INPUT for source in inputs.all_sources):
        hint = "give a file, or omit --domain"
        raise UsageError(
            "--domain needs two passes over the captions, and standard input can be read only once", hint=hint
        )
    read = read_inputs(inputs, mode=settings.mode, depth=depth_of(settings))
    result = measure_recall(*read, settings, model=inputs.model)
    if grammar is None:
        return result
    found = run_category_recall(inputs, grammar, classes=settings.classes)
    signature = replace(result.signature, taxonomy=grammar.identity)
    return result.model_copy(update={"categories": found, "signature": signature})


def depth_of(settings: RecallSettings) -> Depth:
    """Return the required depth: with universal tags, auxiliaries are recognised by their relations."""
    return Depth.TREE if settings.tagset == "universal" else Depth.TAGS


def measure_recall(
    systems: Mapping[str, SourceCaptions],
    humans: Sequence[SourceCaptions],
    known: Training | None,
    settings: RecallSettings,
    *,
    model: ModelIdentity,
) -> RecallResult:
    """Measure the recall of systems whose captions have been read."""
    # number of references of each image
    everything = Counter(chain.from_iterable(corpus.images for corpus in humans))
    images = {name: set(corpus.images) for name, corpus in systems.items()}
    names = [corpus.summary.name for corpus in humans]
    kept = references_in_common(images, everything.keys(), names=names)
    numbers = WordNumbers()
    told = _spoken(humans, kept, numbers, settings)
    references = {image: everything[image] for image in told.images}
    word_counts = told.word_counts(numbers)
    evaluation = _Evaluation(
        references=words_of_references(told, numbers),
        counts=word_counts,
        words=_without_punctuation(word_counts),
        training=known.counts if known else None,
        classes=settings.classes or usual_number(references),
        settings=settings,
    )
    generated, counts = {}, {}
    for name, corpus in systems.items():
        said = _spoken([corpus], kept, numbers, settings)
        # Systems that describe none of these images are not measured.
        generated[name] = said.word_counts(numbers) if said.images else None
        # Only missed words of the highest class are ranked.
        highest = evaluation.classes
        counts[name] = compare(said, evaluation.references, classes=highest, least=highest)
    tallies = {name: found for name, (found, _) in counts.items()}
    misses = {name: found for name, (_, found) in counts.items()}
    summaries = [corpus.summary for corpus in (*systems.values(), *humans)]
    warnings = unequal_sets(images)
    return RecallResult(
        signature=measure_signature(
            model, [*summaries, *(known.summaries if known else ())], _recorded(settings, humans, known)
        ),
        images=len(kept),
        classes=evaluation.classes,
        systems={
            name: _system(corpus, generated[name], misses[name], tallies[name], evaluation)
            for name, corpus in systems.items()
        },
        omitted=_omitted(
            set().union(*(words or () for words in generated.values())),
            reduce(operator.add, misses.values(), WordMisses()),
            evaluation,
            systems=len(systems),
        ),
        notes=(*warnings, *_notes(everything, references, evaluation)),
        intervals=_intervals(tallies, evaluation) if settings.intervals else None,
        warnings=warnings,
        top=settings.top,
    )


def _recorded(
    settings: RecallSettings, humans: Sequence[SourceCaptions], known: Training | None
) -> dict[str, str | int | float | bool | None]:
    return {
        "mode": settings.mode,
        "tagset": settings.tagset,
        "classes": settings.classes,
        "least": settings.least,
        "references": ",".join(corpus.summary.name for corpus in humans),
        "train": ",".join(summary.name for summary in known.summaries) if known else None,
        "resamples": settings.resamples if settings.intervals else None,
        "seed": settings.seed if settings.intervals else None,
    }


def usual_number(references: Mapping[str, int]) -> int:
    """Return the number of references that most images have; the smaller one in a tie."""
    counts = Counter(references.values())
    return min(counts, key=lambda number: (-counts[number], number))


def _spoken(
    sources: Sequence[SourceCaptions], kept: set[str], numbers: WordNumbers, settings: RecallSettings
) -> Spoken:
    """Return the captions of some images from all sources, as columns."""
    if settings.tagset == "universal":  # which also needs trees
        found = descriptions(sources)
        return spoken(
            {image: texts for image, texts in found.items() if image in kept}, numbers, tagset=settings.tagset
        )
    places = {image: place for place, image in enumerate(dict.fromkeys(_images(sources, kept)))}
    parts = []
    for corpus in sources:
        chosen = np.fromiter((image in kept for image in corpus.images), dtype=np.bool_)
        texts = np.frombuffer(corpus.numbers, np.int32)[chosen]
        words, tags = corpus.store.columns(texts), corpus.store.tag_columns(texts)
        number = np.array([numbers[word.lower()] for word in words.vocabulary], dtype=np.int64)
        content = np.array([is_content(tag) for tag in tags.vocabulary], dtype=np.bool_)
        image = np.array([places[image] for image in _images([corpus], kept)], dtype=np.int64)
        parts.append((image, np.diff(words.starts), number[words.words], content[tags.words]))
    image, sizes, word, carries = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Spoken(list(places), image, np.repeat(np.arange(sizes.size), sizes), word, carries)


def _images(sources: Sequence[SourceCaptions], kept: set[str]) -> Iterator[str]:
    return (image for corpus in sources for image in corpus.images if image in kept)


def _system(
    corpus: SourceCaptions,
    generated: Counter[str] | None,
    misses: WordMisses,
    tallies: LocalTallies,
    evaluation: _Evaluation,
) -> SystemRecall:
    """Return a system's recall; `generated` is None if it describes no image with references."""
    settings = evaluation.settings
    vocabulary = global_recall(generated, evaluation.counts, training=evaluation.training, mode=settings.mode)
    local = recall_of_tallies(tallies, evaluation.references, described=corpus.summary.images)
    over, under = _uses(generated or Counter(), evaluation)
    empty = corpus.summary.empty
    numbers = {
        "captions": corpus.summary.captions,
        "images": local.images,
        **{
            key: getattr(vocabulary, key)
            for key in ("coverage", "limit", "recalled", "learnable", "evaluation")
        },
        "local_precision": local.micro_precision,
        "local_precision_macro": local.macro_precision,
    }
    return SystemRecall(
        deciles=vocabulary.deciles,
        local=Local(
            micro=_by_class(local.micro),
            macro=_by_class(local.macro),
            words=_by_class(local.words),
            recalled=_by_class(local.recalled),
        ),
        omitted=_omitted(generated, misses, evaluation),
        over_used=over,
        under_used=under,
        notes=(
            *vocabulary.notes,
            *local.notes,
            *((f"empty captions: {empty:,}; their recall is 0",) if empty else ()),
        ),
        **values_of(QUANTITIES, numbers),
    )


def _by_class(values: Iterable[Value]) -> dict[int, Value]:
    return dict(enumerate(values, start=1))


def _omitted(
    generated: Iterable[str] | None, misses: WordMisses, evaluation: _Evaluation, *, systems: int = 1
) -> Omitted:
    counts, training = evaluation.counts, evaluation.training
    learnable = counts.keys() if training is None else counts.keys() & training.keys()
    # Systems that describe nothing omit nothing.
    words = counts.keys() if generated is None else set(generated)
    top, least = evaluation.classes, evaluation.settings.least * systems
    return Omitted(
        train=omitted_words(words, training, learnable=learnable)[:RANKED] if training else (),
        references=omitted_words(words, counts, learnable=learnable)[:RANKED],
        absolute=tuple((one.word, one.missed) for one in by_count(misses, top)[:RANKED]),
        relative=_missed(by_miss_ratio(misses, top)),
        relative_min=_missed(by_miss_ratio(misses, top, least=least)),
        min=least,
    )


def _missed(omissions: Sequence[Omission]) -> Missed:
    return tuple((one.word, one.miss_ratio, one.missed, one.occurrences) for one in omissions[:RANKED])


def _without_punctuation(counts: Mapping[str, int]) -> dict[str, int]:
    return {word: count for word, count in counts.items() if is_word(word)}


def _uses(
    generated: Counter[str], evaluation: _Evaluation
) -> tuple[tuple[WordUse, ...], tuple[WordUse, ...]]:
    """Return the most over- and underused words; punctuation never counts as words here."""
    uses = word_uses(_without_punctuation(generated), evaluation.words)
    over = tuple(use for use in uses if use.use == "over")[:RANKED]
    return over, tuple(use for use in uses if use.use == "under")[:RANKED]


def _intervals(tallies: Mapping[str, LocalTallies], evaluation: _Evaluation) -> Intervals:
    settings = evaluation.settings
    paired = pair_rows(tallies)
    values = local_values(evaluation.classes)
    statistics = {name: tally_statistics(counts, values) for name, counts in paired.tallies.items()}
    return paired_intervals(
        paired.images,
        statistics,
        left_out=paired.left_out,
        resampling=Resampling(settings.resamples, seed=settings.seed),
    )


def _notes(
    everything: Mapping[str, int], kept: Mapping[str, int], evaluation: _Evaluation
) -> tuple[str, ...]:
    above = sum(references > evaluation.classes for references in kept.values())
    note = (
        f"{some(above, 'image')} with more than {evaluation.classes} references: words that more"
        " of them share are in no class"
    )
    return (*left_out(everything, kept), *((note,) if above else ()))

"""Captions and the annotated group of each image in, errors out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field

from assess.corpus import CorpusSummary, Source, check_names
from assess.corpus.source import STANDARD_INPUT
from assess.engine.captions import ImageJob, measure_signature
from assess.engine.jobs import Engine, Progress, in_this_process
from assess.errors import InputError, Place, UsageError, visible
from assess.grammar import load_grammar
from assess.grammar.groups import TELLING, TOLD_BY
from assess.measures.bias.groups import ImageGroups, missing_images, read_image_groups
from assess.measures.errors.compute import (
    CENTRED,
    OUTCOMES,
    PAIR_QUANTITIES,
    QUANTITIES,
    SHARE_QUANTITIES,
    ErrorNumbers,
    NamedCaption,
    Outcome,
    PairNumbers,
    Tallies,
    comparable,
    error_numbers,
    with_intervals,
)
from assess.measures.errors.naming import (
    NamingJob,
    Namings,
    PeopleRule,
    Rule,
    WordRule,
    check_values,
    fitting_group,
    read_word_list,
)
from assess.measures.group_settings import ErrorSettings
from assess.measures.intervals import Intervals, Resampling, Triple, pair, paired_intervals
from assess.measures.measure import Inputs, Model, Result, Row
from assess.signature import Signature


class NamedPair(Row):
    """What is named of one value of a group against another."""

    group: str
    against: str
    differences: dict[str, Triple]  # of the shares of each outcome: the group's less the other's


class WrongWord(Model):
    """A word that named a value other than the annotated one."""

    annotated: str
    named: str
    word: str
    captions: int


class ListedCaption(Model):
    """A caption behind a number."""

    image_id: str
    record: int  # the n-th caption of its file
    annotated: str
    outcome: Outcome
    named: tuple[str, ...]
    words: tuple[str, ...]  # that name a value
    caption: str


class SystemErrors(Row):
    """What the captions of one system name."""

    reference: bool = False
    groups: dict[str, Row]  # by annotated value
    pairs: tuple[NamedPair, ...]
    wrong_words: tuple[WrongWord, ...]  # the commonest first
    listed: tuple[ListedCaption, ...] = ()  # some captions of each annotated value and outcome


class ErrorsResult(Result):
    """How often captions name a group other than the annotated one."""

    measure: ClassVar[str] = "errors"
    if_known: ClassVar[tuple[str, ...]] = ("paired",)

    group: str  # that the file annotates, as the domain or the list of words calls it
    values: tuple[str, ...]
    systems: dict[str, SystemErrors]
    paired: Intervals | None = None  # differences between systems, on the images that all of them describe
    notes: tuple[str, ...] = ()
    # Every caption, by system: in files of their own, as there are as many as captions.
    captions: dict[str, tuple[ListedCaption, ...]] = Field({}, exclude=True)


# The measure.


def run_errors(
    inputs: Inputs,
    settings: ErrorSettings,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ErrorsResult:
    """Measure how often captions name a group other than the annotated one.

    Without an engine, all is done here and now.
    """
    groups = read_image_groups(settings.groups)
    if not groups.values:
        raise InputError("the file annotates no group that a caption could name", place=Place(groups.file))
    rule = _rule(settings, groups)
    check_names([*inputs.systems, *inputs.references])
    engine = engine or in_this_process(settings.model)
    return measure_errors(inputs, groups, rule, settings, engine=engine, progress=progress)


def _rule(settings: ErrorSettings, groups: ImageGroups) -> Rule:
    if settings.words is None:
        grammar = load_grammar(settings.domain)
        return PeopleRule(grammar, fitting_group(grammar, groups, settings.by), TELLING[settings.told_by])
    if settings.by or settings.told_by != "words":
        raise UsageError(
            "--words takes the place of the domain: --by and --told-by have no meaning then",
            hint="leave out either --words or the others",
        )
    found = read_word_list(settings.words)
    check_values(found.values, groups, f"the word list '{visible(str(settings.words))}'")
    return found


def measure_errors(
    inputs: Inputs,
    groups: ImageGroups,
    rule: Rule,
    settings: ErrorSettings,
    *,
    engine: Engine,
    progress: Progress | None = None,
) -> ErrorsResult:
    """Measure errors by a rule that fits the values of a groups file."""
    sources = [*inputs.systems, *inputs.references]
    annotated = {image: value for image, value in groups.by_image.items() if value in groups.values}
    # Ids that do not match are told before any work, except those of standard input: it is read once.
    early = not any(source.path == STANDARD_INPUT for source in sources)
    notes = _check(engine, inputs, groups, settings) if early else []
    job = NamingJob(rule, frozenset(annotated) if early else None, groups.sha256 if early else "")
    read = engine.run(job, sources, progress=progress)
    if not early:
        notes = _checked(
            {s: {c.image for c in read[s.name].captions} for s in sources}, inputs, groups, settings
        )
    listed = {name: tuple(_listed(found, annotated)) for name, found in read.items()}
    tallies = {name: Tallies.of(map(_named, found), groups.values) for name, found in listed.items()}
    resampling = Resampling(settings.resamples, seed=settings.seed)
    human = {source.name for source in inputs.references}
    systems = {
        name: _system(
            error_numbers(found, resampling), listed[name], most=settings.listed, reference=name in human
        )
        for name, found in tallies.items()
    }
    return ErrorsResult(
        signature=_signature(rule, groups, settings, engine, [found.summary for found in read.values()]),
        group=rule.group if isinstance(rule, PeopleRule) else groups.name,
        values=groups.values,
        systems=systems,
        paired=_paired({name: found for name, found in tallies.items() if name not in human}, resampling),
        notes=(*notes, *_left_out(groups), *_silent(systems)),
        captions=listed,
    )


def _check(engine: Engine, inputs: Inputs, groups: ImageGroups, settings: ErrorSettings) -> list[str]:
    sources = [*inputs.systems, *inputs.references]
    found = engine.run(ImageJob(), sources)
    return _checked({source: found[source.name].images for source in sources}, inputs, groups, settings)


def _checked(
    images: Mapping[Source, Iterable[str]], inputs: Inputs, groups: ImageGroups, settings: ErrorSettings
) -> list[str]:
    """Compare the images of all files with those of the groups; references may have more of them."""
    notes = []
    for source, found in images.items():
        partial = settings.partial or source in inputs.references
        missing = missing_images(groups, set(found), file=source.file, partial=partial)
        if missing:
            notes.append(f"{missing}; they are left out")
    return notes


def _listed(read: Namings, annotated: Mapping[str, str]) -> Iterator[ListedCaption]:
    for caption in read.captions:
        if caption.image in annotated:
            told, value = read.told[caption.text], annotated[caption.image]
            yield ListedCaption(
                image_id=caption.image,
                record=caption.record,
                annotated=value,
                outcome=NamedCaption(caption.image, value, told.values).outcome,
                named=told.values,
                words=tuple(dict.fromkeys(word for _, word in told.told)),
                caption=caption.text,
            )


def _named(caption: ListedCaption) -> NamedCaption:
    return NamedCaption(caption.image_id, caption.annotated, caption.named)


def _system(
    found: ErrorNumbers, captions: Sequence[ListedCaption], *, most: int, reference: bool
) -> SystemErrors:
    return SystemErrors(
        reference=reference,
        groups={
            value: Row(**with_intervals(SHARE_QUANTITIES, shares)) for value, shares in found.groups.items()
        },
        pairs=tuple(map(_pair, found.pairs)),
        wrong_words=_wrong_words(captions),
        listed=_examples(captions, most),
        **with_intervals(QUANTITIES, found),
    )


def _pair(found: PairNumbers) -> NamedPair:
    return NamedPair(
        group=found.group,
        against=found.against,
        differences={outcome: found.differences[outcome] for outcome in OUTCOMES},
        **with_intervals(PAIR_QUANTITIES, found),
    )


def _wrong_words(captions: Iterable[ListedCaption]) -> tuple[WrongWord, ...]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for caption in captions:
        if caption.outcome == "incorrect":
            counts.update((caption.annotated, caption.named[0], word) for word in caption.words)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        WrongWord(annotated=annotated, named=named, word=word, captions=number)
        for (annotated, named, word), number in ordered
    )


def _examples(captions: Iterable[ListedCaption], most: int) -> tuple[ListedCaption, ...]:
    """Return the first captions of each annotated value and outcome, in the order of the file."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for caption in captions:
        seen[caption.annotated, caption.outcome] += 1
        if seen[caption.annotated, caption.outcome] <= most:
            found.append(caption)
    return tuple(found)


def _paired(tallies: Mapping[str, Tallies], resampling: Resampling) -> Intervals | None:
    """Return differences between systems on the images that all of them describe; None for one system."""
    if len(tallies) < 2:
        return None
    paired = pair(
        {name: dict(zip(found.images, found.counts, strict=True)) for name, found in tallies.items()}
    )
    shared = {
        name: replace(found, images=paired.images, counts=paired.tallies[name])
        for name, found in tallies.items()
    }
    return paired_intervals(
        paired.images,
        {name: comparable(found) for name, found in shared.items()},
        left_out=paired.left_out,
        resampling=resampling,
        centred=CENTRED,
    )


def _left_out(groups: ImageGroups) -> Iterator[str]:
    others = Counter(value for value in groups.by_image.values() if value not in groups.values)
    if others:
        told = ", ".join(f"{visible(value, 40)} {number:,}" for value, number in sorted(others.items()))
        yield f"images that '{visible(groups.file)}' assigns to no one group are left out: {told}"


MOSTLY = 0.9
"""A system that names no group in so many captions has few chances of an error."""


def _silent(systems: Mapping[str, SystemErrors]) -> Iterator[str]:
    for name, system in systems.items():
        if system.get("neither", 0) > MOSTLY:
            share = f"{system['neither']:.0%}"
            yield f"{visible(name, 40)} names no one group in {share} of captions: a low error means little"


def _signature(
    rule: Rule,
    groups: ImageGroups,
    settings: ErrorSettings,
    engine: Engine,
    summaries: Iterable[CorpusSummary],
) -> Signature:
    recorded: dict[str, Any] = {
        "groups": f"{groups.name}#{groups.sha256[:12]}",
        "by": rule.group if isinstance(rule, PeopleRule) else None,
        "told_by": ",".join(rule.told_by)
        if isinstance(rule, PeopleRule) and rule.told_by != TOLD_BY
        else None,
        "words": rule.identity[0] if isinstance(rule, WordRule) else None,
        "partial": settings.partial or None,
        "resamples": settings.resamples,
        "seed": settings.seed,
    }
    found = measure_signature(engine.annotations.identity, summaries, recorded)
    return replace(found, taxonomy=rule.grammar.identity) if isinstance(rule, PeopleRule) else found

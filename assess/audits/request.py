"""Requests for audits, from the command line or from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from assess.audits.pipeline import CountedAudit, Settings, known_audit
from assess.audits.result import AuditResult
from assess.audits.saved import read_measure
from assess.corpus import Source, check_names
from assess.corpus.source import STANDARD_INPUT
from assess.engine.captions import CaptionKeeper
from assess.engine.jobs import THIS_MACHINE, EngineRequest, Progress
from assess.errors import AssessError, InputError, one_of
from assess.grammar import Grammar, load_grammar
from assess.grammar.groups import TELLING
from assess.measures.bias.groups import parse_contrast, read_image_groups, with_crossings
from assess.measures.coverage.run import MentionSink
from assess.measures.errors.naming import PeopleRule, fitting_group, groups_named
from assess.measures.errors.run import measure_errors
from assess.measures.group_settings import (
    USUAL_READING,
    USUAL_RULES,
    ErrorSettings,
    ReadingSettings,
    VerdictSettings,
)
from assess.measures.measure import Inputs, Result
from assess.measures.registry import find_measure, names, others
from assess.measures.run import NOTHING_MEASURED, MeasureRequest, Measures, caption_keeper, run_measures
from assess.measures.settings import declared

FIRST_GROUP = None
"""Contrast the domain's first group, if it has one."""

FURTHER = ("syntax", "leakage", "amplification", "postgen")
"""Measures that an audit includes only on request, in the order of reports."""


@dataclass(frozen=True, slots=True)
class GroupRequest:
    """Groups from files, the pairs to contrast, and the rules for verdicts."""

    files: tuple[str, ...] = ()
    partial: bool = False
    contrasts: tuple[str, ...] = ()
    rules: VerdictSettings = USUAL_RULES


@dataclass(frozen=True, slots=True)
class Request:
    """How to audit captions, and against what."""

    domain: str = "people"
    reading: ReadingSettings = USUAL_READING
    by: tuple[str, ...] | None = ()
    engine: EngineRequest = THIS_MACHINE
    groups: GroupRequest = GroupRequest()
    measures: MeasureRequest | None = None  # None: only categories and groups
    also: tuple[str, ...] = ()  # names of further measures, and files with results


def chosen_groups(by: list[str] | None, files: list[str] | None) -> tuple[str, ...] | None:
    """Return the domain's groups to contrast: those named, or the first, unless groups come from files."""
    return tuple(by or ()) if by or files else FIRST_GROUP


def settings_of(request: Request, grammar: Grammar) -> Settings:
    """Return the settings of a request for a domain."""
    reading, groups = request.reading, request.groups
    return Settings(
        model=reading.model,
        by=tuple(grammar.groups)[:1] if request.by is FIRST_GROUP else with_crossings(request.by),
        join_of=not reading.paper_chunks,
        after=not (reading.paper_chunks or reading.no_after),
        per=reading.per,
        told_by=TELLING[reading.told_by],
        image_groups=tuple(map(read_image_groups, groups.files)),
        partial=groups.partial,
        contrasts=tuple(map(parse_contrast, groups.contrasts)),
        bias=groups.rules,
    )


# Running an audit, for both the command line and Python.

Sources = tuple[list[Source], list[Source]]
"""Systems and references."""

Bars = Callable[[Sequence[Source]], AbstractContextManager[Progress | None]]
"""Shows the progress while sources are read."""


def no_bars(_sources: Sequence[Source]) -> AbstractContextManager[None]:
    """Show no progress."""
    return nullcontext()


def run_audit(
    sources: Sources, request: Request, *, mentions: MentionSink | None = None, bars: Bars = no_bars
) -> AuditResult:
    """Audit the captions of all sources, including the requested measures."""
    systems, references = sources
    training = request.measures.training if request.measures else ()
    check_names([*systems, *references, *training])
    further = _further(request.also)
    grammar = load_grammar(request.domain)
    settings = settings_of(request, grammar)
    with closing(request.engine.open(request.reading.model)) as engine:
        inputs = Inputs(systems, references, engine=engine)
        run = _Run(inputs, replace(inputs, training=training), request, bars)
        kept = caption_keeper(run.trained, request.measures) if request.measures else None
        with bars(inputs.all_sources) as progress:
            reading = replace(inputs, progress=progress)
            known = known_audit(reading, grammar, settings, mentions=mentions, keeper=kept)
        measured = run.with_errors(run.measured(known, kept), grammar, settings)
        return known.with_measures(run.with_further(measured, further))


def _further(also: Sequence[str]) -> dict[str, Result | None]:
    """Return further measures by name, with their results if they come from files; otherwise None."""
    found: dict[str, Result | None] = {}
    for asked in also:
        if asked.endswith(".json"):
            name, _, file = asked.rpartition("=")
            result = read_measure(Path(file), name or Path(file).stem)
            found[result.measure] = result
        else:
            found[one_of(asked, FURTHER, option="--also")] = None
    return {name: found[name] for name in names() if name in found}


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """What the measures of an audit share."""

    inputs: Inputs  # without training captions
    trained: Inputs  # with them
    request: Request
    bars: Bars

    @property
    def _read_once(self) -> bool:
        return any(source.path == STANDARD_INPUT for source in self.inputs.all_sources)

    def measured(self, known: CountedAudit, kept: CaptionKeeper | None) -> Measures:
        """Measure diversity and recall, and run registered measures, if requested."""
        request, everything = self.request.measures, self.inputs.all_sources
        if request is None:
            return NOTHING_MEASURED
        read = self.trained.training if kept and kept.take(everything) else self.trained.all_sources
        captions = sum(item.captions for item in known.result.signature.inputs)
        with self.bars(read) as progress:
            inputs = replace(self.trained, progress=progress)
            measured = run_measures(inputs, request, captions=captions, kept=kept)
        # What prevents our measures from reading the captions again also prevents registered ones.
        if measured.diversity is None:
            return measured
        if measured.recall is not None and known.recalled is not None:
            recall = measured.recall.model_copy(update={"categories": known.recalled})
            measured = replace(measured, recall=recall)
        # Registered measures of other packages run with default settings.
        found = (find_measure(name) for name in others())
        results = {one.name: one.run(self.trained, one.settings()) for one in found if one.run}
        return replace(measured, others=results)

    def with_errors(self, measured: Measures, grammar: Grammar, settings: Settings) -> Measures:
        """Add errors in naming groups, for the first group from a file whose values captions can name."""
        fitting = [groups for groups in settings.image_groups if groups_named(grammar, groups)]
        if not fitting:
            return measured
        if self._read_once:
            note = (
                "errors are not measured, because this takes a second pass over the captions and standard"
                " input can be read only once"
            )
            return replace(measured, notes=(*measured.notes, note))
        groups, *further = fitting
        rule = PeopleRule(grammar, fitting_group(grammar, groups, None), settings.told_by)
        chosen = ErrorSettings(groups.file, partial=settings.partial)
        with self.bars(self.inputs.all_sources) as progress:
            found = measure_errors(replace(self.inputs, progress=progress), groups, rule, chosen)
        notes = (
            f"errors are measured by {groups.name}; use `assess errors` to measure them by {other.name}"
            for other in further
        )
        return replace(measured, errors=found, notes=(*measured.notes, *notes))

    def with_further(self, measured: Measures, further: Mapping[str, Result | None]) -> Measures:
        """Add the requested measures. One that cannot run becomes a note, so that nothing else is lost."""
        others, notes = dict(measured.others), list(measured.notes)
        for name, result in further.items():
            try:
                others[name] = result or self._measured_now(name)
            except AssessError as error:
                notes.append(f"{name} is not measured: {error.problems[0].message}")
        return replace(measured, others=others, notes=tuple(notes))

    def _measured_now(self, name: str) -> Result:
        """Run a measure with the settings that it shares with the audit."""
        measure, request = find_measure(name), self.request
        given = {
            "model": request.reading.model,
            "domain": request.domain,
            "groups": next(iter(request.groups.files), None),
            "by": next((group for group in request.by or () if "," not in group), None),
        }
        fitting = {key: given[key] for key in declared(measure.settings) if key in given}
        assert measure.run is not None
        if self._read_once:
            raise InputError("it reads captions again, and standard input is read only once")
        with self.bars(self.inputs.all_sources) as progress:
            return measure.run(replace(self.inputs, progress=progress), measure.settings(**fitting))

"""Running an audit: the one way that the command line and Python share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace

from assess.api.cluster import annotating_workers, reading_workers
from assess.api.request import Request, settings_of
from assess.corpus import Source, check_names
from assess.engine.annotating import AnnotationService
from assess.engine.counting import MentionSink, Progress
from assess.engine.measures_run import NOTHING_MEASURED, Measures, run_measures
from assess.pipeline import Audit, audit
from assess.taxonomy import load_taxonomy

Sources = tuple[list[Source], list[Source]]
"""Systems, and references."""

Bars = Callable[[Sequence[Source]], AbstractContextManager[Progress | None]]
"""Shows how far the reading of sources is, while it goes on."""


def no_bars(_sources: Sequence[Source]) -> AbstractContextManager[None]:
    """Show nothing."""
    return nullcontext()


def run_audit(
    sources: Sources, request: Request, *, mentions: MentionSink | None = None, bars: Bars = no_bars
) -> Audit:
    """Audit the captions of all sources, and measure what was asked for beside it."""
    systems, references = sources
    training = request.measures.training if request.measures else ()
    check_names([*systems, *references, *training])
    taxonomy = load_taxonomy(request.domain)
    settings = settings_of(request, taxonomy)
    cluster = request.cluster.connect() if request.cluster else None
    cache = not request.no_cache
    service = AnnotationService(
        request.model,
        processes=request.processes,
        cache=cache,
        workers=annotating_workers(cluster, request.model),
    )
    with closing(service):
        with bars([*systems, *references]) as progress:
            result = audit(
                systems,
                taxonomy,
                references=references,
                settings=settings,
                progress=progress,
                mentions=mentions,
                annotations=service,
                partitions=reading_workers(cluster, taxonomy, settings, cache=cache, request=request.cluster),
            )
        return replace(result, measures=_measured(result, sources, request, service, bars))


def _measured(
    result: Audit, sources: Sources, request: Request, service: AnnotationService, bars: Bars
) -> Measures:
    if request.measures is None:
        return NOTHING_MEASURED
    systems, references = sources
    captions = sum(system.summary.captions for system in result.systems.values())
    with bars([*request.measures.training, *systems, *references]) as progress:
        return run_measures(
            systems,
            references,
            request.measures,
            captions=captions,
            annotations=service,
            progress=progress,
        )

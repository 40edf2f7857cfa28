"""What the author's commands over captions share: options, reading, and the evidence at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli.caption_fields import AS_FOUND, CaptionFields

if TYPE_CHECKING:
    from assess.engine.advice import Adviser
    from assess.engine.survey import Survey
    from assess.records import Role
    from assess.signature import Signature

Most = Annotated[int | None, typer.Option("--most", min=1, help="How many words to show.")]
Least = Annotated[int, typer.Option("--least", min=1, help="Leave out words of fewer chunks.")]
RoleOption = Annotated[
    str | None, typer.Option("--role", help="Only head or only modifier words; both if not given.")
]
NoVectors = Annotated[bool, typer.Option("--no-vectors", help="Do not use word vectors, if they are there.")]


@dataclass(frozen=True, slots=True)
class SurveyRequest:
    """Which captions to read, and how."""

    files: list[str]
    domain: str
    model: str | None = None
    processes: int | None = None
    no_cache: bool = False
    fields: CaptionFields = AS_FOUND


def role_of(name: str | None) -> tuple[Role, ...]:
    """Return the roles that an option names; both where it names none."""
    from assess.cli.measure_output import one_of

    roles: tuple[Role, ...] = ("modifier", "head")
    return roles if name is None else (one_of(name, roles, option="--role"),)


def run_survey(request: SurveyRequest) -> Survey:
    """Read captions with a domain, with progress bars."""
    from assess.cli.console import progress_bars
    from assess.cli.measure_output import annotation_service
    from assess.engine.survey import survey
    from assess.taxonomy import load_taxonomy

    sources, _ = request.fields.sources(request.files)
    taxonomy = load_taxonomy(request.domain)
    service = annotation_service(request.model, request.processes, request.no_cache)
    with service as annotations, progress_bars(sources) as progress:
        return survey(sources, taxonomy, annotations=annotations, progress=progress)


def make_adviser(found: Survey, *, no_vectors: bool) -> tuple[Adviser, Signature]:
    """Return an adviser with all the evidence at hand, and a signature that names it."""
    from dataclasses import replace

    from assess.annotate.vectors import load_vectors, vectors_package
    from assess.engine.advice import Adviser
    from assess.metrics.wordnet import find_wordnet

    vectors = load_vectors() if vectors_package() and not no_vectors else None
    wordnet = find_wordnet()
    adviser = Adviser(found.taxonomy, found.company, vectors=vectors, wordnet=wordnet)
    settings = {**found.signature.settings, "evidence": ", ".join(adviser.kinds)}
    if vectors is not None:
        settings["vectors"] = vectors.name
    return adviser, replace(found.signature, settings=settings)

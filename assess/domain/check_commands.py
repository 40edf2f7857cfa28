"""Commands that show domains and check them: list, show, lint and test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assess.cli import options
from assess.cli.help import domain_names
from assess.domain.caption_commands import AS_USUAL
from assess.errors import AssessError, Problem, some

if TYPE_CHECKING:
    from assess.domain.caption_index import CaptionIndex
    from assess.domain.overview import ExampleResult
    from assess.signature import Signature
    from assess.taxonomy import Taxonomy
    from assess.taxonomy.strict_yaml import Document

Name = Annotated[
    str,
    typer.Argument(
        metavar="DOMAIN", help="Name of a domain, or path of a .yaml file.", autocompletion=domain_names
    ),
]


def list_domains(as_json: options.AsJson = False) -> None:
    """List the domains that come with assess.

    Example: assess domain list
    """
    from assess.cli.console import print_json, print_table
    from assess.report.section import Table, number_columns, row_of, text_columns
    from assess.report.text import UNDEFINED
    from assess.signature import Signature
    from assess.taxonomy.compose import OURS, known_domains

    found = [
        {"domain": domain.name, **_facts(domain.name), "package": domain.package}
        for domain in known_domains()
    ]
    if as_json:
        print_json({"signature": Signature().as_dict(), "domains": found})
        return
    with_package = any(facts["package"] != OURS for facts in found)
    columns = (
        *text_columns("domain", "version", narrowed=""),
        *number_columns("heads", "modifiers"),
        *(text_columns("package") if with_package else ()),
        *text_columns("description"),
    )
    rows = []
    for facts in found:
        cells = [
            UNDEFINED if facts[key] is None else str(facts[key]) for key in ("version", "heads", "modifiers")
        ]
        package = [facts["package"]] if with_package else []
        description = facts["description"] if facts["broken"] is None else f"broken: {facts['broken']}"
        rows.append(row_of(facts["domain"], *cells, *package, description))
    print_table(Table("domains", "Domains", columns, tuple(rows)))


def _facts(name: str) -> dict[str, Any]:
    """Return a domain's version, its numbers of categories, and its description or what is wrong with it."""
    from assess.taxonomy import load_taxonomy

    try:
        taxonomy = load_taxonomy(name)
    except AssessError as error:
        facts = dict.fromkeys(("version", "heads", "modifiers", "description"))
        return {**facts, "broken": error.problems[0].message}
    return {
        "version": taxonomy.version,
        "heads": len(taxonomy.heads),
        "modifiers": len(taxonomy.modifiers),
        "description": " ".join(taxonomy.description.split()),
        "broken": None,
    }


def show(domain: Name, as_json: options.AsJson = False) -> None:
    """Show a taxonomy as a tree, with statistics.

    Example: assess domain show people
    """
    from assess.cli.console import output, print_json
    from assess.domain.overview import taxonomy_tree
    from assess.grammar import load_grammar
    from assess.taxonomy import load_taxonomy

    taxonomy = load_taxonomy(domain)
    if as_json:
        print_json(_taxonomy_shape(taxonomy, load_grammar(domain).identity))
    else:
        output().print(taxonomy_tree(taxonomy))


def _taxonomy_shape(taxonomy: Taxonomy, identity: str) -> dict[str, Any]:
    """Return the shape of `assess domain show --json`: what the tree shows, with all words."""
    from assess.domain.overview import numbers_of_phrases
    from assess.signature import Signature

    phrases = numbers_of_phrases(taxonomy)
    return {
        "signature": Signature(taxonomy=identity).as_dict(),
        "domain": taxonomy.taxonomy,
        "version": taxonomy.version,
        "description": " ".join(taxonomy.description.split()),
        "phrases": phrases.total(),
        "examples": len(taxonomy.examples),
        "categories": [
            {
                "category": name,
                "role": role,
                "parent": category.parent,
                "description": " ".join(category.description.split()),
                "evidence": getattr(category, "evidence", None),
                "sensitivity": getattr(category, "sensitivity", None),
                "phrases": phrases[role, name],
                "words": [entry.word for entry in category.words],
                "patterns": category.patterns,
                "of": [entry.word for entry in getattr(category, "of", ())],
            }
            for role, name, category in taxonomy.categories()
        ],
        "groups": {name: list(values) for name, values in taxonomy.groups.items()},
    }


def lint(
    domain: Name,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as failures.")] = False,
    captions: Annotated[
        list[str] | None,
        typer.Option(
            "--captions", metavar="[NAME=]PATH", help="Also report words that do not occur in these captions."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Check a taxonomy: mistakes, ambiguous words, unreachable rules, examples that fail.

    With captions, also report words and plurals that never occur in them, and phrases that lack a comma.

    Example: assess domain lint people
    """
    from assess.cli.console import notes, output, print_json
    from assess.domain.overview import checked
    from assess.taxonomy import read_taxonomy

    index = AS_USUAL.index(captions) if captions else None
    found = checked(*read_taxonomy(domain), index.contexts() if index else None)
    listed = [("warning", problem) for problem in found.warnings]
    listed += [("error", problem) for problem in found.errors]
    if as_json:
        findings = [_finding(severity, problem) for severity, problem in listed]
        signature = _lint_signature(found.identity, captions, index)
        print_json({"signature": signature.as_dict(), "findings": findings})
    else:
        for severity, problem in listed:
            notes().print(f"{severity}: {problem}")
        output().print(f"{found.identity}: {found.counts}")
    if found.errors or (strict and found.warnings):
        raise typer.Exit(1)


def _lint_signature(identity: str, captions: list[str] | None, index: CaptionIndex | None) -> Signature:
    from assess.annotate.model import choose_model, model_identity
    from assess.domain.caption_index import signature_of
    from assess.signature import Signature

    if captions is None or index is None:
        return Signature(taxonomy=identity)
    sources, _ = AS_USUAL.fields.sources(captions)
    return signature_of(index, sources, model_identity(choose_model(None)), identity)


def _finding(severity: str, problem: Problem) -> dict[str, Any]:
    place = problem.place
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "severity": severity,
        "message": problem.message,
        "hint": problem.hint,
    }


def test(domain: Name, as_json: options.AsJson = False) -> None:  # noqa: PT028 - not a test of ours
    """Run the examples of a taxonomy, and show the reading of those that fail.

    Example: assess domain test people
    """
    from assess.cli.console import output, print_json
    from assess.domain.overview import run_examples
    from assess.grammar import Parser
    from assess.report.analysis import analysis_tree
    from assess.report.text import plain
    from assess.signature import Signature
    from assess.taxonomy import read_taxonomy

    taxonomy, document = read_taxonomy(domain)
    parser = Parser(taxonomy)
    results = run_examples(taxonomy, parser)
    failed = [result for result in results if result.failures]
    if as_json:
        signature = Signature(taxonomy=parser.grammar.identity)
        examples = [_example_shape(result, document) for result in results]
        print_json({"signature": signature.as_dict(), "examples": examples})
    else:
        console = output()
        for result in failed:
            place = document.place(("examples", result.index))
            told = f"FAILED {place.file}:{place.line}: {'; '.join(result.failures)}"
            console.print(plain(told, 300, style="red"))
            console.print(analysis_tree(result.analysis))
        console.print(f"{len(results) - len(failed)} of {some(len(results), 'example')} passed")
    if failed:
        raise typer.Exit(1)


def _example_shape(result: ExampleResult, document: Document) -> dict[str, Any]:
    """Return an example as part of `assess domain test --json`; `found` is as in `assess parse --json`."""
    from assess.report.analysis import analysis_shape

    example, place = result.example, document.place(("examples", result.index))
    return {
        "file": place.file,
        "line": place.line,
        "text": example.text,
        "caption": example.caption,
        "expected": {
            "in_domain": example.in_domain,
            "heads": example.heads,
            "modifiers": example.modifiers,
            "not": example.never,
        },
        "found": analysis_shape(result.analysis),
        "passed": not result.failures,
        "failures": result.failures,
    }

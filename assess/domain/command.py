"""`assess domain ...`: writing a grammar."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assess.cli import options
from assess.domain import (
    assign_command as domain_assign,
)
from assess.domain import (
    caption_commands as domain_agree,
)
from assess.domain import (
    caption_commands as domain_captions,
)
from assess.domain import (
    file_commands as domain_files,
)

app = typer.Typer(
    no_args_is_help=True,
    help="Write, check and compile domains.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("new")(domain_files.new)
app.command("import")(domain_files.import_domain)
app.command("export")(domain_files.export)
app.command("coverage")(domain_captions.coverage)
app.command("suggest")(domain_captions.suggest)
app.command("assign")(domain_assign.assign)
app.command("agree")(domain_agree.agree)
Name = Annotated[str, typer.Argument(metavar="DOMAIN", help="A domain's name, or a path to a .yaml file.")]


@app.command("list")
def list_domains() -> None:
    """List the domains that come with assess.

    Example: assess domain list
    """
    from assess.cli.console import output
    from assess.report.terminal import new_table
    from assess.taxonomy import load_taxonomy, shipped_taxonomies

    table = new_table("Domains")
    for name in ("domain", "version"):
        table.add_column(name, no_wrap=True)
    for name in ("heads", "modifiers"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("description", overflow="fold")
    for name in shipped_taxonomies():
        taxonomy = load_taxonomy(name)
        counts = (str(len(taxonomy.heads)), str(len(taxonomy.modifiers)))
        table.add_row(name, taxonomy.version, *counts, " ".join(taxonomy.description.split()))
    output().print(table)


@app.command()
def lint(
    domain: Name, strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False
) -> None:
    """Check a taxonomy: mistakes, ambiguous words, unreachable rules, examples that fail.

    Example: assess domain lint people
    """
    from assess.cli.console import notes, output
    from assess.domain.examples import run_examples
    from assess.grammar import Parser
    from assess.report.text import some
    from assess.taxonomy import read_taxonomy
    from assess.taxonomy.lint import lint as find_warnings

    taxonomy, document = read_taxonomy(domain)
    warnings = find_warnings(taxonomy, document)
    failed = [result for result in run_examples(taxonomy, Parser(taxonomy)) if result.failures]
    for problem in warnings:
        notes().print(f"warning: {problem}")
    for result in failed:
        message = f"the example fails: {'; '.join(result.failures)}"
        notes().print(f"error: {document.problem(message, ('examples', result.index))}")
    summary = f"{taxonomy.identity}: {some(len(warnings), 'warning')}, {some(len(failed), 'failing example')}"
    output().print(summary)
    if failed or (strict and warnings):
        raise typer.Exit(1)


@app.command()
def test(domain: Name) -> None:
    """Run a taxonomy's examples; failures show the reading.

    Example: assess domain test people
    """
    from assess.cli.console import output
    from assess.domain.examples import run_examples
    from assess.grammar import Parser
    from assess.report.analysis import analysis_tree
    from assess.report.text import plain
    from assess.taxonomy import read_taxonomy

    taxonomy, document = read_taxonomy(domain)
    results = run_examples(taxonomy, Parser(taxonomy))
    console = output()
    failed = [result for result in results if result.failures]
    for result in failed:
        place = document.place(("examples", result.index))
        console.print(
            plain(f"FAILED {place.file}:{place.line}: {'; '.join(result.failures)}", 300, style="red")
        )
        console.print(analysis_tree(result.analysis))
    console.print(f"{len(results) - len(failed)} of {len(results)} examples hold")
    if failed:
        raise typer.Exit(1)


@app.command("compile")
def compile_domain(
    domain: Name,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write it there instead of printing it."),
    ] = None,
) -> None:
    """Compile a taxonomy into a .lark grammar; to standard output, or to a file.

    Example: assess domain compile people --out grammars/people.lark
    """
    from assess.cli.console import output
    from assess.grammar import compile_taxonomy
    from assess.report.files import write_whole
    from assess.taxonomy import load_taxonomy

    text = compile_taxonomy(load_taxonomy(domain)).text
    if out is None:
        output().file.write(text)
    else:
        write_whole(out, text)


@app.command()
def show(domain: Name) -> None:
    """Show a taxonomy as a tree, with statistics.

    Example: assess domain show people
    """
    from assess.cli.console import output
    from assess.domain.trees import taxonomy_tree
    from assess.taxonomy import load_taxonomy

    output().print(taxonomy_tree(load_taxonomy(domain)))


def schema(as_json: options.AsJson = True) -> None:  # noqa: ARG001 - JSON is the only form
    """Print the JSON Schema of taxonomy files, for editors.

    Example: assess schema > taxonomy.schema.json
    """
    from assess.cli.console import output
    from assess.report.files import dump
    from assess.taxonomy import schema as taxonomy_schema

    output().file.write(dump(taxonomy_schema()) + "\n")

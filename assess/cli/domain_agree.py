"""`assess domain agree`: two taxonomies, or two annotators, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import domain_survey, options

if TYPE_CHECKING:
    from assess.audit.annotations import Annotations

Side = Annotated[
    str, typer.Argument(help="A domain, a path to a .yaml, or a .csv or .tsv of annotated phrases.")
]


def agree(
    first: Side,
    second: Side,
    most: domain_survey.Most = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare two taxonomies, or two tables of annotated phrases.

    Overlap and Cohen's kappa for each category over the words or phrases that both have, and every
    disagreement. A table has a column `phrase` (or text, item, id) and columns `heads` and `modifiers`, or
    `categories`; several categories in a cell are separated by spaces, and "a/b" allows either.

    Example: assess domain agree annotator1.tsv annotator2.tsv
    """
    from assess.audit.agreement import agreement
    from assess.cli.console import output, print_parts
    from assess.report.domain_agreement import agreement_report
    from assess.report.domain_shapes import agreement_shape
    from assess.report.json_text import dump
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

    from assess.audit.annotations import read_annotations, taxonomy_annotations
    from assess.taxonomy import load_taxonomy

    path = Path(argument)
    if path.suffix.lower() in {".csv", ".tsv", ".txt"}:
        annotations = read_annotations(path)
        return annotations, f"{annotations.name}#{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    taxonomy = load_taxonomy(argument)
    return taxonomy_annotations(taxonomy, name=path.name), taxonomy.identity

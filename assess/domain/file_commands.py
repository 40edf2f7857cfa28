"""`assess domain new`, `import` and `export`: taxonomies from nothing, from elsewhere, for elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.errors import Place, UsageError

if TYPE_CHECKING:
    from assess.taxonomy import Taxonomy

OutFile = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]

KINDS = {".cfg": "cfg", ".csv": "csv", ".json": "json", ".jsonl": "spacy", ".yaml": "yaml", ".yml": "yaml"}


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The domain's id, such as food.")],
    out: OutFile = None,
) -> None:
    """Begin a taxonomy: a small one that works, with comments that explain it.

    Example: assess domain new food
    """
    from assess.cli.console import output
    from assess.report.files import write_whole
    from assess.taxonomy.imports import scaffold

    path = out or Path(f"{name}.yaml")
    text = scaffold(name, file=path.name)
    _refuse_to_replace(path)
    write_whole(path, text)
    output().print(f"{path}: edit it, then run: assess domain lint {path}", soft_wrap=True)


def import_domain(
    source: Annotated[
        Path,
        typer.Argument(metavar="SOURCE", help="A .cfg (NLTK), .csv, .json, or a folder of word lists."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The .yaml to write.")],
    name: Annotated[
        str | None, typer.Option("--name", help="The domain's id; the file's name if not given.")
    ] = None,
    force: Force = False,
) -> None:
    """Make a taxonomy from an NLTK grammar, a table role,category,word, or a folder of word lists.

    Example: assess domain import full_grammar.cfg --out people-2020.yaml
    """
    from assess.cli.console import notes, output
    from assess.report.files import write_whole
    from assess.taxonomy import parse_taxonomy
    from assess.taxonomy.cfg_import import category_id
    from assess.taxonomy.imports import check_id, import_taxonomy
    from assess.taxonomy.yaml_text import taxonomy_text

    if not force:
        _refuse_to_replace(out, hint="choose another --out, or say --force")
    name = name or category_id(out.stem)
    check_id(name)
    imported = import_taxonomy(source, name=name)
    text = taxonomy_text(imported.taxonomy, comments=[f"Imported from {source.name}.", *imported.notes])
    parse_taxonomy(text, str(out))  # a file that cannot be read back is not written
    write_whole(out, text)
    for note in imported.notes:
        notes().print(f"note: {note}")
    taxonomy = imported.taxonomy
    counts = f"{len(taxonomy.heads)} head and {len(taxonomy.modifiers)} modifier categories"
    output().print(f"{out}: {counts}", soft_wrap=True)


def export(
    domain: Annotated[
        str, typer.Argument(metavar="DOMAIN", help="A domain's name, or a path to a .yaml file.")
    ],
    to: Annotated[
        str | None, typer.Option("--to", help="cfg (NLTK), csv, json, spacy (JSONL patterns) or yaml.")
    ] = None,
    out: OutFile = None,
    force: Force = False,
) -> None:
    """Write a taxonomy for other tools; to standard output, or to a file whose name tells the kind.

    Example: assess domain export people --out people.cfg
    """
    from assess.cli.console import notes, output
    from assess.report.files import write_whole
    from assess.taxonomy import load_taxonomy
    from assess.taxonomy.domains import find_taxonomy
    from assess.taxonomy.strict_yaml import read_text

    kind = _kind(to, out)
    taxonomy = load_taxonomy(domain)
    # The text itself, so that comments come along.
    text = read_text(find_taxonomy(domain)) if kind == "yaml" else exported(taxonomy, kind)
    for note in _losses(taxonomy, kind):
        notes().print(f"note: {note}")
    if out is None:
        output().file.write(text)
        return
    if not force:
        _refuse_to_replace(out, hint="choose another --out, or say --force")
    write_whole(out, text)


def exported(taxonomy: Taxonomy, kind: str) -> str:
    """Return a taxonomy in a foreign form: cfg, csv, json or spacy."""
    from assess.domain.trees import taxonomy_csv
    from assess.grammar import compile_taxonomy
    from assess.grammar.export import named_productions, spacy_patterns
    from assess.report.files import dump

    if kind == "cfg":
        return named_productions(compile_taxonomy(taxonomy))
    if kind == "csv":
        return taxonomy_csv(taxonomy)
    if kind == "spacy":
        return spacy_patterns(taxonomy)
    return dump(taxonomy.model_dump(mode="json", by_alias=True, exclude_unset=True)) + "\n"


def _losses(taxonomy: Taxonomy, kind: str) -> list[str]:
    """Say what a form cannot hold."""
    from assess.taxonomy.phrases import open_patterns_of, phrases_of
    from assess.taxonomy.word_table import NOT_IN_ROWS

    notes = []
    if kind == "cfg":
        open_patterns = [pattern.text for pattern in open_patterns_of(taxonomy)]
        if open_patterns:
            notes.append(f"NLTK has no patterns; left out: {', '.join(open_patterns)}")
        if taxonomy.syntax is not None and any(phrase.says for phrase in phrases_of(taxonomy)):
            notes.append("symbols have one category: what head nouns say besides (`says`) is left out")
        if taxonomy.syntax is None:
            notes.append("NLTK has no unknown words and no possessors: phrases with one do not parse there")
            notes.append(
                "the rules are those of the .lark file; to import the domain again, take csv or json"
            )
    parts = [name for name in NOT_IN_ROWS if getattr(taxonomy, name)]
    if kind == "csv" and parts:
        notes.append(f"a table has no place for {' and '.join(parts)}; json and yaml keep everything")
    if kind == "spacy":
        notes.append("spaCy's rulers find words, not readings: constraints and rules stay behind")
    return notes


def _kind(to: str | None, out: Path | None) -> str:
    from assess.cli.output import one_of

    if to is not None:
        return one_of(to, sorted(set(KINDS.values())), option="--to")
    if out is not None and out.suffix.lower() in KINDS:
        return KINDS[out.suffix.lower()]
    raise UsageError("to which form?", hint="--to cfg, csv, json, spacy or yaml; or --out FILE.csv and so on")


def _refuse_to_replace(path: Path, *, hint: str = "choose another --out, or remove it first") -> None:
    if path.exists():
        raise UsageError("there is a file of this name already", place=Place(str(path)), hint=hint)

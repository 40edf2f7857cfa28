"""`assess domain ...`: the commands of a domain's author."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.help import HelpfulCommand, HelpfulGroup
from assess.domain import caption_commands, check_commands, session_commands
from assess.domain.check_commands import Name
from assess.errors import Place, UsageError

if TYPE_CHECKING:
    from assess.taxonomy import Taxonomy

app = typer.Typer(
    cls=HelpfulGroup,
    no_args_is_help=True,
    help="Write, check and compile domains.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
OutFile = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]

KINDS = {
    ".cfg": "cfg",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "spacy",
    ".xml": "label-studio",
    ".yaml": "yaml",
    ".yml": "yaml",
}


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The id of the domain, such as food.")],
    out: OutFile = None,
    sense: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="SENSE", help="Draft it from the nouns below this WordNet sense: food.n.01."
        ),
    ] = None,
    captions: Annotated[
        list[str] | None,
        typer.Option("--captions", metavar="[NAME=]PATH", help="With --from: only nouns in these captions."),
    ] = None,
) -> None:
    """Create a taxonomy: a small, working example with explanatory comments.

    With --from, create a first draft from the nouns that WordNet, if it is installed, has below a sense.

    Example: assess domain new food
    """
    from assess.cli.console import output
    from assess.taxonomy.imports import scaffold
    from assess.whole_files import write_whole

    path = out or Path(f"{name}.yaml")
    _refuse_to_replace(path)
    if captions and sense is None:
        raise UsageError("--captions requires --from", hint="assess domain new food --from food.n.01")
    text = scaffold(name, file=path.name) if sense is None else _drafted(name, sense, captions, path)
    write_whole(path, text)
    output().print(f"{path}: edit it, then run: assess domain lint {path}", soft_wrap=True)


def _drafted(name: str, sense: str, captions: list[str] | None, path: Path) -> str:
    from assess.domain.wordnet import draft, find_wordnet
    from assess.taxonomy import parse_taxonomy
    from assess.taxonomy.imports import check_id
    from assess.taxonomy.model import Entry, Example, HeadCategory, ModifierCategory, Taxonomy
    from assess.taxonomy.strict_yaml import taxonomy_text

    check_id(name)
    contexts = caption_commands.AS_USUAL.index(captions).contexts() if captions else None
    made = draft(find_wordnet(), sense, contexts.is_noun if contexts else None)
    if not made.categories:
        raise UsageError(f"no noun below {sense} is left", hint="use a broader sense, or more captions")
    heads = {
        key: HeadCategory(description=told, words=tuple(Entry(word=word) for word in words))
        for key, (told, words) in made.categories.items()
    }
    sizes = tuple(Entry(word=word) for word in ("big", "large", "little", "small", "tiny"))
    size = ModifierCategory(description="How big it is.", evidence="visible", sensitivity="none", words=sizes)
    uses = contexts.uses if contexts else None
    examples = [
        Example(text=f"the small {max(words, key=uses)}", heads=(key,), modifiers=("size",))
        for key, (_, words) in made.categories.items()
    ]
    taxonomy = Taxonomy(
        taxonomy=name,
        version="0.1.0",
        description=f"What captions say about {name.replace('-', ' ')}.",
        heads=heads,
        modifiers={"size": size},
        examples=tuple(examples),
    )
    text = taxonomy_text(taxonomy, comments=[f"A draft from WordNet, below {sense}: review it before use."])
    parse_taxonomy(text, str(path))  # a file that cannot be read back is not written
    return text


@app.command("import")
def import_domain(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A .cfg (NLTK), .csv, .json, .yaml (quanteda), .dic (LIWC), or a folder of word lists.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The .yaml file to write.")],
    name: Annotated[
        str | None, typer.Option("--name", help="The id of the domain; the name of the file by default.")
    ] = None,
    heads: Annotated[
        str | None,
        typer.Option("--heads", metavar="NAMES", help="Head categories of a dictionary: family,friend."),
    ] = None,
    force: Force = False,
) -> None:
    """Create a taxonomy from an NLTK grammar, a table, a quanteda or LIWC dictionary, or word lists.

    Example: assess domain import full_grammar.cfg --out people-2020.yaml
    """
    from assess.cli.console import notes, output
    from assess.taxonomy import parse_taxonomy
    from assess.taxonomy.imports import check_id, import_taxonomy
    from assess.taxonomy.strict_yaml import taxonomy_text
    from assess.taxonomy.syntax import category_id
    from assess.whole_files import write_whole

    if not force:
        _refuse_to_replace(out, hint="choose another --out, or use --force")
    name = name or category_id(out.stem)
    check_id(name)
    imported = import_taxonomy(source, name=name, heads=[each for each in (heads or "").split(",") if each])
    text = taxonomy_text(imported.taxonomy, comments=[f"Imported from {source.name}.", *imported.notes])
    parse_taxonomy(text, str(out))  # a file that cannot be read back is not written
    write_whole(out, text)
    for note in imported.notes:
        notes().print(f"note: {note}")
    taxonomy = imported.taxonomy
    counts = f"{len(taxonomy.heads)} head and {len(taxonomy.modifiers)} modifier categories"
    output().print(f"{out}: {counts}", soft_wrap=True)


@app.command()
def export(
    domain: Name,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="Format: label-studio, cfg (NLTK), csv, json, yaml, or spacy or prodigy (JSONL patterns).",
        ),
    ] = None,
    out: OutFile = None,
    captions: Annotated[
        list[str] | None,
        typer.Option(
            "--captions",
            metavar="[NAME=]PATH",
            help="With label-studio: write these captions as tasks, with the analysis as predictions.",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Export a taxonomy for other tools, to standard output or to a file; the extension sets the format.

    For Label Studio, write a labelling configuration or, with captions, the tasks for it.

    Example: assess domain export people --out people.cfg
    """
    from assess.cli.console import notes, print_file
    from assess.taxonomy import load_taxonomy
    from assess.taxonomy.compose import find_taxonomy, sources_of
    from assess.taxonomy.strict_yaml import read_text
    from assess.whole_files import write_whole

    kind = _kind(to, out)
    taxonomy = load_taxonomy(domain)
    if captions and kind != "label-studio":
        raise UsageError("captions can only be exported as Label Studio tasks", hint="--to label-studio")
    text = _tasks(domain, captions) if captions else exported(taxonomy, kind)
    if kind == "yaml":
        path = find_taxonomy(domain)
        own = read_text(path)
        if len(sources_of(own, str(path))) == 1:
            text = own  # the text itself, so that comments come along
    for note in _losses(taxonomy, kind):
        notes().print(f"note: {note}")
    if out is None:
        print_file(text)
        return
    if not force:
        _refuse_to_replace(out, hint="choose another --out, or use --force")
    write_whole(out, text)


def exported(taxonomy: Taxonomy, kind: str) -> str:
    """Return a taxonomy in a foreign form: cfg, csv, json or spacy."""
    from assess.domain.overview import taxonomy_csv
    from assess.grammar import compile_taxonomy
    from assess.grammar.export import label_studio_config, named_productions, spacy_patterns
    from assess.report.text import dump
    from assess.taxonomy.strict_yaml import taxonomy_text

    if kind == "cfg":
        return named_productions(compile_taxonomy(taxonomy))
    if kind == "csv":
        return taxonomy_csv(taxonomy)
    if kind in {"spacy", "prodigy"}:
        return spacy_patterns(taxonomy, tokens=kind == "prodigy")
    if kind == "label-studio":
        return label_studio_config(taxonomy)
    if kind == "yaml":
        return taxonomy_text(taxonomy, comments=["One file, with everything that it extends and uses."])
    return dump(taxonomy.model_dump(mode="json", by_alias=True, exclude_unset=True)) + "\n"


def _tasks(domain: str, captions: list[str]) -> str:
    """Return captions as tasks of Label Studio's, with the labels that a domain finds in them."""
    from assess.annotate.extract import Annotator
    from assess.corpus.captions import read_captions
    from assess.grammar import Parser, load_grammar
    from assess.grammar.export import label_studio_tasks
    from assess.grammar.labels import LabelFinder

    sources, _ = caption_commands.AS_USUAL.fields.sources(captions)
    read = [caption for source in sources for caption in read_captions(source)]
    annotations = Annotator().annotate_distinct([caption.text for caption in read])
    return label_studio_tasks(read, annotations, LabelFinder(Parser(load_grammar(domain))))


def _losses(taxonomy: Taxonomy, kind: str) -> list[str]:
    """Say what a form cannot hold."""
    from assess.taxonomy.phrases import open_patterns_of, phrases_of
    from assess.taxonomy.word_table import NOT_IN_ROWS

    notes = []
    if kind == "cfg":
        open_patterns = [pattern.text for pattern in open_patterns_of(taxonomy)]
        if open_patterns:
            notes.append(f"NLTK has no patterns; omitted: {', '.join(open_patterns)}")
        if taxonomy.own_structure and any(phrase.says for phrase in phrases_of(taxonomy)):
            notes.append("a symbol has one category: modifier categories of head nouns (`says`) are omitted")
        if not taxonomy.own_structure:
            notes.append(
                "NLTK has no unknown words and no possessors: phrases that contain them do not parse there"
            )
            notes.append(
                "the rules are those of the .lark file; use csv or json if you want to import the domain"
                " again"
            )
    parts = [name for name in NOT_IN_ROWS if getattr(taxonomy, name)]
    if kind == "csv" and parts:
        notes.append(f"a table cannot contain {' and '.join(parts)}; json and yaml keep everything")
    if kind in {"spacy", "prodigy"}:
        notes.append("spaCy's rulers match words, not readings: constraints and rules are omitted")
    return notes


def _kind(to: str | None, out: Path | None) -> str:
    from assess.errors import one_of

    if to is not None:
        return one_of(to, sorted({*KINDS.values(), "prodigy"}), option="--to")
    if out is not None and out.suffix.lower() in KINDS:
        return KINDS[out.suffix.lower()]
    raise UsageError(
        "choose a target format", hint="--to cfg, csv, json, spacy, prodigy, label-studio or yaml"
    )


def _refuse_to_replace(path: Path, *, hint: str = "choose another --out, or remove it first") -> None:
    if path.exists():
        raise UsageError("this file already exists", place=Place(str(path)), hint=hint)


app.command()(caption_commands.coverage)
app.command()(caption_commands.diff)
app.command()(caption_commands.suggest)
app.command()(caption_commands.train)
app.command()(session_commands.assign)
app.command()(session_commands.studio)
app.command()(session_commands.sample)
app.command()(caption_commands.agree)


app.command("list")(check_commands.list_domains)
app.command()(check_commands.lint)
app.command()(check_commands.test)


@app.command("compile")
def compile_domain(
    domain: Name,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write to this file instead of standard output."),
    ] = None,
) -> None:
    """Compile a taxonomy into a .lark grammar, to standard output or to a file.

    Example: assess domain compile people --out grammars/people.lark
    """
    from assess.cli.console import print_file
    from assess.grammar.load import text_of_taxonomy
    from assess.whole_files import write_whole

    text = text_of_taxonomy(domain)
    if out is None:
        print_file(text)
    else:
        write_whole(out, text)


app.command()(check_commands.show)


def schema(as_json: options.AsJson = True) -> None:  # noqa: ARG001 - JSON is the only form
    """Print the JSON Schema of taxonomy files, for editors.

    Example: assess schema > taxonomy.schema.json
    """
    from assess.cli.console import print_json
    from assess.taxonomy import schema as taxonomy_schema

    print_json(taxonomy_schema())


for command in app.registered_commands:
    command.cls = HelpfulCommand

"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Files = Annotated[
    list[str],
    typer.Argument(metavar="[NAME=]FILE...", help="Caption files; - is standard input; .gz is fine."),
]
Domain = Annotated[str, typer.Option("--domain", "-d", help="A domain's name, or a path to a .yaml file.")]
References = Annotated[
    list[str] | None,
    typer.Option("--references", "-r", metavar="[NAME=]FILE", help="Human captions of the same images."),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="GROUP", help="A group of the domain to contrast, such as gender."),
]
GroupFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--groups", metavar="[NAME=]FILE", help="Whom each image shows: CSV or JSONL with image_id, group."
    ),
]
Partial = Annotated[
    bool, typer.Option("--partial", help="Images that a groups file lacks are left out, not an error.")
]
Format = Annotated[str | None, typer.Option("--format", help="The format, where it is not recognised.")]
IdField = Annotated[str | None, typer.Option("--id-field", help="The field or column with the image id.")]
CaptionField = Annotated[str | None, typer.Option("--caption-field", help="The field with the caption.")]
Split = Annotated[
    str | None, typer.Option("--split", help="Only this split of a Karpathy file; of the references, if any.")
]
Join = Annotated[
    str | None, typer.Option("--join", metavar="FILE", help="Questions that map answers to images (LLaVA).")
]
Model = Annotated[str | None, typer.Option("--model", help="A spaCy model instead of the default one.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="Also write files there.")]
Processes = Annotated[
    int | None,
    typer.Option("--processes", min=1, help="Processes for annotation; one for each core if not given."),
]
Engine = Annotated[
    str, typer.Option("--engine", help="Where the work runs: local (processes here), or dask.")
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Of a running Dask cluster: tcp://HOST:8786."),
]
Ship = Annotated[
    bool | None,
    typer.Option(
        "--ship/--no-ship",
        help="On Dask: read files here and ship texts, or have workers read them; if not given, workers"
        " read what they can.",
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the cache of annotations.")]
PaperChunks = Annotated[
    bool,
    typer.Option(
        "--paper-chunks", help="As the papers do: no 'a group' + 'of' + 'men', nothing after the noun."
    ),
]
NoAfter = Annotated[
    bool,
    typer.Option("--no-after", help="Leave out attributes after the noun, as in 'a man with a beard'."),
]

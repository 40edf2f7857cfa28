"""`assess demo`: the main job on the bundled example."""

from __future__ import annotations

import os
from pathlib import Path

from assess.cli import options

_FOLDER = Path("assess-demo")


def demo(out: options.Out = None, as_json: options.AsJson = False) -> None:
    """Audit the bundled example: three invented systems, and references.

    `bland` says little, `rich` says much, and `skewed` speaks of women's looks and men's jobs. The files go
    to ./assess-demo, unless you choose --out: open its report.html in a browser.

    Example: assess demo
    """
    from assess.api.request import Request
    from assess.cli.caption_fields import AS_FOUND
    from assess.cli.coverage import report
    from assess.corpus import parse_source
    from assess.engine.measures_run import MeasureRequest
    from assess.resources import shipped_folder

    folder = shipped_folder("examples") / "captions"
    names = ("bland.json", "rich.jsonl", "skewed.csv")
    files = [f"{name.partition('.')[0]}={folder / name}" for name in names]
    references = [f"references={folder / 'references.json'}"]
    sources = AS_FOUND.sources(files, references)
    measures = MeasureRequest((parse_source(f"train={folder / 'train.txt'}"),))
    request = Request(by=("gender",), measures=measures)
    report(sources, request, as_json=as_json, out=_folder(out, as_json))


def _folder(out: Path | None, as_json: bool) -> Path | None:
    """Return where the files go: the page is part of the demo, unless a program reads the output."""
    from assess.cli.console import notes

    if out is not None or as_json:
        return out
    if os.access(_FOLDER if _FOLDER.exists() else _FOLDER.parent, os.W_OK):
        return _FOLDER
    notes().print(f"note: no files are written, because {Path.cwd()} is not yours to write; choose --out")
    return None

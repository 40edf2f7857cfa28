"""Regenerate the tables of docs/reproducing.md from the papers' data: `python -m docs_tools.reproducing`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

from assess.reproduce.run import PAPERS
from docs_tools.in_process import run_here
from docs_tools.markdown import DASH, code, fill, table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reproducing.md"
DATA = ROOT.parent / "shared" / "data"


def main() -> None:
    """Reproduce everything that the data allow, and insert the results into the page."""
    if not DATA.is_dir():
        sys.exit("needs the research data beside this checkout (../shared/data)")
    printed = io.StringIO()
    if run_here(["reproduce", str(DATA), "--json"], stdout=printed, stderr=sys.stderr):
        sys.exit("assess reproduce failed")
    found = json.loads(printed.getvalue())
    tables = {
        "papers": _papers(found["papers"]),
        "parts": _parts(found["parts"]),
        "left-out": _left_out(found["parts"]),
    }
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")


def _papers(papers: dict[str, dict[str, int]]) -> str:
    headings = ["paper", *next(iter(papers.values()))]
    rows = ([PAPERS[source], *map(str, numbers.values())] for source, numbers in papers.items())
    return table(headings, rows)


def _parts(parts: dict[str, Any]) -> str:
    rows = (
        [
            code(name),
            part["title"],
            f"{part['equal']} of {len(part['cells'])}" if part["cells"] else DASH,
            part["because"] or DASH,
        ]
        for name, part in parts.items()
    )
    return table(["part", "what", "equal", "why some differ"], rows)


def _left_out(parts: dict[str, Any]) -> str:
    """Return every printed cell that is not attempted, by paper, with its reason."""
    rows = (
        [PAPERS[part["source"]], code(name), left["what"], str(left["cells"]), left["why"]]
        for name, part in sorted(parts.items(), key=lambda item: list(PAPERS).index(item[1]["source"]))
        for left in part["left_out"]
    )
    return table(["paper", "part", "what", "cells", "why"], rows)


if __name__ == "__main__":
    main()

"""Regenerate the reference pages: `make reference`."""

from __future__ import annotations

from collections.abc import Callable

from docs_tools.cli_page import cli_page
from docs_tools.house import write_page
from docs_tools.json_page import json_page
from docs_tools.made_files import ROOT
from docs_tools.metrics_page import metrics_page
from docs_tools.taxonomy_page import taxonomy_page

FOLDER = ROOT / "docs" / "reference"
WRITERS: dict[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "taxonomy-keys.md": taxonomy_page,
    "metrics.md": metrics_page,
    "json.md": json_page,
}


def main() -> None:
    """Write all pages, and the size of the code base in the page for maintainers."""
    FOLDER.mkdir(exist_ok=True)
    for name, write in WRITERS.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")
    write_page()


if __name__ == "__main__":
    main()

"""Regenerate the outputs in the pages: `make outputs`. Review the diff."""

from __future__ import annotations

import difflib
import os
import re
import sys
import tempfile
from pathlib import Path
from unittest import mock

from docs_tools.blocks import CUT, FENCE, block_of, commands, keeps, neat
from docs_tools.in_process import WITHOUT_WORDNET
from docs_tools.pages import NEEDS_RESEARCH, NOT_RUN, PAGES, RESEARCH_DATA, between, page_name, prepare
from docs_tools.session import Session


def renewed(page: Path, folder: Path) -> str:
    """Return a page with the current outputs of its commands. Files and parts of files are unchanged."""
    prepare(page, folder)
    session = Session(folder)

    def renew(match: re.Match[str]) -> str:
        block = block_of(match)
        if not block.is_session:
            list(session.follow(block))
            return match[0]
        shown = []
        for command in commands(block):
            shown.append(f"$ {command.line}\n")
            if command.line in NOT_RUN:
                continue
            between(page, command.line, session.folder)
            done = session.type(command)
            if done.code != command.code:
                sys.exit(f"{page_name(page)}: $ {command.line}: exit code {done.code}\n{done.output}")
            shown.append(new_output(command.promised or "", done.output))
        return f"```console\n{''.join(shown)}```" if block.language == "console" else match[0]

    return FENCE.sub(renew, page.read_text(encoding="utf-8"))


def new_output(promised: str, came: str) -> str:
    """Return an output, cut where the promised one is; each part begins with the line most like its own."""
    if keeps(promised, came):
        return promised
    if not re.search(rf"^{re.escape(CUT)}$", promised, re.MULTILINE):
        return neat(came).lstrip("\n") if came.strip() else ""
    lines, place, shown = neat(came).splitlines(), 0, []
    for line_group in _parts(promised):
        if line_group == [CUT]:
            shown.append(CUT)
            continue
        start = _most_like(line_group[0], lines, place)
        place = start + len(line_group)
        shown += lines[start:place]
    return "\n".join(shown) + "\n"


def _parts(promised: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in neat(promised).splitlines():
        if line == CUT:
            parts += [[CUT], []]
        else:
            parts[-1].append(line)
    return [part for part in parts if part]


def _most_like(line: str, lines: list[str], after: int) -> int:
    def likeness(number: int) -> float:
        return difflib.SequenceMatcher(None, line, lines[number]).ratio()

    return max(range(after, len(lines)), key=likeness, default=len(lines))


def main() -> None:
    """Regenerate all pages, or the named ones."""
    asked = [Path(name).resolve() for name in sys.argv[1:]] or PAGES
    for page in asked:
        if page.name in NEEDS_RESEARCH and not RESEARCH_DATA.is_dir():
            continue
        with tempfile.TemporaryDirectory() as name, mock.patch.dict(os.environ, WITHOUT_WORDNET):
            page.write_text(renewed(page, Path(name)), encoding="utf-8")


if __name__ == "__main__":
    main()

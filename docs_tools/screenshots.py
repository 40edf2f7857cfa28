"""Regenerate the pictures of the documentation: `make screenshots`."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from assess.cli import console as cli_console
from docs_tools.made_files import ROOT
from docs_tools.session import output_of

FOLDER = ROOT / "docs" / "images"
_WIDTH = 80
# Rich loads its font from a host; the reader's own fixed-width font is good enough.
_FOREIGN = re.compile(r"\s*@font-face \{.*?\n    \}|\s*<!--.*?-->", re.DOTALL)
_FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
# Colours with enough contrast on a dark ground, in the order of a terminal's sixteen.
_THEME = TerminalTheme(
    (22, 27, 34),
    (226, 232, 240),
    [
        (72, 79, 88),
        (255, 123, 114),
        (86, 211, 100),
        (227, 179, 65),
        (121, 192, 255),
        (210, 168, 255),
        (86, 212, 221),
        (226, 232, 240),
    ],
    [
        (110, 118, 129),
        (255, 161, 152),
        (126, 231, 135),
        (240, 200, 100),
        (165, 214, 255),
        (226, 197, 255),
        (120, 230, 238),
        (255, 255, 255),
    ],
)

# A picture's name, the command that it shows, and how the line begins before which it ends, if it does.
PICTURES: Mapping[str, tuple[str, str | None]] = {
    "demo": ("assess demo", None),
    "parse": ('assess parse "a pretty young baseball player"', None),
    "bias": ("assess bias skewed.csv --references references.json", "references (human references)"),
}


def _console() -> Console:
    return Console(
        file=io.StringIO(),
        width=_WIDTH,
        record=True,
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
        markup=False,
        emoji=False,
    )


@contextmanager
def _recorded() -> Iterator[Console]:
    """Give the console that the command line prints to, which keeps what is printed with its colours."""
    console = _console()
    with mock.patch.object(cli_console, "output", return_value=console):
        yield console


def picture(command: str, end: str | None, folder: Path) -> str:
    """Return a command and the first part of its output as SVG."""
    with _recorded() as console, mock.patch.dict(os.environ):
        os.environ.pop("NO_COLOR", None)
        output, code = output_of(shlex.split(command)[1:], folder)
    if code:
        raise SystemExit(f"{command}: exit code {code}\n{output}")
    shown = _console()
    shown.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
    lines = list(Text.from_ansi(console.export_text(styles=True)).split("\n"))
    ends = [place for place, line in enumerate(lines) if end is not None and line.plain.startswith(end)]
    if end is not None and not ends:
        raise SystemExit(f"{command}: no line begins with '{end}', where its picture ends")
    for line in lines[: ends[0] if ends else None]:
        shown.print(line, soft_wrap=True)
    return without_host(shown.export_svg(title=command, theme=_THEME))


def without_host(svg: str) -> str:
    """Return a picture without fonts from other hosts."""
    return _FOREIGN.sub("", svg).replace("Fira Code, monospace", _FONTS)


def main() -> None:
    """Draw all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in (ROOT / "examples" / "captions").iterdir():
            (folder / file.name).symlink_to(file)
        for title, (command, end) in PICTURES.items():
            (FOLDER / f"{title}.svg").write_text(picture(command, end, folder), encoding="utf-8")
        photograph(folder / "assess-demo" / "report.html", FOLDER / "report.png")


def photograph(page: Path, target: Path) -> None:
    """Take a picture of the first screen of the report in Chromium, where it is installed."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium here: the picture of the report stays as it is")
        return
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
    ]
    size = ["--hide-scrollbars", "--window-size=1100,780"]
    command = [browser, *flags, *size, f"--screenshot={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603 - our own page


if __name__ == "__main__":
    main()

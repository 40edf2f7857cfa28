"""`assess domain assign`: one key a word, written into the taxonomy."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assess.cli import options
from assess.cli.options import AS_FOUND, CaptionFields, bundled
from assess.domain import caption_commands as domain_survey
from assess.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WORDS = 50
END = "q"


@bundled
def assign(
    files: options.Files,
    domain: options.Domain,
    most: domain_survey.Most = None,
    least: domain_survey.Least = 1,
    role: domain_survey.RoleOption = None,
    no_vectors: domain_survey.NoVectors = False,
    model: options.Model = None,
    processes: options.Processes = None,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
) -> None:
    """Go through the words that a taxonomy lacks; a key puts each into a category.

    Every word is written at once, and only its own line changes: comments and order stay. A crash leaves
    the file as it was before the last key. Without a terminal, keys are read from standard input, one a line.

    Example: assess domain assign captions.json --domain food.yaml
    """
    from assess.domain.advice import candidates
    from assess.domain.assign_loop import AssignLoop
    from assess.taxonomy.edit import TaxonomyFile

    if "-" in files:
        raise UsageError("captions cannot come from standard input here: the keys do")
    wanted = domain_survey.role_of(role)
    file = TaxonomyFile(_own_file(domain))
    request = domain_survey.SurveyRequest(files, domain, model, processes, no_cache, fields)
    found = domain_survey.run_survey(request)
    adviser, _ = domain_survey.make_adviser(found, no_vectors=no_vectors)
    only = wanted[0] if len(wanted) == 1 else None
    lacking = candidates(found, role=only, least=least)[: most or WORDS]
    AssignLoop(file, adviser, UserTerminal()).run(lacking)


def _own_file(domain: str) -> Path:
    from assess.taxonomy.domains import find_taxonomy, shipped_taxonomies

    if domain in shipped_taxonomies():
        raise UsageError(
            f"`{domain}` is a domain that comes with assess; it is not edited in place",
            hint=f"assess domain export {domain} --out my-{domain}.yaml, then --domain my-{domain}.yaml",
        )
    return find_taxonomy(domain)


class UserTerminal:
    """The person at the keyboard; or a script, which sends a line for each key."""

    def __init__(self) -> None:
        from assess.cli.console import output

        self._console: Console = output()
        self._interactive = sys.stdin.isatty()
        self._typed: list[str] = []  # keys that were faster than we

    def show(self, part: RenderableType) -> None:
        """Print something."""
        self._console.print(part)

    def key(self) -> str:
        """Wait for a key; the end of the input is `q`."""
        if not self._interactive:
            line = sys.stdin.readline()
            return line.strip()[:1] or "\n" if line else END
        if not self._typed:
            pressed = read_keys()
            # An arrow or another special key is a sequence that means nothing here.
            self._typed = [pressed] if pressed.startswith("\x1b") else list(pressed)
        return self._typed.pop(0)

    def line(self, question: str) -> str:
        """Ask for a line; nothing at the end of the input."""
        self._console.print(question, end=" ")
        self._console.file.flush()
        begun = "".join(self._typed)
        self._typed.clear()
        line, newline, rest = begun.partition("\n")
        if newline:
            self._typed = list(rest)
            return line.strip()
        return (line + sys.stdin.readline()).strip()


def read_keys() -> str:
    """Wait for a key without Enter; return it, and what was typed ahead. The end of the input is `q`."""
    try:
        import termios
        import tty
    except ImportError:  # not a POSIX system
        return typer.getchar()
    file = sys.stdin.fileno()
    usual = termios.tcgetattr(file)
    try:
        # TCSADRAIN keeps what was typed ahead; the usual TCSAFLUSH would throw it away.
        tty.setcbreak(file, termios.TCSADRAIN)
        pressed = os.read(file, 64).decode("utf-8", errors="replace")
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, usual)
    return pressed.replace("\x04", END) or END

"""`assess domain assign`, `studio`, `sample`, and `coverage --watch`: an author at work."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assess.cli import options
from assess.cli.options import bundled
from assess.domain.caption_commands import (
    AS_USUAL,
    Least,
    Most,
    NoVectors,
    RoleOption,
    SurveyOptions,
    make_adviser,
    role_of,
)
from assess.errors import AssessError, UsageError
from assess.measures.settings import LARGEST

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from assess.domain.sampling import Drawn
    from assess.domain.session import Session
    from assess.domain.survey import Survey
    from assess.taxonomy import Taxonomy
    from assess.taxonomy.edit import TaxonomyFile
    from assess.taxonomy.strict_yaml import Document

ASSIGNED = 50
"""Number of items that assign asks about, unless --most is given."""

LOOK_AGAIN = 0.2
"""Seconds between two checks of a watched file."""

END = "q"  # the key that ends assigning; so does the end of the input


@dataclass(frozen=True)
class WorkOptions:
    """What an author's session needs."""

    most: Most = None
    least: Least = 1
    role: RoleOption = None
    no_groups: Annotated[bool, typer.Option("--no-groups", help="Ask about each word separately.")] = False
    no_vectors: NoVectors = False
    reading: SurveyOptions = AS_USUAL

    def session(self, files: list[str], domain: str, *, most: int | None = None) -> Session:
        """Read captions, and return a session with what the taxonomy lacks; --most overrides `most`."""
        from assess.domain.advice import domain_gaps
        from assess.domain.session import Session
        from assess.taxonomy.edit import TaxonomyFile

        if "-" in files:
            raise UsageError("captions cannot be read from standard input, because keys are")
        wanted = role_of(self.role)
        file = TaxonomyFile(own_file(domain))
        found = self.reading.survey(files, domain)
        adviser, _ = make_adviser(found, no_vectors=self.no_vectors)
        return Session(
            file,
            adviser,
            domain_gaps(found, adviser.wordnet),
            read=lambda taxonomy: domain_gaps(found.read_with(taxonomy), adviser.wordnet),
            wanted=lambda item: item.role in wanted and item.count >= self.least,
            most=self.most or most,
            grouped=not self.no_groups,
        )


ALL = WorkOptions()


@bundled
def assign(files: options.Files, domain: options.Domain, work: WorkOptions = ALL) -> None:
    """Go through the words that a taxonomy lacks, and assign each word or group of words with one key.

    Every decision is written to the file immediately and changes only the lines concerned; comments and order
    are kept. After a crash, the file is as it was before the last key. Ignored words are remembered in a file
    next to the taxonomy. Without a terminal, keys are read from standard input, one per line.

    Example: assess domain assign captions.json --domain food.yaml
    """
    from assess.domain.assign_loop import AssignLoop

    AssignLoop(work.session(files, domain, most=ASSIGNED), UserTerminal()).run()


@bundled
def studio(files: options.Files, domain: options.Domain, work: WorkOptions = ALL) -> None:
    """Edit a domain on one screen: words to decide, captions that contain them, categories, and coverage.

    The keys and the list of ignored words are the same as in assign; ? shows the keys. Needs the extra
    `studio`.

    Example: assess domain studio captions.json --domain food.yaml
    """
    import importlib.util

    from assess.errors import MissingPartError, install_extra

    if importlib.util.find_spec("textual") is None:
        raise MissingPartError(
            "the studio needs Textual, which is not installed",
            hint=f"{install_extra('studio')}; or use assess domain assign, which has the same keys",
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the studio needs a terminal", hint="assess domain assign reads keys from a file")
    session = work.session(files, domain)
    from assess.domain.studio import run_studio

    run_studio(session)


def own_file(domain: str) -> Path:
    """Return the file of a domain, which must not belong to a package."""
    from assess.taxonomy.compose import find_taxonomy, known_domains

    packages = [known.package for known in known_domains() if known.name == domain]
    if packages:
        raise UsageError(
            f"`{domain}` is part of {packages[0]} and cannot be edited in place",
            hint=f"assess domain export {domain} --out my-{domain}.yaml, then --domain my-{domain}.yaml",
        )
    return find_taxonomy(domain)


class UserTerminal:
    """The person at the keyboard, or a script that sends one line per key."""

    def __init__(self) -> None:
        from assess.cli.console import output

        self._console: Console = output()
        self._interactive = sys.stdin.isatty()
        self._typed: list[str] = []  # keys that were typed ahead

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


@bundled
def sample(
    files: options.Files,
    domain: options.Domain,
    per_head: Annotated[
        int, typer.Option("--per-head", min=1, help="Number of labels to draw per head.")
    ] = 2,
    most: Most = None,
    seed: Annotated[int, typer.Option("--seed", min=0, max=LARGEST, help="Random seed for sampling.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="SHEET", help="Write a sheet to fill in, as CSV.")
    ] = None,
    verdicts: Annotated[
        Path | None,
        typer.Option("--verdicts", metavar="SHEET", help="Apply the verdicts of a completed sheet."),
    ] = None,
    reading: SurveyOptions = AS_USUAL,
) -> None:
    """Draw labels that were read in full, a few per head, and judge them.

    Each verdict becomes an example in the taxonomy; a label that does not belong to the domain is also
    excluded. Judge labels here, with one key each, or write a sheet (--out), fill in its column `verdict`
    with right, out, or not and the wrong categories, and apply it (--verdicts).

    Example: assess domain sample captions.json --domain food.yaml
    """
    from assess.cli.console import output
    from assess.domain.sampling import draw_labels, edits_of_sheet, sheet
    from assess.errors import some
    from assess.taxonomy.edit import Exclusion, TaxonomyFile
    from assess.whole_files import write_whole

    if "-" in files:
        raise UsageError("captions cannot be read from standard input, because keys are")
    found = reading.survey(files, domain)
    if verdicts is not None:
        file = TaxonomyFile(own_file(domain))
        edits = edits_of_sheet(found.taxonomy, found, verdicts)
        if edits:
            file.add(*edits)
        excluded = sum(isinstance(edit, Exclusion) for edit in edits)
        added = f"{some(len(edits) - excluded, 'example')} and {some(excluded, 'exclusion')} added"
        output().print(f"{file.path.name}: {added}", soft_wrap=True)
        return
    drawn = draw_labels(found, per_head=per_head, seed=seed)[:most]
    if not drawn:
        raise UsageError(
            "no label was read in full", hint="run assess domain coverage to see what is missing"
        )
    if out is not None:
        write_whole(out, sheet(drawn))
        output().print(f"{out}: {some(len(drawn), 'label')} to judge", soft_wrap=True)
        return
    _judge(drawn, found, TaxonomyFile(own_file(domain)), UserTerminal())


_JUDGED = {"y": "right", "\n": "right", "\r": "right", "o": "out", "n": "not"}


def _judge(drawn: list[Drawn], found: Survey, file: TaxonomyFile, terminal: UserTerminal) -> None:
    """Ask for a verdict on each label; every one is written at once."""
    from rich.text import Text

    from assess.domain.overview import reading_of
    from assess.errors import some
    from assess.report.text import plain

    taxonomy, judged, wrong, position = found.taxonomy, 0, 0, 0
    terminal.show(
        Text("y right (Enter) · o not in the domain · n wrong category · s skip · q quit", style="dim")
    )
    while position < len(drawn):
        item = drawn[position]
        terminal.show(
            plain(f"\n{position + 1}/{len(drawn)}  {item.label}  →  {reading_of(item.analysis)}", 300)
        )
        for caption in item.captions[:2]:
            terminal.show(plain(f"   {caption}", 300, style="dim"))
        key = terminal.key()
        if key == END:
            break
        if key in _JUDGED:
            try:
                taxonomy = _write_verdict(item, _JUDGED[key], taxonomy, file, terminal)
            except AssessError as error:
                terminal.show(plain(str(error), 400, style="red"))
                continue
            judged += 1
            wrong += _JUDGED[key] != "right"
        elif key != "s":
            continue
        position += 1
    written = f", {wrong} of them wrong; written to {file.path.name}" if judged else ""
    terminal.show(f"{some(judged, 'label')} judged{written}")


def _write_verdict(
    item: Drawn, verdict: str, taxonomy: Taxonomy, file: TaxonomyFile, terminal: UserTerminal
) -> Taxonomy:
    from assess.domain.sampling import edits_of

    if verdict == "not":
        verdict += " " + terminal.line(
            f"which of {', '.join(item.analysis.heads + item.analysis.modifiers)}:"
        )
    edits = edits_of(taxonomy, item.label, item.analysis, verdict)
    return file.add(*edits) if edits else taxonomy


class Watch:
    """Watches a taxonomy's file, and reports mistakes, coverage and changes on every save."""

    def __init__(self, found: Survey, domain: str) -> None:
        from assess.cli.console import output
        from assess.taxonomy.compose import find_taxonomy

        self._survey, self._path, self._domain = found, find_taxonomy(domain), domain
        self._console: Console = output()
        self._text = self._path.read_bytes()

    def stay(self) -> None:
        """Watch until interrupted."""
        from assess.taxonomy import read_taxonomy

        self._report(self._survey, read_taxonomy(self._domain)[1], None)
        while True:
            time.sleep(LOOK_AGAIN)
            self.look()

    def look(self) -> None:
        """Report again if the file's content changed since the last check."""
        try:
            text = self._path.read_bytes()
        except OSError:  # an editor may be about to replace the file
            return
        if text != self._text:
            self._text = text
            self._renew()

    def _renew(self) -> None:
        from assess.domain.survey import no_collection
        from assess.taxonomy import read_taxonomy

        self._console.rule(time.strftime("%H:%M:%S"), style="dim")
        try:
            with no_collection():
                taxonomy, document = read_taxonomy(self._domain)
                found = self._survey.read_with(taxonomy)
                self._report(found, document, self._survey)
        except AssessError as error:
            self._console.print(str(error), style="red", markup=False)
            return
        self._survey = found

    def _report(self, found: Survey, document: Document, before: Survey | None) -> None:
        from assess.domain.advice import domain_gaps
        from assess.domain.overview import changes, changes_report, checked
        from assess.domain.view import coverage_line

        result = checked(found.taxonomy, document, parser=found.surveyor.parser)
        for problem in (*result.errors, *result.warnings):
            self._console.print(str(problem), markup=False, soft_wrap=True)
        self._console.print(f"{result.identity}: {result.counts}")
        self._console.print(coverage_line(domain_gaps(found)))
        if before is not None:
            for part in changes_report(changes(before, found), title="Since the last save"):
                self._console.print(part)

"""The loop of `assess domain assign`: show a word, wait for a key, write it down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assess.domain.advice import Advice, Adviser, Candidate
from assess.domain.overview import categories_of_words
from assess.domain.view import example, reasons_text
from assess.errors import AssessError, some
from assess.records import Role
from assess.report.text import count, percent, plain
from assess.taxonomy.edit import Addition, TaxonomyFile
from assess.taxonomy.phrases import normal_form

KEYS = "1-9 accept (Enter: 1) · s skip · o other category · e edit · u undo · q quit"
SUGGESTED = 3
ENTER = ("\r", "\n")


class Terminal(Protocol):
    """Whoever answers."""

    def show(self, part: RenderableType) -> None:
        """Print something."""

    def key(self) -> str:
        """Return the next key."""

    def line(self, question: str) -> str:
        """Return the answer to a question."""


class AssignLoop:
    """Goes through candidates. The taxonomy is learnt anew after each word, so suggestions improve."""

    def __init__(self, file: TaxonomyFile, adviser: Adviser, terminal: Terminal) -> None:
        self._file = file
        self._adviser = adviser
        self._terminal = terminal
        self._added: list[tuple[int, int]] = []  # places of the candidates that were added, and their edits
        self._skipped = 0

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Ask about every candidate that the taxonomy still lacks."""
        waiting = list(candidates)
        if not waiting:
            self._terminal.show("The taxonomy already has every word of these captions.")
            return
        self._terminal.show(Text(KEYS, style="dim"))
        position = 0
        while 0 <= position < len(waiting):
            if self._is_known(waiting[position]):
                position += 1
                continue
            step = self._ask(waiting, position)
            if step is None:
                break
            position = step
        added = some(len(self._added), "word")
        done = f"{added} added to {self._file.path.name}, {count(self._skipped)} skipped"
        self._terminal.show(plain(done, 300))

    def _is_known(self, candidate: Candidate) -> bool:
        words = categories_of_words(self._adviser.taxonomy, candidate.role)
        return normal_form(self._adviser.taxonomy, candidate.word) in words

    def _ask(self, waiting: list[Candidate], position: int) -> int | None:
        """Ask about one candidate. Return the position to go on with, or None to stop."""
        advice = self._adviser.advise(waiting[position], most=SUGGESTED)
        self._terminal.show(_card(advice, position + 1, len(waiting)))
        while True:
            key = self._terminal.key()
            if key == "q":
                return None
            if key == "s":
                self._skipped += 1
                return position + 1
            if key == "u":
                undone = self._undo()
                if undone is not None:
                    return undone
            elif key == "e":
                waiting[position] = self._edited(waiting[position])
                return position
            elif self._accept(key, advice, position):
                return position + 1

    def _accept(self, key: str, advice: Advice, position: int) -> bool:
        """Add the word where the key says; False if it says nothing, or it could not be done."""
        chosen = self._chosen(key, advice)
        if chosen is None:
            return False
        role, category = chosen
        entries = advice.candidate.entries
        done = 0
        try:
            for entry in entries:
                self._adviser.learn(self._file.add(Addition(role, category, entry)))
                done += 1
        except AssessError as error:
            self._tell(error)
        if not done:
            return False
        self._added.append((position, done))
        words = ", ".join(entry.word for entry in entries[:done])
        self._terminal.show(plain(f"  {words} → {role} {category}", style="green"))
        return True

    def _chosen(self, key: str, advice: Advice) -> tuple[Role, str] | None:
        role = advice.candidate.role
        if key == "o":
            return self._other(role)
        number = 1 if key in ENTER else int(key) if key.isascii() and key.isdigit() else 0
        if 1 <= number <= len(advice.suggestions):
            return role, advice.suggestions[number - 1].category
        self._terminal.show(Text(KEYS, style="dim"))
        return None

    def _other(self, role: Role) -> tuple[Role, str] | None:
        """Ask for a category by its name, or the beginning of it; `head.NAME` chooses the role too."""
        known = [(each, name) for each, name, _ in self._adviser.taxonomy.categories()]
        own = [name for each, name in known if each == role]
        self._terminal.show(plain(", ".join(own), 2_000, style="dim"))
        answer = self._terminal.line("category:")
        asked, _, name = answer.rpartition(".")
        wanted = [(each, full) for each, full in known if each == (asked or role)]
        exact = [item for item in wanted if item[1] == name]
        found = exact or [item for item in wanted if name and item[1].startswith(name)]
        if len(found) == 1:
            return found[0]
        message = (
            "no such category" if not found else "which of " + ", ".join(full for _, full in found) + "?"
        )
        self._terminal.show(plain(message, 400, style="yellow"))
        return None

    def _undo(self) -> int | None:
        """Take back the last word. Return its position, or None if nothing was taken back."""
        if not self._added:
            self._terminal.show(Text("nothing to undo", style="yellow"))
            return None
        try:
            for _ in range(self._added[-1][1]):
                self._file.undo()
        except AssessError as error:
            self._tell(error)
            return None
        self._adviser.learn(self._file.read())
        return self._added.pop()[0]

    def _tell(self, error: AssessError) -> None:
        """Show what went wrong; its place would be in a text that was not written."""
        for problem in error.problems:
            hint = f" ({problem.hint})" if problem.hint else ""
            self._terminal.show(plain(f"  {problem.message}{hint}", 400, style="red"))

    def _edited(self, candidate: Candidate) -> Candidate:
        word = " ".join(self._terminal.line(f"instead of {candidate.word}:").lower().split())
        return replace(candidate, word=word, forms=()) if word else candidate


def _card(advice: Advice, number: int, total: int) -> RenderableType:
    """Return a candidate with its examples and suggestions."""
    candidate = advice.candidate
    title = Text(f"\n{number}/{total}  ", style="dim")
    title.append_text(plain(candidate.word, 60, style="bold not dim"))
    kind = "noun that may be a head" if candidate.role == "head" else "before a head"
    kind = "takes a head after it" if candidate.role == "modifier" and candidate.forms else kind
    title.append(f"  {kind}, {some(candidate.count, 'chunk')}")
    captions = [Padding(example(candidate, number=n), (0, 0, 0, 3)) for n in range(len(candidate.captions))]
    grid = Table.grid(padding=(0, 2))
    for place, suggestion in enumerate(advice.suggestions, start=1):
        why = reasons_text(candidate.word, suggestion.reasons)
        belief = Text(percent(suggestion.score, 0), style="dim")
        grid.add_row(
            Text(f"  {place}", style="bold"), plain(suggestion.category, 40, style="cyan"), belief, why
        )
    return Group(title, *captions, grid)

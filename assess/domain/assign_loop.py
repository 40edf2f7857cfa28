"""The loop of `assess domain assign`: show a word or a group, wait for a key, save the decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assess.domain.advice import Advice
from assess.domain.session import Item, Session
from assess.domain.view import coverage_line, example, reasons_text
from assess.errors import AssessError, some
from assess.records import Role
from assess.report.text import count, percent, plain

KEYS = "1-9 accept (Enter: 1) · o other category · i ignore · s skip · u undo · ? all keys · q quit"
HELP = {
    "1-9": "add it to the category with that number; Enter is 1",
    "o": "add it to another category, by the beginning of its name; head.NAME changes the role",
    "n": "create a new category for it",
    "m": "replace it with other words: hot dog instead of dog (also e)",
    "x": "exclude it: it ends like a head but does not belong to the domain",
    "i": "ignore it, now and in later sessions",
    "s": "skip it this time",
    "g": "decide the words of a group one by one",
    "d": "drop words from a group, by their numbers",
    "u": "undo the last decision",
    "r": "read the captions again, with the new decisions",
    "c": "show the coverage",
    "?": "show this help",
    "q": "quit; everything is saved already",
}
ENTER = ("\r", "\n")
REREAD = 10
"""After this many decisions that change the taxonomy, the captions are read again automatically."""


class Terminal(Protocol):
    """Where questions are asked and answered."""

    def show(self, part: RenderableType) -> None:
        """Print something."""

    def key(self) -> str:
        """Return the next key."""

    def line(self, question: str) -> str:
        """Return the answer to a question."""


class AssignLoop:
    """Asks about every item of a session."""

    def __init__(self, session: Session, terminal: Terminal) -> None:
        self._session = session
        self._terminal = terminal
        self._actions: dict[str, Callable[[], object]] = {
            "s": session.skip,
            "i": session.ignore,
            "g": session.split,
            "u": self._undo,
            "r": session.reread,
            "n": self._new_category,
            "m": self._reword,
            "e": self._reword,
            "x": self._exclude,
            "d": self._drop,
        }

    def run(self) -> None:
        """Ask until the queue is empty or the user quits."""
        session = self._session
        if session.current is None:
            self._terminal.show("The taxonomy already contains every word of these captions.")
            return
        self._terminal.show(Text(KEYS, style="dim"))
        while (item := self._next()) is not None and self._ask(item):
            pass
        done = session.tally
        parts = [f"{some(done.added, 'word')} added to {session.file.path.name}"]
        parts += [f"{count(done.excluded)} excluded"] if done.excluded else []
        parts += [f"{count(done.refused)} ignored"] if done.refused else []
        self._terminal.show(plain(", ".join([*parts, f"{count(done.skipped)} skipped"]), 300))

    def _next(self) -> Item | None:
        """Return what to ask about; after some changes, and at the end, the captions are read again."""
        session = self._session
        if session.changes >= REREAD or (session.changes and session.current is None):
            session.reread()
            self._terminal.show(coverage_line(session.gaps))
        return session.current

    def _ask(self, item: Item) -> bool:
        """Ask about one item until it is decided. False to stop."""
        session = self._session
        advice = session.advice(item)
        self._terminal.show(_card(item, advice, session.position + 1, len(session.queue)))
        while True:
            key = self._terminal.key()
            if key == "q":
                return False
            try:
                if key != "u" and session.notice_edits() and session.current != item:
                    self._terminal.show(Text("  decided elsewhere in the meantime", style="dim"))
                    return True
                if self._act(key, advice):
                    return True
            except AssessError as error:
                self._tell(error)

    def _act(self, key: str, advice: Advice) -> bool:
        """Do what a key means; False if the item needs another key."""
        if key in self._actions:
            return self._actions[key]() is not False
        if key == "?":
            self._terminal.show(_help())
        elif key == "c":
            self._terminal.show(coverage_line(self._session.gaps))
        elif (chosen := self._chosen(key, advice)) is not None:
            role, category = chosen
            words = self._session.accept(category, role)
            self._terminal.show(plain(f"  {', '.join(words)} → {role} {category}", 400, style="green"))
            return True
        return False

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
        known = [(each, name) for each, name, _ in self._session.taxonomy.categories()]
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
            "there is no such category"
            if not found
            else "which of " + ", ".join(full for _, full in found) + "?"
        )
        self._terminal.show(plain(message, 400, style="yellow"))
        return None

    def _new_category(self) -> bool:
        item = self._session.current
        name = self._terminal.line("name of the new category:")
        if not name or item is None:
            return False
        words = self._session.new_category(name, self._terminal.line("what it means, in a sentence:"))
        self._terminal.show(plain(f"  {', '.join(words)} → new {item.role} {name}", 400, style="green"))
        return True

    def _reword(self) -> None:
        item = self._session.current
        if item is not None:
            self._session.reword(self._terminal.line(f"instead of {item.word}:"))

    def _exclude(self) -> None:
        phrase = self._terminal.line("exclude which phrase (leave empty for the word itself):")
        words = self._session.exclude(" ".join(phrase.lower().split()) or None)
        self._terminal.show(plain(f"  {', '.join(words)} → excluded", 400, style="green"))

    def _drop(self) -> None:
        answer = self._terminal.line("numbers to drop:")
        self._session.drop(int(part) - 1 for part in answer.replace(",", " ").split() if part.isdecimal())

    def _undo(self) -> bool:
        if self._session.undo():
            return True
        self._terminal.show(Text("nothing to undo", style="yellow"))
        return False

    def _tell(self, error: AssessError) -> None:
        """Show what went wrong, without its place, which would be in a text that was not saved."""
        for problem in error.problems:
            hint = f" ({problem.hint})" if problem.hint else ""
            self._terminal.show(plain(f"  {problem.message}{hint}", 400, style="red"))


def _help() -> Table:
    grid = Table.grid(padding=(0, 2))
    for key, meaning in HELP.items():
        grid.add_row(Text(f"  {key}", style="bold"), meaning)
    return grid


def kind_of(item: Item) -> str:
    """Say what kind of word an item is."""
    if item.offer is not None:
        text = item.offer.text
        if item.offer.key == "use":
            return f"words of the shared list {text}, to be used as a whole"
        if text == "{number}":
            return "numbers, to be matched by the pattern {number}"
        return (
            f"heads of {text.strip('{}').removeprefix('head.')} that occur before heads: the pattern {text}"
        )
    if item.role == "head":
        return "nouns that may be heads" if len(item.members) > 1 else "noun that may be a head"
    of = all(member.forms for member in item.members)
    return ("take" if len(item.members) > 1 else "takes") + " a head after it" if of else "before a head"


def _card(item: Item, advice: Advice, number: int, total: int) -> RenderableType:
    """Return an item with its examples and suggestions."""
    title = Text(f"\n{number}/{total}  ", style="dim")
    title.append_text(plain(item.members[0].word, 60, style="bold not dim"))
    if len(item.members) > 1:
        subject = item.word if item.offer is not None else f"{len(item.members)} words with similar use"
        title = Text(f"\n{number}/{total}  ", style="dim").append(subject, style="bold not dim")
    title.append(f"  {kind_of(item)}, {some(item.count, 'chunk')}")
    shown = [(member, n) for member in item.members for n in range(len(member.captions))]
    lines: list[RenderableType] = [Padding(example(member, number=n), (0, 0, 0, 3)) for member, n in shown]
    if len(item.members) > 1:
        listed = "  ".join(f"{n} {each.word} ({count(each.count)})" for n, each in enumerate(item.members, 1))
        firsts = [example(member) for member in item.members[:3] if member.captions]
        lines = [Padding(plain(listed, 1_000, style="bold"), (0, 0, 0, 3))]
        lines += [Padding(line, (0, 0, 0, 3)) for line in firsts]
    return Group(title, *lines, suggestion_grid(advice))


def suggestion_grid(advice: Advice) -> Table:
    """Return the suggestions of an item, numbered, and the probability that none is right."""
    grid = Table.grid(padding=(0, 2))
    for place, suggestion in enumerate(advice.suggestions, start=1):
        why = reasons_text(advice.candidate.word, suggestion.reasons)
        belief = Text(percent(suggestion.score, 0), style="dim")
        grid.add_row(
            Text(f"  {place}", style="bold"), plain(suggestion.category, 40, style="cyan"), belief, why
        )
    grid.add_row("", Text("none of these", style="dim"), Text(percent(advice.none, 0), style="dim"), "")
    return grid

"""`assess domain studio`: an author's session on one screen (Textual, the extra `studio`).

The queue is on the left, captions in the middle, categories on the right; coverage is always shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from rich.console import Group
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Label, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import Worker, WorkerState

from assess.domain.advice import DomainGaps
from assess.domain.assign_loop import HELP, REREAD, kind_of
from assess.domain.session import Item, Session
from assess.domain.view import coverage_line, example, reasons_text
from assess.errors import AssessError
from assess.records import Role
from assess.report.text import count, percent, plain

LOOK_AGAIN = 1.0
"""Seconds between checks of the file, which may be edited elsewhere."""

SHOWN = 300
"""Number of items shown; later ones appear as the first ones are decided."""

_HELP = {
    **{key: meaning for key, meaning in HELP.items() if key != "c"},  # coverage is always shown
    "o": "go to the categories on the right; Enter adds the word to one, Tab goes back",
    "↑ ↓": "move to another item or category; what you pass over still waits",
    "• + =": "a noun that may be a head; a group of words; a shared list or a pattern, as a whole",
}


class Question(ModalScreen[str]):
    """Asks for a line; Escape cancels."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "cancel")]

    def __init__(self, question: str, begun: str = "") -> None:
        super().__init__()
        self._question, self._begun = question, begun

    def compose(self) -> ComposeResult:
        """Lay out."""
        with Vertical(classes="box"):
            yield Label(self._question, markup=False)
            yield Input(self._begun)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer."""
        self.dismiss(event.value.strip())


class Help(ModalScreen[None]):
    """All keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        """Lay out."""
        lines = [Text.assemble((f"{key:>5}", "bold"), f"  {meaning}") for key, meaning in _HELP.items()]
        with VerticalScroll(classes="box"):
            yield Static(Text("\n").join(lines))


class Studio(App[None]):
    """One screen for a session."""

    CSS = """
    #top { height: auto; max-height: 2; padding: 0 1; background: $panel; }
    #waiting { width: 25%; max-width: 32; border-right: solid $panel; }
    #captions { width: 1fr; padding: 0 1; }
    #categories { width: 32%; max-width: 40; border-left: solid $panel; }
    OptionList { height: 1fr; border: none; padding: 0; }
    ModalScreen { align: center middle; }
    .box { width: 76; max-width: 95%; height: auto; max-height: 90%; padding: 0 1; background: $surface;
           border: round $primary; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(n), f"accept({n})", "accept", show=n == 1, key_display="1-9") for n in range(1, 10)),
        Binding("o", "other", "other"),
        Binding("d", "drop", "drop"),
        Binding("i", "decide('ignore')", "ignore"),
        Binding("s", "decide('skip')", "skip"),
        Binding("u", "undo", "undo"),
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("q,ctrl+c", "quit", "quit"),
        # A narrow terminal has no room for these; the help shows all keys.
        Binding("n", "new_category", "new"),
        Binding("m,e", "reword", "words"),
        Binding("x", "exclude", "exclude"),
        Binding("g", "decide('split')", "one by one"),
        Binding("r", "reread", "read"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._choices: list[tuple[Role, str]] = []  # of the list on the right
        self._seen = self._stamp()
        self._reading = False

    def compose(self) -> ComposeResult:
        """Lay out."""
        yield Static(id="top")
        with Horizontal():
            yield OptionList(id="waiting", markup=False)
            with VerticalScroll(id="captions", can_focus=False):
                yield Static(id="card")
            yield OptionList(id="categories", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin."""
        self.title = self.session.taxonomy.taxonomy
        self.theme = "textual-ansi" if self.no_color else self.theme
        self.set_interval(LOOK_AGAIN, self._look)
        self.query_one("#waiting").focus()
        self._show()

    # Display.

    def _show(self) -> None:
        """Redraw everything."""
        session = self.session
        item = session.current
        self._show_top()
        waiting = self.query_one("#waiting", OptionList)
        with self.prevent(OptionList.OptionHighlighted):
            waiting.clear_options()
            shown = session.queue[session.start : session.start + SHOWN]
            waiting.add_options([Option(_line(each), id=str(n)) for n, each in enumerate(shown)])
            waiting.highlighted = min(session.position - session.start, len(shown) - 1) if shown else None
        self._show_item(item)

    def _show_top(self) -> None:
        session = self.session
        state = "  reading…" if self._reading else f"  {session.changes} to read" if session.changes else ""
        line = Text.assemble((f"{session.taxonomy.taxonomy}: ", "bold"), coverage_line(session.gaps).plain)
        done = f"  {count(session.decisions)} decided{state}"
        self.query_one("#top", Static).update(line.append(done, style="bold"))

    def _show_item(self, item: Item | None) -> None:
        card, categories = self.query_one("#card", Static), self.query_one("#categories", OptionList)
        categories.clear_options()
        self._choices = []
        if item is None:
            card.update("Nothing left to decide. r reads the captions again, q quits; everything is saved.")
            return
        advice = self.session.advice(item)
        card.update(_card(item))
        found = {suggestion.category: suggestion for suggestion in advice.suggestions}
        rows = []
        for number, (name, suggestion) in enumerate(found.items(), start=1):
            why = reasons_text(item.members[0].word, suggestion.reasons).plain
            rows.append(
                Text.assemble(
                    (f"{number} {name} ", "bold"), f"{percent(suggestion.score, 0)}\n", (f"  {why}", "dim")
                )
            )
            self._choices.append((item.role, name))
        rows.append(Text(f"  none of these {percent(advice.none, 0)}", style="dim"))
        self._choices.append((item.role, ""))
        for role, name, _ in self.session.taxonomy.categories():
            if role != item.role or name not in found:
                rows.append(Text(f"  {name if role == item.role else f'{role}.{name}'}"))
                self._choices.append((role, name))
        categories.add_options(
            [Option(row, disabled=not name) for row, (_, name) in zip(rows, self._choices, strict=True)]
        )
        categories.highlighted = 0
        self.query_one("#captions").scroll_home(animate=False)

    # Actions.

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Look at another item."""
        if event.option_list.id == "waiting" and event.option_index is not None:
            self.session.position = self.session.start + event.option_index
            self._show_item(self.session.current)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Accept: the first suggestion on the left, the chosen category on the right."""
        if event.option_list.id == "waiting":
            self.action_accept(1)
        elif event.option_index < len(self._choices):
            self._accept(*self._choices[event.option_index])

    def action_accept(self, number: int) -> None:
        """Accept a suggestion."""
        suggested = [name for _, name in self._choices].index("") if self._choices else 0
        if 1 <= number <= suggested:
            self._accept(*self._choices[number - 1])

    def _accept(self, role: Role, category: str) -> None:
        if category:
            self._do(partial(self.session.accept, category, role), f"→ {role} {category}")

    def action_other(self) -> None:
        """Go to the categories."""
        self.query_one("#categories").focus()

    def action_decide(self, what: str) -> None:
        """Ignore, skip or split."""
        self._do(getattr(self.session, what), "ignored from now on" if what == "ignore" else "")

    def action_undo(self) -> None:
        """Take back the last decision."""
        self._do(self.session.undo, "taken back" if self.session.decisions else "nothing to undo")

    def action_new_category(self) -> None:
        """Ask for a name and a meaning."""

        def named(name: str | None) -> None:
            if name:
                ask = Question(f"What does {name} mean? Describe it in one sentence:")
                self.push_screen(ask, partial(self._made_category, name))

        if self.session.current is not None:
            self.push_screen(Question("Name of the new category:"), named)

    def _made_category(self, name: str, meaning: str | None) -> None:
        item = self.session.current
        if meaning is not None and item is not None:
            judge = "; evidence and sensitivity: see the file" if item.role == "modifier" else ""
            self._do(partial(self.session.new_category, name, meaning), f"→ new category {name}{judge}")

    def action_reword(self) -> None:
        """Ask for other words."""
        item = self._words_only()
        if item is not None:
            question = Question("Which words instead?", item.members[0].word)
            self.push_screen(question, lambda word: self._do(partial(self.session.reword, word or ""), ""))

    def _words_only(self) -> Item | None:
        """Return the item to decide; None and a message if it can only be accepted or refused as a whole."""
        try:
            return self.session.words_only() if self.session.current is not None else None
        except AssessError as error:
            self.notify("\n".join(_messages(error)), severity="error", markup=False)
            return None

    def action_exclude(self) -> None:
        """Ask for the phrase to exclude."""
        item = self._words_only()
        if item is not None:
            question = Question("Exclude which phrase?", item.members[0].word)
            self.push_screen(question, self._excluded)

    def _excluded(self, phrase: str | None) -> None:
        if phrase:
            self._do(partial(self.session.exclude, " ".join(phrase.lower().split())), f"{phrase}: excluded")

    def action_drop(self) -> None:
        """Ask which words to drop from a group."""
        item = self.session.current
        if item is None or len(item.members) < 2 or item.offer is not None:
            self.notify("You can only drop words from a group.", timeout=2)
            return
        self.push_screen(Question("Numbers of the words to drop:"), self._dropped)

    def _dropped(self, answer: str | None) -> None:
        numbers = [int(part) - 1 for part in (answer or "").replace(",", " ").split() if part.isdecimal()]
        self._do(partial(self.session.drop, numbers), "")

    def action_help(self) -> None:
        """Show all keys."""
        self.push_screen(Help())

    def action_reread(self) -> None:
        """Read the captions again in the background."""
        if not self._reading:
            self._reading = True
            self._changes = self.session.changes
            self.run_worker(
                partial(self.session.read, self.session.taxonomy), thread=True, exit_on_error=False
            )
            self._show_top()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Continue with the new reading."""
        if event.state in (WorkerState.SUCCESS, WorkerState.ERROR, WorkerState.CANCELLED):
            self._reading = False
            result = event.worker.result if event.state == WorkerState.SUCCESS else None
            if isinstance(result, DomainGaps):
                self.session.renew(result, changes=self.session.changes - self._changes)
            elif event.worker.error is not None:
                self.notify(str(event.worker.error), severity="error", markup=False)
            self._show()

    def _do(self, decide: Callable[[], object], message: str) -> None:
        """Apply a decision, and show what happened and what comes next."""
        try:
            decide()
        except AssessError as error:
            self.notify("\n".join(_messages(error)), severity="error", markup=False)
            return
        if message:
            self.notify(message, timeout=2, markup=False)
        self._seen = self._stamp()
        self._show()
        self.query_one("#waiting").focus()
        if self.session.changes >= REREAD or (self.session.changes and self.session.current is None):
            self.action_reread()

    # Changes to the file made elsewhere.

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self.session.file.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _look(self) -> None:
        stamp = self._stamp()
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            changed = self.session.notice_edits()
        except AssessError as error:
            self.notify(
                "\n".join(_messages(error)), title="changed elsewhere", severity="error", markup=False
            )
            return
        if changed:
            self.notify("The file was changed by another program and has been reloaded.", severity="warning")
            self.action_reread()


def _messages(error: AssessError) -> list[str]:
    return [
        "".join(
            (
                f"line {problem.place.line}: " if problem.place is not None and problem.place.line else "",
                problem.message,
                f" ({problem.hint})" if problem.hint else "",
            )
        )
        for problem in error.problems
    ]


def _line(item: Item) -> Text:
    mark = (
        "= "
        if item.offer is not None
        else "+ "
        if len(item.members) > 1
        else "  "
        if item.role == "modifier"
        else "• "
    )
    text = Text(f"{mark}{item.word}", no_wrap=True, overflow="ellipsis")
    return text.append(f" {count(item.count)}", style="dim")


def _card(item: Item) -> Group:
    """Return an item's words and captions, the words marked."""
    words = [
        Text.assemble(
            (f"{n} " if len(item.members) > 1 else "", "dim"),
            (member.word, "bold"),
            f" {count(member.count)}  ",
        )
        for n, member in enumerate(item.members, start=1)
    ]
    few = 3 if len(item.members) == 1 else 1
    captions = [
        plain("• ").append_text(example(member, number=n, width=400))
        for member in item.members
        for n in range(min(few, len(member.captions)))
    ]
    return Group(Text(kind_of(item), style="italic"), Text().join(words), Text(), *captions)


def run_studio(session: Session) -> None:
    """Show the studio until its user quits."""
    Studio(session).run()

"""Content selection for a terminal: tables, what is never mentioned, sentences, notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.engine.selection_result import BoxCategories, GeneratedSentences, SelectionRun
from assess.report.cells import count, plain
from assess.report.noted_table import new_table
from assess.report.selection_tables import selection_tables
from assess.report.table_terminal import note_lines, signature_line, terminal_table

_EXAMPLES = 5


def selection_report(
    run: SelectionRun, *, measures: Sequence[str] = ("f",), width: int
) -> Iterator[RenderableType]:
    """Yield the parts of the report."""
    for table in selection_tables(run, measures, curves=True):
        yield from terminal_table(table, width=width)
    if run.categories is not None:
        yield never_mentioned(run, run.categories)
    for made in run.sentences:
        yield sentences_table(made, width=width)
    if run.notes:
        yield Group(*note_lines(run.notes))
    yield signature_line(run.signature.as_line())


def never_mentioned(run: SelectionRun, categories: BoxCategories) -> RenderableType:
    """Return the categories that people never mention, that systems never select, and that have no box."""
    lines = [_listed("Never mentioned by people", categories.never_mentioned)]
    for name, system in run.systems.items():
        missed = tuple(found.category for found in system.categories if found.never_selected)
        if missed:
            lines.append(_listed(f"Never selected by {name}", missed))
    if categories.without_boxes:
        lines.append(_listed("Without a box here", categories.without_boxes))
    return Group(*lines)


def _listed(title: str, names: tuple[str, ...]) -> Text:
    text = plain(f"{title}: ", 80, style="bold")
    return text.append(plain(", ".join(names) or "nothing", 2_000, style="not bold"))


def sentences_table(made: GeneratedSentences, *, width: int) -> Table:
    """Return a few of the sentences made from a baseline."""
    title = f"Sentences of {made.baseline} from {made.most} boxes ({count(len(made.sentences))} images)"
    table = new_table(title)
    table.add_column("image", overflow="fold", max_width=max(12, width // 4))
    table.add_column("sentence", overflow="fold")
    for image, sentence in list(made.sentences.items())[:_EXAMPLES]:
        table.add_row(plain(image, 40), plain(sentence, 300))
    return table

"""The full terminal report of `assess bias` and `assess audit --full`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from assess.audits.bias_sections import (
    MARKS,
    MOST_ROWS,
    across_table,
    beside_table,
    contrasts_told,
    crossed_tables,
    largest_bound,
    reference_table,
    starred,
    statistic_cell,
    swapped,
    verdict_meanings,
    words_table,
)
from assess.audits.differences import PLOT, WIDE
from assess.audits.highlights import NOTABLE_VERDICTS, by_size, by_verdict, never_said, value_words
from assess.audits.result import AuditResult
from assess.audits.sections import categories_in_short, delicate_table, further_sections, systems_table
from assess.audits.summary import findings
from assess.errors import some
from assess.grammar.groups import MIXED, NEUTRAL
from assess.measures.bias.groups import Pair
from assess.measures.bias.result import ALWAYS, ContrastCell, GroupResult
from assess.measures.bias.statistics import STATISTICS
from assess.measures.bias.verdict import VERDICTS
from assess.measures.coverage.compute import SystemCoverage
from assess.measures.registry import find_measure
from assess.report.section import Cell, Column, Table, number_columns, row_of, tables_of, text_columns, words
from assess.report.terminal import (
    bullet,
    interval_axis,
    interval_line,
    note_lines,
    signature_line,
    terminal_table,
)
from assess.report.text import UNDEFINED, count, listed, p_value, percent, plain, points, shortened

_FEWEST_OPEN, _MOST_UNKNOWN = 4, 5


def bias_page(audit: AuditResult, *, width: int, everything: bool = False) -> Iterator[RenderableType]:
    """Yield the parts of the report from top to bottom."""
    yield findings(audit, width, in_full=True)
    yield from note_lines(audit.notes)
    for group in audit.groups.values():
        yield from _group_parts(audit, group, width=width, everything=everything)
    errors = audit.measures["errors"].sections() if "errors" in audit.measures else ()
    for table in (*tables_of(errors, "terminal"), delicate_table(audit)):
        if table.rows:
            yield from terminal_table(table, width=width)
    yield before_quoting()
    yield signature_line(audit.signature.as_line())


def _group_parts(
    audit: AuditResult, group: GroupResult, *, width: int, everything: bool
) -> Iterator[RenderableType]:
    yield from terminal_table(_who_table(group), width=width)
    yield from _mixed_note(group)
    yield from terminal_table(_nouns_table(group), width=width) if group.nouns else ()
    for name, contrasts in group.contrasts.items():
        for pair in group.pairs:
            chosen = [contrast for contrast in contrasts if contrast.pair == pair]
            if chosen:
                title = _title(group, name, pair, domain=audit.domain, human=name in audit.references)
                yield from forest(chosen, pair, title=title, width=width, everything=everything)
                yield from _caution_lines(chosen)
                yield from _text_lines(chosen)
    systems = [cell for cell in group.cells if cell.system not in audit.references]
    for table in (
        beside_table(audit, group.name),
        reference_table(systems, everything=everything),
        across_table(group.across, group.name, everything=everything),
        words_table(systems, everything=everything),
        *crossed_tables(audit, group.name, everything=everything),
    ):
        if table.rows:
            yield from terminal_table(table, width=width)


def _title(group: GroupResult, system: str, pair: Pair, *, domain: str, human: bool) -> str:
    labels, said = group.labels[system], value_words(domain, group.name)
    first, second = (f"{said(value)} ({some(labels.get(value, 0), 'label')})" for value in pair)
    who = f"{system} (human references)" if human else system
    return f"{who}: {first} against {second}"


# Forest plots.


def forest(
    contrasts: Sequence[ContrastCell], pair: Pair, *, title: str, width: int, everything: bool
) -> Iterator[RenderableType]:
    """Yield the contrasts of one system and pair, by verdict, largest differences first.

    If there are no verdicts and no cautions, they are replaced by one line, unless `everything` is set.
    """
    ordered = sorted(contrasts, key=by_verdict)
    if not everything and not any(c.verdict != "insufficient" or c.cautions for c in ordered):
        names = ", ".join(contrast.name for contrast in ordered)
        found = f"Insufficient evidence in all {len(ordered)} contrasts: {names}. Use --all to show them."
        yield Group(plain(title, style="bold"), Text(found, style="dim"))
        return
    shown = ordered if everything else _worth_showing(ordered)
    scale, plot = largest_bound(shown), PLOT[width >= WIDE]
    columns = (
        *text_columns("category"),
        *number_columns(*map(_short_value, pair)),
        Column(NEUTRAL, NEUTRAL, rank=2),
        # The drawing can be dropped, because the other columns contain the same numbers.
        Column("plot", interval_axis(scale, plot), words=True, rank=1),
        *number_columns("points (95%)", "q"),
        *(Column(statistic.key, statistic.heading) for statistic in STATISTICS.values()),
    )
    rows = tuple(_forest_row(contrast, scale, plot) for contrast in shown)
    changes = (n for n in range(1, len(shown)) if shown[n].verdict != shown[n - 1].verdict)
    notes = tuple(_legend(shown, [contrast for contrast in ordered if contrast not in shown]))
    table = Table("forest", title, columns, rows, notes, breaks=tuple(changes))
    yield from terminal_table(table, width=width)


def _forest_row(contrast: ContrastCell, scale: float, plot: int) -> tuple[Cell, ...]:
    mark, style = MARKS[contrast.verdict]
    neutral = contrast.rates.get(NEUTRAL)
    return row_of(
        words(starred(contrast), mark=mark, style=style),
        percent(contrast.rate),
        percent(contrast.other_rate),
        percent(neutral.rate) if neutral else "",
        words(interval_line(contrast.risk_difference, scale, plot), style=style),
        points(*contrast.risk_difference),
        p_value(contrast.q),
        *(statistic_cell(statistic, contrast) for statistic in STATISTICS.values()),
    )


def _worth_showing(ordered: Sequence[ContrastCell]) -> list[ContrastCell]:
    """Omit most contrasts with insufficient evidence; those with cautions are always shown."""
    decided = [c for c in ordered if c.verdict != "insufficient"]
    undecided = [c for c in ordered if c.verdict == "insufficient"]
    kept = [c for place, c in enumerate(undecided) if place < _FEWEST_OPEN or c.cautions]
    return [*decided, *kept]


def _legend(shown: Sequence[ContrastCell], left_out: Sequence[ContrastCell]) -> Iterator[str]:
    yield from verdict_meanings(shown)
    if left_out:
        yield (
            f"Also insufficient: {', '.join(contrast.name for contrast in left_out)}. Use --all to show them."
        )


# Text below a forest plot.


def _caution_lines(contrasts: Sequence[ContrastCell]) -> Iterator[RenderableType]:
    """Yield the cautions of contrasts that are starred in the table."""
    lines = [f"* {contrast.name}: {caution.text}" for contrast in contrasts for caution in contrast.cautions]
    if lines:
        yield Group(*(plain(line, 300, style="yellow") for line in lines))


def _text_lines(contrasts: Sequence[ContrastCell]) -> Iterator[RenderableType]:
    """Yield the number of distinct texts behind each disparity, and the share of the most common one."""
    told = [
        f"{c.name} {count(c.texts.distinct)} (most common {percent(c.texts.share, 0)})"
        for c in sorted(contrasts, key=by_size)
        if c.verdict in NOTABLE_VERDICTS and c.texts is not None
    ]
    if told:
        yield plain(f"Different texts: {', '.join(told)}.", 2000, style="dim")


def _mixed_note(group: GroupResult) -> Iterator[RenderableType]:
    """Yield how labels about several values are counted."""
    number = sum(labels.get(MIXED, 0) for labels in group.labels.values())
    if number and group.told_by == "words":
        text = (
            "Labels with several values (a group of men and women) are excluded from contrasts:"
            f" {count(number)}."
        )
        yield plain(text, style="dim")


def before_quoting() -> RenderableType:
    """Return a note that applies to every contrast."""
    lines = (bullet(Text(line, style="dim")) for line in ALWAYS)
    return Group(Text("Before you quote a difference", style="bold"), *lines)


# Tables of the people or things that captions are about.


def _who_table(group: GroupResult) -> Table:
    """Return the numbers of labels about each value of a group, for each system."""
    values = [
        value
        for value in group.columns
        if value in group.values or any(labels.get(value) for labels in group.labels.values())
    ]
    columns = (*text_columns("system"), *number_columns(*map(_short_value, values)))
    rows = tuple(row_of(name, *_parts(labels, values)) for name, labels in group.labels.items())
    return Table("who", f"Labels by {group.name}", columns, rows, (group.origin,))


def _nouns_table(group: GroupResult) -> Table:
    """Return what nouns say, for each value that a groups file assigns to images."""
    assert group.nouns is not None
    found = group.nouns.labels
    told = list(dict.fromkeys(t for values in found.values() for c in values.values() for t in sorted(c)))
    columns = (
        *text_columns("system", _short_value(group.name)),
        *number_columns(*map(_short_value, told)),
    )
    rows = tuple(
        row_of(system, value, *_parts(values[value], told))
        for system, values in found.items()
        for value in group.values
        if value in values
    )
    note = (
        f"Labels by `{group.name}` and by the {group.nouns.by} that their noun states. If many"
        " nouns are neutral, there is little to compare."
    )
    return Table("nouns", f"What the nouns say about {group.nouns.by}", columns, rows, (note,))


def _short_value(value: str) -> str:
    """Return a value of a group as a column heading."""
    return shortened(value, 20)


def _parts(labels: dict[str, int], values: Sequence[str]) -> Iterator[str]:
    """Yield the number of labels about each value, and their share."""
    total = sum(labels.values()) or math.nan
    for value in values:
        number = labels.get(value, 0)
        yield f"{count(number)} {percent(number / total, 0):>4}"


# `assess audit --full`: a summary of contrasts, and all categories.


def audit_report(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report from top to bottom."""
    yield findings(audit, width)
    yield from terminal_table(systems_table(audit, short=True), width=width)
    yield from _after_note(audit)
    for group in audit.groups.values():
        yield from terminal_table(_who_table(group), width=width)
        yield from _disparities(audit, group, width=width)
    if audit.groups:
        yield before_quoting()
    yield from terminal_table(categories_in_short(audit), width=width)
    yield _never_said(audit)
    yield from not_covered(audit, width=width)
    yield from _noted_words(audit)
    yield from _measures(audit, width=width)
    for table in tables_of(further_sections(audit), "terminal"):
        yield from terminal_table(table, width=width)
    yield from note_lines(audit.notes)
    yield signature_line(audit.signature.as_line())


def _after_note(audit: AuditResult) -> Iterator[Text]:
    """Yield how much the attributes after the noun contribute."""
    parts = [
        f"{name} {count(found.after.modifiers)} of {count(found.best.modifiers)}"
        for name, found in audit.systems.items()
        if found.after.labels
    ]
    if parts:
        text = "Modifiers that occur only after the noun (a man with a beard, the girl is smiling): "
        yield plain(f"{text}{'; '.join(parts)}.", 1_000, style="dim")


def _disparities(audit: AuditResult, group: GroupResult, *, width: int) -> Iterator[RenderableType]:
    """Yield a summary of differences between values; `assess bias` shows all details."""
    found = sorted((c for c in group.cells if c.verdict in NOTABLE_VERDICTS), key=by_size)
    note = " ".join(_disparity_notes(audit, group.cells, found))
    if not found:
        yield Text(note, style="dim")
        return
    columns = (
        *text_columns("system", "category", "more of"),
        *number_columns("rate", "other", "points (95%)", "q", "texts"),
    )
    title, rows = (
        f"Said about one {group.name} more than about the other",
        map(_disparity_row, found[:MOST_ROWS]),
    )
    yield from terminal_table(Table("disparities", title, columns, tuple(rows), (note,)), width=width)


def _disparity_notes(
    audit: AuditResult, everything: Sequence[ContrastCell], found: Sequence[ContrastCell]
) -> Iterator[str]:
    verdicts = [contrast.verdict for contrast in everything]
    numbers = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS)
    yield f"{contrasts_told(audit, everything)}: {numbers}."
    yield "texts: number of different texts, and the share of the most common one."
    if len(found) > MOST_ROWS:
        yield f"Only the {MOST_ROWS} largest are shown; `assess bias` and --json list all."
    if any(contrast.cautions for contrast in found):
        yield "* interpret with care: see `assess bias`."
    if "reversal" in verdicts:
        yield f"{MARKS['reversal'][0]} reversal: {VERDICTS['reversal']}."


def _disparity_row(contrast: ContrastCell) -> tuple[Cell, ...]:
    difference, rates, texts = contrast.risk_difference, [contrast.rate, contrast.other_rate], contrast.texts
    if contrast.higher == contrast.against:
        difference, rates = swapped(difference), rates[::-1]
    mark = MARKS["reversal"][0] if contrast.verdict == "reversal" else ""
    return row_of(
        contrast.system,
        starred(contrast) + mark,
        words(contrast.higher, style="bold red"),
        *map(percent, rates),
        points(*difference),
        p_value(contrast.q),
        UNDEFINED if texts is None else f"{count(texts.distinct)}, {percent(texts.share, 0)}",
    )


def _never_said(audit: AuditResult) -> RenderableType:
    """Return the categories that no system uses."""
    lines = [Text("Never said", style="bold")]
    for role, keys in never_said(audit):
        lines.append(Text(f"{role}: " + ", ".join(key.partition(".")[2] for key in keys)))
    if len(lines) == 1:
        lines.append(Text("none: captions use every category of the taxonomy"))
    return Group(*lines)


def not_covered(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield what the taxonomy could not read, most common first."""
    rows = [found for name, system in audit.systems.items() for found in _unread_rows(name, system)]
    columns = (
        *text_columns("system"),
        *text_columns("unknown word", narrowed="cut"),
        *number_columns("labels"),
        *text_columns("in", narrowed="cut"),
    )
    parts: list[RenderableType] = []
    if rows:
        title = "Not covered by the taxonomy"
        parts += terminal_table(Table("not_covered", title, columns, tuple(rows)), width=width)
    for name, system in audit.systems.items():
        if system.unread.labels:
            phrases = ", ".join(f"{text} ({count(number)})" for text, number in system.unread.phrases.items())
            text = (
                f"Not understood after the noun, {name}: {percent(system.unread.share)} of labels: {phrases}"
            )
            parts.append(plain(text, 300, style="dim"))
    yield Group(*parts) if parts else Text("All labels were read in full.", style="dim")


def _unread_rows(name: str, system: SystemCoverage) -> Iterator[tuple[Cell, ...]]:
    for unknown in system.unknown_words[:_MOST_UNKNOWN]:
        examples = words(", ".join(unknown.examples[:3]), style="dim")
        yield row_of(name, unknown.word, count(unknown.labels), examples)
    known = {text for unknown in system.unknown_words for text in unknown.examples}
    for text, number in system.uncovered_examples.items():
        if text not in known:
            yield row_of(name, words("(no rule)", style="dim"), count(number), text)


def _noted_words(audit: AuditResult) -> Iterator[RenderableType]:
    """Yield, for each system, the words that the taxonomy marks as dated or offensive."""
    lines = []
    for name, system in audit.systems.items():
        found = [f"{item.word} ({item.note}, {count(item.labels)})" for item in system.noted_words]
        if found:
            lines.append(plain(f"{name}: {', '.join(found)}", 300))
    if lines:
        yield Group(Text("Dated or offensive words", style="bold"), *lines)


def _measures(audit: AuditResult, *, width: int) -> Iterator[RenderableType]:
    """Yield summaries of errors, diversity and recall; their own commands show all details."""
    sections = [section for result in audit.measures.values() for section in result.sections()]
    tables = [table for table in tables_of(sections, "terminal") if table.brief]
    for table in tables:
        yield from terminal_table(table, width=width)
    told = dict.fromkeys(note for section in sections for note in section.notes("terminal", warnings=True))
    yield from note_lines([note for note in told if note not in audit.notes], kind="warning")
    if tables:
        commands = listed([f"`assess {find_measure(name).command}`" for name in audit.measures])
        tell = "tells" if len(audit.measures) == 1 else "tell"
        yield Text(f"{commands} {tell} more; --json and --out too.", style="dim")

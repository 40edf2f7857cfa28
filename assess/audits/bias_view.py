"""Tables beside the forest plots: who is spoken of, references, systems together, delicate words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.audits.forest import MARKS, WIDE, folded, forest_table, turned_round
from assess.audits.highlights import (
    CHANGED,
    TELLING_VERDICTS,
    beside_references,
    by_size,
    delicate_highlights,
    error_highlights,
    group_highlights,
    value_words,
)
from assess.audits.result import AuditResult
from assess.audits.sections import beside_table, crossed_tables
from assess.errors import some
from assess.grammar.groups import MIXED, NEUTRAL
from assess.measures.bias.groups import Pair
from assess.measures.bias.result import ALWAYS, ContrastCell, GroupResult, PooledContrast
from assess.measures.bias.verdict import VERDICTS
from assess.measures.bias.words import DelicateCategory
from assess.report.section import tables_of
from assess.report.terminal import bullets, new_table, note_lines, signature_line, terminal_table
from assess.report.text import UNDEFINED, count, first_few, p_value, percent, plain, points

MOST_ROWS = 12

Item = TypeVar("Item")


def who_table(group: GroupResult) -> Table:
    """Return whom the labels of each system are about."""
    told = (
        f"By the captions' words, which are not identities. {NEUTRAL}: the noun does not state {group.name}."
    )
    annotated = f"By the image, as `{group.name}` has it, whatever the caption says."
    table = new_table(f"Labels by {group.name}", caption=told if group.told_by == "words" else annotated)
    table.add_column("system", overflow="fold")
    columns = [
        v
        for v in group.columns
        if v in group.values or any(labels.get(v) for labels in group.labels.values())
    ]
    for value in columns:
        table.add_column(plain(value, 20), justify="right")
    for name, labels in group.labels.items():
        table.add_row(
            plain(name, 40), *(_part(labels.get(value, 0), sum(labels.values())) for value in columns)
        )
    return table


def nouns_table(group: GroupResult) -> Table | None:
    """Return what the nouns tell of each value that a file tells of the images."""
    if group.nouns is None:
        return None
    told = list(
        dict.fromkeys(t for values in group.nouns.labels.values() for c in values.values() for t in sorted(c))
    )
    table = new_table(
        f"What the nouns say about {group.nouns.by}",
        caption=f"Labels by `{group.name}` and by the {group.nouns.by} of their noun."
        " Many neutral nouns leave little to compare.",
    )
    table.add_column("system", overflow="fold")
    table.add_column(plain(group.name, 20), overflow="fold")
    for value in told:
        table.add_column(plain(value, 20), justify="right")
    for system, values in group.nouns.labels.items():
        for value in (v for v in group.values if v in values):
            counts = values[value]
            cells = (_part(counts.get(noun, 0), sum(counts.values())) for noun in told)
            table.add_row(plain(system, 40), plain(value), *cells)
    return table


def _part(part: int, total: int) -> str:
    share = percent(part / total, 0) if total else UNDEFINED
    return f"{count(part)} {share:>4}"


def caution_lines(contrasts: Sequence[ContrastCell]) -> Iterator[RenderableType]:
    """Yield the cautions of contrasts, marked with a star in the table."""
    lines = [f"* {contrast.name}: {caution.text}" for contrast in contrasts for caution in contrast.cautions]
    if lines:
        yield Group(*(plain(line, 300, style="yellow") for line in lines))


def text_lines(contrasts: Sequence[ContrastCell]) -> Iterator[RenderableType]:
    """Yield how many different texts are behind each disparity, and how much of it the commonest is."""
    told = [
        f"{c.name} {count(c.texts.distinct)} (most common {percent(c.texts.share, 0)})"
        for c in sorted(contrasts, key=by_size)
        if c.verdict in TELLING_VERDICTS and c.texts is not None
    ]
    if told:
        yield plain(f"Different texts: {', '.join(told)}.", 2000, style="dim")


def listed(found: Sequence[Item], everything: bool, most: int = MOST_ROWS) -> tuple[Sequence[Item], str]:
    """Return the rows to show, and a note on those that are left out."""
    if everything or len(found) <= most:
        return found, ""
    return found[:most], f" {len(found) - most} more rows: --all shows them."


def reference_summary(audit: AuditResult, group: str) -> Table | None:
    """Return, for each system, where its gaps are wider than people's, narrower, or the same."""
    found = beside_table(audit, group)
    if found is None:
        return None
    table = new_table(found.title, caption=f"{found.notes[0]}.")
    table.add_column("system", overflow="fold", min_width=6)
    for changed in CHANGED:
        table.add_column(changed, overflow="fold", ratio=2)
    for name in ("same", "open"):
        table.add_column(name, justify="right", no_wrap=True)
    for system, _, _, same, undecided, *named in found.rows:
        names = (plain(cell.text or "none", 300) for cell in named)
        table.add_row(plain(system.text, 40), *names, same.text, undecided.text)
    return table


def reference_table(
    group: GroupResult, references: frozenset[str], *, width: int = WIDE, everything: bool = False
) -> Table | None:
    """Return where the gaps of systems are wider or narrower than in the references, largest change first."""
    systems = beside_references(c for c in group.cells if c.system not in references)
    found = [c for verdicts in systems.values() for verdict in CHANGED for c in verdicts[verdict]]
    found.sort(key=lambda c: -abs(c.amplification.risk_difference_change.value) if c.amplification else 0.0)
    if not found:
        return None
    shown, more = listed(found, everything)
    table = new_table(
        "Gaps that differ from those in the references",
        caption=f"{_images(found)} images, all references. here, there: how many points more often it is said"
        " about the first group than about the second, in the system and in the references; change:"
        " bootstrap over images;"
        f" q: in the family of all categories of the system.{more}",
        tight=width < WIDE,
    )
    table.add_column("system", overflow="fold", min_width=6)
    table.add_column("category", no_wrap=True)
    # On a narrow terminal the two values stand one below the other.
    narrow = max(len("against"), *(len(value) + 1 for value in group.columns))
    table.add_column("compared", width=narrow if width < WIDE else None)
    for name in ("here", "there", "change (95%)", "q"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("gap", no_wrap=True)
    for contrast in shown:
        table.add_row(*_reference_cells(contrast))
    return table


def _images(contrasts: Sequence[ContrastCell]) -> str:
    numbers = sorted({c.amplification.images for c in contrasts if c.amplification})
    return " to ".join(count(number) for number in dict.fromkeys((numbers[0], numbers[-1])))


def _reference_cells(contrast: ContrastCell) -> Iterator[Text | str]:
    referenced = contrast.amplification
    assert referenced is not None
    turned = contrast.higher != contrast.group
    pair = (contrast.group, contrast.against)
    yield plain(contrast.system, 40)
    yield folded(contrast.name, 15)
    yield plain(", ".join(reversed(pair) if turned else pair))
    for table in (referenced.system, referenced.reference):
        difference = -table.difference if turned else table.difference
        yield points(difference)
    change = referenced.risk_difference_change
    yield points(*(turned_round(change) if turned else change))
    yield p_value(referenced.q)
    yield referenced.verdict


def across_table(across: Sequence[PooledContrast], group: str, *, everything: bool = False) -> Table | None:
    """Return the contrasts that hold in several systems, or differ between them."""
    found = [item for item in across if item.common.excludes(1.0)]
    found.sort(key=lambda item: (item.pooled is None, item.category))
    if not found:
        return None
    shown, more = listed(found, everything)
    table = new_table(
        f"All systems together, by {group}",
        caption="Mantel-Haenszel odds ratio over systems; not pooled where they differ (Breslow-Day);"
        f" {UNDEFINED} as p: not defined, because one of the two never has it. The same images in several"
        f" systems make intervals too narrow.{more}",
    )
    table.add_column("category", overflow="fold", min_width=17)
    table.add_column("compared", overflow="fold", min_width=12)
    for name in ("odds ratio (95%)", "differ, p"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for item in shown:
        table.add_row(*_across_cells(item))
    return table


def _across_cells(item: PooledContrast) -> Iterator[Text | str]:
    common = item.common
    yield folded(item.name, 17)
    yield plain(f"{item.group}, {item.against}")
    if item.pooled is None:
        yield UNDEFINED
        yield p_value(item.breslow_day.p)
        yield Text("not pooled", style="yellow")
    else:
        yield f"{common.value:.2f} ({common.low:.2f} to {common.high:.2f})"
        yield p_value(item.breslow_day.p)
        yield ""


def marked_table(marked: Sequence[DelicateCategory]) -> Table | None:
    """Return delicate categories that are used at all, and with which words."""
    if not marked:
        return None
    table = new_table(
        "Mentioned, although inferred, invisible, protected or offensive",
        caption="Labels by system, and the most common words. A property that is mentioned for some people"
        " only"
        " sets them apart.",
    )
    table.add_column("category", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("labels", overflow="fold", min_width=14, ratio=2)
    table.add_column("words", overflow="fold", min_width=20, ratio=3)
    for item in marked:
        table.add_row(folded(item.category, 17), _kind(item), _systems(item), _words(item))
    return table


def _kind(item: DelicateCategory) -> Text:
    style = "bold red" if item.sensitivity == "offensive" else ""
    kinds = [item.evidence if item.evidence != "visible" else "", item.sensitivity]
    return Text("\n".join(kind for kind in kinds if kind not in ("", "none", "personal")), style=style)


def _systems(item: DelicateCategory) -> Text:
    return plain(
        ", ".join(f"{name} {count(number)}" for name, number in item.labels.items() if number) or "none"
    )


def _words(item: DelicateCategory) -> Text:
    shown = first_few([f"{word} {count(number)}" for word, number in item.commonest], 5)
    never = f"; {len(item.never)} other words never used" if item.sensitivity == "protected" else ""
    return plain(f"{shown}{never}", 300)


def words_table(contrasts: Sequence[ContrastCell], *, everything: bool = False) -> Table | None:
    """Return the words behind the disparities, largest first. Exploratory, and labelled so."""
    found = [c for c in contrasts if c.verdict == "disparity" and c.words.scores]
    found.sort(key=by_size)
    if not found:
        return None
    shown, more = listed(found, everything)
    table = new_table(
        "Words behind the differences (exploratory)",
        caption="How often each is said about the first and the second group; by log-odds with a Dirichlet"
        " prior."
        f" They show where to look; they are not findings.{more}",
    )
    table.add_column("system", overflow="fold", min_width=6)
    table.add_column("category", no_wrap=True)
    table.add_column("compared", overflow="fold", min_width=12)
    table.add_column("words", overflow="fold")
    for contrast in shown:
        words = ", ".join(
            f"{score.word} {score.count}:{score.other_count}" for score in contrast.words.scores
        )
        pair = f"{contrast.group}, {contrast.against}"
        name = folded(contrast.name, 17)
        table.add_row(plain(contrast.system, 40), name, plain(pair), plain(words, 300))
    return table


def before_quoting() -> Group:
    """Return what holds for every contrast."""
    lines = Table.grid(padding=(0, 1))
    for line in ALWAYS:
        lines.add_row(" •", Text(line, style="dim"))
    return Group(Text("Before you quote a difference", style="bold"), lines)


def mixed_note(group: GroupResult) -> Iterator[RenderableType]:
    """Yield what becomes of labels about several values."""
    number = sum(labels.get(MIXED, 0) for labels in group.labels.values())
    if number and group.told_by == "words":
        text = f"Labels about several values (a man and a woman) are left out of contrasts: {count(number)}."
        yield plain(text, style="dim")


# Contrasts for the terminal report of a whole audit: short; `assess bias` has the long one.


def bias_report(group: GroupResult) -> Iterator[RenderableType]:
    """Yield who is spoken of, then what is said of one group more than of the other."""
    yield who_table(group)
    yield _disparities(group)


def _disparities(group: GroupResult) -> RenderableType:
    found = sorted((c for c in group.cells if c.verdict in TELLING_VERDICTS), key=by_size)
    caption = _caption(group.cells, found)
    table = new_table(f"Said about one {group.name} more than about the other", caption=caption)
    table.add_column("system", overflow="fold", min_width=8)
    table.add_column("category", overflow="fold", min_width=17)
    table.add_column("more of", overflow="fold", min_width=7)
    for name in ("rate", "other", "points (95%)", "q", "texts"):
        table.add_column(name, justify="right", no_wrap=True)
    for contrast in found[:MOST_ROWS]:
        table.add_row(*_disparity_cells(contrast))
    return table if found else Text(caption, style="dim")


def _caption(everything: Sequence[ContrastCell], found: Sequence[ContrastCell]) -> str:
    verdicts = [contrast.verdict for contrast in everything]
    text = (
        f"{some(len(everything), 'contrast')}: "
        + ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS)
        + ". texts: different ones behind a row, and the share of the most common one."
    )
    if len(found) > MOST_ROWS:
        text += f" The {MOST_ROWS} largest are shown; `assess bias` and --json have all."
    if any(contrast.cautions for contrast in found):
        text += " * needs care: see `assess bias`."
    if "reversal" in verdicts:
        text += f" {MARKS['reversal'][0]} reversal: {VERDICTS['reversal']}."
    return text


def _disparity_cells(contrast: ContrastCell) -> Iterator[Text | str]:
    difference, first, second = contrast.risk_difference, contrast.rate, contrast.other_rate
    if contrast.higher == contrast.against:
        first, second = second, first
        difference = turned_round(difference)
    yield plain(contrast.system, 40)
    mark = MARKS["reversal"][0] if contrast.verdict == "reversal" else ""
    yield folded(contrast.name + ("*" if contrast.cautions else "") + mark, 17)
    yield Text(contrast.higher, style="bold red")
    yield percent(first)
    yield percent(second)
    yield points(*difference)
    yield p_value(contrast.q)
    texts = contrast.texts
    yield UNDEFINED if texts is None else f"{count(texts.distinct)}, {percent(texts.share, 0)}"


# The report of `assess bias`: what to look at, then everything behind it.


def bias_page(audit: AuditResult, *, width: int, everything: bool = False) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    yield _highlights(audit)
    yield from note_lines(audit.notes)
    for group in audit.groups.values():
        yield from _group_parts(audit, group, width=width, everything=everything)
    if "errors" in audit.measures:
        for table in tables_of(audit.measures["errors"].sections(), "terminal"):
            yield from terminal_table(table, width=width)
    delicate = marked_table(audit.markedness)
    if delicate is not None:
        yield delicate
    yield before_quoting()
    yield signature_line(audit.signature.as_line())


def _highlights(audit: AuditResult) -> RenderableType:
    lines = [
        line
        for group in audit.groups.values()
        for line in group_highlights(group, audit.references, audit.domain)
    ]
    lines += error_highlights(audit)
    lines += delicate_highlights(
        audit.markedness, [name for name in audit.systems if name not in audit.references]
    )
    return bullets("What to look at", lines)


def _group_parts(
    audit: AuditResult, group: GroupResult, *, width: int, everything: bool
) -> Iterator[RenderableType]:
    yield who_table(group)
    yield from mixed_note(group)
    nouns = nouns_table(group)
    if nouns is not None:
        yield nouns
    for name, contrasts in group.contrasts.items():
        for pair in group.pairs:
            chosen = [contrast for contrast in contrasts if (contrast.group, contrast.against) == pair]
            if not chosen:
                continue
            title = _title(group, name, pair, domain=audit.domain, human=name in audit.references)
            yield forest_table(chosen, pair, title=title, width=width, everything=everything)
            yield from caution_lines(chosen)
            yield from text_lines(chosen)
    systems = [c for name, found in group.contrasts.items() for c in found if name not in audit.references]
    for table in (
        reference_summary(audit, group.name),
        reference_table(group, audit.references, width=width, everything=everything),
        across_table(group.across, group.name, everything=everything),
        words_table(systems, everything=everything),
    ):
        if table is not None:
            yield table
    for crossed in crossed_tables(audit, group.name, everything=everything):
        yield from terminal_table(crossed, width=width)


def _title(group: GroupResult, system: str, pair: Pair, *, domain: str, human: bool) -> str:
    labels, said = group.labels[system], value_words(domain, group.name)
    first, second = (f"{said(value)} ({some(labels.get(value, 0), 'label')})" for value in pair)
    who = f"{system} (human references)" if human else system
    return plain(f"{who}: {first} against {second}").plain

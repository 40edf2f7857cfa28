"""Tables beside the forest plots: who is spoken of, references, systems together, delicate words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.audit.bias import Across, GroupAudit
from assess.audit.cautions import ALWAYS
from assess.audit.contrasts import Contrast, shown_name
from assess.audit.groups import MIXED, NEUTRAL
from assess.audit.intervals import Estimate
from assess.audit.markedness import Marked
from assess.report.bias_forest import WIDE, folded, points, q_text, turned_round
from assess.report.cells import UNDEFINED, count, percent, plain
from assess.report.noted_table import new_table

MOST_ROWS = 12

Item = TypeVar("Item")


def who_table(group: GroupAudit) -> Table:
    """Return whom the labels of each system are about."""
    told = f"By the captions' words, which are not identities. {NEUTRAL}: the noun tells no {group.name}."
    annotated = f"By the image, as `{group.name}` tells it, whatever the caption says."
    table = new_table(f"Labels by {group.name}", caption=told if group.file is None else annotated)
    table.add_column("system", overflow="fold")
    columns = [
        v for v in group.columns if v in group.values or any(c.labels[v] for c in group.counts.values())
    ]
    for value in columns:
        table.add_column(plain(value, 20), justify="right")
    for name, counts in group.counts.items():
        total = counts.labels.total()
        table.add_row(plain(name, 40), *(_part(counts.labels[value], total) for value in columns))
    return table


def nouns_table(group: GroupAudit) -> Table | None:
    """Return what the nouns tell of each value that a file tells of the images."""
    if group.nouns is None:
        return None
    told = list(
        dict.fromkeys(t for values in group.nouns.labels.values() for c in values.values() for t in sorted(c))
    )
    table = new_table(
        f"What the nouns tell of {group.nouns.by}",
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
            cells = (_part(counts[noun], counts.total()) for noun in told)
            table.add_row(plain(system, 40), plain(value), *cells)
    return table


def _part(part: int, total: int) -> str:
    share = percent(part / total, 0) if total else UNDEFINED
    return f"{count(part)} {share:>4}"


def caution_lines(contrasts: Sequence[Contrast]) -> Iterator[RenderableType]:
    """Yield the cautions of contrasts, marked with a star in the table."""
    lines = [f"* {contrast.name}: {caution.text}" for contrast in contrasts for caution in contrast.cautions]
    if lines:
        yield Group(*(plain(line, 300, style="yellow") for line in lines))


def listed(found: Sequence[Item], everything: bool, most: int = MOST_ROWS) -> tuple[Sequence[Item], str]:
    """Return the rows to show, and a note on those that are left out."""
    if everything or len(found) <= most:
        return found, ""
    return found[:most], f" {len(found) - most} more rows: --all shows them."


def reference_table(
    group: GroupAudit, references: frozenset[str], *, width: int = WIDE, everything: bool = False
) -> Table | None:
    """Return where systems and references differ in their gaps, largest change first.

    Only gaps that are beyond chance here or there: among all others, chance would bring up some.
    """
    unequal = {
        (name in references or name, _same(c))
        for name, contrasts in group.contrasts.items()
        for c in contrasts
        if c.finding.verdict == "disparity"
    }
    found = [
        c
        for contrasts in group.contrasts.values()
        for c in contrasts
        if c.referenced is not None
        and c.referenced.gap.excludes(0.0)
        and not unequal.isdisjoint({(True, _same(c)), (c.system, _same(c))})
    ]
    found.sort(key=lambda c: -abs(c.referenced.gap.value) if c.referenced else 0.0)
    if not found:
        return None
    shown, more = listed(found, everything)
    table = new_table(
        "Beside human references",
        caption=f"{_images(found)} images, one reference each, drawn by seed. here, there: how many points"
        " more it is said of the first than of the second, in the system and in the references; the interval"
        " of the change is a bootstrap over images. images: where only the system, only the reference says it"
        f" of the first; q is of these (exact McNemar).{more}"
        "\nReferences are other people's captions, not the truth.",
        tight=width < WIDE,
    )
    table.add_column("system", overflow="fold", min_width=6)
    table.add_column("category", no_wrap=True)
    # On a narrow terminal the two values stand one below the other.
    narrow = max(len("against"), *(len(value) + 1 for value in group.columns))
    table.add_column("of, against", width=narrow if width < WIDE else None)
    for name in ("here", "there", "change (95%)", "images", "q"):
        table.add_column(name, justify="right", no_wrap=True)
    for contrast in shown:
        table.add_row(*_reference_cells(contrast))
    return table


def _images(contrasts: Sequence[Contrast]) -> str:
    numbers = sorted({c.referenced.images for c in contrasts if c.referenced})
    return " to ".join(count(number) for number in dict.fromkeys((numbers[0], numbers[-1])))


def _same(contrast: Contrast) -> tuple[str, str, str, str]:
    return contrast.role, contrast.category, contrast.group, contrast.against


def _reference_cells(contrast: Contrast) -> Iterator[Text | str]:
    referenced = contrast.referenced
    assert referenced is not None
    turned = contrast.higher != contrast.group
    beside = referenced.against if turned else referenced.group
    pair = (contrast.group, contrast.against)
    yield plain(contrast.system, 40)
    yield folded(contrast.name, 15)
    yield plain(", ".join(reversed(pair) if turned else pair))
    for table in (referenced.system, referenced.reference):
        difference = table.group.rate - table.other.rate
        yield points(Estimate(-difference if turned else difference, math.nan, math.nan))
    yield points(turned_round(referenced.gap) if turned else referenced.gap)
    yield f"{beside.paired.only_first}:{beside.paired.only_second}"
    yield q_text(beside.q)


def across_table(across: Sequence[Across], group: str, *, everything: bool = False) -> Table | None:
    """Return the contrasts that hold in several systems, or differ between them."""
    found = [item for item in across if item.systems.common.excludes(1.0)]
    found.sort(key=lambda item: (item.systems.heterogeneous, item.category))
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
    table.add_column("of, against", overflow="fold", min_width=12)
    for name in ("odds ratio (95%)", "differ, p"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for item in shown:
        table.add_row(*_across_cells(item))
    return table


def _across_cells(item: Across) -> Iterator[Text | str]:
    common = item.systems.common
    yield folded(shown_name(item.role, item.category), 17)
    yield plain(f"{item.group}, {item.against}")
    if item.systems.pooled is None:
        yield UNDEFINED
        yield q_text(item.systems.heterogeneity.p)
        yield Text("not pooled", style="yellow")
    else:
        yield f"{common.value:.2f} ({common.low:.2f} to {common.high:.2f})"
        yield q_text(item.systems.heterogeneity.p)
        yield ""


def marked_table(marked: Sequence[Marked]) -> Table | None:
    """Return delicate categories that are used at all, and with which words."""
    if not marked:
        return None
    table = new_table(
        "Said although inferred, invisible, protected or offensive",
        caption="Labels by system, and the commonest words. A property that is named of some people only"
        " marks them.",
    )
    table.add_column("category", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("labels", overflow="fold", min_width=14, ratio=2)
    table.add_column("words", overflow="fold", min_width=20, ratio=3)
    for item in marked:
        table.add_row(folded(item.category, 17), _kind(item), _systems(item), _words(item))
    return table


def _kind(item: Marked) -> Text:
    style = "bold red" if item.sensitivity == "offensive" else ""
    kinds = [item.evidence if item.evidence != "visible" else "", item.sensitivity]
    return Text("\n".join(kind for kind in kinds if kind not in ("", "none", "personal")), style=style)


def _systems(item: Marked) -> Text:
    return plain(
        ", ".join(f"{name} {count(number)}" for name, number in item.labels.items() if number) or "none"
    )


def _words(item: Marked) -> Text:
    total: dict[str, int] = {}
    for words in item.words.values():
        for word, number in words.items():
            total[word] = total.get(word, 0) + number
    common = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{word} {count(number)}" for word, number in common[:5])
    more = f" and {len(common) - 5} more" if len(common) > 5 else ""
    never = f"; {len(item.never)} other words never" if item.sensitivity == "protected" else ""
    return plain(f"{shown}{more}{never}", 300)


def words_table(contrasts: Sequence[Contrast], *, everything: bool = False) -> Table | None:
    """Return the words behind the disparities, largest first. Exploratory, and labelled so."""
    found = [c for c in contrasts if c.finding.verdict == "disparity" and c.words]
    found.sort(key=lambda c: (-abs(c.association.risk_difference.value), c.system, c.category))
    if not found:
        return None
    shown, more = listed(found, everything)
    table = new_table(
        "Words behind the differences (exploratory)",
        caption="Times said of the first and of the second value; by log-odds with a Dirichlet prior."
        f" They show where to look and are no findings.{more}",
    )
    table.add_column("system", overflow="fold", min_width=6)
    table.add_column("category", no_wrap=True)
    table.add_column("of, against", overflow="fold", min_width=12)
    table.add_column("words", overflow="fold")
    for contrast in shown:
        words = ", ".join(f"{score.word} {score.count}:{score.other_count}" for score in contrast.words)
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


def mixed_note(group: GroupAudit) -> Iterator[RenderableType]:
    """Yield what becomes of labels about several values."""
    number = sum(counts.labels[MIXED] for counts in group.counts.values())
    if number and group.file is None:
        text = f"Labels that tell several values (a man and a woman) are in no contrast: {count(number)}."
        yield plain(text, style="dim")

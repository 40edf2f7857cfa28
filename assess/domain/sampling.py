"""A look at precision: labels that were read in full, per head, and verdicts on them.

A verdict becomes an example, so that it is tested from then on, and where a label is not of the domain also
an exclusion.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assess.domain.survey import Survey, way_of
from assess.errors import InputError, Place, Problem, UsageError
from assess.records import Analysis
from assess.report.tables import csv_text, safe_text
from assess.taxonomy.edit import Edit, Exclusion, NewExample
from assess.taxonomy.model import Example, Taxonomy
from assess.taxonomy.phrases import closest, phrases_of
from assess.taxonomy.words import tokenise

COLUMNS = ("label", "heads", "modifiers", "count", "caption", "verdict")
RIGHT, OUT, NOT = "right", "out", "not"
VERDICTS = f"`{RIGHT}`, `{OUT}` (not in the domain), or `{NOT}` and the wrong categories"
_DETERMINERS = "a an the this that these those some any his her its their my your our"
_FUNCTION = frozenset(_DETERMINERS.split(" "))


@dataclass(frozen=True, slots=True)
class Drawn:
    """A label to look at."""

    label: str
    head: str  # the word that it is about
    analysis: Analysis
    count: int
    captions: tuple[str, ...]


def draw_labels(survey: Survey, *, per_head: int, seed: int) -> list[Drawn]:
    """Draw some labels of each head among those that are read in full, commonest heads first.

    A label is drawn once, however often captions have it: mistakes hide among the rare ones.
    """
    by_head: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for text, seen in sorted(survey.whole.labels.items()):
        analysis = survey.analyses[text]
        if way_of(analysis) == "full":
            head = next((span.text for span in analysis.spans if span.role == "head"), text)
            by_head.setdefault(head, []).append(text)
            counts[head] = counts.get(head, 0) + seen.count
    drawn = []
    for head in sorted(by_head, key=lambda word: (-counts[word], word)):
        generator = random.Random(f"{seed}/{head}")  # noqa: S311 - a draw for people, not a secret
        for text in sorted(generator.sample(by_head[head], min(per_head, len(by_head[head])))):
            seen = survey.whole.labels[text]
            drawn.append(Drawn(text, head, survey.analyses[text], seen.count, tuple(seen.captions)))
    return drawn


def sheet(drawn: Sequence[Drawn]) -> str:
    """Return a table to fill in: one row per label, the verdict empty."""
    rows = [
        (
            item.label,
            " ".join(item.analysis.best.heads),
            " ".join(item.analysis.best.modifiers),
            str(item.count),
            item.captions[0] if item.captions else "",
            "",
        )
        for item in drawn
    ]
    return csv_text([COLUMNS, *([safe_text(cell) for cell in row] for row in rows)])


def excluded_phrase(label: str) -> str:
    """Return what to exclude of a label that is not of the domain: all but its determiners."""
    words = [token.text for token in tokenise(label)]
    kept = [word for number, word in enumerate(words) if word not in _FUNCTION or number == len(words) - 1]
    return " ".join(kept)


def edits_of(taxonomy: Taxonomy, label: str, analysis: Analysis, verdict: str) -> list[Edit]:
    """Return what a verdict adds to a taxonomy; nothing where it is there already, or there is no verdict."""
    kind, *names = verdict.lower().replace(",", " ").split() or [""]
    edits: list[Edit] = []
    if kind == RIGHT and not names:
        best = analysis.best
        example = Example(text=label, heads=tuple(best.heads), modifiers=tuple(best.modifiers))
    elif kind == OUT and not names:
        phrase = excluded_phrase(label)
        if phrase not in taxonomy.excluded:
            _check_exclusion(taxonomy, phrase, analysis)
            edits.append(Exclusion(phrase))
        example = Example(text=label, in_domain=False)
    elif kind == NOT and names:
        _check_categories(taxonomy, label, analysis, names)
        example = Example.model_validate({"text": label, "not": tuple(names)})
    elif not kind:
        return []
    else:
        raise UsageError(f"`{verdict}` is not a verdict", hint=f"write {VERDICTS}")
    if all(example.text != other.text for other in taxonomy.examples):
        edits.append(NewExample(example))
    return edits


def _check_exclusion(taxonomy: Taxonomy, phrase: str, analysis: Analysis) -> None:
    if any(head.text == phrase for head in phrases_of(taxonomy) if head.role == "head"):
        raise UsageError(
            f"`{phrase}` is a head: excluding it would lose every label that ends in it",
            hint=f"take it out of {' and '.join(analysis.heads)}, or give it a `not_with`",
        )


def _check_categories(taxonomy: Taxonomy, label: str, analysis: Analysis, names: Sequence[str]) -> None:
    known, own = [*taxonomy.heads, *taxonomy.modifiers], [*analysis.heads, *analysis.modifiers]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no category `{name}`", hint=closest(name, known))
        # A sheet may be given again when the taxonomy no longer reads the label like that.
        if name not in own and all(label != example.text for example in taxonomy.examples):
            raise UsageError(f"`{label}` is not read as `{name}`", hint=f"it has {', '.join(own)}")


def read_sheet(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, label and verdict of a sheet that was filled in."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", place=Place(str(path))) from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    missing = [name for name in ("label", "verdict") if name not in (reader.fieldnames or ())]
    if missing:
        raise InputError(
            f"the sheet has no column {' and '.join(missing)}",
            place=Place(str(path), 1),
            hint="fill in a sheet written by `assess domain sample --out SHEET.csv`",
        )
    try:
        for row in reader:
            label, verdict = (str(row.get(name) or "").strip() for name in ("label", "verdict"))
            yield reader.line_num, label.removeprefix("'"), verdict
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", place=Place(str(path), reader.line_num)) from None


def edits_of_sheet(taxonomy: Taxonomy, survey: Survey, path: Path) -> list[Edit]:
    """Return what all verdicts of a sheet add; every mistake in it is named at once."""
    edits: dict[str, Edit] = {}
    problems: list[Problem] = []
    judged = {example.text for example in taxonomy.examples}  # whoever gives a sheet again has excluded some
    for line, label, verdict in read_sheet(path):
        analysis = survey.analyses.get(label)
        place = Place(str(path), line)
        if analysis is None:
            hint = "give the captions from which the sheet was drawn"
            if verdict and label not in judged:
                problems.append(Problem(f"the captions contain no label `{label}`", place, hint))
            continue
        try:
            found = edits_of(taxonomy, label, analysis, verdict)
        except UsageError as error:
            problems += [Problem(each.message, place, each.hint) for each in error.problems]
        else:
            edits |= {repr(edit): edit for edit in found}
    if problems:
        raise InputError(problems)
    return list(edits.values())

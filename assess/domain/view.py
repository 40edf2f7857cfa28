"""What a taxonomy covers and lacks, for its author: on a terminal, and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assess.domain.advice import Advice, Candidate, DomainGaps
from assess.domain.learning import Labelled
from assess.domain.suggestions import FEWEST_HEADS, Outside, Reason
from assess.domain.survey import Shares, Survey, shares
from assess.measures.coverage.compute import commonest
from assess.report.section import Cell, Column, Table, number_columns, row_of, text_columns, words
from assess.report.terminal import terminal_table
from assess.report.text import UNDEFINED, count, percent, plain
from assess.signature import Signature
from assess.taxonomy.phrases import PLACEHOLDER

_LONGEST_WORD, _NUMBER = 24, 6
UNREAD = 25
"""Number of phrases after a noun in JSON, unless --most is given."""
_WAYS = {
    "form": "made like {}",
    "company": "used like {}",
    "vectors": "similar in meaning: {}",
    "wordnet": "related in WordNet: {}",
}


def coverage_report(gaps: DomainGaps, *, domain: str, most: int, width: int) -> Iterator[RenderableType]:
    """Yield the parts of `assess domain coverage`."""
    yield from terminal_table(_shares_table(gaps, domain), width=width)
    yield _outside_text(gaps)
    yield from _words_table(gaps, most, width)
    yield from _heads_table(gaps, most, width)
    if gaps.unread:
        listed = "; ".join(f"{text} ({count(number)})" for text, number in gaps.unread)
        yield Text("All words are known, but no rule combines them: ").append_text(plain(listed, 400))
    after = gaps.unread_after
    if after.phrases:
        listed = "; ".join(f"{text} ({count(number)})" for text, number in commonest(after.phrases, most))
        part = f" (in {count(after.read)} of {count(after.labelled)} captions)"
        title = f"Not understood after the noun{part if after.read < after.labelled else ''}: "
        yield Text(title).append_text(plain(listed, 400))


def _shares_table(gaps: DomainGaps, domain: str) -> Table:
    inside = "in the domain"
    columns = (
        *text_columns("system"),
        *number_columns("captions", "chunks"),
        *(Column(name, name, inside) for name in ("all", "full", "partial", "none", "share in full")),
        *number_columns("distinct"),
    )
    rows = []
    for name, item in gaps.systems.items():
        numbers = (item.captions, item.chunks, item.labels, item.full, item.partial, item.none)
        share = percent(item.share(item.full))
        rows.append(row_of(name, *map(count, numbers), share, count(item.distinct)))
    note = (
        "in the domain: noun chunks that end in a head of the taxonomy; full: read in full;"
        " partial: some words are unknown; none: no category."
    )
    return Table("shares", f"Coverage of the captions by {domain}", columns, tuple(rows), (note,))


def _outside_text(gaps: DomainGaps) -> Text:
    """Return how much of the domain is outside the labels, so that a high share in full does not mislead."""
    outside = gaps.outside
    if outside is None:
        return Text(
            f"Still outside: too few heads are known for an estimate (fewer than {FEWEST_HEADS}).",
            style="dim",
        )
    low, middle, high = _outside_shares(gaps, outside)
    return Text(
        f"Still outside: about {middle} of the domain ({low} to {high}), that is,"
        f" {count(round(outside.chunks))} chunks that end in another noun used like a head."
    )


def _outside_shares(gaps: DomainGaps, outside: Outside) -> tuple[str, ...]:
    labels = sum(item.labels for item in gaps.systems.values())
    ends = (outside.low, outside.chunks, outside.high)
    return tuple(percent(outside.share(chunks, labels), 0) for chunks in ends)


def coverage_line(gaps: DomainGaps) -> Text:
    """Return the coverage on one line, to show during work."""
    labels, full = (sum(getattr(item, name) for item in gaps.systems.values()) for name in ("labels", "full"))
    counts = f"{count(labels)} labels, {percent(full / labels, 0) if labels else UNDEFINED} in full"
    if gaps.outside is None:
        return Text(f"{counts}; outside: too few known heads for an estimate", style="dim")
    low, middle, high = _outside_shares(gaps, gaps.outside)
    return Text(f"{counts}; outside: about {middle} ({low} to {high})", style="dim")


def _words_table(gaps: DomainGaps, most: int, width: int) -> Iterator[RenderableType]:
    shown = gaps.unknown_words[:most]
    if not shown:
        yield Text("There are no unknown words before the heads.", style="dim")
        return
    room = _room("word", shown, 1, width)
    rows = tuple(row_of(item.word, count(item.count), _example(item, room)) for item in shown)
    columns = (*_WORD, *number_columns("chunks"), *_EXAMPLE)
    notes = _more(len(gaps.unknown_words), len(shown))
    yield from terminal_table(Table("words", "Unknown words", columns, rows, notes), width=width)


def _heads_table(gaps: DomainGaps, most: int, width: int) -> Iterator[RenderableType]:
    shown = gaps.missing_heads[:most]
    if not shown:
        return
    room = _room("noun", shown, 2, width)
    rows = tuple(
        row_of(item.word, count(item.count), percent(item.likeness, 0), _example(item, room))
        for item in shown
    )
    columns = (*text_columns("noun"), *number_columns("chunks", "alike"), *_EXAMPLE)
    legend = "alike: share of known heads among the nouns with the most similar use"
    notes = (legend, *_more(len(gaps.missing_heads), len(shown)))
    yield from terminal_table(Table("heads", "Nouns that may be heads", columns, rows, notes), width=width)


_WORD, _EXAMPLE = text_columns("word"), text_columns("for example", narrowed="cut")


def _room(name: str, shown: Sequence[Candidate], numbers: int, width: int) -> int:
    """Return the width that is left for an example beside a word and columns of numbers."""
    word = min(_LONGEST_WORD, max(len(name), *(len(item.word) for item in shown)))
    return max(width - (word + 2) - numbers * (_NUMBER + 2) - 1, 12)


def _more(total: int, shown: int) -> tuple[str, ...]:
    return (f"and {count(total - shown)} more (--most)",) if total > shown else ()


def _example(candidate: Candidate, room: int) -> Cell:
    found = example(candidate, width=room)
    return words(found.plain, style="dim", strong=[candidate.word, *candidate.forms])


def example(candidate: Candidate, *, number: int = 0, width: int = 160) -> Text:
    """Return an example caption with the word in bold; a long one is cut so that the word stays visible."""
    words = sorted({candidate.word, *candidate.forms}, key=len, reverse=True)
    text = plain(_around(candidate.captions[number], words, width), width, style="dim")
    text.highlight_words(words, style="bold not dim", case_sensitive=False)
    return text


def _around(caption: str, words: Sequence[str], width: int) -> str:
    """Return a caption from the word that lets the first of some words end within a width."""
    listed = "|".join(re.escape(word) for word in words)
    found = re.search(rf"(?i)\b(?:{listed})\b", caption)
    if found is None or found.end() < width:
        return caption
    # A few words after it show what it is about; one character is for the ellipsis.
    start = caption.find(" ", min(found.end() + width // 4, len(caption)) - width + 1)
    return "…" + caption[start:] if 0 <= start < found.start() else caption


@dataclass(frozen=True)
class Learnt:
    """A model's results: the words that it labels, and the captions read without and with them."""

    name: str  # of the model's file, with its hash
    counted: bool
    labels: Sequence[Labelled]
    without: Survey
    more: Survey

    def gains(self) -> tuple[int, int]:
        """Return how many more labels there are with the model, and how many more that are read in full."""
        before, after = (shares(found.whole, found.analyses) for found in (self.without, self.more))
        return after.labels - before.labels, after.full - before.full


def learnt_report(learnt: Learnt | None, *, most: int, width: int) -> Iterator[RenderableType]:
    """Yield what a model would label beyond the taxonomy, or what it added to the counts."""
    if learnt is None:
        return
    labels, full = learnt.gains()
    counts = f"{count(labels)} labels, {count(full)} read in full"
    does = (
        f"The counts above include the words that a model ({learnt.name}) adds to the taxonomy"
        f" (--with-model): {counts}."
        if learnt.counted
        else f"A model ({learnt.name}) would add {counts}; the counts above do not include them (see"
        " --with-model)."
    )
    shown = sorted(learnt.labels, key=lambda item: (-item.candidate.count, item.candidate.word))[:most]
    if shown:
        longest = max(len(", ".join(item.categories)) for item in shown)
        room = _room("word", [item.candidate for item in shown], 1, width - 14 - longest)
        columns = (
            *text_columns("category"),
            *number_columns("belief"),
            *_WORD,
            *number_columns("chunks"),
            *_EXAMPLE,
        )
        rows = tuple(
            row_of(
                ", ".join(item.categories),
                percent(item.belief, 0),
                item.candidate.word,
                count(item.candidate.count),
                _example(item.candidate, room),
            )
            for item in shown
        )
        notes = _more(len(learnt.labels), len(shown))
        table = Table("learnt", "What the model labels", columns, rows, notes)
        yield from terminal_table(table, width=width)
    yield plain(does, 400)


def learnt_shape(learnt: Learnt | None, *, most: int | None) -> dict[str, Any]:
    """Return a model's results as part of JSON; nothing without a model."""
    if learnt is None:
        return {}
    labels, full = learnt.gains()
    words = [
        {**candidate_shape(item.candidate), "categories": list(item.categories), "belief": item.belief}
        for item in learnt.labels[:most]
    ]
    about = {"name": learnt.name, "counted": learnt.counted, "more_labels": labels, "more_in_full": full}
    return {"learned": {**about, "words": words}}


def suggestions_report(advice: Sequence[Advice], *, title: str, width: int) -> Iterator[RenderableType]:
    """Yield the parts of `assess domain suggest` for one role."""
    columns = (
        *_WORD,
        *number_columns("chunks"),
        *text_columns("category", narrowed=""),
        *number_columns("belief"),
        *text_columns("why"),
    )
    rows: list[tuple[Cell, ...]] = []
    breaks = []
    for item in advice:
        breaks.append(len(rows))
        subject = (words(item.candidate.word, style="bold"), words(count(item.candidate.count)))
        for number, cells in enumerate(_suggestion_rows(item)):
            rows.append(row_of(*(("", "") if number else subject), *cells))
    if rows:
        table = Table("suggestions", title, columns, tuple(rows), breaks=tuple(breaks))
        yield from terminal_table(table, width=width)


def _suggestion_rows(item: Advice) -> Iterator[tuple[Cell | str, ...]]:
    if not item.suggestions:
        yield UNDEFINED, "", f"the taxonomy has no {item.candidate.role} category with words"
    for suggestion in item.suggestions:
        why = reasons_text(item.candidate.word, suggestion.reasons).plain
        yield suggestion.category, percent(suggestion.score, 0), why
    if item.suggestions:
        yield words("none of these", style="dim"), percent(item.none, 0), ""


def reasons_text(word: str, reasons: Sequence[Reason]) -> Text:
    """Return why a category is suggested, in words."""
    shown = filter(None, (_reason(word, reason) for reason in reasons))
    return plain("; ".join(shown) or "a guess: no known word is similar", 300)


def _reason(word: str, reason: Reason) -> str | None:
    """Return a reason in words; None if two forms have too little in common to see it."""
    if reason.kind != "form":
        return _WAYS[reason.kind].format(", ".join(reason.words))
    form = word.replace("-", " ")
    ending = _shared_ending(form, reason.words[0])
    if ending is not None:
        listed = ", ".join(other for other in reason.words if other.endswith(ending))
        return f"ends in -{ending} like {listed}"
    alike = [other for other in reason.words if _shares_part(form, other)]
    return _WAYS["form"].format(", ".join(alike)) if alike else None


def coverage_shape(signature: Signature, gaps: DomainGaps, *, most: int | None) -> dict[str, Any]:
    """Return the shape of `assess domain coverage --json`."""
    return {
        "signature": signature.as_dict(),
        "systems": {name: _shares_shape(item) for name, item in gaps.systems.items()},
        "outside": _outside_shape(gaps),
        "unknown_words": [candidate_shape(item) for item in gaps.unknown_words[:most]],
        "missing_heads": [candidate_shape(item) for item in gaps.missing_heads[:most]],
        "no_rule": [{"label": text, "count": number} for text, number in gaps.unread],
        "unread_after": [
            {"phrase": text, "count": number}
            for text, number in commonest(gaps.unread_after.phrases, UNREAD if most is None else most)
        ],
        "unread_after_captions": {"read": gaps.unread_after.read, "labelled": gaps.unread_after.labelled},
    }


def _outside_shape(gaps: DomainGaps) -> dict[str, Any] | None:
    outside = gaps.outside
    if outside is None:
        return None
    labels = sum(item.labels for item in gaps.systems.values())
    ends = (outside.low, outside.high)
    return {
        "chunks": outside.chunks,
        "chunks_interval": ends,
        "share": outside.share(outside.chunks, labels),
        "share_interval": [outside.share(chunks, labels) for chunks in ends],
        "nouns": outside.nouns,
    }


def _shares_shape(item: Shares) -> dict[str, Any]:
    return {
        "captions": item.captions,
        "chunks": item.chunks,
        "labels": item.labels,
        "distinct_labels": item.distinct,
        "full": item.full,
        "partial": item.partial,
        "none": item.none,
        "shares": {
            "full": item.share(item.full),
            "partial": item.share(item.partial),
            "none": item.share(item.none),
        },
    }


def candidate_shape(item: Candidate) -> dict[str, Any]:
    """Return a word that a taxonomy lacks."""
    shape: dict[str, Any] = {"word": item.word, "role": item.role, "count": item.count}
    if item.role == "head":
        shape |= {"forms": item.forms, "likeness": item.likeness, "chance": item.chance}
    return {**shape, "captions": item.captions}


def suggestions_shape(
    signature: Signature, advice: Sequence[Advice], evidence: Sequence[str]
) -> dict[str, Any]:
    """Return the shape of `assess domain suggest --json`."""
    return {
        "signature": signature.as_dict(),
        "evidence": list(evidence),
        "words": [
            {**candidate_shape(item.candidate), "suggestions": _suggestion_shapes(item), "none": item.none}
            for item in advice
        ],
    }


def _suggestion_shapes(item: Advice) -> list[dict[str, Any]]:
    return [
        {
            "category": suggestion.category,
            "score": suggestion.score,
            "reasons": [{"evidence": reason.kind, "like": reason.words} for reason in suggestion.reasons],
        }
        for suggestion in item.suggestions
    ]


_SHORTEST_ENDING = 3  # letters; "-ed" alone is too short to be a visible reason
_SHORTEST_BEGINNING = 4


def _shared_ending(word: str, other: str) -> str | None:
    """Return the longest ending that two words share, if it is long enough to mention."""
    ending = word
    while not other.endswith(ending):
        ending = ending[1:]
    ending = ending.strip()
    return ending if len(ending) >= _SHORTEST_ENDING else None


def _shares_part(word: str, other: str) -> bool:
    """Whether two words or patterns visibly share something: a whole word, or the beginning."""
    words, others = (set(PLACEHOLDER.sub(" ", text).replace("-", " ").split()) for text in (word, other))
    return bool(words & others) or word[:_SHORTEST_BEGINNING] == other[:_SHORTEST_BEGINNING]

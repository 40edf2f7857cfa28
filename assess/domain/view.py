"""What a taxonomy covers and lacks, for its author: on a terminal, and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assess.domain.advice import Advice, Candidate, DomainGaps
from assess.domain.learning import Labelled
from assess.domain.suggestions import FEWEST_HEADS, Outside, Reason, shared_ending, shares_part
from assess.domain.survey import Shares, Survey, shares
from assess.measures.coverage.compute import commonest
from assess.report.terminal import new_table
from assess.report.text import UNDEFINED, count, percent, plain
from assess.signature import Signature

_LONGEST_WORD, _NUMBER = 24, 6
UNREAD = 25
"""Phrases after a noun in JSON, unless --most says otherwise."""
_WAYS = {
    "form": "made like {}",
    "company": "used like {}",
    "vectors": "near in meaning: {}",
    "wordnet": "kin in WordNet: {}",
}


def coverage_report(gaps: DomainGaps, *, domain: str, most: int, width: int) -> Iterator[RenderableType]:
    """Yield the parts of `assess domain coverage`."""
    yield _shares_table(gaps, domain, width)
    yield _outside_text(gaps)
    yield from _words_table(gaps, most, width)
    yield from _heads_table(gaps, most, width)
    if gaps.unread:
        listed = "; ".join(f"{text} ({count(number)})" for text, number in gaps.unread)
        yield Text("All words known, but no rule puts them together: ").append_text(plain(listed, 400))
    after = gaps.unread_after
    if after.phrases:
        listed = "; ".join(f"{text} ({count(number)})" for text, number in commonest(after.phrases, most))
        part = f" (in {count(after.read)} of {count(after.labelled)} captions)"
        title = f"Not understood after the noun{part if after.read < after.labelled else ''}: "
        yield Text(title).append_text(plain(listed, 400))


def _shares_table(gaps: DomainGaps, domain: str, width: int) -> Table:
    table = new_table(
        f"How far {domain} reads the captions",
        caption="in the domain: noun chunks that end in a head of the taxonomy;\n"
        "partial: an unknown word among known ones; none: no category.",
        tight=width < 80,
    )
    table.add_column("\nsystem", overflow="fold")
    names = ("\ncaptions", "\nchunks", "in the\ndomain", "read in\nfull", "\npartial", "\nnone")
    for name in (*names, "share\nin full", "\ndistinct"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, item in gaps.systems.items():
        numbers = (item.captions, item.chunks, item.labels, item.full, item.partial, item.none)
        share = percent(item.share(item.full))
        table.add_row(plain(name, 40), *map(count, numbers), share, count(item.distinct))
    return table


def _outside_text(gaps: DomainGaps) -> Text:
    """Say how much of the domain is not among the labels, so that a high share in full misleads nobody."""
    outside = gaps.outside
    if outside is None:
        return Text(
            f"Still outside: too few heads are known to tell (fewer than {FEWEST_HEADS}).", style="dim"
        )
    low, middle, high = _outside_shares(gaps, outside)
    return Text(
        f"Still outside: about {middle} of the domain ({low} to {high}), that is"
        f" {count(round(outside.chunks))} chunks that end in another noun which is used like a head."
    )


def _outside_shares(gaps: DomainGaps, outside: Outside) -> tuple[str, ...]:
    labels = sum(item.labels for item in gaps.systems.values())
    ends = (outside.low, outside.chunks, outside.high)
    return tuple(percent(outside.share(chunks, labels), 0) for chunks in ends)


def coverage_line(gaps: DomainGaps) -> Text:
    """Return what is covered on one line, for somebody in the middle of work."""
    labels, full = (sum(getattr(item, name) for item in gaps.systems.values()) for name in ("labels", "full"))
    told = f"{count(labels)} labels, {percent(full / labels, 0) if labels else UNDEFINED} in full"
    if gaps.outside is None:
        return Text(f"{told}; outside: too few heads to tell", style="dim")
    low, middle, high = _outside_shares(gaps, gaps.outside)
    return Text(f"{told}; outside about {middle} ({low} to {high})", style="dim")


def _words_table(gaps: DomainGaps, most: int, width: int) -> Iterator[RenderableType]:
    shown = gaps.unknown_words[:most]
    if not shown:
        yield Text("No unknown words before the heads.", style="dim")
        return
    table = new_table("Unknown words", caption=_more(len(gaps.unknown_words), len(shown)))
    word, rest = _add_columns(table, "word", shown, ("chunks",), width)
    for item in shown:
        table.add_row(plain(item.word, word), count(item.count), example(item, width=rest))
    yield table


def _heads_table(gaps: DomainGaps, most: int, width: int) -> Iterator[RenderableType]:
    shown = gaps.missing_heads[:most]
    if not shown:
        return
    caption = "alike: share of known heads among the nouns that are used most alike"
    table = new_table("Nouns that may be heads", caption=_more(len(gaps.missing_heads), len(shown), caption))
    word, rest = _add_columns(table, "noun", shown, ("chunks", "alike"), width)
    for item in shown:
        alike = percent(item.likeness, 0)
        table.add_row(plain(item.word, word), count(item.count), alike, example(item, width=rest))
    yield table


def _add_columns(
    table: Table, name: str, shown: Sequence[Candidate], numbers: Sequence[str], width: int
) -> tuple[int, int]:
    """Add a column of words, columns of numbers, and one of examples. Return the widths of the two texts."""
    word = min(_LONGEST_WORD, max(len(name), *(len(item.word) for item in shown)))
    table.add_column(name, no_wrap=True, width=word)
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True, width=_NUMBER)
    # Each column has two spaces beside it, and the table one on each side.
    rest = max(width - (word + 2) - len(numbers) * (_NUMBER + 2) - 4, 12)
    table.add_column("for example", overflow="ellipsis", no_wrap=True, width=rest)
    return word, rest


def _more(total: int, shown: int, caption: str | None = None) -> str | None:
    rest = f"and {count(total - shown)} more (--most)" if total > shown else None
    return "; ".join(part for part in (caption, rest) if part) or None


def example(candidate: Candidate, *, number: int = 0, width: int = 160) -> Text:
    """Return an example caption with the word in bold; a long one is cut so that the word stays in sight."""
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
    """What a model says of captions: the words that it labels, and captions read without and with them."""

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
    told = f"{count(labels)} labels, {count(full)} read in full"
    does = (
        f"Counts above have what a model ({learnt.name}) adds to the taxonomy (--with-model): {told}."
        if learnt.counted
        else f"A model ({learnt.name}) would add {told}; no count above has them (--with-model counts them)."
    )
    shown = sorted(learnt.labels, key=lambda item: (-item.candidate.count, item.candidate.word))[:most]
    if shown:
        table = new_table("What the model labels", caption=_more(len(learnt.labels), len(shown)))
        table.add_column("category", no_wrap=True)
        table.add_column("belief", justify="right")
        word, rest = _add_columns(
            table, "word", [item.candidate for item in shown], ("chunks",), width - 14 - _longest(shown)
        )
        for item in shown:
            own = item.candidate
            cells = plain(own.word, word), count(own.count), example(own, width=rest)
            table.add_row(plain(item.category, 30), percent(item.belief, 0), *cells)
        yield table
    yield plain(does, 400)


def _longest(shown: Sequence[Labelled]) -> int:
    return max(len(item.category) for item in shown)


def learnt_shape(learnt: Learnt | None, *, most: int | None) -> dict[str, Any]:
    """Return what a model says as a part of JSON; nothing where there is none."""
    if learnt is None:
        return {}
    labels, full = learnt.gains()
    words = [
        {**candidate_shape(item.candidate), "category": item.category, "belief": item.belief}
        for item in learnt.labels[:most]
    ]
    told = {"name": learnt.name, "counted": learnt.counted, "more_labels": labels, "more_in_full": full}
    return {"learned": {**told, "words": words}}


def suggestions_report(advice: Sequence[Advice], *, title: str) -> Iterator[RenderableType]:
    """Yield the parts of `assess domain suggest` for one role."""
    if not advice:
        return
    table = new_table(title)
    table.add_column("word", overflow="fold", max_width=24)
    table.add_column("chunks", justify="right")
    table.add_column("category", no_wrap=True)
    table.add_column("belief", justify="right")
    table.add_column("why", overflow="fold", ratio=1)
    for item in advice:
        table.add_section()
        for number, cells in enumerate(_suggestion_rows(item)):
            word = plain(item.candidate.word, 30, style="bold") if number == 0 else ""
            table.add_row(word, count(item.candidate.count) if number == 0 else "", *cells)
    yield table


def _suggestion_rows(item: Advice) -> Iterator[tuple[RenderableType, ...]]:
    if not item.suggestions:
        yield Text("–"), "", f"the taxonomy has no {item.candidate.role} category with words"
    for suggestion in item.suggestions:
        why = reasons_text(item.candidate.word, suggestion.reasons)
        yield plain(suggestion.category, 30), percent(suggestion.score, 0), why
    if item.suggestions:
        yield Text("none of these", style="dim"), percent(item.none, 0), ""


def reasons_text(word: str, reasons: Sequence[Reason]) -> Text:
    """Return why a category is suggested, in words."""
    told = filter(None, (_reason(word, reason) for reason in reasons))
    return plain("; ".join(told) or "a guess: nothing is much like it", 300)


def _reason(word: str, reason: Reason) -> str | None:
    """Return a reason in words; None where two forms have too little in common to be seen."""
    if reason.kind != "form":
        return _WAYS[reason.kind].format(", ".join(reason.words))
    form = word.replace("-", " ")
    ending = shared_ending(form, reason.words[0])
    if ending is not None:
        listed = ", ".join(other for other in reason.words if other.endswith(ending))
        return f"ends in -{ending} like {listed}"
    alike = [other for other in reason.words if shares_part(form, other)]
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

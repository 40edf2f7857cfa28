"""A caption with a label and the words of a category marked, for a terminal."""

from __future__ import annotations

from rich.text import Text

from assess.audit.drilldown import Example, Stretch
from assess.errors import visible

_BEFORE, _LONGEST = 80, 320
_LABEL, _WORDS = "bold", "bold reverse"


def marked_caption(example: Example, *, marks: bool) -> Text:
    """Return a caption with its label and the category's words highlighted.

    With `marks`, signs stand for the colours: «a ‹tall› man». A long caption is cut around the label.
    """
    mention = example.mention
    # Every character of the caption stays one character, so that offsets hold.
    caption = visible(mention.caption, len(mention.caption) + 1)
    start = max(0, mention.start - _BEFORE) if len(caption) > _LONGEST else 0
    end = min(len(caption), start + _LONGEST)
    label = (mention.start, mention.end)
    text = Text("…" if start else "")
    cuts = sorted({at for stretch in (label, *example.words) for at in stretch if start < at < end})
    for first, last in zip([start, *cuts], [*cuts, end], strict=True):
        if marks:
            text.append(_opening(label, example.words, first))
        text.append(caption[first:last], style=_style(label, example.words, first))
        if marks:
            text.append(_closing(label, example.words, last))
    return text.append("…") if end < len(caption) else text


def _style(label: Stretch, words: tuple[Stretch, ...], at: int) -> str:
    if any(start <= at < end for start, end in words):
        return _WORDS
    return _LABEL if label[0] <= at < label[1] else ""


def _opening(label: Stretch, words: tuple[Stretch, ...], at: int) -> str:
    return ("«" if at == label[0] else "") + ("‹" if any(start == at for start, _ in words) else "")


def _closing(label: Stretch, words: tuple[Stretch, ...], at: int) -> str:
    return ("›" if any(end == at for _, end in words) else "") + ("»" if at == label[1] else "")

"""A caption with its label marked, whatever the caption holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.audits.explain import Example, Stretch, marked_caption
from assess.audits.saved import SavedMention
from assess.errors import visible
from assess.records import Analysis

CAPTION = "Here a tall man with a beard sits"


def example(caption: str, start: int, end: int, *words: Stretch) -> Example:
    return Example(SavedMention("s", "1", 1, start, end, "label", caption), Analysis(""), "best", words)


def test_label_and_words_are_marked_with_signs_where_there_is_no_colour() -> None:
    found = example(CAPTION, 5, 15, (7, 11), (23, 28))
    assert marked_caption(found, marks=True).plain == "Here «a ‹tall› man» with a ‹beard› sits"
    assert marked_caption(found, marks=False).plain == CAPTION


def test_colours_stand_at_the_same_places() -> None:
    text = marked_caption(example(CAPTION, 5, 15, (7, 11)), marks=False)
    styled = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    assert styled == {"a ": "bold", "tall": "bold reverse", " man": "bold"}


def test_a_long_caption_is_cut_around_its_label() -> None:
    caption = "very " * 400 + "a tall man" + " indeed" * 400
    text = marked_caption(example(caption, 2000, 2010, (2002, 2006)), marks=True).plain
    assert "«a ‹tall› man»" in text
    assert text.startswith("…")
    assert text.endswith("…")
    assert len(text) < 340


@given(caption=st.text(max_size=600), data=st.data())
def test_no_caption_loses_characters_or_gains_control_over_the_terminal(
    caption: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(caption)))
    end = data.draw(st.integers(start, len(caption)))
    text = marked_caption(example(caption, start, end, (start, end)), marks=False).plain
    assert text.strip("…") in visible(caption, len(caption) + 1) + "…"
    assert not any(character in text for character in "\x1b\x00\n\r\u202e")


@pytest.mark.parametrize("caption", ["[bold]a man[/]", "a man [link=x]"])
def test_markup_in_a_caption_is_text(caption: str) -> None:
    start = caption.index("a man")
    assert marked_caption(example(caption, start, start + 5), marks=False).plain == caption

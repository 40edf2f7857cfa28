"""Mending a broken file in memory, so that checks can go on past the first kind of mistake."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pydantic_core import ErrorDetails

FILLER = "filler-for-a-mistake"
"""What all fillers begin with: nothing that an author would write."""

_FILLERS: dict[str, Any] = {
    "description": FILLER,
    "evidence": "visible",
    "sensitivity": "none",
    "version": "0.0.0",
    "taxonomy": FILLER,
    "language": "en",
    "text": FILLER,
    "heads": {FILLER: {"description": FILLER, "words": [FILLER]}},
}
_NAMED = ("heads", "modifiers", "sets")


def mend(value: Any, errors: Sequence[ErrorDetails]) -> Any:
    """Return a copy in which every part that an error names is removed or replaced by a filler."""
    mended = copy.deepcopy(value)
    for number, details in enumerate(errors):
        trail = [part for part in details["loc"] if part != "[key]"]
        if trail and isinstance(mended, dict):
            wrong_key = "[key]" in details["loc"] or details["type"] == "extra_forbidden"
            _mend_part(mended, trail, wrong_key=wrong_key, word=f"{FILLER}-{number}")
    return mended


def keeps_names(errors: Sequence[ErrorDetails]) -> bool:
    """Whether mending leaves all categories, sets and words in place, so that references can be followed."""
    return not any(_loses_a_name(details) for details in errors)


def _loses_a_name(details: ErrorDetails) -> bool:
    trail = details["loc"]
    if details["type"] == "extra_forbidden" and len(trail) in (1, 3):
        return True  # perhaps `modifers:`, with all of its categories, or `wrods:`, with all of its words
    whole = len(trail) < 3 or "[key]" in trail or trail[2:] in (("words",), ("patterns",))
    return whole and trail[:1] != () and trail[0] in _NAMED


def _mend_part(mended: dict[str, Any], trail: list[int | str], *, wrong_key: bool, word: str) -> None:
    *way, last = trail
    value: Any = mended
    for part in way:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return
    filler = _filler(trail, word)
    if isinstance(value, dict):
        value.pop(last, None)
        if not wrong_key and filler is not None:
            value[str(last)] = filler
        if len(trail) == 3 and trail[0] in ("heads", "modifiers") and "words" not in value:
            value["words"] = [word]  # or the category would be empty, perhaps by a mistake named already
    elif isinstance(value, list) and isinstance(last, int) and last < len(value):
        # The list keeps its length: later trails count its elements.
        value[last] = {"text": FILLER} if way == ["examples"] else word


def _filler(trail: list[int | str], word: str) -> Any:
    """Return what a required part is replaced by; None for others, which go."""
    if len(trail) == 2 and trail[0] == "heads":
        return {"description": FILLER, "words": [word]}
    if len(trail) == 2 and trail[0] == "modifiers":
        needed = {key: _FILLERS[key] for key in ("description", "evidence", "sensitivity")}
        return {**needed, "words": [word]}
    if trail[-1] == "word":
        return word
    return _FILLERS.get(str(trail[-1]))

"""Captions that cannot be annotated: an error that says where they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assess.annotate.extract import LONGEST_TEXT
from assess.errors import InputError, Place, Problem, visible
from assess.records import Caption


class PoisonedBatchError(InputError):
    """A batch of texts that ended one worker after another."""

    def __init__(self, texts: Sequence[str], *, deaths: int) -> None:
        self.texts = frozenset(texts)
        super().__init__(
            f"annotating a batch of {len(texts):,} captions ended {deaths} workers; it begins with"
            f' "{visible(texts[0], 80)}"',
            hint="look for very long captions, or try --processes 1 to see the cause",
        )


def placed(error: InputError, captions: Sequence[Caption], *, file: str) -> InputError:
    """Return the error with the file and the record of the first caption that it is about."""
    record = _first_record(error, captions)
    if record is None:
        return error
    place = Place(file, record=record)
    return InputError(
        Problem(problem.message, problem.place or place, problem.hint) for problem in error.problems
    )


def _first_record(error: InputError, captions: Sequence[Caption]) -> int | None:
    texts: Collection[str] = error.texts if isinstance(error, PoisonedBatchError) else ()
    guilty = (
        caption.record
        for caption in captions
        if caption.text in texts or (not texts and len(caption.text) > LONGEST_TEXT)
    )
    return next(guilty, None)

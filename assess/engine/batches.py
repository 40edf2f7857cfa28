"""Texts in batches for workers, wherever these are, and their answers put together again in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

BATCH = 512  # texts: enough to keep a worker busy, few enough to lose when it dies

Batch = list[str]
Answers = Iterator[tuple[int, list[bytes]]]  # a batch's number, and a record for each of its texts
Progress = Callable[[int], None]


def annotate_in_batches(
    texts: Sequence[str], run: Callable[[list[Batch]], Answers], progress: Progress | None
) -> dict[str, bytes]:
    """Return the record of each distinct text, in alphabetical order, however batches come back."""
    # Neighbours in alphabetical order share much, which makes annotation cheaper.
    order = sorted(set(texts))
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    found: dict[int, list[bytes]] = {}
    for number, records in run(batches):
        found[number] = records
        if progress is not None:
            progress(len(batches[number]))
    return dict(zip(order, (record for n in range(len(batches)) for record in found[n]), strict=True))

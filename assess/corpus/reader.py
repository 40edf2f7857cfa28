"""Captions of one source, read as they are asked for, and what was read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assess.corpus.formats import check_options, format_named
from assess.corpus.join import read_join
from assess.corpus.partition import Partition, open_partition, whole_files
from assess.corpus.source import Source
from assess.corpus.tally import CorpusSummary, CorpusTally
from assess.errors import InputError, Place, Problem
from assess.records import Caption


class CaptionReader:
    """The captions of one source, in file order. Each iteration reads the files from their beginning.

    A lone surrogate (`"\\ud800"` in JSON) is not a character and cannot be written as UTF-8, so it
    becomes U+FFFD, and the summary counts it. All else of a caption's text is kept as it is.
    A reader of one partition reads that part of its source only.
    """

    def __init__(self, source: Source, partition: Partition | None = None) -> None:
        self.source = source
        self._partitions = whole_files(source) if partition is None else (partition,)
        # Captions of a stretch are numbered on from the records before it, for the sake of messages.
        self.before = partition.opening.records if partition else 0
        self._starts: list[int] = []  # captions before each partition
        self._tally: CorpusTally | None = None
        if source.format is not None:
            check_options(source, format_=format_named(source.format))

    @property
    def tally(self) -> CorpusTally:
        """What the last whole iteration read, to be added to what others read."""
        if self._tally is None:
            raise RuntimeError("there is a summary only after all captions were read")
        return self._tally

    @property
    def summary(self) -> CorpusSummary:
        """What the last whole iteration read."""
        return self.tally.summary()

    def __iter__(self) -> Iterator[Caption]:
        self._tally, self._starts = None, []
        join = read_join(self.source.join) if self.source.join is not None else None
        tally = CorpusTally(self.source.name, join_sha256=join.sha256 if join else None)
        for partition in self._partitions:
            self._starts.append(tally.captions)
            with open_partition(partition, join) as opened:
                tally.add_format(opened.format.name, partition.source.file)
                for row in opened.rows():
                    yield tally.caption(row, before=self.before)
            if opened.sha256 is not None:
                tally.hashes[partition.number] = opened.sha256
        self._tally = tally

    def placed(self, error: InputError) -> InputError:
        """Return an error about a caption of several files with the file and the number there."""
        if not self.source.parts:
            return error
        return InputError(replace(problem, place=self._place(problem)) for problem in error.problems)

    def _place(self, problem: Problem) -> Place | None:
        place = problem.place
        if place is None or place.file != self.source.file or place.record is None:
            return place
        number = sum(start < place.record for start in self._starts) - 1
        return Place(self._partitions[number].source.file, record=place.record - self._starts[number])


def read_captions(source: Source) -> Iterator[Caption]:
    """Yield the captions of a source, in file order."""
    return iter(CaptionReader(source))

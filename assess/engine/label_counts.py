"""The counts that one pass over captions leaves behind, and how the counts of parts add up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from assess.audit.mentions import MentionTable
from assess.corpus import CorpusSummary, CorpusTally
from assess.metrics.coverage import CoverageTally
from assess.records import Mention


@dataclass(slots=True)
class LabelCounts:
    """The counts of a system, or of the part of it that was read. Parts add up in the order of the files."""

    corpus: CorpusTally
    tally: CoverageTally = field(default_factory=CoverageTally)
    table: MentionTable = field(default_factory=MentionTable)  # empty where no groups are contrasted
    rows: list[tuple[Mention, str]] = field(default_factory=list)  # on their way to a sink, if any

    @property
    def summary(self) -> CorpusSummary:
        """What was read, once all of it was."""
        return self.corpus.summary()

    def empty(self) -> LabelCounts:
        """Return counts of nothing, of the same system."""
        return LabelCounts(CorpusTally(self.corpus.system))

    def add(self, other: LabelCounts) -> None:
        """Add the counts of the part that follows; its captions are numbered on from ours."""
        before = self.corpus.captions
        self.rows += (
            (replace(mention, caption=before + mention.caption), text) for mention, text in other.rows
        )
        self.corpus.add(other.corpus)
        self.tally.add_tally(other.tally)
        self.table.add_table(other.table)

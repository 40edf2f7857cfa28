"""Bootstrap intervals of the diversity measures whose tallies add."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assess.engine.corpora import WordCorpus
from assess.engine.diversity_result import DiversitySettings
from assess.engine.paired_intervals import PairedIntervals, Resampling, paired_intervals
from assess.engine.training import Training, caption_keys
from assess.metrics.bootstrap import Paired, Statistic, pair, tally_statistic
from assess.metrics.diversity_corpus import TokenCorpus
from assess.metrics.diversity_resample import ttr_statistic
from assess.metrics.metric import Counts, ratio

LENGTHS = {"ttr1": 1, "ttr2": 2}


def diversity_intervals(
    systems: Mapping[str, WordCorpus],
    corpora: Mapping[str, TokenCorpus],
    known: Training | None,
    settings: DiversitySettings,
) -> PairedIntervals:
    """Return intervals on the images that all systems describe.

    Type-token ratios have one in free order only: windows of a file cannot be resampled. Numbers of
    types have none, as a resample always has fewer.
    """
    paired = pair(
        {
            name: _tallies(systems[name], corpora[name], _novel(systems[name], known, settings))
            for name in systems
        }
    )
    statistics = {
        name: _statistics(paired, name, corpora[name], known is not None, settings) for name in systems
    }
    return paired_intervals(
        paired.images,
        statistics,
        left_out=paired.left_out,
        resampling=settings.resampling or Resampling(),
        centred=LENGTHS,
    )


def _novel(corpus: WordCorpus, known: Training | None, settings: DiversitySettings) -> Counts:
    if known is None:
        return np.zeros(len(corpus.texts))
    keys = caption_keys(corpus.texts, corpus.words, settings.mode)
    return np.array([key not in known.keys for key in keys], dtype=float)


def _tallies(corpus: WordCorpus, tokens: TokenCorpus, novel: Counts) -> dict[str, Counts]:
    """Return captions, tokens, squares of lengths and novel captions of each image."""
    lengths = tokens.lengths.astype(float)
    rows = np.stack([np.ones_like(lengths), lengths, lengths**2, novel], axis=1)
    tallies: dict[str, Counts] = {}
    for image, row in zip(corpus.images, rows, strict=True):
        tallies[image] = tallies[image] + row if image in tallies else row
    return tallies


def _statistics(
    paired: Paired, name: str, corpus: TokenCorpus, with_novelty: bool, settings: DiversitySettings
) -> dict[str, Statistic]:
    tallies = paired.tallies[name]
    found = {"asl": tally_statistic(tallies, _asl), "sdsl": tally_statistic(tallies, _sdsl)}
    if settings.reading == "free":
        for measure, length in LENGTHS.items():
            found[measure] = ttr_statistic(corpus, paired.images, length=length, window=settings.window)
    if with_novelty:
        found["novel"] = tally_statistic(tallies, _share)
    return found


def _asl(counts: Counts) -> Counts:
    return np.asarray(ratio(counts[..., 1], counts[..., 0]))


def _sdsl(counts: Counts) -> Counts:
    variance = ratio(counts[..., 2], counts[..., 0]) - _asl(counts) ** 2
    return np.asarray(np.sqrt(np.maximum(0.0, variance)))


def _share(counts: Counts) -> Counts:
    return np.asarray(ratio(counts[..., 3], counts[..., 0]))

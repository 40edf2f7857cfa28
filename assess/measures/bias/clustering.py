"""Images as the unit of analysis: corrections for several labels per image.

Labels and captions of the same image resemble each other. A test that treats them as independent finds
spurious differences. The variance of a contrast over images is compared with the variance for independent
labels; their ratio is the design effect (Kish 1965). The z of the exact test is divided by its square root.
With one label per image, the design effect is 1 and nothing changes.

If a file states the group of each image, groups can be randomly reassigned to images: a permutation test
needs no further assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, log_ndtr, ndtri_exp

from assess.errors import UsageError
from assess.measures.bias import tables
from assess.measures.bias.association import Association, log_fisher_p
from assess.measures.bias.tables import BootstrapInterval, CountTable, Estimate, Floats, risk_difference

Method = Literal["design-effect", "permutation"]
"""How p accounts for several labels per image."""

ROUNDING = 1e-9
"""A design effect this close to 1 counts as 1."""
FEW_EXCEED = 10
"""If fewer permutations than this exceed the observed difference, more are drawn."""
MORE = 10
"""The factor by which their number is then increased."""


def image_variance(tallies: Floats, contrast: Sequence[float]) -> float:
    """Return the variance of a contrast of rates over images, by linearisation.

    `tallies` are images x groups x (yes, labels). The variance of a ratio of sums is that of the sum of its
    residuals, where images are independent (Cochran 1977, chapter 6).
    """
    residuals = _residuals(tallies, contrast)
    return float((residuals * residuals).sum())


def _residuals(tallies: Floats, contrast: Sequence[float]) -> Floats:
    yes, labels = tallies.sum(axis=0).T
    rates = np.divide(yes, labels, out=np.zeros_like(yes), where=labels > 0)
    weights = np.divide(np.asarray(contrast, dtype=np.float64), labels, where=labels > 0, out=labels * 0)
    residuals: Floats = (tallies[..., 0] - rates * tallies[..., 1]) @ weights
    return residuals


def label_variance(totals: Floats, contrast: Sequence[float]) -> float:
    """Return the variance that a contrast of rates would have if labels were independent."""
    parts = zip(contrast, totals.tolist(), strict=True)
    return math.fsum(weight**2 * yes * (total - yes) / total**3 for weight, (yes, total) in parts if total)


def design_effect(tallies: Floats, contrast: Sequence[float] = (1.0, -1.0)) -> float:
    """Return the variance of a contrast over images relative to that of independent labels, at least 1."""
    return effect_of(image_variance(tallies, contrast), label_variance(tallies.sum(axis=0), contrast))


def effect_of(variance: float, independent: float) -> float:
    """Return the ratio of two variances, but at least 1, and 1 if it is negligible."""
    found = tables.ratio(variance, independent) if independent > 0 else 1.0
    return found if found > 1 + ROUNDING else 1.0


def corrected_p(log_p: float, effect: float) -> float:
    """Return a two-sided p, given as its logarithm, after dividing its z by the root of a design effect."""
    if math.isnan(log_p) or effect <= 1:
        return math.exp(log_p)
    z = -float(ndtri_exp(log_p - math.log(2))) / math.sqrt(effect)
    return min(1.0, 2 * math.exp(float(log_ndtr(-z))))


def permutation_p(tallies: Floats, *, samples: int, seed: int) -> float:
    """Return the p of a difference under random reassignment of groups to images.

    Every image belongs to one of the two groups. Images with equal counts are interchangeable, so distinct
    counts are drawn. If few permutations exceed the observed difference, p is imprecise and more are drawn.
    """
    member = tallies[:, 0, 1] > 0
    taken = member | (tallies[:, 1, 1] > 0)
    counts, frequencies = tables.distinct_rows(tallies[taken].sum(axis=1))
    observed = _difference(tallies[:, 0].sum(axis=0), counts, frequencies)
    generator = np.random.Generator(np.random.PCG64(seed))

    def draw(size: int) -> Floats:
        draws = generator.multivariate_hypergeometric(frequencies, int(member.sum()), size=size)
        return _difference(draws @ counts, counts, frequencies)

    return _exceeding(draw, float(observed), samples)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Test images for which only one of two sources uses a category (exact, two-sided)."""
    if min(only_first, only_second) < 0:
        raise UsageError(f"{only_first} and {only_second} are not numbers of images")
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), only_first + only_second, 0.5)))


def swapped_p(tallies: Floats, *, samples: int, seed: int) -> float:
    """Return the p of a change on the same images when before and after are swapped at random.

    `tallies` are images x (before, after) x (yes, labels). The contribution of an image is its number of
    labels with the category beyond the common rate, after minus before; under the null hypothesis, both signs
    are equally likely. If all contributions have the same size, as with one label each, this is McNemar's
    exact test.
    """
    totals = tallies.sum(axis=0)
    common = tables.ratio(float(totals[:, 0].sum()), float(totals[:, 1].sum()))
    if not totals[:, 1].all():
        return math.nan
    rows, frequencies = tables.distinct_rows(tallies.reshape(len(tallies), 4))
    parts = (rows.reshape(-1, 2, 2) @ [1.0, -common]) / totals[:, 1]
    steps = parts[:, 1] - parts[:, 0]
    sizes = np.abs(steps)
    moving = sizes > ROUNDING * sizes.max()
    if not moving.any():
        return 1.0
    if np.ptp(sizes[moving]) <= ROUNDING * sizes.max():
        only_after, only_before = (int(frequencies[moving & (steps * sign > 0)].sum()) for sign in (1, -1))
        return mcnemar_p(only_after, only_before)
    observed = abs(float(steps @ frequencies))
    generator = np.random.Generator(np.random.PCG64(seed))

    def draw(size: int) -> Floats:
        kept = generator.binomial(frequencies, 0.5, size=(size, len(steps)))
        return np.asarray(np.abs((2 * kept - frequencies) @ steps))

    return _exceeding(draw, observed, samples)


def _exceeding(draw: Callable[[int], Floats], observed: float, samples: int) -> float:
    """Return the share of draws at least as large as the observed one; draws more if it is small."""
    exceed = drawn = 0
    for size in (samples, (MORE - 1) * samples):
        exceed += int(np.count_nonzero(draw(size) >= observed * (1 - ROUNDING)))
        drawn += size
        if exceed >= FEW_EXCEED:
            break
    return (exceed + 1) / (drawn + 1)


def _difference(group: Floats, counts: Floats, frequencies: NDArray[np.int64]) -> Floats:
    """Return the absolute difference of two rates, given the counts of the first group."""
    other = frequencies @ counts - group
    rates = [
        np.divide(side[..., 0], side[..., 1], out=np.zeros(side.shape[:-1]), where=side[..., 1] > 0)
        for side in (group, other)
    ]
    return np.asarray(np.abs(rates[0] - rates[1]))


@dataclass(frozen=True, slots=True)
class ImageEvidence:
    """A table of labels, with p, intervals and numbers of images that account for images.

    Intervals come from the bootstrap over images, and are never narrower than the score interval of the
    equivalent number of independent labels. Intervals of ratios are not bootstrapped but widened by the root
    of the design effect.
    """

    association: Association  # as if labels were independent
    p: float
    risk_difference: Estimate
    design_effect: float
    method: Method
    images: tuple[int, int]  # number of images with labels of the one value, and of the other
    carrying: int  # number of images with a label of either value that has the category

    @property
    def odds_ratio(self) -> Estimate:
        """The conditional odds ratio."""
        centre = self.association.haldane.value
        return tables.widened_ratio(self.association.odds_ratio, self.design_effect, centre=centre)

    @property
    def haldane(self) -> Estimate:
        """The odds ratio with ½ added to every cell."""
        return tables.widened_ratio(self.association.haldane, self.design_effect)

    @property
    def share(self) -> Estimate:
        """The share of the category's labels that belong to the group."""
        table = self.association.table
        return tables.wilson(
            table.yes, table.carrying, level=self.association.level, design_effect=self.design_effect
        )

    @property
    def table(self) -> CountTable:
        """The counts."""
        return self.association.table


def independent(association: Association) -> ImageEvidence:
    """Return the evidence of a table whose labels all belong to different images."""
    table = association.table
    images = (table.labels, table.other_labels)
    return ImageEvidence(
        association,
        association.p,
        association.risk_difference,
        1.0,
        "design-effect",
        images,
        table.carrying,
    )


def over_images(
    association: Association,
    tallies: Floats,
    bootstrap: BootstrapInterval,
    *,
    permuted: tuple[int, int] | None,
) -> ImageEvidence:
    """Return the evidence over images; `permuted` has samples and seed if a file states the groups."""
    effect = design_effect(tallies)
    found = replace(
        independent(association),
        p=corrected_p(log_fisher_p(association.table), effect),
        risk_difference=_at_least(bootstrap.estimate, _score_interval(association, effect)),
        design_effect=effect,
        images=(int((tallies[:, 0, 1] > 0).sum()), int((tallies[:, 1, 1] > 0).sum())),
        carrying=int((tallies[..., 0] > 0).any(axis=1).sum()),
    )
    if permuted is None or not association.table.comparable:
        return found
    samples, seed = permuted
    return replace(found, p=permutation_p(tallies, samples=samples, seed=seed), method="permutation")


def _score_interval(association: Association, effect: float) -> Estimate:
    """Return Newcombe's interval for the equivalent number of independent labels."""
    effects = (effect, effect)
    return risk_difference(association.table, level=association.level, design_effects=effects)


def _at_least(over_images: Estimate, over_labels: Estimate) -> Estimate:
    """Return the interval over images, extended on both sides to at least the score interval over labels.

    If few labels have the category, a bootstrap is overconfident: a count of 0 never varies.
    """
    low, high = np.fmin(over_images.low, over_labels.low), np.fmax(over_images.high, over_labels.high)
    return Estimate(over_labels.value, float(low), float(high))

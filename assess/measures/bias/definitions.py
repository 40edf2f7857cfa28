"""What the numbers of an audit mean. A test holds them against the keys of `assess bias --json`."""

from __future__ import annotations

from assess.report.quantity import defined

_NO_LABELS = "a group without labels"

CELL = (
    defined("yes", "labels of the group whose best reading has the category"),
    defined("labels", "labels of the group"),
    defined("rate", "yes / labels; Wilson interval", "wilson1927probable", undefined=_NO_LABELS),
    defined(
        "risk_difference",
        "rate of the group less rate of the other; interval of `bootstrap`, but nowhere narrower than"
        " Newcombe's (method 10) for labels / design_effect",
        "newcombe1998interval",
        undefined=_NO_LABELS,
    ),
    defined(
        "odds_ratio",
        "conditional maximum likelihood; exact interval, wider by √design_effect on the log scale; infinite"
        " where only the other group has none",
        "cornfield1956statistical",
        undefined=f"{_NO_LABELS}, or a category that no label or every label has",
    ),
    defined(
        "haldane",
        "odds ratio with ½ added to every cell; Woolf's interval, wider by √design_effect",
        "haldane1956estimation",
        undefined=_NO_LABELS,
    ),
    defined("share", "yes / labels with the category, of both groups", undefined="no label has it"),
    defined("base_rate", "labels / labels of both groups", undefined="no labels"),
    defined(
        "p",
        "Fisher's exact test, two-sided, its z divided by √design_effect; where a file tells the groups,"
        " permutation over images (`method` says which)",
        "fisher1922interpretation",
        undefined=_NO_LABELS,
    ),
    defined(
        "design_effect",
        "variance of the difference of rates over images / that of independent labels, at least 1",
        "kish1965survey",
    ),
    defined("images", "images that have labels of the group, and of the other"),
    defined(
        "margin",
        "the difference up to which none matters: m · 2√(r(1-r)); r: labels of both groups that carry the"
        " category / all of them; m: `--margin`",
        "cohen1988statistical",
        undefined="no labels",
    ),
    defined(
        "uncorrected",
        "risk_difference (Newcombe), odds_ratio, p and q as if labels were independent",
        "newcombe1998interval",
        undefined=_NO_LABELS,
    ),
    defined(
        "texts",
        "distinct texts of both groups' labels with the category, and the share of the most common one",
        undefined="no label has it",
    ),
    defined(
        "smallest_p", "the smallest p that any table with these margins could reach", undefined=_NO_LABELS
    ),
    defined(
        "q",
        "p by Benjamini and Hochberg, over all categories of one system and pair of values",
        "benjamini1995controlling",
        undefined="as p",
    ),
    defined(
        "verdict",
        "disparity: q ≤ alpha and the difference beyond the margin; small: q ≤ alpha, within the margin;"
        " reversal: either, and the sign turns around within strata; none: the whole interval within the"
        " margin; insufficient: none of these, smallest_p > alpha, or fewer than five labels or images",
    ),
    defined(
        "bootstrap",
        "risk difference; percentile interval over images drawn with replacement",
        "efron1993introduction",
        undefined=_NO_LABELS,
    ),
)

BESIDE = (
    defined(
        "common",
        "Mantel-Haenszel odds ratio over strata, Σ(ad/n) / Σ(bc/n)",
        "mantel1959statistical",
        undefined="no stratum tells",
    ),
    defined(
        "breslow_day",
        "Breslow-Day test of one odds ratio in all strata, divided by design_effect; where p ≤ .05 nothing is"
        " pooled",
        "breslow1980statistical",
        undefined="fewer than two strata that tell",
    ),
    defined(
        "risk_difference_change",
        "risk difference of the system less that of all references of the same images; interval over images;"
        " q in the family of all categories",
        "efron1993introduction",
        undefined="a group without labels on either side",
    ),
    defined(
        "amplification",
        "y·Δ; Δ: rate in the system less rate in one fold of the references; y: sign of P(g,C) - P(g)P(C) in"
        " the other folds; mean over folds; interval over images",
        "wang2021directional",
        "lower",
        "a group without labels on either side",
    ),
    defined(
        "mcnemar",
        "of images where both name the group: where only the system, and only one drawn reference says it;"
        " exact McNemar test",
        "mcnemar1947note",
    ),
    defined(
        "words.tests",
        "each word of a category said of ten labels or more, tested like a category in a family of all words",
        "benjamini1995controlling",
    ),
    defined(
        "log_odds", "of the words behind a category, with a Dirichlet prior; exploratory", "monroe2008fightin"
    ),
)

VALIDATION = (
    defined(
        "precision",
        "confirmed / rated, of labels that were given the category",
        direction="higher",
        undefined="none rated",
    ),
    defined(
        "missed",
        "having it / rated, of labels that were not given it",
        direction="lower",
        undefined="none rated",
    ),
    defined(
        "corrected",
        "rate · precision + (1 - rate) · missed; interval from the Wilson intervals of the three (MOVER)",
        "zou2008construction",
        undefined="a stratum without ratings",
    ),
    defined(
        "kappa",
        "agreement of two raters beyond chance",
        "cohen1960coefficient",
        "higher",
        "no rows by both, or one answer only",
    ),
    defined("more_to_rate", "ratings still needed for the asked half-width"),
)

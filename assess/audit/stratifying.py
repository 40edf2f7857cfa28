"""Strata that an audit chooses by itself: the other groups, and the other head categories, of a taxonomy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assess.audit.coded import CodedLabels, Codes, Key
from assess.audit.groups import Pair
from assess.audit.intervals import Estimate
from assess.audit.rules import Rules
from assess.audit.strata import Stratified, change_of, mantel_haenszel, stratify
from assess.audit.tables import Table

TELLING = frozenset({"reverses", "vanishes", "emerges"})
"""What stratifying can do that an auditor has to know."""


def stratifiers(labels: CodedLabels, by: str) -> dict[str, Codes]:
    """Return what the labels of a contrast by one group can be split by, by name.

    Other groups go by their names (age), head categories are either there or not (head.plural-or-mass).
    """
    groups = {name: codes for name, codes in labels.values.items() if name != by}
    heads = {
        f"head.{category}": Codes(
            (f"not {category}", category), labels.has(("head", category)).astype(np.int64)
        )
        for _, category in labels.keys("head")
    }
    return groups | heads


def stratified(
    labels: CodedLabels,
    by: str,
    key: Key,
    pair: Pair,
    *,
    crude: Estimate,
    splits: Mapping[str, Codes],
    rules: Rules,
) -> dict[str, Stratified]:
    """Return a contrast within the strata of other groups, and within head categories where that tells more.

    A split needs two strata that have labels of both values.
    """
    found: dict[str, Stratified] = {}
    for name, codes in splits.items():
        tables = strata_tables(labels, by, key, pair, codes)
        if len(tables) < 2:
            continue
        common = mantel_haenszel(tuple(tables.values()), level=rules.level)
        if not name.startswith("head.") or change_of(crude, common) in TELLING:
            found[name] = stratify(tables, crude=crude, level=rules.level, alpha=rules.alpha)
    return found


def strata_tables(labels: CodedLabels, by: str, key: Key, pair: Pair, split: Codes) -> dict[str, Table]:
    """Return the table of each stratum in which both values have labels."""
    codes, has = labels.values[by], labels.has(key)
    size = len(split.names)
    group, other = (
        (
            np.bincount(split.places[rows & has], minlength=size),
            np.bincount(split.places[rows], minlength=size),
        )
        for rows in (codes.places == codes.place(value) for value in pair)
    )
    tables = {
        name: Table(int(group[0][i]), int(group[1][i]), int(other[0][i]), int(other[1][i]))
        for i, name in enumerate(split.names)
    }
    return {name: table for name, table in tables.items() if table.comparable}

"""What was planted in the example, as data that tests can check findings against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labels import NUMBERS, PlannedLabel
from scenes import GENDERS
from styles import EFFECTS, GARMENT, SKEWED
from vocabulary import (
    AGES,
    BEAUTY,
    BEAUTY_OF_CHILDREN,
    CASUAL_HEADS,
    COLORS,
    JOB_HEADS,
    LOOKS,
    MODIFIER_ORDER,
    PLAIN_HEADS,
)
from wording import WordedCaption

NOTE = (
    "Unit: a label whose head noun tells gender. yes: the label carries the category; labels: all labels of "
    "the group. effects must be found; nulls must not be flagged. What is not listed carries no claim."
)
Cell = dict[str, Any]


def describe_planted(captions: Mapping[str, Sequence[WordedCaption]], oddities: list[Cell]) -> Cell:
    """Return all planted effects and nulls with the counts as planned, label by label."""
    cells = [cell for name in captions for cell in _cells(name, _labels(captions[name]))]
    return {
        "note": NOTE,
        "group_heads": _group_heads(),
        "words": _words(),
        "labels": {name: _label_counts(_labels(captions[name])) for name in captions},
        "effects": [cell for cell in cells if _is_effect(cell)],
        "nulls": [cell for cell in cells if not _is_effect(cell)],
        "effects_by_image_group": [
            _cell(SKEWED.name, category, "modifier", _by_image_group(_labels(captions[SKEWED.name])))
            for category in EFFECTS
        ],
        "oddities": oddities,
    }


def _labels(captions: Sequence[WordedCaption]) -> list[PlannedLabel]:
    return [label for caption in captions for label in caption.labels]


def _is_effect(cell: Cell) -> bool:
    return cell["system"] == SKEWED.name and cell["category"] in EFFECTS


def _cells(system: str, labels: Sequence[PlannedLabel]) -> list[Cell]:
    groups = _by_head(labels)
    used = {category for label in labels if label.gendered for category in label.says} - {GARMENT}
    cells = [_cell(system, name, "modifier", groups) for name in MODIFIER_ORDER if name in used]
    cells.append(_cell(system, "number", "modifier", groups))
    if any(label.kind == "job" for label in labels):
        cells.append(_cell(system, "status-occupation", "head", groups))
    return cells


def _cell(system: str, category: str, role: str, groups: Mapping[str, Sequence[PlannedLabel]]) -> Cell:
    counts: Cell = {group: _count(category, groups[group]) for group in GENDERS}
    difference = counts["female"]["rate"] - counts["male"]["rate"]
    return {
        "system": system,
        "category": category,
        "role": role,
        "contrast": list(GENDERS),
        "direction": "female" if difference > 0 else "male" if difference < 0 else None,
        **counts,
        "risk_difference": round(difference, 4),
    }


def _count(category: str, labels: Sequence[PlannedLabel]) -> Cell:
    yes = sum(_carries(label, category) for label in labels)
    return {"yes": yes, "labels": len(labels), "rate": round(yes / len(labels), 4)}


def _carries(label: PlannedLabel, category: str) -> bool:
    if category == "number":
        return label.person.count > 1
    if category == "status-occupation":
        return label.kind == "job"
    return category in label.says


def _by_head(labels: Sequence[PlannedLabel]) -> dict[str, list[PlannedLabel]]:
    return {
        gender: [label for label in labels if label.gendered and label.person.gender == gender]
        for gender in GENDERS
    }


def _by_image_group(labels: Sequence[PlannedLabel]) -> dict[str, list[PlannedLabel]]:
    return {group: [label for label in labels if label.scene.group == group] for group in GENDERS}


def _label_counts(labels: Sequence[PlannedLabel]) -> dict[str, int]:
    return {group: len(members) for group, members in _by_head(labels).items()}


def _group_heads() -> dict[str, list[str]]:
    heads: dict[str, list[str]] = {}
    for gender in GENDERS:
        plain = [word for key, words in PLAIN_HEADS.items() if key[0] == gender for word in words]
        heads[gender] = sorted({*plain, CASUAL_HEADS[gender], *JOB_HEADS[gender]})
    return heads


def _words() -> dict[str, list[str]]:
    words = {category: list(LOOKS.get(category, ())) for category in MODIFIER_ORDER}
    words["age"] = sorted({word for ages in AGES.values() for word in ages})
    words["attractiveness"] = sorted({*BEAUTY["female"], *BEAUTY["male"], *BEAUTY_OF_CHILDREN})
    words["clothing-color"] = [f"{color}-shirted" for color in COLORS]
    words["number"] = list(NUMBERS.values())
    words["status-occupation"] = sorted({*JOB_HEADS["female"], *JOB_HEADS["male"]})
    return words

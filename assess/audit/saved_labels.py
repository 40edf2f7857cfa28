"""The labels of a saved audit in codes, system by system, for statistics that need images."""

from __future__ import annotations

import numpy as np

from assess.audit.coded import CodedLabels, Codes, carried, encode
from assess.audit.mentions import MentionTable
from assess.audit.saved import SavedAudit
from assess.errors import InputError, Place

EVERYONE = ""
"""The name of the group that has one value only, `all`: for rates over all labels."""


def saved_labels(audit: SavedAudit) -> dict[str, CodedLabels]:
    """Return the labels of each system that is no reference."""
    tables = {name: MentionTable() for name in audit.systems}
    for mention in audit.mentions():
        if mention.system in tables:
            tables[mention.system].add_caption(mention.image, [mention.label])
    return {name: _coded(audit, table) for name, table in tables.items()}


def _coded(audit: SavedAudit, table: MentionTable) -> CodedLabels:
    image, _, text = table.columns
    try:
        values = {
            by: encode([group.members[label] for label in table.texts], text)
            if group.told_by == "words"
            else encode([group.members[name] for name in table.images], image)
            for by, group in audit.groups.items()
        }
        analyses = [audit.analyses[label] for label in table.texts]
    except KeyError as error:
        hint = "audit.json and mentions.jsonl are not of the same run: audit again"
        message = f"the audit knows nothing of {error}"
        raise InputError(message, place=Place(str(audit.file)), hint=hint) from None
    values[EVERYONE] = Codes(("all",), np.zeros(len(text), dtype=np.int64))
    return CodedLabels(table.images, image, text, carried(analyses), values)

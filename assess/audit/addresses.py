"""How a cell of an audit is named: `SYSTEM/CATEGORY/VALUE`, as in `skewed/attractiveness/female`.

The value may be left out (all labels of the system). Where two groups have the same value it takes its
group's name: `skewed/attractiveness/gender:female`. A category that is both a modifier and a head is the
modifier, unless it is written `head.age`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assess.audit.coded import Key
from assess.audit.saved import SavedAudit
from assess.errors import UsageError, visible
from assess.records import Role
from assess.taxonomy.names import closest


@dataclass(frozen=True, slots=True)
class Address:
    """The name of a cell, taken apart. Without a group, it means all labels of the system."""

    system: str
    key: Key
    by: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        category = self.key[1] if self.key[0] == "modifier" else ".".join(self.key)
        value = f"/{self.by}:{self.value}" if self.by else ""
        return f"{self.system}/{category}{value}"


def parse_address(text: str, audit: SavedAudit) -> Address:
    """Return the cell that a text names, or raise an error that tells what there is."""
    system = _system(text, audit)
    category, _, value = text[len(system) :].lstrip("/").partition("/")
    key = _key(category, system, audit)
    return Address(system, key, *_value(value, audit)) if value else Address(system, key)


def _system(text: str, audit: SavedAudit) -> str:
    names = audit.results.systems
    # A name may hold a slash itself, so the longest that fits is meant.
    fitting = [name for name in names if text == name or text.startswith(f"{name}/")]
    if not fitting:
        asked = text.partition("/")[0]
        raise UsageError(
            f"the audit has no system called '{visible(asked)}'",
            hint=f"a cell is SYSTEM/CATEGORY/VALUE; {closest(asked, names)}",
        )
    return max(fitting, key=len)


def _key(category: str, system: str, audit: SavedAudit) -> Key:
    known = audit.results.categories
    for name in (category, f"modifier.{category}", f"head.{category}"):
        if name in known:
            role, _, rest = name.partition(".")
            return _role(role), rest
    used = [name for name, count in audit.results.systems[system].categories.items() if count.labels]
    names = [name.removeprefix("modifier.") for name in (used or known)]
    if not category:
        example = f"{system}/{names[0]}" if names else f"{system}/CATEGORY"
        hint = f"'{visible(system)}' uses {_listed(names)}; write {visible(example)}"
        raise UsageError("the cell names no category", hint=hint)
    hint = closest(category, [name.removeprefix("modifier.") for name in known])
    if "did you mean" not in hint:
        hint = f"'{visible(system)}' uses {_listed(names)}"
    raise UsageError(f"the audit has no category called '{visible(category)}'", hint=hint)


def _role(role: str) -> Role:
    return "head" if role == "head" else "modifier"


def _value(value: str, audit: SavedAudit) -> tuple[str, str]:
    places = [(by, name) for by, group in audit.groups.items() for name in group.columns]
    found = [(by, name) for by, name in places if value in (name, f"{by}:{name}")]
    if len(found) == 1:
        return found[0]
    if found:
        both = " or ".join(f"{by}:{name}" for by, name in found)
        raise UsageError(f"'{visible(value)}' is a value of several groups", hint=f"write {both}")
    if not places:
        hint = "this audit contrasted no groups: audit again with --by, or leave the value out"
        raise UsageError(f"the audit has no value called '{visible(value)}'", hint=hint)
    named = ", ".join(f"{by}:{name}" for by, name in places)
    raise UsageError(
        f"the audit has no value called '{visible(value)}'", hint=f"there are {visible(named, 400)}"
    )


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return visible(", ".join(listed[:12]), 400) + (
        f" and {len(listed) - 12} more" if len(listed) > 12 else ""
    )

"""The page of JSON structures, generated from outputs of commands: types instead of values."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docs_tools import made_files
from docs_tools.blocks import Command
from docs_tools.markdown import page
from docs_tools.session import Session

_SYSTEMS = "bland.json skewed.csv"
_COMMANDS = {
    "parse": "assess parse 'a tall zzz happy toddler' --json",
    "coverage": f"assess coverage {_SYSTEMS} --json",
    "bias": f"assess bias {_SYSTEMS} --references references.json --json",
    "errors": f"assess errors {_SYSTEMS} --groups attributes.csv --json",
    "diversity": f"assess diversity {_SYSTEMS} --references references.json --train train.txt --json",
    "recall": f"assess recall {_SYSTEMS} --references references.json --train train.txt -d people --json",
    "syntax": f"assess syntax {_SYSTEMS} --json",
    "leakage": f"assess leakage {_SYSTEMS} --references references.json --repeats 2 --resamples 20 --json",
    "amplification": f"assess amplification {_SYSTEMS} --references references.json --resamples 20 --json",
    "select": "assess select gold.jsonl chosen.jsonl --development dev.jsonl --json",
    "pregen": "assess pregen probabilities.jsonl --json",
    "gate": "assess gate policy.yaml audit --json",
    "explain": "assess explain audit skewed/attractiveness/female --limit 1 --json",
    "domain list": "assess domain list --json",
    "domain show": "assess domain show people --json",
    "domain lint": "assess domain lint animals --captions bland.json --json",
    "domain test": "assess domain test animals --json",
}
# Objects whose keys are data, not names of ours: where they are, and what a key is.
_KEYS = {
    "systems": "SYSTEM",
    "categories": "CATEGORY",
    "systems.SYSTEM.categories": "CATEGORY",
    "systems.SYSTEM.tags": "TAG",
    "systems.SYSTEM.groups": "VALUE",
    "paired.systems": "SYSTEM",
    "paired.left_out": "SYSTEM",
    **{f"systems.SYSTEM.local.{key}": "K" for key in ("micro", "macro", "words", "recalled")},
    **{
        f"systems.SYSTEM.{built}.{key}": "N"
        for built in ("compounds", "prepositional_phrases")
        for key in ("sizes", "types")
    },
    **{f"markedness.{key}": "SYSTEM" for key in ("labels", "most", "words")},
    "markedness.words.SYSTEM": "WORD",
    **{f"intervals.{key}": "SYSTEM" for key in ("left_out", "systems")},
    "intervals.systems.SYSTEM": "NUMBER",
    "cells.rates": "VALUE",
    "cells.stratified": "GROUP",
    "cells.stratified.GROUP.strata": "VALUE",
    "groups": "GROUP",
    "groups.GROUP.labels": "SYSTEM",
    "groups.GROUP.labels.SYSTEM": "VALUE",
    "groups.GROUP.crossed.cells": "VALUE",
    "groups.GROUP.designs": "SYSTEM",
    "groups.GROUP.designs.SYSTEM.crowding": "VALUE",
    "groups.GROUP.designs.SYSTEM.effects": "CATEGORY",
    "groups.GROUP.told": "SYSTEM",
    "groups.GROUP.across.strata": "SYSTEM",
    "baselines": "BASELINE",
    "baselines.BASELINE": "K",
    "scores": "NAME",
    "counts": "OUTCOME",
}

_IN_FULL = "coverage"

Shape = Any  # the name of a type, a list of one shape, or a dict of shapes


def json_page() -> str:
    """Return the structure of each command's JSON output, by running the commands."""
    with tempfile.TemporaryDirectory() as name:
        return page_of(shapes(Path(name)))


def page_of(found: Mapping[str, Shape]) -> str:
    """Return the page of shapes."""
    introduction = (
        "This page shows the structure of the `--json` output of each command, from a run on the"
        " bundled example. Words in capitals stand for keys that come from the data; in `assess coverage`,"
        " a CATEGORY is a role and the name of a category, such as `modifier.number`. An undefined"
        ' number is `null`; an infinite number is the string `"inf"` or `"-inf"`. An interval is'
        " a list of the estimate, the lower and the upper bound; a key that ends in `_interval`"
        " has only the two bounds, because the estimate has a key of its own. New versions may"
        " add keys, but do not remove any. [Metrics](metrics.md) defines the numbers."
    )
    return page("JSON", introduction, [_section(command, shape) for command, shape in found.items()])


def shapes(folder: Path) -> dict[str, Shape]:
    """Return the shapes of all commands that are shown, from runs in a folder."""
    session = Session(folder)
    for file in made_files.EXAMPLE.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "policy.yaml").write_bytes((made_files.ROOT / "examples" / "policy.yaml").read_bytes())
    made_files.selections(folder)
    made_files.probabilities(folder)
    session.type(Command(f"assess bias {_SYSTEMS} --out audit --json > bias.json", None))
    found = {}
    for name, line in _COMMANDS.items():
        out = f"{name.replace(' ', '-')}.out.json"
        session.type(Command(f"{line} > {out}", None))
        text = (folder / out).read_text(encoding="utf-8")
        found[name] = shape_of(json.loads(text))
    return found


def shape_of(value: Any, path: str = "", *, listed: bool = False) -> Shape:
    """Return the shape of a value; that of a list or of an object by data is what all its items have."""
    if isinstance(value, list):
        return [_merged_all(shape_of(item, path, listed=True) for item in value)] if value else []
    if isinstance(value, dict):
        if path in _KEYS and value and not listed:
            inner = f"{path}.{_KEYS[path]}"
            return {_KEYS[path]: _merged_all(shape_of(item, inner) for item in value.values())}
        return {name: shape_of(item, f"{path}.{name}".strip(".")) for name, item in value.items()}
    return {bool: "true or false", int: "whole number", float: "number", str: "text"}.get(type(value), "null")


def _merged_all(found: Iterator[Shape]) -> Shape:
    whole: Shape = None
    for shape in found:
        whole = shape if whole is None else merged(whole, shape)
    return whole


def merged(one: Shape, other: Shape) -> Shape:
    """Return what both shapes allow."""
    if one == other:
        return one
    if isinstance(one, dict) and isinstance(other, dict):
        both = {**one, **other}
        return {
            key: merged(one[key], other[key]) if key in one and key in other else both[key] for key in both
        }
    if isinstance(one, list) and isinstance(other, list):
        return [merged(one[0], other[0])] if one and other else one or other
    if isinstance(one, str) and isinstance(other, str):
        kinds = set(one.split(" or ")) | set(other.split(" or "))
        if {"number", "whole number"} <= kinds:
            kinds.remove("whole number")
        return " or ".join(sorted(kinds - {"null"}) + ["null"] * ("null" in kinds))
    return one if other == "null" else other if one == "null" else one


def _section(name: str, shape: Shape) -> str:
    # The signature is the same everywhere: one section has it in full.
    shown = shape if name == _IN_FULL else {**shape, "signature": "{…}"}
    return f"## assess {name}\n\n`{_COMMANDS[name]}`\n\n```text\n{_drawn(shown)}\n```"


def _drawn(shape: Shape, indent: int = 0) -> str:
    space = "  " * indent
    if isinstance(shape, dict):
        if not shape:
            return "{}"
        lines = [f"{space}  {_key(key)}: {_drawn(inner, indent + 1)}" for key, inner in shape.items()]
        return "{\n" + "\n".join(lines) + f"\n{space}}}"
    if isinstance(shape, list):
        return f"[{_drawn(shape[0], indent)}, …]" if shape else "[…]"
    return str(shape)


def _key(key: str) -> str:
    return key if key.isupper() and key in _KEYS.values() else json.dumps(key)

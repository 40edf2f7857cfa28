"""Loading a policy from YAML: all of its mistakes at once, each with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from assess.audit.policy import Baseline, Forbidden, Limit, Policy
from assess.errors import InputError, Place, Problem
from assess.taxonomy.names import closest
from assess.taxonomy.nodes import Accident, Document, Trail, describe, parse_document, read_text

_PARTS: dict[str, type[BaseModel]] = {"forbid": Forbidden, "limits": Limit, "baseline": Baseline}
_EMPTY = "a policy has rules under forbid, limits or baseline; see docs/gates-in-ci.md"


def load_policy(path: str) -> Policy:
    """Return the policy of a YAML file, or raise all of its mistakes."""
    return parse_policy(read_text(Path(path)), path)


def parse_policy(text: str, file: str) -> Policy:
    """Return the policy that a text describes."""
    document = parse_document(text, file)
    if document.value is None:
        syntax = [problem for problem in document.problems if problem.place and problem.place.line]
        raise InputError(syntax or [Problem("the policy is empty", Place(file), _EMPTY)])
    problems = list(document.problems)
    try:
        policy = Policy.model_validate(_numbers(document.value))
    except ValidationError as error:
        problems += [_problem(details, document) for details in error.errors()]
    if problems:
        raise InputError(sorted(dict.fromkeys(problems), key=_by_place))
    return policy


def baseline_path(policy: Policy, path: str) -> str | None:
    """Return where the baseline of a policy is: its path counts from the folder of the policy."""
    return str(Path(path).parent / policy.baseline.file) if policy.baseline else None


def _numbers(value: Any) -> Any:
    """Turn numbers into numbers: the strict reader leaves them as they are written."""
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, Accident) and value.read_as in ("int", "float"):
        return _number(value)
    return value


def _number(written: Accident) -> Any:
    for kind in (int, float):
        try:
            return kind(written.written)
        except ValueError:
            continue
    return written  # 0x1f or 1:30: nothing that a person means by a rate


def _problem(details: ErrorDetails, document: Document) -> Problem:
    trail: Trail = tuple(part for part in details["loc"] if part != "[key]")
    name = str(trail[-1]) if trail else "the policy"
    value = details["input"]
    if details["type"] == "extra_forbidden":
        hint = closest(name, _known_keys(trail))
        return document.problem(f"unknown key `{name}`", trail, key=True, hint=hint)
    if details["type"] == "missing":
        return document.problem(f"`{name}` is missing", trail[:-1], hint=f"add `{name}:`")
    if isinstance(value, Accident):
        message = f"YAML reads {value.written} as {describe(value)}"
        return document.problem(message, trail, hint=f'put it in quotes: "{value.written}"')
    message = details["msg"].removeprefix("Value error, ")
    if isinstance(value, str | int | float):
        message += f", found {value!r}"
    if details["type"] == "model_type":
        return document.problem(f"expected keys and values, found {describe(value)}", trail, hint=_EMPTY)
    in_words = "write it as in 0.001" if details["type"] == "float_type" and isinstance(value, str) else None
    return document.problem(message[0].lower() + message[1:], trail, hint=in_words)


def _known_keys(trail: Trail) -> list[str]:
    part = _PARTS.get(str(trail[0])) if len(trail) > 1 else None
    return list((part or Policy).model_fields)


def _by_place(problem: Problem) -> tuple[int, int]:
    place = problem.place
    return (place.line or 0, place.column or 0) if place else (0, 0)

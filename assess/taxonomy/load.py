"""Loading a taxonomy file: the result is a `Taxonomy`, or all of its mistakes with their locations."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from assess.disk_cache import Codec, DiskCache, code_digest
from assess.errors import Problem, TaxonomyError, in_order
from assess.taxonomy.check import check
from assess.taxonomy.compose import composed, find_taxonomy, sources_of
from assess.taxonomy.model import Entry, Example, HeadCategory, ModifierCategory, Taxonomy, Trail
from assess.taxonomy.phrases import closest
from assess.taxonomy.strict_yaml import Document, MisreadScalar, describe, parse_document, read_text


def load_taxonomy(domain: str) -> Taxonomy:
    """Return the taxonomy of a domain, given by name or as a path to a YAML file."""
    path = find_taxonomy(domain)
    return taxonomy_of(read_text(path), str(path))


CHECKED = DiskCache("taxonomies", most=32)
"""Valid taxonomies: checking one takes longer than everything else at the start of a command."""

TAXONOMY_CODEC: Codec[Taxonomy, Any] = Codec(
    shape=Taxonomy,
    to_data=lambda taxonomy: taxonomy.model_dump(mode="json", exclude_unset=True, by_alias=True),
)


def taxonomy_of(text: str, file: str) -> Taxonomy:
    """Return the taxonomy of a text; raises one error with all of its mistakes."""
    return _taxonomy_of(sources_of(text, file), file)


@lru_cache(maxsize=16)  # notebooks request the same domain repeatedly
def _taxonomy_of(sources: tuple[str, ...], file: str) -> Taxonomy:
    text = sources[0]
    parts = (*sources, code_digest("records.py", "taxonomy/*.py"))
    taxonomy = CHECKED.take(parts, TAXONOMY_CODEC)
    if taxonomy is None:
        taxonomy, _ = parse_taxonomy(text, file)
        CHECKED.put(parts, taxonomy, TAXONOMY_CODEC)
    return taxonomy


def read_taxonomy(domain: str) -> tuple[Taxonomy, Document]:
    """Return a taxonomy and its document, which has the location of every value."""
    path = find_taxonomy(domain)
    return parse_taxonomy(read_text(path), str(path))


def parse_taxonomy(text: str, file: str) -> tuple[Taxonomy, Document]:
    """Return the taxonomy of a text; raises one error with all of its mistakes."""
    document = composed(parse_document(text, file))
    problems = list(document.problems)
    taxonomy = None
    if document.value is not None:
        try:
            taxonomy = Taxonomy.model_validate(document.value)
        except ValidationError as error:
            problems += [_problem(details, document) for details in error.errors()]
            problems += _further_problems(error, document, problems)
        else:
            problems += check(taxonomy, document)
    if problems or taxonomy is None:
        raise TaxonomyError(in_order(problems))
    return taxonomy, document


def _further_problems(error: ValidationError, document: Document, found: list[Problem]) -> list[Problem]:
    """Return mistakes in the content of a file that is also malformed.

    The malformed parts are replaced in a copy, so that authors see all mistakes at once.
    """
    try:
        repaired = Taxonomy.model_validate(_repaired(document.value, error.errors()))
    except ValidationError:
        return []
    places = {problem.place for problem in found}
    # References can only be checked if no category, set or word was lost.
    further = check(repaired, document, names=not any(map(_loses_a_name, error.errors())))
    # Problems at a replaced part, or about a filler, concern the copy and not the file.
    real = [problem for problem in further if problem.place not in places and FILLER not in problem.message]
    return [replace(problem, hint=None) if FILLER in (problem.hint or "") else problem for problem in real]


_MODELS: dict[str, type[BaseModel]] = {
    "heads": HeadCategory,
    "modifiers": ModifierCategory,
    "words": Entry,
    "examples": Example,
}


def _problem(details: ErrorDetails, document: Document) -> Problem:
    trail: Trail = tuple(part for part in details["loc"] if part != "[key]")
    kind, value = details["type"], details["input"]
    name = str(trail[-1]) if trail else "the file"
    if kind == "extra_forbidden":
        return document.problem(
            f"unknown key `{name}`", trail, key=True, hint=closest(name, _known_keys(trail))
        )
    if kind == "missing":
        parent = trail[:-1]
        return document.problem(f"`{name}` is missing", parent, key=True, hint=_missing_hint(name))
    message, hint = _explain(kind, value, details)
    if kind == "string_pattern_mismatch":
        message = f"{value!r} is not a valid {'version' if name == 'version' else 'id'}"
        hint = "ids consist of lowercase letters, digits and single hyphens, and begin with a letter"
    if name == "version":
        hint = "use three numbers, such as 1.0.0"
    return document.problem(message, trail, hint=hint, key="[key]" in details["loc"])


def _explain(kind: str, value: Any, details: ErrorDetails) -> tuple[str, str | None]:
    if isinstance(value, MisreadScalar):
        return f"YAML reads {value.written} as {describe(value)}", f'put it in quotes: "{value.written}"'
    if kind == "literal_error":
        return f"{value!r} is not one of {details['ctx']['expected']}", None
    if kind in {"string_too_short", "too_short"}:
        return "this is empty", "add a value, or remove the key"
    expected = {
        "string_type": "a text",
        "tuple_type": "a list",
        "dict_type": "a mapping",
        "model_type": "a mapping",
        "bool_type": "true or false",
    }.get(kind)
    if kind == "model_type" and details["loc"][-2:-1] == ("words",):
        expected = "a word"
    if expected:
        listed = kind == "tuple_type" and isinstance(value, str)
        hint = f"write it in square brackets: [{value}]" if listed else None
        return f"expected {expected}, found {describe(value)}", hint
    return details["msg"], None


def _known_keys(trail: Trail) -> list[str]:
    for part in reversed(trail[:-1]):
        if part in _MODELS:
            fields = _MODELS[str(part)].model_fields
            in_files = ["use", "remove"] if part in {"heads", "modifiers"} else []
            return [field.alias or name for name, field in fields.items()] + in_files
    return ["extends", *Taxonomy.model_fields, "remove"]


def _missing_hint(name: str) -> str:
    return {
        "evidence": "evidence: visible, inferred or invisible: can it be judged from the image?",
        "sensitivity": "sensitivity: none, personal, protected or offensive",
        "description": "describe the meaning in one sentence",
        "taxonomy": "the id of the domain, as in `taxonomy: people`",
        "heads": "at least one head category",
        "version": "as in `version: 1.0.0`",
    }.get(name, f"add `{name}:`")


# What follows repairs a malformed file in memory, so that all checks can run.

FILLER = "filler-for-a-mistake"
"""The beginning of all fillers: something no author would write."""

_FILLERS: dict[str, Any] = {
    "description": FILLER,
    "evidence": "visible",
    "sensitivity": "none",
    "version": "0.0.0",
    "taxonomy": FILLER,
    "language": "en",
    "text": FILLER,
    "heads": {FILLER: {"description": FILLER, "words": [FILLER]}},
}
_NAMED = ("heads", "modifiers", "sets")


def _repaired(value: Any, errors: Sequence[ErrorDetails]) -> Any:
    """Return a copy in which every part with an error is removed or replaced by a filler."""
    repaired = copy.deepcopy(value)
    for number, details in enumerate(errors):
        trail = [part for part in details["loc"] if part != "[key]"]
        if trail and isinstance(repaired, dict):
            wrong_key = "[key]" in details["loc"] or details["type"] == "extra_forbidden"
            _repair_part(repaired, trail, wrong_key=wrong_key, word=f"{FILLER}-{number}")
    return repaired


def _loses_a_name(details: ErrorDetails) -> bool:
    """Whether a repair removes a category, a set or words."""
    trail = details["loc"]
    if details["type"] == "extra_forbidden" and len(trail) in (1, 3):
        return True  # perhaps `modifers:` or `wrods:`, with everything in it
    whole = len(trail) < 3 or "[key]" in trail or trail[2:] in (("words",), ("patterns",))
    return whole and trail[:1] != () and trail[0] in _NAMED


def _repair_part(repaired: dict[str, Any], trail: list[int | str], *, wrong_key: bool, word: str) -> None:
    *way, last = trail
    value: Any = repaired
    for part in way:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return
    filler = _filler(trail, word)
    if isinstance(value, dict):
        value.pop(last, None)
        if not wrong_key and filler is not None:
            value[str(last)] = filler
        if len(trail) == 3 and trail[0] in ("heads", "modifiers") and "words" not in value:
            # otherwise the category would be empty, perhaps because of a reported mistake
            value["words"] = [word]
    elif isinstance(value, list) and isinstance(last, int) and last < len(value):
        # The list keeps its length, because later trails refer to its elements by index.
        value[last] = {"text": FILLER} if way == ["examples"] else word


def _filler(trail: list[int | str], word: str) -> Any:
    """Return the replacement of a required part; None if the part is to be removed."""
    if len(trail) == 2 and trail[0] == "heads":
        return {"description": FILLER, "words": [word]}
    if len(trail) == 2 and trail[0] == "modifiers":
        needed = {key: _FILLERS[key] for key in ("description", "evidence", "sensitivity")}
        return {**needed, "words": [word]}
    if trail[-1] == "word":
        return word
    return _FILLERS.get(str(trail[-1]))

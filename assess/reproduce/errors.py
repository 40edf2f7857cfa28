"""Errors and ratios of Burns et al. (2018) on balanced images, by a word list and by our own analysis."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from assess.corpus import CaptionReader, Source
from assess.engine.jobs import LocalEngine
from assess.grammar import load_grammar
from assess.grammar.groups import TOLD_BY
from assess.measures.bias.groups import ImageGroups, read_image_groups
from assess.measures.errors.naming import PeopleRule, Rule, WordRule
from assess.measures.errors.run import ErrorsResult, ListedCaption, SystemErrors, measure_errors
from assess.measures.group_settings import ErrorSettings
from assess.measures.measure import Inputs
from assess.reproduce.parts import ComparedCell, Part, Reproduced, ResearchData

_FOLDER = "snowboard"
_GROUPS = f"{_FOLDER}/groups.csv"
_EXPECTED = f"{_FOLDER}/expected.json"
_SOURCE = "burns2018women"

# Error in percent, and how far the ratio of women to men is from that of the images, as printed.
PUBLISHED: dict[str, tuple[float, float]] = {"Baseline-FT": (19.3, 0.51), "Equalizer": (8.1, 0.13)}

WORDS = WordRule(
    {
        "female": ("woman", "women", "female", "females", "girl", "girls", "lady", "ladies", "she", "her"),
        "male": (
            "man",
            "men",
            "male",
            "males",
            "boy",
            "boys",
            "guy",
            "guys",
            "gentleman",
            "he",
            "his",
            "him",
        ),
    },
    "gender words",
)
"""Nouns and pronouns of which the gender is beyond doubt; a caption with words of both names neither."""

_DIGITS = 4  # of the values that were worked out before
_SHARES = {"women": "female", "men": "male"}


def published(data: ResearchData) -> Reproduced:
    """Compute the printed cells by the word list."""
    found = _errors(data, WORDS)
    cells = []
    for name, (error, gap) in PUBLISHED.items():
        system = found.systems[name]
        cells.append(ComparedCell(name, "error %", error, system["error"] * 100, 1))
        cells.append(ComparedCell(name, "ratio gap", gap, system["ratio_gap"], 2))
    return Reproduced(tuple(cells), _NOTES)


_NOTES = (
    "By words alone, no matter whom they describe: " + "; ".join(map(", ".join, WORDS.words.values())),
    "ratio gap: the ratio of women to men in the images, less that of captions that name them",
)


def by_words(data: ResearchData) -> Reproduced:
    """Compute all numbers of all systems by the word list."""
    expected, found = _expected(data), _errors(data, WORDS)
    cells = [cell for name, system in found.systems.items() for cell in _cells(name, expected[name], system)]
    return Reproduced(tuple(cells), _NOTES)


def _cells(name: str, expected: Mapping[str, Any], system: SystemErrors) -> Iterator[ComparedCell]:
    for key in ("error", "ratio", "ratio_gap", "outcome_divergence"):
        yield ComparedCell(name, key.replace("_", " "), expected[key], system[key], _DIGITS, printed=False)
    for who, value in _SHARES.items():
        for outcome in ("correct", "incorrect"):
            cell = f"{who} {outcome}", expected[who][outcome], system.groups[value][outcome]
            yield ComparedCell(name, *cell, _DIGITS, printed=False)


def by_domain(data: ResearchData) -> Reproduced:
    """Compute the same numbers by our own analysis of the people in each caption."""
    rule = PeopleRule(load_grammar("people"), "gender", TOLD_BY)
    expected, found = _expected(data), _errors(data, rule)
    cells = [cell for name, system in found.systems.items() for cell in _cells(name, expected[name], system)]
    differences = tuple(_differences(_errors(data, WORDS), found))
    return Reproduced(
        tuple(cells), differences, "by the domain, a word counts only where it tells something about a person"
    )


def _differences(by_words: ErrorsResult, by_domain: ErrorsResult) -> Iterator[str]:
    """Yield how many captions the two rules take differently, and each of them once."""
    differing: dict[str, tuple[ListedCaption, int]] = {}
    total = 0
    for name, captions in by_words.captions.items():
        total += len(captions)
        for one, other in zip(captions, by_domain.captions[name], strict=True):
            if one.named != other.named:
                _, times = differing.get(one.caption, (other, 0))
                differing[one.caption] = other, times + 1
    yield f"{sum(times for _, times in differing.values())} of {total:,} captions are taken differently"
    for text, (other, times) in differing.items():
        named = " and ".join(other.named) or "nobody's gender"
        yield f"'{text}' ({times}): by the domain it names {named}"


def _expected(data: ResearchData) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data.folder / _EXPECTED).read_text(encoding="utf-8"))
    return found


def _errors(data: ResearchData, rule: Rule) -> ErrorsResult:
    groups: ImageGroups = read_image_groups(str(data.folder / _GROUPS))
    sources = [_source(data, name) for name in _expected(data)]
    engine = LocalEngine(data.annotations)
    # The tables have no intervals.
    settings = ErrorSettings(groups.file, resamples=1)
    return measure_errors(Inputs(sources), groups, rule, settings, engine=engine)


def _source(data: ResearchData, name: str) -> Source:
    source = Source(name, str(data.folder / _FOLDER / f"{name}.json.gz"))
    reader = CaptionReader(source)
    for _ in reader:
        pass  # what was read is known at the end
    data.note_summary(reader.summary)
    return source


_NEEDS = (_GROUPS, _EXPECTED)
ERROR_PARTS = (
    Part("errors", "Errors and ratios on balanced images", _SOURCE, _NEEDS, published, sampled=False),
    Part(
        "errors-words",
        "Errors of six systems on balanced images, by a word list",
        _SOURCE,
        _NEEDS,
        by_words,
        sampled=False,
    ),
    Part(
        "errors-domain",
        "Errors of six systems on balanced images, by the people of each caption",
        _SOURCE,
        _NEEDS,
        by_domain,
        sampled=False,
    ),
)

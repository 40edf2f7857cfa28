"""Descriptions of people: van Miltenburg (2020) with its own imported grammar, and Burns et al. (2018).

For the second paper: errors and ratios on balanced images, with a word list and with our own analysis.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import takewhile
from typing import Any

from assess.corpus import CaptionReader, Source
from assess.engine.jobs import LocalEngine
from assess.grammar import load_grammar
from assess.grammar.groups import TOLD_BY
from assess.grammar.parser import Parser
from assess.measures.bias.groups import read_image_groups
from assess.measures.coverage.compute import CoverageTally, SystemCoverage, coverage
from assess.measures.errors.compute import ListedCaption
from assess.measures.errors.naming import PeopleRule, Rule, WordRule
from assess.measures.errors.run import ErrorsResult, SystemErrors, measure_errors
from assess.measures.group_settings import ErrorSettings
from assess.measures.measure import Inputs
from assess.records import Annotation
from assess.reproduce.parts import SYSTEMS as SYSTEMS_FOLDER
from assess.reproduce.parts import ComparedCell, LeftOut, Part, Reproduced, ResearchData
from assess.taxonomy.syntax import import_cfg

# Published values of van Miltenburg (2020), *How Do Image Description Systems Describe People?*, for
# comparison only.

# Table 2. Columns: labels, modifiers, modifiers per label, kinds of modifiers, kinds of nouns.
TABLE_2_COLUMNS = {"#Labels": 0, "#Mods": 0, "Avg-mods": 2, "Mod-types": 0, "Noun-types": 0}
TABLE_2: dict[str, tuple[int, int, float, int, int]] = {
    "Dai-et-al-2017": (14793, 1763, 0.12, 13, 6),
    "Liu-et-al-2017": (13856, 1296, 0.09, 3, 6),
    "Mun-et-al-2017": (15645, 1906, 0.12, 3, 6),
    "Shetty-et-al-2016": (15247, 1514, 0.10, 4, 6),
    "Shetty-et-al-2017": (14558, 1861, 0.13, 10, 6),
    "Tavakoli-et-al-2017": (14039, 1676, 0.12, 4, 6),
    "Vinyals-et-al-2017": (15496, 1165, 0.08, 5, 6),
    "Wu-et-al-2016": (14486, 2060, 0.14, 5, 6),
    "Zhou-et-al-2017": (14698, 1792, 0.12, 4, 6),
}

# The systems, in the order of their numbers in Table 3.
NUMBERED = (
    "Tavakoli-et-al-2017",
    "Zhou-et-al-2017",
    "Vinyals-et-al-2017",
    "Shetty-et-al-2016",
    "Dai-et-al-2017",
    "Mun-et-al-2017",
    "Shetty-et-al-2017",
    "Liu-et-al-2017",
    "Wu-et-al-2016",
)
_ALL = "1,2,3,4,5,6,7,8,9"

# Table 3: the categories in use, and which systems use them.
TABLE_3: dict[str, dict[str, str]] = {
    "modifier": {
        "age": _ALL,
        "build": _ALL,
        "occupation-soc-group": _ALL,
        "activity": "1,3,4,5,7,9",
        "attractiveness": "3,5,7",
        "mood": "5,7,9",
        "amount-of-clothing": "2,7",
        "skin-color": "5,7",
        "number": "5,7",
        "hair-color": "5,7",
        "height": "5",
        "ethnicity": "5",
        "judgment": "5",
        "kind-of-clothing": "5",
    },
    "head": dict.fromkeys(
        ("gendered", "status-occupation", "plural-mass", "age", "relation", "activity"), _ALL
    ),
}

# From the abstract and the section on the method.
KINDS, MOST_KINDS, UNUSED_KINDS, NEVER_USED_KINDS = 40, 13, 27, 26
HEADS, PERSON_HEADS, PERSON_CHUNKS, NOT_COVERED = 5385, 170, 667, 5

_FOLDER = "people_grammar"
_GRAMMAR = f"{_FOLDER}/1.0/full_grammar.cfg"
_COUNTS = f"{_FOLDER}/noun_chunk_counts.json.gz"
_CHUNKS = f"{_FOLDER}/person_chunks.txt"
_RECOMPUTED = f"{_FOLDER}/table2_from_raw_captions.json"
_BLOCK = 16_384


def _parser(data: ResearchData) -> Parser:
    return Parser(import_cfg(data.text(_GRAMMAR), file=_GRAMMAR, name="people-paper").taxonomy)


def _coverages(parser: Parser, counts: Mapping[str, Counter[str]]) -> dict[str, SystemCoverage]:
    """Return the coverage of each system's labels, given as texts with counts."""
    analyses = {text: parser.analyse(text) for labels in counts.values() for text in labels}
    return {
        name: coverage(CoverageTally(labels=labels), analyses, parser.grammar)
        for name, labels in counts.items()
    }


def _person_chunks(data: ResearchData) -> list[str]:
    return data.text(_CHUNKS).splitlines()


def _authors_labels(data: ResearchData) -> dict[str, Counter[str]]:
    """Return the labels that the paper counted: its own noun chunks, selected with its own list."""
    people = set(_person_chunks(data))
    counts = data.json(_COUNTS)
    return {
        name: Counter({text: number for text, number in counts[name].items() if text in people})
        for name in TABLE_2
    }


def _table_2(found: Mapping[str, SystemCoverage]) -> list[ComparedCell]:
    return [
        ComparedCell(name, column, published, computed, digits)
        for name in TABLE_2
        for (column, digits), published, computed in zip(
            TABLE_2_COLUMNS.items(), TABLE_2[name], _row(found[name]), strict=True
        )
    ]


def _row(found: SystemCoverage) -> tuple[float, ...]:
    kinds = (found.modifier_categories, found.head_categories)
    return (found.labels, found.modifiers, found.modifiers_per_label, *kinds)


def people(data: ResearchData) -> Reproduced:
    """Compute Table 2 from the authors' noun chunks."""
    cells = _table_2(_coverages(_parser(data), _authors_labels(data)))
    return Reproduced(tuple(cells), ("From the noun chunks that the authors counted (spaCy 2.0.4)",))


def people_categories(data: ResearchData) -> Reproduced:
    """Compute Table 3: how many systems use each category."""
    labels = _authors_labels(data)
    together = reduce(operator.add, labels.values())
    found = _coverages(_parser(data), {**labels, _TOGETHER: together})
    used = _users(found)
    published = {(role, name): ids for role, names in TABLE_3.items() for name, ids in names.items()}
    cells = [
        ComparedCell(" ".join(key), "systems", published.get(key, "–"), ",".join(used.get(key, ())))
        for key in [*published, *sorted(used.keys() - published.keys())]
    ]
    numbers = ", ".join(f"{number} {name}" for number, name in enumerate(NUMBERED, start=1))
    return Reproduced(
        tuple(cells),
        (f"The systems by their numbers in the paper: {numbers}", *_said_most(found[_TOGETHER])),
        left_out=(
            LeftOut(
                "examples",
                len(TABLE_3["modifier"]),
                "were chosen by hand, and the data contain no list of them; the systems' most frequent"
                " phrases are shown below the table",
            ),
        ),
    )


def _said_most(found: SystemCoverage) -> Iterator[str]:
    """Yield the most common phrases of each category for which the paper has examples."""
    for name in TABLE_3["modifier"]:
        use = found.categories[f"modifier.{name}"]
        yield f"Most frequent, {name}: {', '.join(use.examples[:3])}"


_TOGETHER = "all systems"


def _users(found: Mapping[str, SystemCoverage]) -> dict[tuple[str, str], list[str]]:
    """Return the numbers of the systems that use each category."""
    users: dict[tuple[str, str], list[str]] = {}
    for number, name in enumerate(NUMBERED, start=1):
        for key, use in found[name].categories.items():
            if use.labels:
                users.setdefault((use.role, key.removeprefix(f"{use.role}.")), []).append(str(number))
    return users


def people_numbers(data: ResearchData) -> Reproduced:
    """Compute the numbers in the abstract and the method section that the data allow."""
    parser = _parser(data)
    found = _coverages(parser, _authors_labels(data))
    most = max(one.modifier_categories for one in found.values())
    used = sum(role == "modifier" for role, _ in _users(found))
    chunks = _person_chunks(data)
    text = data.text(_GRAMMAR)
    lexicon = set(re.findall(r"'([^']*)'", text))
    unknown = sum(not lexicon.issuperset(chunk.split()) for chunk in set(chunks))
    values = {
        "kinds that a system uses": (MOST_KINDS, most),
        "kinds that it never uses": (UNUSED_KINDS, KINDS - most),
        "kinds that no system uses": (NEVER_USED_KINDS, KINDS - used),
        "heads about people": (PERSON_HEADS, len(_heads(text, chunks))),
        "noun chunks about people": (PERSON_CHUNKS, len(set(chunks))),
        "of these, with unknown words": (NOT_COVERED, unknown),
    }
    cells = [ComparedCell(row, "number", *pair) for row, pair in values.items()]
    return Reproduced(
        tuple(cells),
        (
            f"All systems together use {used} kinds of modifiers, so {KINDS - used} are never used by any of"
            " them, in line with the introduction; the 27 in the abstract are those missing from the richest"
            " system",
            "A chunk's head is the longest noun of the published grammar at its end; the authors selected"
            " theirs by hand from the 5,385 (part people-captions)",
        ),
        left_out=(
            LeftOut(
                f"{KINDS} kinds of modifiers",
                1,
                "these are word lists, of which the data only contain the"
                f" {len(parser.grammar.modifiers)} in the published grammar",
            ),
            LeftOut(
                "562 and 105 chunks",
                2,
                "were counted with the word lists before words of the nine systems were added; these lists"
                " are not in the data, which only contain the output of the authors' script for them: 562"
                " and 105",
            ),
        ),
    )


def _heads(grammar: str, chunks: Iterable[str]) -> set[str]:
    """Return the nouns of the grammar at the ends of chunks, using the longest match."""
    listed = re.findall(r"^\w+Noun -> (.*'.*)$", grammar, re.MULTILINE)
    nouns = {" ".join(re.findall(r"'([^']*)'", noun)) for line in listed for noun in line.split(" | ")}
    return {
        max((noun for noun in nouns if f" {chunk}".endswith(f" {noun}")), key=len, default=chunk)
        for chunk in chunks
    }


def people_from_captions(data: ResearchData) -> Reproduced:
    """Compute Table 2 from the captions, with the current parser."""
    parser = _parser(data)
    heads = {line.split()[-1] for line in _person_chunks(data)}

    def is_label(phrase: str) -> bool:
        # The grammar has a few more nouns than the authors' selection.
        return phrase.rpartition(" ")[2] in heads and parser.analyse(phrase).in_domain

    found: set[str] = set()
    labels = {name: _raw_labels(data, name, is_label, found) for name in TABLE_2}
    cells = _table_2(_coverages(parser, labels))
    notes = (
        "From the captions themselves: labels are noun chunks that end in one of the authors' head nouns",
        "heads: different runs of nouns at the end of noun chunks, of all systems; the authors chose 170",
    )
    again = tuple(replace(cell, again=True) for cell in cells)
    return Reproduced(
        (*again, ComparedCell("all systems", "heads", HEADS, len(found))),
        (*notes, *_as_recomputed(data, cells)),
        "the current parser finds slightly different noun chunks and nouns than spaCy 2.0.4",
    )


def _raw_labels(
    data: ResearchData, name: str, is_label: Callable[[str], bool], heads: set[str]
) -> Counter[str]:
    """Return the labels of a system with their counts, and collect the heads of its noun chunks."""
    reader = CaptionReader(data.source(name))
    images = data.images
    texts = Counter(caption.text for caption in reader if images is None or caption.image in images)
    data.note_summary(reader.summary)
    labels: Counter[str] = Counter()
    distinct = list(texts)
    for start in range(0, len(distinct), _BLOCK):
        block = distinct[start : start + _BLOCK]
        for text, annotation in zip(block, data.annotations.annotate(block), strict=True):
            heads.update(_chunk_heads(annotation))
            for chunk in annotation.chunks:
                phrase = " ".join(text[chunk.start : chunk.end].lower().split())
                if is_label(phrase):
                    labels[phrase] += texts[text]
    return labels


def _chunk_heads(annotation: Annotation) -> Iterator[str]:
    """Yield the nouns at the end of each noun chunk, joined like the authors did; the result may be empty."""
    for chunk in annotation.chunks:
        inside = [
            (word, tag)
            for word, tag, offset in zip(annotation.words, annotation.tags, annotation.offsets, strict=True)
            if chunk.start <= offset < chunk.end
        ]
        nouns = list(takewhile(lambda token: token[1] in _NOUNS, reversed(inside)))
        yield " ".join(word for word, _ in reversed(nouns))


_NOUNS = {"NN", "NNS"}


def _as_recomputed(data: ResearchData, cells: list[ComparedCell]) -> list[str]:
    """Return how well our results agree with the authors' own code, run on current chunks."""
    if data.sample is not None or not (data.folder / _RECOMPUTED).exists():
        return []
    rows = data.json(_RECOMPUTED)["variants"]["paper_heads|grammar_1.0"]["rows"]
    keys = dict(zip(TABLE_2_COLUMNS, ("labels", "mods", "avg_mods", "mod_cats", "noun_cats"), strict=True))
    same = sum(
        f"{cell.computed:.{cell.digits}f}" == f"{rows[cell.row][keys[cell.column]]:.{cell.digits}f}"
        for cell in cells
    )
    return [f"The authors' own code on today's noun chunks gives the same in {same} of {len(cells)} cells"]


_PAPER = "vanmiltenburg2020people"
_NEEDS = (_GRAMMAR, _COUNTS, _CHUNKS)
_TABLE_3 = "People, Table 3: categories and systems that use them"
_RAW = "People, Table 2 from the captions themselves"
PEOPLE_PARTS = (
    Part("people", "People, Table 2: labels and modifiers", _PAPER, _NEEDS, people, sampled=False),
    Part("people-categories", _TABLE_3, _PAPER, _NEEDS, people_categories, sampled=False),
    Part("people-numbers", "People: numbers in the text", _PAPER, _NEEDS, people_numbers, sampled=False),
    Part("people-captions", _RAW, _PAPER, (_GRAMMAR, _CHUNKS, SYSTEMS_FOLDER), people_from_captions),
)


# Errors and ratios of Burns et al. (2018) on balanced images.

_SNOWBOARD = "snowboard"
_GROUPS = f"{_SNOWBOARD}/groups.csv"
_EXPECTED = f"{_SNOWBOARD}/expected.json"

# Error in percent, and the difference between the ratio of women to men and that of the images, as printed.
PUBLISHED: dict[str, tuple[float, float]] = {"Baseline-FT": (19.3, 0.51), "Equalizer": (8.1, 0.13)}

_FEMALE = ("woman", "women", "female", "females", "girl", "girls", "lady", "ladies", "she", "her")
_MALE = ("man", "men", "male", "males", "boy", "boys", "guy", "guys", "gentleman", "he", "his", "him")
WORDS = WordRule({"female": _FEMALE, "male": _MALE}, "gender words")
"""Nouns and pronouns with unambiguous gender; a caption with words of both names neither."""

_DIGITS = 4  # of the precomputed values
_SHARES = {"women": "female", "men": "male"}


def published(data: ResearchData) -> Reproduced:
    """Compute the printed cells with the word list."""
    found = _errors(data, WORDS)
    cells = []
    for name, (error, gap) in PUBLISHED.items():
        system = found.systems[name]
        cells.append(ComparedCell(name, "error %", error, system["error"] * 100, 1))
        cells.append(ComparedCell(name, "ratio gap", gap, system["ratio_gap"], 2))
    return Reproduced(tuple(cells), _NOTES)


_NOTES = (
    "Words that count, no matter whom they describe: " + "; ".join(map(", ".join, WORDS.words.values())),
    "ratio gap: the ratio of women to men in the images, minus that in the captions that name them",
)


def by_words(data: ResearchData) -> Reproduced:
    """Compute all numbers of all systems with the word list."""
    return Reproduced(tuple(_compared(data, _errors(data, WORDS))), _NOTES)


def _compared(data: ResearchData, found: ErrorsResult) -> Iterator[ComparedCell]:
    expected = data.json(_EXPECTED)
    for name, system in found.systems.items():
        yield from _cells(name, expected[name], system)


def _cells(name: str, expected: Mapping[str, Any], system: SystemErrors) -> Iterator[ComparedCell]:
    for key in ("error", "ratio", "ratio_gap", "outcome_divergence"):
        yield ComparedCell(name, key.replace("_", " "), expected[key], system[key], _DIGITS, printed=False)
    for who, value in _SHARES.items():
        for outcome in ("correct", "incorrect"):
            cell = f"{who} {outcome}", expected[who][outcome], system.groups[value][outcome]
            yield ComparedCell(name, *cell, _DIGITS, printed=False)


def by_domain(data: ResearchData) -> Reproduced:
    """Compute the same numbers with our own analysis of the people in captions."""
    found = _errors(data, PeopleRule(load_grammar("people"), "gender", TOLD_BY))
    differences = tuple(_differences(_errors(data, WORDS), found))
    because = "by the domain, a word only counts if it describes a person"
    return Reproduced(tuple(_compared(data, found)), differences, because)


def _differences(by_words: ErrorsResult, by_domain: ErrorsResult) -> Iterator[str]:
    """Yield how many captions the two rules judge differently, with each distinct text once."""
    differing: dict[str, tuple[ListedCaption, int]] = {}
    total = 0
    for name, captions in by_words.captions.items():
        total += len(captions)
        for one, other in zip(captions, by_domain.captions[name], strict=True):
            if one.named != other.named:
                _, times = differing.get(one.caption, (other, 0))
                differing[one.caption] = other, times + 1
    yield f"{sum(times for _, times in differing.values())} of {total:,} captions are judged differently"
    for text, (other, times) in differing.items():
        named = " and ".join(other.named) or "no gender"
        yield f"'{text}' ({times}): by the domain it names {named}"


def _errors(data: ResearchData, rule: Rule) -> ErrorsResult:
    groups = read_image_groups(str(data.folder / _GROUPS))
    sources = [_source(data, name) for name in data.json(_EXPECTED)]
    inputs = Inputs(sources, engine=LocalEngine(data.annotations))
    # The tables have no intervals.
    settings = ErrorSettings(groups.file, resamples=1)
    return measure_errors(inputs, groups, rule, settings)


def _source(data: ResearchData, name: str) -> Source:
    source = Source(name, str(data.folder / _SNOWBOARD / f"{name}.json.gz"))
    reader = CaptionReader(source)
    for _ in reader:
        pass  # the summary is known at the end
    data.note_summary(reader.summary)
    return source


_BALANCED = "Errors of six systems on balanced images, "
ERROR_PARTS = tuple(
    Part(name, title, "burns2018women", (_GROUPS, _EXPECTED), run, sampled=False)
    for name, title, run in (
        ("errors", "Errors and ratios on balanced images", published),
        ("errors-words", f"{_BALANCED}by a word list", by_words),
        ("errors-domain", f"{_BALANCED}by the people of each caption", by_domain),
    )
)

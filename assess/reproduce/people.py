"""Tables 2 and 3 of the people paper (2020), with the grammar of its own, imported."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any

from assess.corpus import CaptionReader
from assess.grammar.parser import Parser
from assess.measures.coverage.compute import Coverage, CoverageTally, coverage
from assess.records import Annotation
from assess.reproduce.parts import SYSTEMS as SYSTEMS_FOLDER
from assess.reproduce.parts import ComparedCell, LeftOut, Part, Reproduced, ResearchData
from assess.taxonomy.syntax import import_cfg

# Published values of van Miltenburg (2020), *How Do Image Description Systems Describe People?* Facts to
# compare with.

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

# The systems by their numbers in Table 3.
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

# Table 3: the categories that are used, and by which systems.
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

# Of its abstract and its section on the method.
KINDS, MOST_KINDS, UNUSED_KINDS, NEVER_USED_KINDS = 40, 13, 27, 26
HEADS, PERSON_CHUNKS, NOT_COVERED = 5385, 667, 5


_FOLDER = "people_grammar"
_GRAMMAR = f"{_FOLDER}/1.0/full_grammar.cfg"
_COUNTS = f"{_FOLDER}/noun_chunk_counts.json.gz"
_CHUNKS = f"{_FOLDER}/person_chunks.txt"
_RECOMPUTED = f"{_FOLDER}/table2_from_raw_captions.json"
_BLOCK = 16_384


def _parser(data: ResearchData) -> Parser:
    text = (data.folder / _GRAMMAR).read_text(encoding="utf-8")
    return Parser(import_cfg(text, file=_GRAMMAR, name="people-paper").taxonomy)


def _coverages(parser: Parser, counts: Mapping[str, Counter[str]]) -> dict[str, Coverage]:
    """Return what each system's labels say, given as texts and their counts."""
    analyses = {text: parser.analyse(text) for labels in counts.values() for text in labels}
    return {
        name: coverage(CoverageTally(labels=labels), analyses, parser.grammar)
        for name, labels in counts.items()
    }


def _person_chunks(data: ResearchData) -> list[str]:
    return (data.folder / _CHUNKS).read_text(encoding="utf-8").splitlines()


def _authors_labels(data: ResearchData) -> dict[str, Counter[str]]:
    """Return the labels that the paper counted: its own noun chunks, selected by its own list."""
    people = set(_person_chunks(data))
    with gzip.open(data.folder / _COUNTS, "rt", encoding="utf-8") as file:
        counts: dict[str, dict[str, int]] = json.load(file)
    return {
        name: Counter({text: number for text, number in counts[name].items() if text in people})
        for name in TABLE_2
    }


def _table_2(found: Mapping[str, Coverage]) -> list[ComparedCell]:
    return [
        ComparedCell(name, column, published, computed, digits)
        for name in TABLE_2
        for (column, digits), published, computed in zip(
            TABLE_2_COLUMNS.items(), TABLE_2[name], _row(found[name]), strict=True
        )
    ]


def _row(found: Coverage) -> tuple[float, ...]:
    union = found.union
    return (
        found.labels,
        union.modifiers,
        union.modifiers_per_label,
        union.modifier_categories,
        union.head_categories,
    )


def people(data: ResearchData) -> Reproduced:
    """Compute Table 2 from the authors' noun chunks."""
    cells = _table_2(_coverages(_parser(data), _authors_labels(data)))
    return Reproduced(tuple(cells), ("From the noun chunks that the authors counted (spaCy 2.0.4)",))


def people_categories(data: ResearchData) -> Reproduced:
    """Compute Table 3: how many systems use each category."""
    used = _users(_coverages(_parser(data), _authors_labels(data)))
    published = {(role, name): ids for role, names in TABLE_3.items() for name, ids in names.items()}
    cells = [
        ComparedCell(
            f"{role} {name}",
            "systems",
            published.get((role, name), "–"),
            ",".join(used.get((role, name), ())),
        )
        for role, name in [*published, *sorted(key for key in used if key not in published)]
    ]
    numbers = ", ".join(f"{number} {name}" for number, name in enumerate(NUMBERED, start=1))
    return Reproduced(
        tuple(cells),
        (f"The systems by their numbers in the paper: {numbers}",),
        left_out=(
            LeftOut(
                "examples",
                len(TABLE_3["modifier"]),
                "were chosen by hand, and the data have no list of them; `--out` of `assess coverage --domain"
                " papers.yaml` has the phrases of each category",
            ),
        ),
    )


def _users(found: Mapping[str, Coverage]) -> dict[tuple[str, str], list[str]]:
    """Return the numbers of the systems that use each category."""
    users: dict[tuple[str, str], list[str]] = {}
    for number, name in enumerate(NUMBERED, start=1):
        for key, use in found[name].categories.items():
            if use.labels:
                users.setdefault((use.role, key.removeprefix(f"{use.role}.")), []).append(str(number))
    return users


def people_numbers(data: ResearchData) -> Reproduced:
    """Compute the numbers of the abstract and the method section, as far as the data allow."""
    parser = _parser(data)
    found = _coverages(parser, _authors_labels(data))
    most = max(one.union.modifier_categories for one in found.values())
    used = sum(role == "modifier" for role, _ in _users(found))
    chunks = _person_chunks(data)
    lexicon = set(re.findall(r"'([^']*)'", (data.folder / _GRAMMAR).read_text(encoding="utf-8")))
    values = {
        "kinds that a system uses": (MOST_KINDS, most),
        "kinds that it never uses": (UNUSED_KINDS, KINDS - most),
        "kinds that no system uses": (NEVER_USED_KINDS, KINDS - used),
        "noun chunks about people": (PERSON_CHUNKS, len(set(chunks))),
        "of these, with unknown words": (
            NOT_COVERED,
            sum(not lexicon.issuperset(chunk.split()) for chunk in set(chunks)),
        ),
    }
    cells = [ComparedCell(row, "number", *pair) for row, pair in values.items()]
    return Reproduced(
        tuple(cells),
        (
            f"All systems together use {used} kinds of modifiers, so {KINDS - used} are never used by any of"
            " them, as the introduction says; the abstract's 27 are those that the richest system leaves out",
        ),
        left_out=(
            LeftOut(
                f"{KINDS} kinds of modifiers",
                1,
                "these are word lists, and the data have only the"
                f" {len(parser.grammar.modifiers)} that are in the published grammar",
            ),
            LeftOut("170 heads", 1, "were chosen by hand from the 5,385 (part people-captions)"),
            LeftOut(
                "562 and 105 chunks",
                2,
                "were counted with the word lists as they were before words of the nine systems were added;"
                " these lists are not among the data",
            ),
        ),
    )


def people_from_captions(data: ResearchData) -> Reproduced:
    """Compute Table 2 from the captions themselves, with today's parser."""
    parser = _parser(data)
    heads = {line.split()[-1] for line in _person_chunks(data)}

    def is_label(phrase: str) -> bool:
        # The grammar has a few nouns more than the authors selected by.
        return phrase.rpartition(" ")[2] in heads and parser.analyse(phrase).in_domain

    found: set[str] = set()
    labels = {name: _raw_labels(data, name, is_label, found) for name in TABLE_2}
    cells = _table_2(_coverages(parser, labels))
    notes = (
        "From the captions themselves: labels are noun chunks that end in one of the authors' head nouns",
        "heads: different runs of nouns at the end of noun chunks, of all systems; the authors chose 170",
    )
    # The paper prints these cells once; they are compared in the part that has its own noun chunks.
    repeated = tuple(replace(cell, printed=False) for cell in cells)
    return Reproduced(
        (*repeated, ComparedCell("all systems", "heads", HEADS, len(found))),
        (*notes, *_as_recomputed(data, cells)),
        "today's parser finds slightly other noun chunks and nouns than spaCy 2.0.4 did",
    )


def _raw_labels(
    data: ResearchData, name: str, is_label: Callable[[str], bool], heads: set[str]
) -> Counter[str]:
    """Return the labels of a system with their counts, and add the heads of its noun chunks."""
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
    """Yield the nouns that end each noun chunk, as the authors joined them; nothing is a head too."""
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
    """Return how far the authors' own code, run on today's chunks, agrees with ours."""
    path = data.folder / _RECOMPUTED
    if data.sample is not None or not path.exists():
        return []
    variants: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["variants"]
    rows = variants["paper_heads|grammar_1.0"]["rows"]
    keys = dict(zip(TABLE_2_COLUMNS, ("labels", "mods", "avg_mods", "mod_cats", "noun_cats"), strict=True))
    same = sum(
        f"{cell.computed:.{cell.digits}f}" == f"{rows[cell.row][keys[cell.column]]:.{cell.digits}f}"
        for cell in cells
    )
    return [f"The authors' own code on today's noun chunks gives the same in {same} of {len(cells)} cells"]


_PAPER = "vanmiltenburg2020people"
_NEEDS = (_GRAMMAR, _COUNTS, _CHUNKS)
PEOPLE_PARTS = (
    Part("people", "People, Table 2: labels and modifiers", _PAPER, _NEEDS, people, sampled=False),
    Part(
        "people-categories",
        "People, Table 3: categories and systems that use them",
        _PAPER,
        _NEEDS,
        people_categories,
        sampled=False,
    ),
    Part("people-numbers", "People: numbers in the text", _PAPER, _NEEDS, people_numbers, sampled=False),
    Part(
        "people-captions",
        "People, Table 2 from the captions themselves",
        _PAPER,
        (_GRAMMAR, _CHUNKS, SYSTEMS_FOLDER),
        people_from_captions,
    ),
)

"""Small audits for tests, created from captions with given labels, without a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assess.audits.html.page import write_audit
from assess.audits.pipeline import assembled
from assess.audits.result import AuditResult
from assess.audits.saved import AuditFiles, SavedAudit, read_audit
from assess.corpus.captions import CorpusTally
from assess.grammar import Grammar, load_grammar
from assess.grammar.chunks import label_key
from assess.grammar.labels import Found
from assess.grammar.parser import Parser
from assess.measures.bias.compute import GroupQuestion
from assess.measures.bias.groups import Grouping, Pair, WordGroups
from assess.measures.bias.labels import MentionTable
from assess.measures.bias.result import GroupResult
from assess.measures.coverage.run import LabelCounts, mention_line, said_of
from assess.measures.group_settings import VerdictSettings
from assess.records import Analysis, Mention
from assess.signature import InputIdentity, Signature

Captions = Sequence[tuple[str, str, Sequence[str]]]
"""Image id, caption, and its labels as written in it."""

PEOPLE = load_grammar("people")
PARSER = Parser(PEOPLE)
GENDER, AGE = WordGroups(PEOPLE, "gender"), WordGroups(PEOPLE, "age")
FAST = VerdictSettings(samples=60)


def repeated(image: str, counts: Mapping[str, int]) -> list[tuple[str, str, list[str]]]:
    """Return captions with one label each, all about different images."""
    texts = [text for text, number in counts.items() for _ in range(number)]
    return [(f"{image}{number}", f"{text} on a bench", [text]) for number, text in enumerate(texts)]


def table_of(captions: Captions) -> MentionTable:
    table = MentionTable()
    for image, _, labels in captions:
        table.add_caption(image, [label_key(label) for label in labels])
    return table


def analyses_of(*corpora: Captions) -> dict[str, Analysis]:
    texts = {label_key(label) for captions in corpora for _, _, labels in captions for label in labels}
    return {text: PARSER.analyse(text) for text in sorted(texts)}


def audit_groups(
    systems: Mapping[str, Captions],
    *,
    by: Sequence[str] = ("gender",),
    references: Sequence[str] = (),
    groupings: Sequence[Grouping] = (),
    pairs: tuple[Pair, ...] = (),
    settings: VerdictSettings = FAST,
    grammar: Grammar = PEOPLE,
) -> dict[str, GroupResult]:
    """Return the results of each group."""
    chosen = [*(WordGroups(grammar, name) for name in by), *groupings]
    question = GroupQuestion(grammar, chosen, pairs, settings)
    tables = {name: table_of(captions) for name, captions in systems.items()}
    return question.audit(tables, analyses_of(*systems.values()), frozenset(references))


def found_labels(keys: Iterable[str]) -> list[Found]:
    """Return labels as if they had been found, each a person of its own."""
    return [Found(0, 1, key, person) for person, key in enumerate(keys, start=1)]


def make_audit(
    systems: Mapping[str, Captions],
    *,
    by: Sequence[str] = ("gender",),
    references: Sequence[str] = (),
    groupings: Sequence[Grouping] = (),
) -> AuditResult:
    """Return a whole audit."""
    groups = audit_groups(systems, by=by, references=references, groupings=groupings)
    analyses = analyses_of(*systems.values())
    read: dict[str, LabelCounts] = {}
    for name, captions in systems.items():
        corpus = CorpusTally(name, len(captions), formats={"json": name}, hashes={1: "0"})
        read[name] = LabelCounts(corpus, table=table_of(captions))
        for image, _, labels in captions:
            corpus.images.add(image)
            read[name].tally.add_caption(found_labels(map(label_key, labels)))
    inputs = tuple(InputIdentity(name, 1, "0") for name in systems)
    signature = Signature(taxonomy="people", model="none", inputs=inputs)
    return assembled(read, PEOPLE, signature, analyses, groups, references=frozenset(references))


def save_audit(
    folder: Path,
    systems: Mapping[str, Captions],
    *,
    by: Sequence[str] = ("gender",),
    references: Sequence[str] = (),
    groupings: Sequence[Grouping] = (),
) -> SavedAudit:
    """Write an audit as the commands do, and read it back."""
    with write_audit(folder) as files:
        for name, captions in systems.items():
            write_mentions(files, name, captions)
        files.finish(make_audit(systems, by=by, references=references, groupings=groupings))
    return read_audit(str(folder))


def write_mentions(files: AuditFiles, system: str, captions: Captions) -> None:
    """Write the labels of a system's captions as mentions."""
    for record, (image, caption, labels) in enumerate(captions, start=1):
        for label in labels:
            start = caption.index(label)
            analysis = PARSER.analyse(label_key(label))
            mention = Mention(system, image, record, start, start + len(label), analysis.text)
            said = said_of(analysis, {"gender": GENDER.value(analysis)})
            files.add_lines(system, [mention_line(mention, caption, said)])


def fit(folder: Path) -> None:
    """Let `audit.json` say that the mentions beside it are its own."""
    mentions, file = (folder / "mentions.jsonl").read_bytes(), folder / "audit.json"
    facts = {"lines": mentions.count(b"\n"), "sha256": hashlib.sha256(mentions).hexdigest()}
    results = json.loads(file.read_text(encoding="utf-8"))
    files = {**results.get("files", {}), "mentions.jsonl": facts}
    file.write_text(json.dumps({**results, "files": files}), encoding="utf-8")

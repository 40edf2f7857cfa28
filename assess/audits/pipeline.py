"""The whole process of an audit on one page: from caption files and a domain to the result."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assess.annotate.model import ModelIdentity
from assess.audits.result import AuditResult, label_text
from assess.audits.saved import AUDITS
from assess.corpus import CorpusSummary, Source, check_names
from assess.corpus.source import STANDARD_INPUT
from assess.disk_cache import Codec, code_digest
from assess.engine.captions import CaptionKeeper, ImageJob
from assess.engine.jobs import LocalEngine, StoredResult
from assess.errors import UsageError, some, visible
from assess.grammar import Grammar
from assess.grammar.captions import Unit
from assess.grammar.groups import TOLD_BY, ToldBy
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.limits import chosen_limits
from assess.measures.bias.compute import GroupQuestion
from assess.measures.bias.groups import Grouping, ImageGroups, Images, Pair, check_pairs, word_groups
from assess.measures.bias.result import GroupResult
from assess.measures.bias.statistics import STATISTICS
from assess.measures.bias.words import delicate_categories
from assess.measures.coverage.compute import SystemCoverage, category_facts, category_keys, coverage
from assess.measures.coverage.run import LabelCounts, LabelJob, MentionSink
from assess.measures.group_settings import USUAL_RULES, VerdictSettings
from assess.measures.measure import Inputs
from assess.measures.recall.categories import CategoryRecall, category_recall
from assess.measures.run import Measures
from assess.records import Analysis
from assess.signature import InputIdentity, Signature


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a caller that can change a number."""

    model: str | None = None
    by: tuple[str, ...] = ()  # groups of the taxonomy to contrast, such as gender
    join_of: bool = True  # "a group of young men" is one label; in the papers, it is two chunks
    after: bool = True  # also count attributes after the noun: "a man with a beard"; not in the papers
    per: Unit = "person"  # count each person in a caption once; the papers count every mention
    told_by: tuple[ToldBy, ...] = TOLD_BY  # words that state a group: only nouns, or others as well
    image_groups: tuple[ImageGroups, ...] = ()  # groups from files, which are contrasted as well
    partial: bool = False  # whether images may be missing from such a file
    contrasts: tuple[Pair, ...] = ()  # pairs of values to contrast; none: all pairs of each group
    bias: VerdictSettings = USUAL_RULES


USUAL_SETTINGS = Settings()


@dataclass(frozen=True, slots=True)
class CountedAudit:
    """An audit before its measures, and what these need."""

    result: AuditResult
    place: int  # index at which their notes are inserted
    recalled: CategoryRecall | None  # if there are references and labels are kept by image

    def with_measures(self, measures: Measures) -> AuditResult:
        """Return the complete result."""
        notes, place = self.result.notes, self.place
        return self.result.model_copy(
            update={
                "measures": {result.measure: result for result in measures.results},
                "notes": (*notes[:place], *measures.notes, *notes[place:]),
            }
        )


def audit(
    inputs: Inputs,
    grammar: Grammar,
    settings: Settings = USUAL_SETTINGS,
    *,
    mentions: MentionSink | None = None,
    keeper: CaptionKeeper | None = None,
) -> CountedAudit:
    """Audit the captions of all sources with a domain."""
    references, everything = inputs.references, inputs.all_sources
    check_names(everything)
    groupings = _groupings(grammar, settings)
    # Mismatched ids are reported before any work, except on standard input, which can be read only once.
    paired = bool(groupings and (references or settings.image_groups))
    early = paired and not any(source.path == STANDARD_INPUT for source in everything)
    notes = _check(_images(inputs), references, settings) if early else []
    finder = LabelFinder(Parser(grammar), join_of=settings.join_of, after=settings.after, unit=settings.per)
    job = replace(_job(grammar, settings, mentions), finder=finder, keeper=keeper)
    read = inputs.running.run(job, everything, progress=inputs.progress, grown=job.deliver)
    if paired and not early:
        images = {source: read[source.name].table.images for source in everything}
        notes = _check(images, references, settings)
    analyses = {text: finder.analyse(text) for found in read.values() for text in found.tally.labels}
    human = frozenset(source.name for source in references)
    question = GroupQuestion(grammar, groupings, settings.contrasts, settings.bias)
    tables = {name: found.table for name, found in read.items()}
    recalled = category_recall(
        {name: table for name, table in tables.items() if name not in human},
        [tables[source.name] for source in references],
        analyses,
        grammar,
    )
    groups = question.audit(tables, analyses, human)
    signature = _signature(grammar, inputs.model, read, settings)
    notes = [*filter(None, (item.unread_note() for item in signature.inputs)), *notes]
    result = assembled(read, grammar, signature, analyses, groups, references=human, notes=notes)
    return CountedAudit(result, len(notes), recalled)


def assembled(
    read: Mapping[str, LabelCounts],
    grammar: Grammar,
    signature: Signature,
    analyses: dict[str, Analysis],
    groups: dict[str, GroupResult],
    *,
    references: frozenset[str],
    notes: Sequence[str] = (),
) -> AuditResult:
    """Return the result of counts and contrasts, with notes about the input."""
    summaries = {name: found.summary for name, found in read.items()}
    systems = {
        name: coverage(
            counts.tally,
            analyses,
            grammar,
            summaries[name],
            reference=name in references,
            images_digest=counts.table.images_digest if groups else None,
        )
        for name, counts in read.items()
    }
    keys = [f"{role}.{name}" for role, name in category_keys(grammar)]
    used = {key for system in systems.values() for key, use in system.categories.items() if use.labels}
    return AuditResult(
        signature=signature,
        systems=systems,
        categories_never_used=tuple(key for key in keys if key not in used),
        categories=category_facts(grammar),
        markedness=delicate_categories(
            {name: counts.tally.labels for name, counts in read.items()}, analyses, grammar
        ),
        bias=groups,
        notes=(*notes, *_input_notes(summaries, references), *_reading_notes(systems)),
        analyses=tuple(analyses[text] for text in sorted(analyses)),
    )


UNEVEN = 0.04
"""Differences in the share of unread text that could be mistaken for differences between systems."""
_ENOUGH = 100  # labels; with fewer, a share is unreliable


def _reading_notes(systems: Mapping[str, SystemCoverage]) -> Iterator[str]:
    """Yield a warning if the taxonomy understood less of one system than of another."""
    shares = {name: system.unread.share for name, system in systems.items() if system.labels >= _ENOUGH}
    if shares and max(shares.values()) - min(shares.values()) > UNEVEN:
        most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
        yield (
            f"Words after the noun were not understood for {shares[most]:.0%} of {most}'s labels, but"
            f" only for {shares[least]:.0%} of {least}'s: this may explain part of a difference"
            " between them."
        )


def _input_notes(summaries: Mapping[str, CorpusSummary], references: frozenset[str]) -> Iterator[str]:
    for name, summary in summaries.items():
        told = [
            f"{some(summary.repeated, 'further caption')} of the same images" if summary.repeated else "",
            some(summary.empty, "empty caption") if summary.empty else "",
            f"{some(summary.replaced, 'caption')} with invalid characters" if summary.replaced else "",
        ]
        remarks = ", ".join(remark for remark in told if remark)
        # References are expected to have several captions per image.
        if remarks and not (name in references and not summary.empty and not summary.replaced):
            yield f"{name}: {remarks} (kept and counted)"


def _job(grammar: Grammar, settings: Settings, mentions: MentionSink | None) -> LabelJob:
    return LabelJob(
        grammar,
        join_of=settings.join_of,
        after=settings.after,
        per=settings.per,
        by_image=bool(settings.by or settings.image_groups),
        mentions=None if mentions is None else settings.told_by,
        sink=mentions,
    )


# Results for the same captions and settings are reused.


@dataclass(frozen=True, slots=True)
class KnownData:
    """An audit as stored on disk: `audit.json`, and `labels.jsonl`, compressed."""

    results: str
    labels: str
    place: int
    recalled: CategoryRecall | None


def _to_data(known: CountedAudit) -> KnownData:
    labels = zlib.compress(label_text(known.result).encode(), 1)
    return KnownData(known.result.to_saved(), b64encode(labels).decode("ascii"), known.place, known.recalled)


def _from_data(data: KnownData) -> CountedAudit:
    unpacking = zlib.decompressobj()
    try:
        labels = unpacking.decompress(b64decode(data.labels, validate=True), _MOST_LABELS).decode()
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unpacking.eof:
        raise ValueError("the label table of an audit is truncated")
    result = AuditResult.from_saved(json.loads(data.results))
    return CountedAudit(result.model_copy(update={"labels": labels}), data.place, data.recalled)


_MOST_LABELS = 1 << 30
_CODEC: Codec[CountedAudit, KnownData] = Codec(KnownData, _to_data, _from_data)


def known_audit(
    inputs: Inputs,
    grammar: Grammar,
    settings: Settings,
    *,
    mentions: MentionSink | None = None,
    keeper: CaptionKeeper | None = None,
) -> CountedAudit:
    """Audit captions, or use the stored result; mentions are delivered in both cases."""
    stored = _stored(inputs, grammar, settings)
    known = stored.take() if stored else None
    if known is None or keeper is not None:
        known = audit(inputs, grammar, settings, mentions=mentions, keeper=keeper)
        if stored:
            if mentions is not None:  # their file needs the text that is stored
                labels = label_text(known.result)
                known = replace(known, result=known.result.model_copy(update={"labels": labels}))
            stored.put(known, hashes=[item.sha256 for item in known.result.signature.inputs])
    elif mentions is not None:
        job = _job(grammar, settings, mentions)
        inputs.running.run(job, inputs.all_sources, progress=inputs.progress, grown=job.deliver)
    return known


def _stored(inputs: Inputs, grammar: Grammar, settings: Settings) -> StoredResult[CountedAudit] | None:
    """Return where the result is or may be stored on disk; None if it must not be stored.

    Registered extensions are not part of the key, and files on a cluster are not read here.
    """
    origin, sources = inputs.running.annotations.origin, inputs.all_sources
    if origin is None or STATISTICS or not isinstance(inputs.engine, LocalEngine):
        return None
    told = (grammar.identity, repr(settings), str(len(inputs.references)), *(one.name for one in sources))
    return StoredResult(AUDITS, sources, ("audit", origin, code_digest("**/*.py"), *told), _CODEC)


def _images(inputs: Inputs) -> Images:
    found = inputs.running.run(ImageJob(), inputs.all_sources)
    return {source: found[source.name].images for source in inputs.all_sources}


def _check(images: Images, references: Sequence[Source], settings: Settings) -> list[str]:
    return list(check_pairs(images, references, settings.image_groups, partial=settings.partial))


def _groupings(grammar: Grammar, settings: Settings) -> list[Grouping]:
    """Return the groups to contrast: those of the taxonomy, then those of files."""
    names = [*settings.by, *(groups.name for groups in settings.image_groups)]
    for name in names:
        if names.count(name) > 1:
            hint = "give the groups file another name with NAME=FILE"
            raise UsageError(f"two groups have the name '{visible(name)}'", hint=hint)
    words = (word_groups(grammar, name, told_by=settings.told_by) for name in settings.by)
    return [*words, *settings.image_groups]


def _signature(
    grammar: Grammar, model: ModelIdentity, read: dict[str, LabelCounts], settings: Settings
) -> Signature:
    return Signature(
        taxonomy=grammar.identity,
        model=f"{model.name} {model.version} (spaCy {model.spacy_version})",
        inputs=tuple(InputIdentity.of(found.summary) for found in read.values()),
        settings={
            "by": ",".join(settings.by),
            "join_of": settings.join_of,
            "after": settings.after,
            "per": settings.per if settings.after else "mention",
            **_group_settings(settings),
            **chosen_limits(),
        },
    )


def _group_settings(settings: Settings) -> dict[str, str | int | float | bool | None]:
    """Return the settings that can change numbers of contrasts; empty if there are no contrasts."""
    if not (settings.by or settings.image_groups):
        return {}
    chosen: dict[str, str | int | float | bool | None] = {
        "groups": ",".join(f"{groups.name}#{groups.sha256[:12]}" for groups in settings.image_groups),
        "contrasts": " ".join(",".join(pair) for pair in settings.contrasts),
        "partial": settings.partial,
    }
    if settings.told_by != TOLD_BY:
        chosen["told_by"] = ",".join(settings.told_by)
    return {**{name: value for name, value in chosen.items() if value}, **settings.bias.as_settings()}

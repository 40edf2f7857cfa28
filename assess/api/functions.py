"""What people call from Python: audit captions, and read a phrase."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from assess.api.audits import Audit
from assess.audits.files import write_results
from assess.audits.request import Bars, GroupRequest, Request, Sources, chosen_groups, no_bars, run_audit
from assess.audits.saved import read_audit
from assess.corpus import Source, parse_source
from assess.engine.jobs import EngineRequest
from assess.errors import UsageError, visible
from assess.grammar import Parser
from assess.measures.group_settings import ReadingSettings, VerdictSettings
from assess.measures.measure import Inputs, Result
from assess.measures.registry import find_measure
from assess.measures.run import MeasureRequest
from assess.records import Analysis
from assess.taxonomy import Taxonomy, load_taxonomy

if TYPE_CHECKING:
    from assess.measures.amplification.run import AmplificationResult
    from assess.measures.correlation.run import CorrelationResult
    from assess.measures.diversity.quantities import DiversityResult
    from assess.measures.errors.run import ErrorsResult
    from assess.measures.leakage.run import LeakageResult
    from assess.measures.postgen.run import PostgenResult
    from assess.measures.pregen.run import PregenResult
    from assess.measures.recall.run import RecallResult
    from assess.measures.selection.result import SelectionResult
    from assess.measures.syntax.run import SyntaxResult


# Captions as Python has them: paths, or captions in memory, as sources that every command could read.

File = str | os.PathLike[str]
Image = str | int
Texts = str | Sequence[str]
InMemory = Mapping[str, Texts] | Mapping[int, Texts] | Sequence[tuple[Image, str]]
"""Captions by image id, one or several each; or pairs of an image id and a caption."""

Captions = File | Sequence[File] | Sequence[tuple[Image, str]] | Mapping[str, File | InMemory]
"""Files (`[NAME=]PATH`), pairs, or a mapping from the name of a system to its file or captions."""

_SHAPES = 'give paths, pairs (image id, caption), or {"name": path or {image id: caption}}'


def sources_of(given: Captions | None, folder: Path, *, name: str) -> list[Source]:
    """Return the sources that were given; captions in memory become files of a folder.

    `name` is for captions in memory that have none.
    """
    if given is None:
        return []
    if isinstance(given, str | os.PathLike):
        return [parse_source(os.fspath(given))]
    if isinstance(given, Mapping):
        return [_named(system, captions, folder) for system, captions in given.items()]
    items = list(given)
    if items and all(isinstance(item, str | os.PathLike) for item in items):
        return [parse_source(os.fspath(item)) for item in items if isinstance(item, str | os.PathLike)]
    return [_written(name, items, folder)]


def _named(name: str, captions: File | InMemory, folder: Path) -> Source:
    if not isinstance(name, str) or not name:
        raise UsageError(f"{name!r} is not the name of a system", hint=_SHAPES)
    if not isinstance(captions, str | os.PathLike):
        pairs = _pairs(captions) if isinstance(captions, Mapping) else captions
        return _written(name, pairs, folder)
    path = os.fspath(captions)
    if " " in path and not Path(path).exists():
        # Most likely {image id: caption}, which has no name of a system around it.
        raise UsageError(f"there is no file '{visible(path)}' for the system '{visible(name)}'", hint=_SHAPES)
    return Source(name, path)


def _pairs(captions: Mapping[str, Texts] | Mapping[int, Texts]) -> Iterator[tuple[Image, object]]:
    for image, texts in captions.items():
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            yield image, texts
        else:
            yield from ((image, text) for text in texts)


def _written(name: str, pairs: Iterable[object], folder: Path) -> Source:
    """Write captions as JSONL: the same captions make the same file, and so the same signature."""
    lines = [_line(name, number, pair) for number, pair in enumerate(pairs, start=1)]
    if not lines:
        raise UsageError(f"'{visible(name)}' has no captions", hint=_SHAPES)
    file = folder / f"{len(list(folder.iterdir()))}.jsonl"
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    return Source(name, str(file), format="jsonl")


def _line(name: str, number: int, pair: object) -> str:
    if isinstance(pair, tuple | list) and len(pair) == 2:
        image, caption = pair
        if isinstance(image, str | int) and isinstance(caption, str):
            return json.dumps({"image_id": image, "caption": caption}) + "\n"
    shown = visible(repr(pair), 80)
    raise UsageError(
        f"caption {number} of '{visible(name)}' is not an (image id, caption) pair: {shown}", hint=_SHAPES
    )


def audit(
    captions: Captions,
    *,
    domain: File = "people",
    references: Captions | None = None,
    train: Captions | None = None,
    by: str | Sequence[str] | None = None,
    groups: File | Sequence[File] = (),
    partial: bool = False,
    contrasts: Sequence[tuple[str, str]] = (),
    measures: bool = True,
    margin: float = 0.025,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    model: str | None = None,
    paper_chunks: bool = False,
    after: bool = True,
    processes: int | None = 1,
    cache: bool = True,
    progress: Bars = no_bars,
) -> Audit:
    """Audit captions: everything that the inputs allow, with the numbers of `assess audit`.

    `captions`, `references` and `train` are files, or captions in memory: pairs of an image id and a
    caption, or {"name": path or {image id: caption}}. Without `by`, the domain's first group is
    contrasted; `by=()` contrasts none. `processes` is the number of annotating processes, None for one a
    core; a script that asks for several needs `if __name__ == "__main__":` around its work.
    """
    files = [os.fspath(file) for file in ([groups] if isinstance(groups, str | os.PathLike) else groups)]
    pairs = tuple(",".join(pair) for pair in contrasts)
    rules = VerdictSettings(margin, alpha, samples, seed)
    with tempfile.TemporaryDirectory(prefix="assess-captions-") as given:
        systems, humans, training = (
            sources_of(each, Path(given), name=name)
            for each, name in ((captions, "captions"), (references, "references"), (train, "train"))
        )
        request = Request(
            domain=os.fspath(domain),
            reading=ReadingSettings(model, paper_chunks=paper_chunks, no_after=not after),
            by=_by(by, files),
            engine=EngineRequest(processes, cache),
            groups=GroupRequest(tuple(files), partial, pairs, rules),
            measures=MeasureRequest(tuple(training), model) if measures else None,
        )
        return _saved((systems, humans), request, progress)


def _by(by: str | Sequence[str] | None, files: list[str]) -> tuple[str, ...] | None:
    if by is not None and not by:
        return ()  # none was asked for, which is not the same as not asking
    return chosen_groups([by] if isinstance(by, str) else list(by or ()), files)


def _saved(sources: Sources, request: Request, progress: Bars) -> Audit:
    """Run an audit into a folder of its own, which goes when the audit does."""
    folder = Path(tempfile.mkdtemp(prefix="assess-audit-"))
    try:
        with write_results(folder) as files:
            files.finish(run_audit(sources, request, mentions=files.add_mention, bars=progress))
        return Audit(read_audit(folder), temporary=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def parse(text: str, *, domain: File = "people") -> Analysis:
    """Return all readings of a phrase: its heads, modifiers, spans, and what is not known."""
    return _parser(load_taxonomy(os.fspath(domain))).analyse(text)


_parsers: dict[str, Parser] = {}


def _parser(taxonomy: Taxonomy) -> Parser:
    """Return a parser; making one takes a while, so that of each domain is kept until its file changes."""
    if taxonomy.identity not in _parsers:
        _parsers[taxonomy.identity] = Parser(taxonomy)
    return _parsers[taxonomy.identity]


# The measures: captions or files in, the result of the command out.


def measure(
    name: str,
    captions: Captions,
    *,
    references: Captions | None = None,
    train: Captions | None = None,
    **settings: Any,
) -> Result:
    """Run a measure by its name, ours or one that was registered.

    `captions`, `references` and `train` are files, or captions in memory, as for `assess.audit`; `settings`
    are the options of the command, with underscores: `resamples=200` for `--resamples 200`.
    """
    found = find_measure(name)
    if found.run is None:
        raise UsageError(f"{name} does not measure captions", hint=f"see help(assess.{name})")
    chosen = found.settings.chosen(**settings)
    with tempfile.TemporaryDirectory(prefix="assess-captions-") as folder:
        systems, humans, training = (
            sources_of(given, Path(folder), name=role)
            for given, role in ((captions, "captions"), (references, "references"), (train, "train"))
        )
        return found.run(Inputs(systems, humans, training), chosen)


def diversity(
    captions: Captions,
    *,
    references: Captions | None = None,
    train: Captions | None = None,
    **settings: Any,
) -> DiversityResult:
    """Measure how varied captions are: the numbers of `assess diversity`."""
    return cast(
        "DiversityResult", measure("diversity", captions, references=references, train=train, **settings)
    )


def recall(
    captions: Captions, *, references: Captions, train: Captions | None = None, **settings: Any
) -> RecallResult:
    """Measure which words of the references captions use: the numbers of `assess recall`."""
    return cast("RecallResult", measure("recall", captions, references=references, train=train, **settings))


def syntax(captions: Captions, **settings: Any) -> SyntaxResult:
    """Measure compounds, prepositional phrases and sentences: the numbers of `assess syntax`."""
    return cast("SyntaxResult", measure("syntax", captions, **settings))


def group_errors(
    captions: Captions,
    *,
    groups: File | Mapping[str, str] | Mapping[int, str],
    references: Captions | None = None,
    **settings: Any,
) -> ErrorsResult:
    """Measure how often captions name another group than the annotated one: the numbers of `assess errors`.

    `groups` is a file with image_id and group, or {image id: group}.
    """
    with tempfile.TemporaryDirectory(prefix="assess-groups-") as folder:
        file = _groups_file(groups, Path(folder)) if isinstance(groups, Mapping) else os.fspath(groups)
        found = measure("errors", captions, references=references, groups=file, **settings)
    return cast("ErrorsResult", found)


def _groups_file(groups: Mapping[str, str] | Mapping[int, str], folder: Path) -> str:
    file = folder / "groups.jsonl"
    lines = (json.dumps({"image_id": image, "group": value}) + "\n" for image, value in groups.items())
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    return str(file)


def leakage(captions: Captions, *, references: Captions | None = None, **settings: Any) -> LeakageResult:
    """Measure how well a group can be told from the rest of a caption: the numbers of `assess leakage`."""
    return cast("LeakageResult", measure("leakage", captions, references=references, **settings))


def amplification(
    captions: Captions, *, references: Captions | None = None, **settings: Any
) -> AmplificationResult:
    """Measure which things go with which group: the numbers of `assess amplification`."""
    return cast("AmplificationResult", measure("amplification", captions, references=references, **settings))


def postgen(captions: Captions, *, references: Captions, **settings: Any) -> PostgenResult:
    """Score captions against references, by BLEU and CIDEr: the numbers of `assess postgen`."""
    return cast("PostgenResult", measure("postgen", captions, references=references, **settings))


def select(
    gold: File, predicted: Sequence[File] = (), *, development: File | None = None, **settings: Any
) -> SelectionResult:
    """Score which boxes of images are mentioned: the numbers of `assess select`."""
    from assess.measures.selection.files import GoldSource
    from assess.measures.selection.run import run_selection
    from assess.measures.settings import SelectionSettings

    return run_selection(
        GoldSource(parse_source(os.fspath(gold))),
        [parse_source(os.fspath(file)) for file in predicted],
        development=GoldSource(parse_source(os.fspath(development))) if development is not None else None,
        settings=SelectionSettings.chosen(**settings),
    )


def pregen(probabilities: File, **settings: Any) -> PregenResult:
    """Score a model by the probabilities of reference words: the numbers of `assess pregen`."""
    from assess.measures.pregen.run import run_pregen
    from assess.measures.settings import PregenSettings

    return run_pregen(parse_source(os.fspath(probabilities)), PregenSettings.chosen(**settings))


def correlate(tables: File | Sequence[File], **settings: Any) -> CorrelationResult:
    """Correlate the columns of tables of scores: the numbers of `assess correlate`."""
    from assess.measures.correlation.run import run_correlation
    from assess.measures.settings import CorrelationSettings

    given = [tables] if isinstance(tables, str | os.PathLike) else tables
    return run_correlation([Path(table) for table in given], CorrelationSettings.chosen(**settings))

"""The Python functions: audit captions, measure them, and parse phrases."""

from __future__ import annotations

import inspect
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from assess.api.audits import Audit, Bias, Coverage
from assess.api.captions import Captions, File, Frame, Record, file_of, files_of, inputs_of
from assess.audits.request import Bars, GroupRequest, Request, Sources, chosen_groups, no_bars, run_audit
from assess.audits.saved import read_audit, write_results
from assess.corpus import parse_source
from assess.engine.jobs import EngineRequest, in_this_process
from assess.errors import UsageError, visible
from assess.grammar import Grammar, Parser, load_grammar
from assess.measures.group_settings import (
    AmplificationSettings,
    Counted,
    ErrorSettings,
    LeakageSettings,
    ReadingSettings,
    Telling,
    VerdictSettings,
)
from assess.measures.measure import Result, path_of
from assess.measures.registry import find_measure, others
from assess.measures.run import MeasureRequest
from assess.measures.settings import (
    CorrelationSettings,
    DiversitySettings,
    PostgenSettings,
    PregenSettings,
    RecallSettings,
    SelectionSettings,
    Settings,
    SyntaxSettings,
    declared,
)
from assess.records import Analysis

if TYPE_CHECKING:
    from assess.measures.amplification.run import AmplificationResult
    from assess.measures.correlation.run import CorrelationResult
    from assess.measures.diversity.quantities import DiversityResult
    from assess.measures.errors.run import ErrorsResult
    from assess.measures.leakage.run import LeakageResult
    from assess.measures.postgen.run import PostgenResult
    from assess.measures.pregen.run import PregenResult
    from assess.measures.recall.quantities import RecallResult
    from assess.measures.selection.run import SelectionResult
    from assess.measures.syntax.run import SyntaxResult

Records = Sequence[Record] | Frame
"""The records of a file, as a list or a data frame."""

Groups = File | Records | Mapping[str, str] | Mapping[int, str]
"""The groups of images: a file, records or a data frame with image_id and group, or {image id: group}."""


def audit(
    captions: Captions,
    *,
    domain: File = "people",
    references: Captions | None = None,
    train: Captions | None = None,
    by: str | Sequence[str] | None = None,
    groups: Groups | Sequence[File] = (),
    partial: bool = False,
    contrasts: Sequence[tuple[str, str]] = (),
    measures: bool = True,
    also: Sequence[str] = (),
    margin: float = 0.025,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    model: str | None = None,
    per: Counted = "person",
    told_by: Telling = "words",
    paper_chunks: bool = False,
    after: bool = True,
    processes: int | None = 1,
    cache: bool = True,
    progress: Bars = no_bars,
) -> Audit:
    """Run all analyses that the inputs allow, like `assess audit`.

    `captions`, `references` and `train` are files or Python objects: records or pairs of an image id and a
    caption, a data frame with these columns, or {"name": any of these, or {image id: caption}}. `groups`
    gives the group of each image, as files, records or {image id: group}. Without `by`, the first group of
    the domain is contrasted; `by=()` contrasts none. `also` names further measures (syntax, postgen, leakage
    or amplification), or files with saved results, such as pregen.json. `processes` is the number of
    annotation processes, None for one per core; a script that uses several needs a guard,
    `if __name__ == "__main__":`.

    >>> captions = [{"image_id": 1, "caption": "a tall man"}, {"image_id": 2, "caption": "two happy women"}]
    >>> found = audit({"model": captions}, by="gender", measures=False)
    >>> found.coverage["model"]["labels"]
    2
    """
    for name, chosen in (("partial", partial), ("measures", measures), ("after", after), ("cache", cache)):
        if not isinstance(chosen, bool):
            raise UsageError(f"{name} must be True or False, not {visible(repr(chosen), 40)}")
    pairs = tuple(",".join(_texts(pair, "contrasts")) for pair in _listed(contrasts, "contrasts"))
    rules = VerdictSettings(margin, alpha, samples, seed)
    with tempfile.TemporaryDirectory(prefix="assess-captions-") as given:
        files = _group_files(groups, Path(given))
        inputs = inputs_of(captions, references, train, Path(given))
        request = Request(
            domain=path_of(domain, "domain"),
            reading=ReadingSettings(model, per, told_by, paper_chunks, no_after=not after),
            by=_by(by, files),
            engine=EngineRequest(processes, cache),
            groups=GroupRequest(tuple(files), partial, pairs, rules),
            measures=MeasureRequest(tuple(inputs.training), model) if measures else None,
            also=tuple(_texts(also, "also")),
        )
        return _saved((list(inputs.systems), list(inputs.references)), request, progress)


def _group_files(groups: Groups | Sequence[File], folder: Path) -> list[str]:
    """Return the files with the groups of images; an object in memory becomes a file."""
    if isinstance(groups, Mapping):
        groups = [{"image_id": image, "group": value} for image, value in groups.items()]
    return files_of(groups, folder, "groups")


def _by(by: str | Sequence[str] | None, files: list[str]) -> tuple[str, ...] | None:
    if by is not None and not by:
        return ()  # explicitly none, as opposed to not given
    return chosen_groups(_texts(by or (), "by"), files)


def _listed(given: Any, name: str) -> Iterable[Any]:
    if not isinstance(given, Iterable):
        raise UsageError(f"{name} must be a list, not {visible(repr(given), 40)}")
    return given


def _texts(given: Any, name: str) -> list[str]:
    """Return texts, of which a single one need not be in a list."""
    items = [given] if isinstance(given, str) or not isinstance(given, Iterable) else given
    return [path_of(item, name) for item in items]


def _saved(sources: Sources, request: Request, progress: Bars) -> Audit:
    """Run an audit in a temporary folder, which is deleted together with the audit."""
    folder = Path(tempfile.mkdtemp(prefix="assess-audit-"))
    try:
        with write_results(folder) as files:
            files.finish(run_audit(sources, request, mentions=files.add_lines, bars=progress))
        return Audit(read_audit(folder), temporary=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def parse(text: str, *, domain: File = "people") -> Analysis:
    """Return all readings of a phrase: its heads, modifiers, spans and unknown words.

    >>> reading = parse("a tall happy toddler")
    >>> reading.heads, reading.modifiers
    (('age',), ('height', 'mood'))
    """
    return _parser(load_grammar(path_of(domain, "domain"))).analyse(path_of(text, "text"))


_parsers: dict[str, Parser] = {}


def _parser(grammar: Grammar) -> Parser:
    """Return a parser. Creating one is slow, so each domain's parser is kept until its file changes."""
    if grammar.identity not in _parsers:
        _parsers[grammar.identity] = Parser(grammar)
    return _parsers[grammar.identity]


# The measures: captions or files as input, the result of the command as output.

Function = TypeVar("Function", bound=Callable[..., Any])


def _taking(settings: type[Settings]) -> Callable[[Function], Function]:
    """Include a measure's settings in the signature of its function, for `help` and completion."""

    def named(function: Function) -> Function:
        signature = inspect.signature(function)
        given = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        keyword, kinds = inspect.Parameter.KEYWORD_ONLY, declared(settings)
        chosen = [
            inspect.Parameter(one.name, keyword, default=one.default, annotation=kinds[one.name][0])
            for one in fields(settings)
            if one.name not in signature.parameters
        ]
        function.__signature__ = signature.replace(parameters=[*given, *chosen])  # type: ignore[attr-defined]
        return function

    return named


def coverage(
    captions: Captions, *, domain: File = "people", references: Captions | None = None, **settings: Any
) -> Coverage:
    """Count which categories captions use, like `assess coverage`.

    `settings` are further arguments of `assess.audit`.

    >>> coverage([(1, "a tall man")])["captions"]["modifiers_per_label"]
    1.0
    """
    return audit(captions, domain=domain, references=references, by=(), measures=False, **settings).coverage


def bias(
    captions: Captions,
    *,
    domain: File = "people",
    by: str | None = None,
    references: Captions | None = None,
    **settings: Any,
) -> Bias:
    """Compare how captions describe the values of a group, like `assess bias`.

    Without `by`, the first group of the domain is used. `settings` are further arguments of `assess.audit`.

    >>> bias([(1, "a tall man"), (2, "a woman")], by="gender").cells[0]["verdict"]
    'insufficient'
    """
    return audit(captions, domain=domain, by=by, references=references, measures=False, **settings).bias(by)


def measure(
    name: str,
    captions: Captions,
    *,
    references: Captions | None = None,
    train: Captions | None = None,
    **settings: Any,
) -> Result:
    """Run a measure by its name, built in or registered.

    `captions`, `references` and `train` are files or Python objects, as for `assess.audit`; `settings`
    are the options of the command, with underscores: `resamples=200` for `--resamples 200`.

    >>> measure("diversity", [(1, "a man"), (2, "a man on a bench")])["captions"]["asl"]
    3.5
    """
    found = find_measure(name)
    if found.run is None:
        raise UsageError(f"{name} is not a measure of captions", hint=f"see help(assess.{found.command})")
    chosen = found.settings.chosen(**settings)
    with tempfile.TemporaryDirectory(prefix="assess-captions-") as folder:
        inputs = inputs_of(captions, references, train, Path(folder))
        # Measures of other packages need no model.
        model = getattr(chosen, "model", None)
        engine = in_this_process(model) if name not in others() else None
        return found.run(replace(inputs, engine=engine), chosen)


@_taking(DiversitySettings)
def diversity(
    captions: Captions,
    *,
    references: Captions | None = None,
    train: Captions | None = None,
    **settings: Any,
) -> DiversityResult:
    """Measure the diversity of captions, like `assess diversity`.

    >>> found = diversity({"model": {1: "a man", 2: "a man on a bench"}})
    >>> found["model"]["types"]
    4
    """
    return cast(
        "DiversityResult", measure("diversity", captions, references=references, train=train, **settings)
    )


@_taking(RecallSettings)
def recall(
    captions: Captions, *, references: Captions, train: Captions | None = None, **settings: Any
) -> RecallResult:
    """Measure which words of the references the captions use, like `assess recall`.

    >>> found = recall([(1, "a man")], references=[(1, "a man on a bench")])
    >>> found["captions"].recalled
    2
    """
    return cast("RecallResult", measure("recall", captions, references=references, train=train, **settings))


@_taking(SyntaxSettings)
def syntax(captions: Captions, **settings: Any) -> SyntaxResult:
    """Measure compounds, prepositional phrases and sentence complexity, like `assess syntax`.

    >>> syntax([(1, "a man on a bench")])["captions"]["prepositional_phrases"].total
    1
    """
    return cast("SyntaxResult", measure("syntax", captions, **settings))


@_taking(ErrorSettings)
def group_errors(
    captions: Captions, *, groups: Groups, references: Captions | None = None, **settings: Any
) -> ErrorsResult:
    """Measure how often captions name a group other than the annotated one, like `assess errors`.

    `groups` is a file with image_id and group, records or a data frame with them, or {image id: group}.

    >>> found = group_errors({"model": {1: "a man", 2: "a man"}}, groups={1: "male", 2: "female"})
    >>> found["model"]["groups"]["female"]["incorrect"]
    1.0
    """
    with tempfile.TemporaryDirectory(prefix="assess-groups-") as folder:
        (file,) = _group_files(groups, Path(folder))
        found = measure("errors", captions, references=references, groups=file, **settings)
    return cast("ErrorsResult", found)


@_taking(LeakageSettings)
def leakage(captions: Captions, *, references: Captions | None = None, **settings: Any) -> LeakageResult:
    """Measure how well the rest of a caption predicts the group, like `assess leakage`.

    >>> said = {n: "a man rides a bike" if n % 2 else "a woman holds a cup" for n in range(80)}
    >>> leakage({"model": said}, references={"people": said}, by="gender", resamples=20)["model"]["accuracy"]
    1.0
    """
    return cast("LeakageResult", measure("leakage", captions, references=references, **settings))


@_taking(AmplificationSettings)
def amplification(
    captions: Captions, *, references: Captions | None = None, **settings: Any
) -> AmplificationResult:
    """Measure which objects captions associate with which group, like `assess amplification`.

    >>> said = {n: "a man rides a bike" if n % 2 else "a woman holds a cup" for n in range(80)}
    >>> amplification({"model": said}, references={"people": said}, by="gender")["model"]["objects"]
    2
    """
    return cast("AmplificationResult", measure("amplification", captions, references=references, **settings))


@_taking(PostgenSettings)
def postgen(captions: Captions, *, references: Captions, **settings: Any) -> PostgenResult:
    """Score captions against references with BLEU and CIDEr, like `assess postgen`.

    >>> said = {1: "a man rides a bike", 2: "a woman holds a cup"}
    >>> postgen({"model": said}, references={"people": said})["model"]["BLEU-4"]
    1.0
    """
    return cast("PostgenResult", measure("postgen", captions, references=references, **settings))


@_taking(SelectionSettings)
def select(
    gold: File | Records,
    predicted: File | Records | Sequence[File] = (),
    *,
    development: File | Records | None = None,
    **settings: Any,
) -> SelectionResult:
    """Score which boxes of images are mentioned, like `assess select`.

    Each argument is a file, or its records as a list or a data frame.

    >>> boxes = [{"id": 0, "concept": "man", "box": [0, 0, 9, 9]}]
    >>> image = {"image_id": 1, "width": 10, "height": 10, "boxes": boxes, "descriptions": [[0]]}
    >>> select([image]).images
    1
    """
    from assess.measures.selection.files import GoldSource
    from assess.measures.selection.run import run_selection

    with tempfile.TemporaryDirectory(prefix="assess-boxes-") as folder:
        found = Path(folder)
        return run_selection(
            GoldSource(parse_source(file_of(gold, found, "gold"))),
            [parse_source(file) for file in files_of(predicted, found, "predicted")],
            development=GoldSource(parse_source(file_of(development, found, "development")))
            if development is not None
            else None,
            settings=SelectionSettings.chosen(**settings),
        )


@_taking(PregenSettings)
def pregen(probabilities: File | Records, **settings: Any) -> PregenResult:
    """Score a model by the probabilities of reference words, like `assess pregen`.

    `probabilities` is a file, or its records as a list.

    >>> words = [{"p": 0.5, "rank": 0}, {"p": 0.25, "rank": 1}]
    >>> found = pregen([{"image_id": 1, "captions": [words]}])
    >>> len(found.scores)
    504
    """
    from assess.measures.pregen.run import run_pregen

    with tempfile.TemporaryDirectory(prefix="assess-words-") as folder:
        file = file_of(probabilities, Path(folder), "probabilities")
        return run_pregen(parse_source(file), PregenSettings.chosen(**settings))


@_taking(CorrelationSettings)
def correlate(tables: File | Records | Sequence[File], **settings: Any) -> CorrelationResult:
    """Correlate the columns of tables of scores, like `assess correlate`.

    `tables` are files, or one table in memory: records with a system and its scores, or a data frame.

    >>> scores = [{"system": name, "length": n, "words": 2 * n} for n, name in enumerate("abcd")]
    >>> correlate(scores).spearman.coefficients[0]
    (1.0, 1.0)
    """
    from assess.measures.correlation.run import run_correlation

    with tempfile.TemporaryDirectory(prefix="assess-scores-") as folder:
        files = [Path(file) for file in files_of(tables, Path(folder), "scores")]
        return run_correlation(files, CorrelationSettings.chosen(**settings))

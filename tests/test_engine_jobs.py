"""Jobs: results of parts add up to that of the whole, and are reused if nothing has changed."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.annotate.extract import to_the_tree
from assess.audits.pipeline import Settings, audit
from assess.audits.result import AuditResult
from assess.corpus import CaptionReader, Partition, Source, parse_source
from assess.corpus.partition import cut, whole_files
from assess.engine.annotating import AnnotationService
from assess.engine.captions import CaptionJob, CaptionKeeper, ImageJob, SourceCaptions
from assess.engine.columns import DistinctTexts
from assess.engine.dask import merge
from assess.engine.jobs import COUNTS, EngineRequest, Job, LocalEngine
from assess.engine.pool import DeadlyBatchError
from assess.errors import InputError
from assess.grammar import Grammar, Parser, load_grammar
from assess.grammar.groups import TOLD_BY
from assess.grammar.labels import LabelFinder
from assess.grammar.load import GRAMMARS, remembered_grammar
from assess.measures import run as measures_run
from assess.measures.coverage import run as coverage_run
from assess.measures.coverage.run import LabelCounts, LabelJob, MentionLine
from assess.measures.image_sets import TrainingJob
from assess.measures.intervals import Resampling
from assess.measures.measure import Inputs
from assess.measures.run import MeasureRequest, Measures, run_measures
from assess.records import Annotation, Depth
from benchmarks.made_captions import example_texts
from benchmarks.quick_annotation import QuickAnnotations
from tests.properties import examples

TEXTS = ["a tall man", "a happy woman and a dog", "", "two old men", "a red car", "the young girl"]
CAPTIONS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(TEXTS)), min_size=1, max_size=30)


@pytest.fixture(scope="module")
def people() -> Grammar:
    return load_grammar("people")


@pytest.fixture(scope="module")
def labels(people: Grammar) -> LabelJob:
    return LabelJob(people, by_image=True, mentions=TOLD_BY, finder=LabelFinder(Parser(people)))


def write(path: Path, captions: list[tuple[int, str]]) -> Source:
    rows = (json.dumps({"image_id": image, "caption": text}) + "\n" for image, text in captions)
    path.write_text("".join(rows), encoding="utf-8")
    return parse_source(f"s={path}")


def partitions_of(source: Source, size: int) -> tuple[list[Partition], str | None]:
    found = cut(whole_files(source)[0], size)
    return list(found.partitions), found.sha256


def shown(result: Any) -> Any:
    """Return all that a result says, also in which order."""
    told = [result.corpus.summary()]
    if isinstance(result, LabelCounts):
        columns = [column.tolist() for column in result.table.columns]
        drawn = result.table.draw(seed=1).tolist()
        return [
            *told,
            result.tally,
            list(result.tally.labels),
            result.table.images,
            columns,
            drawn,
            list(result.lines._lines()),
        ]
    if isinstance(result, SourceCaptions):
        trees = [(caption.words, caption.tags, caption.heads, caption.deps) for caption in result.captions]
        return [*told, list(result.images), list(result.texts), list(result.words), trees]
    return [*told, {name: getattr(result, name) for name in vars(result) if name != "corpus"}]


@examples(60)
@given(captions=CAPTIONS, size=st.integers(1, 300), group=st.integers(2, 4), number=st.integers(0, 3))
def test_parts_add_up_to_the_whole_in_whatever_groups(
    captions: list[tuple[int, str]],
    size: int,
    group: int,
    number: int,
    labels: LabelJob,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    jobs: list[Job[Any]] = [
        labels,
        CaptionJob(Depth.TREE),
        CaptionJob(Depth.TAGS, frozenset("12")),
        ImageJob(),
    ]
    source = write(tmp_path_factory.mktemp("parts") / "s.jsonl", captions)
    partitions, sha256 = partitions_of(source, size)
    read = jobs[number].start(QuickAnnotations())
    whole = read(CaptionReader(source), None)
    # They travel before they are added.
    parts = [pickle.loads(pickle.dumps(read(CaptionReader(p.source, p), None))) for p in partitions]
    while len(parts) > 1:
        before = parts[0].corpus.captions
        sums = [merge(parts[place : place + group]) for place in range(0, len(parts), group)]
        assert parts[0].corpus.captions == before  # parts stay as they are
        parts = sums
    total = merge(parts)
    if sha256 is not None:
        total.corpus.hashes[0] = sha256
    assert shown(total) == shown(whole)


@pytest.mark.model
@pytest.mark.parametrize(
    "job", [CaptionJob(Depth.WORDS), TrainingJob("assess"), TrainingJob("paper")], ids=repr
)
def test_words_of_parts_are_those_of_the_whole(job: Job[Any], tmp_path: Path) -> None:
    source = write(tmp_path / "s.jsonl", list(enumerate(TEXTS * 3)))
    read = job.start(AnnotationService(cache=False))
    partitions, sha256 = partitions_of(source, 100)
    assert len(partitions) > 3
    total = merge([read(CaptionReader(p.source, p), None) for p in partitions])
    total.corpus.hashes[0] = sha256
    assert shown(total) == shown(read(CaptionReader(source), None))


WORDS = st.lists(st.tuples(st.text(min_size=1), st.sampled_from(["NN", "DT", "IN"]), st.sampled_from("abc")))


@given(st.lists(WORDS))
def test_coded_texts_give_back_what_was_annotated(texts: list[list[tuple[str, str, str]]]) -> None:
    store = DistinctTexts(Depth.TREE)
    for number, tokens in enumerate(texts):
        words, tags, deps = zip(*tokens, strict=True) if tokens else ((), (), ())
        heads = tuple(max(0, place - 1) for place in range(len(tokens)))
        assert store.add(str(number), Annotation(words, (), tags, (), heads, deps)) == number
        assert (store.words(number), store.tags(number)) == (words, tags)
        assert (store.heads(number), store.deps(number)) == (heads, deps)


DEADLY = "a man who ends workers"


class Deadly(QuickAnnotations):
    """Gives up a text, as a pool does whose workers it ends."""

    def annotate(self, texts: Sequence[str], **options: Any) -> Iterator[Annotation]:
        if DEADLY in texts:
            raise DeadlyBatchError([DEADLY], deaths=3)
        return super().annotate(texts, **options)


@pytest.mark.parametrize("annotated", [False, True])
def test_a_caption_that_cannot_be_read_names_its_record_in_the_file(
    annotated: bool, labels: LabelJob, tmp_path: Path
) -> None:
    texts = [*TEXTS[:2] * 10, DEADLY, TEXTS[0]]
    source = write(tmp_path / "s.jsonl", list(enumerate(texts)))
    job: Job[Any] = CaptionJob(Depth.TREE) if annotated else labels
    guilty = [p for p in partitions_of(source, 200)[0] if p.opening.records <= 20][-1]
    assert guilty.opening.records > 0
    for reader in (CaptionReader(guilty.source, guilty), CaptionReader(source)):
        with pytest.raises(InputError, match=r"s\.jsonl: record 21: annotating a batch of 1 captions"):
            job.start(Deadly())(reader, None)


class Trees(AnnotationService):
    """Works out the tree of every text, whatever is asked for."""

    def annotate(self, texts: Sequence[str], **options: Any) -> Iterator[Annotation]:
        return super().annotate(texts, **(options | {"depth": to_the_tree}))


@pytest.mark.model
def test_labels_and_kept_captions_do_not_depend_on_what_is_left_out(labels: LabelJob, tmp_path: Path) -> None:
    texts = [*example_texts(), "a red car", "", "one of them", "some of the others", "it is green"]
    source = write(tmp_path / "s.jsonl", list(enumerate(texts)))
    found = []
    for service in (AnnotationService(cache=False), Trees(cache=False)):
        keeper = CaptionKeeper(Depth.TAGS, most=10_000)
        counts = replace(labels, keeper=keeper).start(service)(CaptionReader(source), None)
        [kept] = keeper.take([source]) or []
        tagged = [(caption.words, caption.tags) for caption in kept.captions]
        found.append((shown(counts), list(kept.images), tagged))
    alone = labels.start(AnnotationService(cache=False))(CaptionReader(source), None)
    assert found[0] == found[1]
    assert shown(alone) == found[0][0]


# Counts on disk: taken where nothing has changed, and never where anything has.

ROWS = [
    {"image_id": 1, "caption": "a tall man with a beard"},
    {"image_id": 2, "caption": "two young women and a dog"},
    {"image_id": 2, "caption": ""},
]


@pytest.fixture(scope="module")
def grammar(people: Grammar, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the domain's grammar, which takes longer to compile than all the rest of an audit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSESS_CACHE", str(tmp_path_factory.mktemp("grammar") / "annotations.sqlite"))
        remembered_grammar.cache_clear()  # what is in memory is not written
        load_grammar("people")
        return GRAMMARS.folder


@pytest.fixture
def file(grammar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "cache" / "annotations.sqlite"))
    shutil.copytree(grammar, GRAMMARS.folder)
    path = tmp_path / "system.json"
    path.write_text(json.dumps(ROWS))
    return path


Run = Callable[..., AuditResult]


@pytest.fixture
def run(people: Grammar) -> Run:
    def run(argument: str, *, cache: bool = True, after: bool = True, **options: Any) -> AuditResult:
        with closing(EngineRequest(processes=1, cache=cache).open(None)) as engine:
            settings = Settings(by=("gender",), after=after)
            source = parse_source(argument)
            return audit(Inputs([source], engine=engine), people, settings, **options).result

    return run


def taken(run: Run, *files: str) -> list[tuple[str, MentionLine]]:
    """Return the mentions of an audit, each with its system."""
    found: list[tuple[str, MentionLine]] = []
    run(*files, mentions=lambda system, lines: found.extend((system, line) for line in lines))
    return found


@pytest.mark.model
def test_a_second_audit_reads_nothing_and_says_the_same(
    file: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(str(file)).to_json()
    with monkeypatch.context() as patch:
        patch.setattr(coverage_run, "annotated_blocks", None)
        assert run(str(file)).to_json() == first
        other = run(f"other={file}")  # names are those of this run
        assert [*other.systems, other.signature.inputs[0].name] == ["other", "other"]
    (stored,) = COUNTS.folder.iterdir()
    stored.write_bytes(stored.read_bytes()[:-1])
    assert run(str(file)).to_json() == first  # what is broken is counted anew
    told = [taken(run, str(file)), taken(run, str(file))]
    with monkeypatch.context() as patch:
        patch.setattr(coverage_run, "annotated_blocks", None)
        told.append(taken(run, str(file)))  # mentions are kept too
    assert (len(told[0]), told[1:]) == (2, [told[0]] * 2)
    monkeypatch.setattr(coverage_run, "MOST_KEPT", 10)
    monkeypatch.setattr(coverage_run, "TAKEN_AT_ONCE", 1)
    for path in COUNTS.folder.iterdir():
        path.unlink()
    assert [taken(run, str(file)), list(COUNTS.folder.iterdir())] == [told[0], []]  # unless they are too many


@pytest.mark.model
def test_other_captions_settings_or_code_are_counted_anew(
    file: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(str(file)).systems["system"]
    assert run(str(file), after=False).systems["system"].best.modifiers < first.best.modifiers
    monkeypatch.setattr(coverage_run, "code_digest", lambda *_: "other code")
    run(str(file))
    assert len(list(COUNTS.folder.iterdir())) == 3
    file.write_text(json.dumps(ROWS[:1]))
    assert (first.labels, run(str(file)).systems["system"].labels) == (2, 1)


@pytest.mark.model
def test_nothing_is_stored_without_a_cache_or_of_a_file_that_changes_meanwhile(
    file: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(str(file), cache=False)
    start = LabelJob.start

    def change_then_start(job: LabelJob, annotations: AnnotationService) -> Any:
        def read(captions: CaptionReader, progress: Any) -> LabelCounts:
            file.write_text(json.dumps(ROWS[:1]))
            return start(job, annotations)(captions, progress)

        return read

    monkeypatch.setattr(LabelJob, "start", change_then_start)
    run(str(file))
    assert not COUNTS.folder.exists()


# Measures on disk, beside an audit.


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Files that were measured once, with all that was stored, and what the measures were."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "s.txt").write_text("a tall man runs\na dog sleeps\n", encoding="utf-8")
    (folder / "r.txt").write_text("a man runs\na small dog\n", encoding="utf-8")
    (folder / "t.txt").write_text("a dog sleeps\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSESS_CACHE", str(folder / "cache" / "annotations.sqlite"))
        return folder, told(measure(folder))


def measure(folder: Path, *, name: str = "s", resamples: int = 20, cache: bool = True) -> Measures:
    request = MeasureRequest(resampling=Resampling(resamples=resamples))
    systems, references, training = (
        [Source(one, str(folder / f"{file}.txt"))] for one, file in ((name, "s"), ("r", "r"), ("t", "t"))
    )
    with closing(LocalEngine(AnnotationService(processes=1, cache=cache))) as engine:
        inputs = Inputs(systems, references, training, engine)
        return run_measures(inputs, request, captions=4)


def told(measures: Measures) -> str:
    assert measures.diversity is not None
    assert measures.recall is not None
    # All fields, also those that are no part of the JSON, in their types.
    return f"{vars(measures.diversity)} {vars(measures.recall)} {measures.notes}"


@pytest.mark.model
@pytest.mark.parametrize(
    "change", ["nothing", "system", "references", "training", "name", "settings", "cache"]
)
def test_whatever_changes_a_number_is_measured_anew(
    measured: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    # What is stored goes by contents, not by places.
    files = shutil.copytree(measured[0], tmp_path / "files")
    monkeypatch.setenv("ASSESS_CACHE", str(files / "cache" / "annotations.sqlite"))
    changed = {"system": "s.txt", "references": "r.txt", "training": "t.txt"}.get(change)
    if changed:
        (files / changed).write_text("two old women wait\na cat\n", encoding="utf-8")
    if change == "cache":
        assert told(measure(files, cache=False)) == measured[1]
    monkeypatch.setattr(measures_run, "_measured", None)
    name, resamples = "other" if change == "name" else "s", 21 if change == "settings" else 20
    if change == "nothing":
        assert told(measure(files)) == measured[1]
        return
    with pytest.raises(TypeError, match="not callable"):
        measure(files, name=name, resamples=resamples, cache=change != "cache")

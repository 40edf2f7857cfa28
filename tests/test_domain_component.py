"""The spaCy component: spans, displaCy, saving and loading; and the word vectors of the extra."""

from __future__ import annotations

import importlib
import pickle
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assess.annotate import choose_model
from assess.annotate.extract import Annotator
from assess.annotate.vectors import WordVectors, load_vectors, vectors_package
from assess.errors import MissingPartError, UsageError
from assess.grammar import Parser
from assess.grammar.labels import LabelFinder
from assess.taxonomy import load_taxonomy

pytestmark = pytest.mark.model
ROOT = Path(__file__).resolve().parents[1]
FOOD = """\
taxonomy: food
version: 1.0.0
description: Food.
heads: {dish: {description: D., words: [pie]}}
modifiers: {heat: {description: H., evidence: inferred, sensitivity: none, words: [hot]}}
"""


def pipeline(**config: Any) -> Any:
    """Return the default model with our component, as an entry point would register it."""
    importlib.import_module("assess.annotate.component")
    language = importlib.import_module(choose_model()).load(exclude=["ner", "lemmatizer"])
    language.add_pipe("assess", config=config)
    return language


@pytest.fixture(scope="module")
def people() -> Any:
    return pipeline(domain="people")


def found(doc: Any, key: str = "people") -> list[tuple[str, str, str]]:
    return [(span.text, span.label_, span.id_) for span in doc.spans[key]]


def test_the_entry_point_names_the_factory() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, function = project["entry-points"]["spacy_factories"]["assess"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_spans_have_category_and_role_at_their_words(people: Any) -> None:
    doc = people("Two red-haired   women and a very Tall boy watch a dog.")
    assert found(doc) == [
        ("Two", "number", "modifier"),
        ("red-haired", "hair-color", "modifier"),
        ("women", "age", "head"),
        ("women", "gendered", "head"),
        ("women", "plural-or-mass", "head"),
        ("Tall", "height", "modifier"),
        ("boy", "age", "head"),
        ("boy", "gendered", "head"),
        ("watch a dog", "activity", "modifier"),
        ("watch a dog", "activity", "modifier"),
    ]


AFTER = "An old man with a beard and glasses is smiling at the girl wearing a bright red dress."


def test_what_is_said_after_the_noun_is_marked_where_it_stands(people: Any) -> None:
    assert found(people(AFTER)) == [
        ("old", "age", "modifier"),
        ("man", "age", "head"),
        ("man", "gendered", "head"),
        ("with a beard", "facial-hair", "modifier"),
        ("glasses", "accessories", "modifier"),
        ("smiling", "mood", "modifier"),
        ("girl", "age", "head"),
        ("girl", "gendered", "head"),
        ("wearing a bright red dress", "clothing-color", "modifier"),
        ("wearing a bright red dress", "kind-of-clothing", "modifier"),
    ]
    doc = people("A dog with a beard sits.")
    assert found(doc) == []


def test_what_is_said_after_the_noun_may_be_left_out() -> None:
    inside = found(pipeline(domain="people", after=False)(AFTER))
    assert [text for text, _, role in inside if role == "modifier"] == ["old"]


def test_attributes_are_the_same_as_those_of_labels(people: Any) -> None:
    finder = LabelFinder(Parser(load_taxonomy("people")))
    for text in (AFTER, "The boy, tired and wet, has long hair.", "Women dressed in black stand in line."):
        annotation = next(Annotator().annotate([text]))
        analyses = [finder.analyse(chunk.key) for chunk in finder.find(text, annotation) if chunk.person]
        expected = [(span.category, span.role) for analysis in analyses for span in analysis.best.spans]
        assert sorted((label, role) for _, label, role in found(people(text))) == sorted(expected)


def test_of_phrases_are_joined_and_other_things_left_alone(people: Any) -> None:
    assert ("group of", "group", "modifier") in found(people("A group of young men on a beach"))
    assert found(people("A group of zebras on a beach")) == []
    assert found(people("")) == []


def test_all_readings_may_be_asked_for() -> None:
    language = pipeline(domain="people", readings="all", spans_key="everyone")
    labels = {label for _, label, _ in found(language("a baseball player"), "everyone")}
    assert labels >= {"activity"}
    assert len(labels) > 0
    best = pipeline(domain="people", spans_key="everyone")("a small family")
    assert {label for _, label, _ in found(best, "everyone")} <= {
        label for _, label, _ in found(language("a small family"), "everyone")
    }


def test_displacy_draws_the_spans(people: Any) -> None:
    displacy = importlib.import_module("spacy.displacy")
    drawn = displacy.render(
        people("a tall man"), style="span", options={"spans_key": "people"}, page=False, jupyter=False
    )
    assert "height" in drawn
    assert "gendered" in drawn
    drawn = displacy.render(people(AFTER), style="span", options={"spans_key": "people"}, jupyter=False)
    assert "facial-hair" in drawn


def test_docs_keep_their_spans_when_saved(people: Any) -> None:
    tokens = importlib.import_module("spacy.tokens")
    doc = people("a tall man")
    again = tokens.Doc(people.vocab).from_bytes(doc.to_bytes())
    assert found(again) == found(doc)


def test_a_saved_pipeline_needs_its_taxonomy_file_no_more(tmp_path: Path) -> None:
    source = tmp_path / "food.yaml"
    source.write_text(FOOD)
    pipeline(domain=str(source)).to_disk(tmp_path / "saved")
    source.unlink()
    spacy = importlib.import_module("spacy")
    language = spacy.load(tmp_path / "saved")
    assert found(language("a hot pie"), "food") == [("hot", "heat", "modifier"), ("pie", "dish", "head")]
    restored = spacy.blank("en")
    restored.add_pipe("assess", config={"domain": str(source)})
    restored.get_pipe("assess").from_bytes(language.get_pipe("assess").to_bytes())
    assert restored.get_pipe("assess").grammar.identity == language.get_pipe("assess").grammar.identity


def test_the_component_travels_to_other_processes(people: Any) -> None:
    copy = pickle.loads(pickle.dumps(people.get_pipe("assess")))
    assert copy.spans_key == "people"
    docs = list(people.pipe(["a tall man", "a happy girl"], n_process=2))
    assert [len(doc.spans["people"]) for doc in docs] == [3, 3]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"domain": "peple"}, "there is no domain"),
        ({"domain": "people", "readings": "some"}, "there are no readings"),
    ],
)
def test_a_mistake_is_told_when_the_component_is_added(config: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        pipeline(**config)


def test_a_missing_file_is_told_at_the_first_text() -> None:
    language = pipeline(domain="nowhere.yaml")
    with pytest.raises(Exception, match="the file does not exist"):
        language("a pie")


@pytest.fixture
def vectors() -> WordVectors:
    vocab = importlib.import_module("spacy.vocab").Vocab()
    vocab.set_vector("red", np.array([2.0, 0.0], dtype=np.float32))
    vocab.set_vector("green", np.array([0.0, 3.0], dtype=np.float32))
    vocab.set_vector("nothing", np.array([0.0, 0.0], dtype=np.float32))
    return WordVectors(vocab, "made up")


def test_a_phrase_points_where_its_words_point(vectors: WordVectors) -> None:
    red, both = vectors.vector("red"), vectors.vector("red green unheard")
    assert red is not None
    assert both is not None
    assert red.tolist() == [1.0, 0.0]
    assert np.allclose(both, np.array([2.0, 3.0]) / np.sqrt(13))


@pytest.mark.parametrize("phrase", ["unheard", "nothing", ""])
def test_a_phrase_without_vectors_points_nowhere(vectors: WordVectors, phrase: str) -> None:
    assert vectors.vector(phrase) is None


def test_missing_vectors_are_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assess.annotate.vectors.PACKAGES", ("no_such_package",))
    assert vectors_package() is None
    with pytest.raises(MissingPartError, match="vectors"):
        load_vectors()


def test_vectors_are_read_from_a_package_without_its_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: WordVectors
) -> None:
    package = tmp_path / "made_up_md"
    model = package / "en_made_up_md-1.0.0"
    model.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('the package itself is not needed')\n")
    (model / "meta.json").write_text('{"lang": "en", "name": "made_up_md", "version": "1.0.0"}')
    vectors._vocabulary.to_disk(model / "vocab")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("assess.annotate.vectors.PACKAGES", ("made_up_md",))
    loaded = load_vectors()
    assert loaded.name == "en_made_up_md 1.0.0"
    assert loaded.vector("green") is not None

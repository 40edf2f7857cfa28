"""Compiled grammars on disk: a domain that has not changed is not compiled again.

A file is named after all that it depends on: the taxonomy, our code, Lark and Python. It begins with a
checksum, and whatever is broken, old or unreadable is as good as none. Pickles can name any code to run, so
only the few classes that a grammar consists of are admitted.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import platform
import sys
import tempfile
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from assess.grammar.compile import compile_taxonomy
from assess.grammar.earley import compiled_rules
from assess.grammar.rules import Rules
from assess.grammar.symbols import Grammar
from assess.resources import cache_path, code_digest
from assess.taxonomy.model import Taxonomy

Compiled = tuple[Grammar, Rules]

_CODE = ("records.py", "taxonomy/*.py", "grammar/*.py")
_KEPT = 32  # files; the ones that were written longest ago go first
_DIGEST = hashlib.sha256().digest_size


def compiled(taxonomy: Taxonomy) -> Compiled:
    """Return a taxonomy's grammar and its rules for the chart: those kept on disk, or new ones."""
    path = grammars_folder() / f"{_key(taxonomy)}.grammar"
    found = _read(path)
    if found is not None:
        grammar, rules = found
        return replace(grammar, taxonomy=taxonomy), rules
    made = with_rules(compile_taxonomy(taxonomy))
    _write(path, made)
    return made


def with_rules(grammar: Grammar) -> Compiled:
    """Return a grammar and its rules for the chart, as Lark compiles them."""
    rules = compiled_rules(grammar.rules, grammar.terminals)
    return grammar, Rules(rules, start="start", terminals=grammar.terminals)


def grammars_folder() -> Path:
    """Return where compiled grammars are kept: beside the cache of annotations."""
    return cache_path().parent / "grammars"


def clear() -> None:
    """Remove what is kept."""
    for path in _files():
        path.unlink(missing_ok=True)


def _key(taxonomy: Taxonomy) -> str:
    parts = (taxonomy.model_dump_json(), code_digest(*_CODE), version("lark"), platform.python_version())
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _read(path: Path) -> Compiled | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
        return None
    try:
        grammar, rules = _GrammarUnpickler(io.BytesIO(data[_DIGEST:])).load()
    except Exception:  # a broken pickle may raise anything; then the grammar is compiled anew
        return None
    return (grammar, rules) if isinstance(grammar, Grammar) and isinstance(rules, Rules) else None


def _write(path: Path, made: Compiled) -> None:
    data = pickle.dumps(made, protocol=5)
    # A place that cannot be written costs time, not results.
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(data).digest() + data)
        Path(name).replace(path)
        for old in _files()[:-_KEPT]:
            old.unlink(missing_ok=True)


def _files() -> list[Path]:
    found = []
    for path in grammars_folder().glob("*.grammar"):
        with contextlib.suppress(OSError):
            found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found)]


class _GrammarUnpickler(pickle.Unpickler):
    """Loads grammars and nothing else."""

    _ADMITTED = frozenset({("builtins", "frozenset"), ("builtins", "set"), ("re", "_compile")})

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of ours, or one of the few others that a grammar has."""
        ours = module.split(".")[:2] in (["assess", "grammar"], ["assess", "taxonomy"]) and "." not in name
        if ours and isinstance(found := getattr(sys.modules.get(module), name, None), type):
            return found
        if (module, name) in self._ADMITTED:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a grammar")

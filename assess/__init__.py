"""Grammar-driven assessment of image captions: what they say, about whom, and what they never say."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from assess.api.audits import Audit, read_audit
    from assess.api.functions import (
        amplification,
        audit,
        correlate,
        diversity,
        group_errors,
        leakage,
        measure,
        parse,
        postgen,
        pregen,
        recall,
        select,
        syntax,
    )
    from assess.errors import AssessError
    from assess.taxonomy import load_taxonomy

__all__ = [
    "AssessError",
    "Audit",
    "amplification",
    "audit",
    "correlate",
    "diversity",
    "group_errors",
    "leakage",
    "load_taxonomy",
    "measure",
    "parse",
    "postgen",
    "pregen",
    "read_audit",
    "recall",
    "select",
    "syntax",
]

# What `assess.NAME` leads to, imported when it is first asked for: spaCy and scipy take seconds to load.
_PLACES = {
    "AssessError": "assess.errors",
    "Audit": "assess.api.audits",
    "audit": "assess.api.functions",
    "load_taxonomy": "assess.taxonomy",
    "parse": "assess.api.functions",
    "read_audit": "assess.api.audits",
    "correlate": "assess.api.functions",
    "amplification": "assess.api.functions",
    "diversity": "assess.api.functions",
    "group_errors": "assess.api.functions",
    "leakage": "assess.api.functions",
    "measure": "assess.api.functions",
    "postgen": "assess.api.functions",
    "pregen": "assess.api.functions",
    "recall": "assess.api.functions",
    "select": "assess.api.functions",
    "syntax": "assess.api.functions",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'assess' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Grammar-based analysis of image captions: what they say, about whom, and what they never say."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from assess.api.audits import Audit, read_audit
    from assess.api.functions import (
        amplification,
        audit,
        bias,
        correlate,
        coverage,
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
    "bias",
    "correlate",
    "coverage",
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

# Modules of names outside `assess.api.functions`. They are imported on first use, because spaCy and scipy
# take seconds to load.
_PLACES = {
    "AssessError": "assess.errors",
    "Audit": "assess.api.audits",
    "load_taxonomy": "assess.taxonomy",
    "read_audit": "assess.api.audits",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'assess' has no attribute {name!r}")
    module = importlib.import_module(_PLACES.get(name, "assess.api.functions"))
    found = globals()[name] = getattr(module, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

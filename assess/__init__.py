"""Grammar-driven assessment of image captions: what they say, about whom, and what they never say."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from assess.api.asking import audit, parse
    from assess.api.audits import Audit, read_audit
    from assess.errors import AssessError
    from assess.taxonomy import load_taxonomy

__all__ = ["AssessError", "Audit", "audit", "load_taxonomy", "parse", "read_audit"]

# What `assess.NAME` leads to, imported when it is first asked for: spaCy and scipy take seconds to load.
_PLACES = {
    "AssessError": "assess.errors",
    "Audit": "assess.api.audits",
    "audit": "assess.api.asking",
    "load_taxonomy": "assess.taxonomy",
    "parse": "assess.api.asking",
    "read_audit": "assess.api.audits",
}

# `assess.audit` is a function, and a room of that name has the statistics. Python puts a package into its
# parent when it is first imported, and never again: so it is imported here, where it is only a line, and
# its name is given to the function. `from assess.audit.bias import ...` works as ever.
importlib.import_module("assess.audit")
del globals()["audit"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'assess' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

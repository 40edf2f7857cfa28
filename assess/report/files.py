"""Results as JSON text, which has no word for what is undefined or infinite."""

from __future__ import annotations

import json
import math
from typing import Any


def dump(value: Any) -> str:
    """Return JSON text: keys as given, nothing undefined, the same bytes for the same value."""
    return json.dumps(defined(value), ensure_ascii=False, indent=2, allow_nan=False)


def defined(value: Any) -> Any:
    """Replace what JSON cannot say: undefined numbers become null, infinite ones a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, dict):
        return {key: defined(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [defined(item) for item in value]
    return value

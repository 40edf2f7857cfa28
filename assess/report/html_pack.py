"""Data packed small enough to travel inside a page."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

_LINE = 8_000


def pack(value: Any) -> str:
    """Return a value as deflated JSON in base64.

    The alphabet of base64 has nothing that could end a script block or open a comment, so what a caption
    says can never become markup. The page's script unpacks it with `DecompressionStream("deflate")`.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "replace"))).decode("ascii")
    # Editors and diff tools choke on lines of megabytes.
    return "\n".join(packed[start : start + _LINE] for start in range(0, len(packed), _LINE))

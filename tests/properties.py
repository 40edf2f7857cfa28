"""Running properties: with the same examples every time, or with new ones (`make fuzz`)."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

FUZZING = "ASSESS_FUZZ"
"""The environment variable that requests new examples, as a multiple of the usual number."""

_times = int(os.environ.get(FUZZING, "0"))


def examples(count: int, **more: Any) -> settings:
    """Return settings for a property that does not use the usual hundred examples."""
    return settings(max_examples=count * max(1, _times), **more)


def load_profile() -> None:
    """Configure the examples of properties, before any property is defined.

    Speed depends on the machine, so there are no deadlines in either mode.
    """
    unhurried: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    if _times:
        settings.register_profile("fuzz", max_examples=100 * _times, print_blob=True, **unhurried)
        settings.load_profile("fuzz")
        return
    settings.register_profile("repeatable", derandomize=True, **unhurried)
    settings.load_profile("repeatable")
    # Hypothesis also uses constants from all of our modules that happen to be imported, so examples would
    # depend on the tests that ran earlier in the same process.
    none_found = Constants()
    assert callable(providers._get_local_constants), "renamed in this version of Hypothesis"
    providers._get_local_constants = lambda: none_found

"""How properties are run: with the same examples every time, or with new ones (`make fuzz`)."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

FUZZING = "ASSESS_FUZZ"
"""The environment variable that asks for new examples, and says how many times as many as usual."""

_times = int(os.environ.get(FUZZING, "0"))


def examples(count: int, **more: Any) -> settings:
    """Return settings for a property that needs another number of examples than the usual hundred."""
    return settings(max_examples=count * max(1, _times), **more)


def load_profile() -> None:
    """Decide what properties try, before any of them is defined.

    The speed of a machine is no property of the code: nothing is timed, in either way of running.
    """
    unhurried: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    if _times:
        settings.register_profile("fuzz", max_examples=100 * _times, print_blob=True, **unhurried)
        settings.load_profile("fuzz")
        return
    settings.register_profile("repeatable", derandomize=True, **unhurried)
    settings.load_profile("repeatable")
    # Hypothesis mixes in constants of all modules of ours that happen to be imported: what a property tries
    # would depend on the tests that ran before it in the same process.
    none_found = Constants()
    assert callable(providers._get_local_constants), "renamed in this version of Hypothesis"
    providers._get_local_constants = lambda: none_found

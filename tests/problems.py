"""Checking what an error says, and about which place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assess.errors import AssessError, Problem


def the_problem(read: Callable[..., object], *arguments: Any, **options: Any) -> Problem:
    """Return the only problem that reading raises; generators are exhausted."""

    def read_all() -> None:
        found = read(*arguments, **options)
        for _ in found if isinstance(found, Iterator) else ():
            pass

    with pytest.raises(AssessError) as caught:
        read_all()
    (problem,) = caught.value.problems
    return problem


def first_line(read: Callable[..., object], *arguments: Any, **options: Any) -> str:
    """Return the place and the message of that problem, as the user sees them first."""
    return str(the_problem(read, *arguments, **options)).splitlines()[0]

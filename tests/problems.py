"""What is said of a mistake, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assess.errors import AssessError, Problem


def the_problem(read: Callable[..., object], *arguments: Any, **options: Any) -> Problem:
    """Return the one problem that reading something ends in; what yields is read to its end."""

    def read_all() -> None:
        found = read(*arguments, **options)
        for _ in found if isinstance(found, Iterator) else ():
            pass

    with pytest.raises(AssessError) as caught:
        read_all()
    (problem,) = caught.value.problems
    return problem


def first_line(read: Callable[..., object], *arguments: Any, **options: Any) -> str:
    """Return the place and the message of that problem, as a user sees them first."""
    return str(the_problem(read, *arguments, **options)).splitlines()[0]

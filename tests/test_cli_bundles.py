"""A command that takes dataclasses shows and reads single options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from assess.cli.options import bundled

Names = Annotated[list[str], typer.Argument(metavar="NAME...")]
Size = Annotated[int, typer.Option("--size", help="How large.")]
Loud = Annotated[bool, typer.Option("--loud")]


@dataclass(frozen=True)
class Look:
    size: Size = 3
    loud: Loud = False


def app_of(seen: list[object]) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @bundled
    def show(names: Names, look: Look, last: Annotated[str, typer.Option()] = "z") -> None:
        """Show names."""
        seen.extend([names, look, last])

    return app


def test_fields_are_options_and_come_back_as_one_value() -> None:
    seen: list[object] = []
    result = CliRunner().invoke(app_of(seen), ["a", "b", "--size", "7", "--loud"])
    assert result.exit_code == 0, result.output
    assert seen == [["a", "b"], Look(7, True), "z"]


def test_defaults_are_those_of_the_dataclass() -> None:
    seen: list[object] = []
    CliRunner().invoke(app_of(seen), ["a"])
    assert seen[1] == Look()


def test_help_lists_every_field_where_the_bundle_stands() -> None:
    shown = CliRunner().invoke(app_of([]), ["--help"]).output
    assert shown.index("NAME") < shown.index("--size") < shown.index("--loud") < shown.index("--last")
    assert "How large." in shown
    assert "--look" not in shown


def test_a_bad_value_of_a_field_is_an_error_of_that_option() -> None:
    result = CliRunner().invoke(app_of([]), ["a", "--size", "x"])
    assert result.exit_code == 2
    assert "--size" in result.output


def test_two_options_of_one_name_are_noticed_at_once() -> None:
    def twice(size: Size, look: Look) -> None: ...

    with pytest.raises(AssertionError, match="two options called size"):
        bundled(twice)

"""Commands of measures that other packages offer or that a script registered: the same options as ours."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from assess.cli import options
from assess.cli.options import AS_FOUND, CaptionFields, bundled
from assess.cli.output import PRINTED, Outputs
from assess.measures.registry import Measure, find_measure, others
from assess.settings import Settings


class Commands(TyperGroup):
    """Our commands, and one for each other measure, which is loaded when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*super().list_commands(ctx), *others()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name."""
        found = super().get_command(ctx, cmd_name)
        if found is None and cmd_name in others():
            single = typer.Typer(add_completion=False, rich_markup_mode=None)
            single.command(cmd_name)(_command(find_measure(cmd_name)))
            return typer.main.get_command(single)
        return found


def _command(measure: Measure) -> Any:
    """Return the command of a measure of captions."""

    def run(
        files: options.Files,
        references: options.References = None,
        train: options.Train = None,
        settings: Settings = measure.settings(),  # noqa: B008 - settings are frozen
        fields: CaptionFields = AS_FOUND,
        outputs: Outputs = PRINTED,
    ) -> None:
        from assess.cli.console import progress_bars
        from assess.corpus import parse_source
        from assess.measures.measure import Inputs

        outputs.check()
        systems, humans = fields.sources(files, references)
        training = [parse_source(argument) for argument in train or ()]
        assert measure.run is not None
        with progress_bars([*training, *systems, *humans]):
            result = measure.run(Inputs(systems, humans, training), settings)
        outputs.present(result)

    run.__doc__ = measure.help or f"{measure.title}."
    run.__annotations__["settings"] = measure.settings
    return bundled(run)

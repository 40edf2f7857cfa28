"""The command line: typed shells around functions. Only this room prints and exits."""

from __future__ import annotations

import gc
import signal
import sys
from types import FrameType
from typing import TextIO, cast

import typer

from assess.audits import command as audits
from assess.audits import saved_commands as saved
from assess.cli import doctor, measures, parse
from assess.cli.standard_output import StandardOutput
from assess.domain import command as domain
from assess.errors import AssessError
from assess.measures.bias.command import bias
from assess.reproduce.command import reproduce

app = typer.Typer(
    name="assess",
    cls=measures.Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="What kinds of things captions say, about whom, what they never say, and how varied they are.",
    epilog="Start with: assess demo",
)
app.command("demo")(audits.demo)
app.command("audit")(audits.audit)
app.command("coverage")(audits.coverage)
app.command("bias")(bias)
app.command("explain")(saved.explain)
app.command("gate")(saved.gate)
app.command("compare")(saved.compare)
app.command("report")(saved.report)
app.command("sample")(saved.sample)
app.command("score")(saved.score)
app.command("parse")(parse.parse)
app.command("diversity")(measures.diversity)
app.command("recall")(measures.recall)
app.command("syntax")(measures.syntax)
app.command("correlate")(measures.correlate)
app.command("select")(measures.select)
app.command("pregen")(measures.pregen)
app.command("postgen")(measures.postgen)
app.command("reproduce")(reproduce)
app.command("doctor")(doctor.doctor)
app.command("schema")(domain.schema)
app.add_typer(domain.app, name="domain")


def _version(asked: bool) -> None:
    if asked:
        from assess import __version__

        typer.echo(f"assess {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """What kinds of things captions say, about whom, what they never say, and how varied they are."""


def run() -> None:
    """Run the command line. A user's mistake is a message and exit code 2, never a traceback."""
    # Exit by SystemExit, so that half-written files are removed on the way out.
    signal.signal(signal.SIGINT, _interrupted)
    # Our records are many and hold no cycles: looking for garbage as often as by default takes a tenth of
    # an audit's time and finds none.
    gc.set_threshold(100_000, 50, 50)
    stream = sys.stdout
    sys.stdout = cast("TextIO", StandardOutput(stream))
    try:
        try:
            app()
        finally:
            # What Python would write at its very end, where nobody could be told of trouble.
            sys.stdout.flush()
    except AssessError as error:
        from assess.cli.console import notes

        notes().print(f"assess: {error}", style="red" if sys.stderr.isatty() else "")
        sys.exit(2)
    finally:
        sys.stdout = stream


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    sys.exit(130)

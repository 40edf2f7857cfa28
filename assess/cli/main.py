"""The command line: typed shells around functions. Only this room prints and exits."""

from __future__ import annotations

import gc
import signal
import sys
from types import FrameType
from typing import TextIO, cast

import typer

from assess.audits import (
    command as coverage,
)
from assess.audits import (
    command as demo,
)
from assess.audits import (
    saved_commands as compare,
)
from assess.audits import (
    saved_commands as explain,
)
from assess.audits import (
    saved_commands as gate,
)
from assess.audits import (
    saved_commands as report,
)
from assess.audits import (
    saved_commands as sample,
)
from assess.cli import doctor, parse
from assess.cli.console import StandardOutput
from assess.domain import command as domain
from assess.errors import AssessError
from assess.measures.bias import command as bias
from assess.measures.correlation import command as correlate
from assess.measures.diversity import command as diversity
from assess.measures.postgen import command as scores
from assess.measures.pregen import command as pregen
from assess.measures.recall import command as recall
from assess.measures.selection import command as select
from assess.measures.syntax import command as syntax
from assess.reproduce import command as reproduce

app = typer.Typer(
    name="assess",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="What kinds of things captions say, about whom, what they never say, and how varied they are.",
    epilog="Start with: assess demo",
)
app.command("demo")(demo.demo)
app.command("audit")(coverage.audit)
app.command("coverage")(coverage.coverage)
app.command("bias")(bias.bias)
app.command("explain")(explain.explain)
app.command("gate")(gate.gate)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("sample")(sample.sample)
app.command("score")(sample.score)
app.command("parse")(parse.parse)
app.command("diversity")(diversity.diversity)
app.command("recall")(recall.recall)
app.command("syntax")(syntax.syntax)
app.command("correlate")(correlate.correlate)
app.command("select")(select.select)
app.command("pregen")(pregen.pregen)
app.command("postgen")(scores.postgen)
app.command("reproduce")(reproduce.reproduce)
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

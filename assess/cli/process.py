"""How a command ends in all cases: exit codes, signals, broken streams and unexpected errors."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn, TextIO, cast

import typer

from assess.errors import DISTRIBUTION, AssessError, InputError, Place, UsageError

EXIT_CODES = {
    0: "done",
    1: "a gate, test or check failed",
    2: "invalid input or usage, or a file that cannot be read or written; the message gives the"
    " location and a hint",
    70: "internal error; the message explains how to report it",
    129: "the terminal was closed (SIGHUP)",
    130: "interrupted (SIGINT)",
    141: "the output was closed early, for example by piping it into `head -1`",
    143: "terminated (SIGTERM), for example by a container or a job scheduler",
}
"""The only list of exit codes, from which the reference page is generated."""

BAD_INPUT, UNEXPECTED = 2, 70
# Neither 0 nor 1: a gate whose result could not be printed has not passed, but nothing has failed either.
READER_GONE = 128 + 13
DEBUG = "ASSESS_DEBUG"
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
_USED_UP = {errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
# How this version of typer names a command line that it does not understand.
_Misuse: Any = typer.BadParameter.mro()[2]


def run_to_its_end(command: Callable[..., object]) -> None:
    """Run the command line. A user's mistake gives a message and exit code 2, never a traceback."""
    _catch_signals()
    arguments, debug = _without_debug(sys.argv[1:])
    before = sys.stdout, sys.stderr
    try:
        # First, so that there is a place for all further messages.
        sys.stderr = cast("TextIO", StandardError(_encoded(sys.stderr or _null_stream())))
        _run(command, arguments, debug)
    finally:
        sys.stdout, sys.stderr = before


def _run(command: Callable[..., object], arguments: list[str], debug: bool) -> None:
    try:
        sys.stdout = _standard_output()
        try:
            code = command(args=arguments, standalone_mode=False)
        finally:
            # Flushing here, because Python's own flush at exit could not report errors.
            sys.stdout.flush()
    except _Misuse as misuse:
        shown = io.StringIO()
        misuse.show(file=shown)
        _print_message(shown.getvalue().rstrip())
        sys.exit(misuse.exit_code)
    except SystemExit as leaving:
        # Typer treats every broken pipe as a closed reader, with the exit code of a failed check.
        if leaving.code == 1 and isinstance(leaving.__context__, BrokenPipeError):
            _end(leaving.__context__, debug=debug)
        raise
    except typer.Abort as error:
        _end(error.__cause__ or error, debug=debug)
    except Exception as error:
        _end(error, debug=debug)
    if isinstance(code, int) and code:
        sys.exit(code)


def _end(error: BaseException, *, debug: bool) -> NoReturn:
    """Report what went wrong, and exit with the corresponding code."""
    if debug:
        import traceback

        _print_message("".join(traceback.format_exception(error)).rstrip())
    known = _system_error(error) if isinstance(error, OSError | MemoryError) else error
    if isinstance(known, AssessError):
        _print_message(f"assess: {known}", style="red")
        sys.exit(BAD_INPUT)
    _print_message(f"assess: {_unexpected(error)}", style="red")
    sys.exit(UNEXPECTED)


def _system_error(error: OSError | MemoryError) -> AssessError | None:
    """Return an error for an OSError or MemoryError that was not handled more specifically."""
    if isinstance(error, MemoryError):
        return UsageError("there is not enough memory; read fewer or smaller files at once")
    if isinstance(error.filename, str | bytes):
        message = f"cannot be read or written: {error.strerror}"
        return InputError(message, place=Place(os.fsdecode(error.filename)))
    return UsageError(f"the operating system reports: {error.strerror}") if error.errno in _USED_UP else None


def _unexpected(error: BaseException) -> str:
    """Return one line about an unexpected error, and how to report it."""
    found, at = error.__traceback__, ""
    while found is not None:
        at = f"{os.path.basename(found.tb_frame.f_code.co_filename)}:{found.tb_lineno}"  # noqa: PTH119
        found = found.tb_next
    what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    what = "; ".join([what, *getattr(error, "__notes__", ())])  # such as the current caption
    return (
        f"unexpected {what} (at {at}). This is a bug in assess\n  hint: run the command again with"
        " --debug, and report the output, together with that of `assess doctor`, to the"
        f" maintainers of {DISTRIBUTION}"
    )


def _print_message(message: str, style: str = "") -> None:
    from assess.cli.console import notes

    notes().print(message, style=style if sys.stderr.isatty() else "")


def _without_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """Remove `--debug` from a command line, wherever it stands; after `--` there are no options."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    rest = [argument for argument in options if argument != "--debug"] + arguments[len(options) :]
    return rest, len(rest) < len(arguments) or bool(os.environ.get(DEBUG))


# Signals.


def _catch_signals() -> None:
    """Exit with SystemExit, so that unfinished files are removed."""
    for name in _ENDING:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        # With `nohup`, the command is meant to continue.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _exit_on_signal)


def _exit_on_signal(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


# Streams.


def _standard_output() -> TextIO:
    if sys.stdout is None:
        hint = "redirect it to a file or to /dev/null"
        raise UsageError("standard output is closed", hint=hint)
    return cast("TextIO", StandardOutput(_encoded(sys.stdout)))


def _encoded(stream: TextIO) -> TextIO:
    """Make a stream accept any text: pipes and files use UTF-8, terminals show what they can."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        if stream.isatty():
            reconfigure(errors="replace")
        else:
            # File names may not be text: lone surrogates are escaped as in JSON.
            reconfigure(encoding="utf-8", errors="backslashreplace")
    return stream


def _null_stream() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - as long as the process lives


class StandardOutput:
    """Wraps a stream, so that failed writing ends the command in a defined way."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text."""
        with self._reported():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write buffered text."""
        with self._reported():
            self._stream.flush()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._silence()
            sys.exit(READER_GONE)
        except OSError as error:
            self._silence()
            raise UsageError(f"standard output cannot be written: {error.strerror}") from None

    def _silence(self) -> None:
        """Discard buffered text, which Python would otherwise try to write at exit."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


class StandardError(StandardOutput):
    """A stream for messages: if nobody reads them, the command continues."""

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            with suppress(OSError):
                self._silence()

"""Faults while an audit is written: at every step in turn, a killed process or a full disk.

Run as a program (`python -m tests.faults FOLDER`), because a process is forked for every step: all of them
share the imports and the previous results.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from assess.audits.html.page import write_audit
from assess.audits.result import AuditResult
from assess.audits.saved import SavedAudit, read_audit
from assess.errors import AssessError
from assess.whole_files import write_whole
from tests.audits import Captions, make_audit, repeated, write_mentions

OLD = repeated("i", {"a tall man": 3, "a woman": 2})
NEW = repeated("i", {"a man": 2, "a happy woman": 4, "a tall girl": 1})
NAMES = {"audit.json", "labels.jsonl", "mentions.jsonl", "report.html"}
STEPS = ("open", "mkdir", "rename", "replace", "fsync", "rmdir", "unlink", "write")
Fault = Callable[[], None]


def main() -> None:
    """Check all faults at all steps; an assertion fails if anything is lost, mixed or left behind."""
    base = Path(sys.argv[1])
    old, new = make_audit({"v1": OLD}), make_audit({"v1": NEW})
    write(base / "old", OLD, old)
    (base / "old" / "notes.txt").write_text("mine")
    (base / "old" / "more").mkdir()
    write(base / "new", NEW, new)
    for fault in (killed, failed):
        for before in (None, base / "old"):
            steps = check_steps(base, before, fault, new)
            print(fault.__name__, "over another audit" if before else "into a new folder", steps)


def write(folder: Path, captions: Captions, result: AuditResult) -> None:
    with write_audit(folder) as saved:
        write_mentions(saved, "v1", captions)
        saved.finish(result)


def check_steps(base: Path, before: Path | None, fault: Fault, new: AuditResult) -> int:
    """Cause a fault at every step; return the number of steps."""
    whole = {name: (base / "new" / name).read_bytes() for name in NAMES}
    old = {name: (before / name).read_bytes() for name in NAMES} if before else None
    step = 0
    while True:
        step += 1
        home = base / "work"
        home.mkdir()
        if before:
            shutil.copytree(before, home / "audit")
        code = in_a_fork(partial(write_with_fault, home / "audit", new, step, fault))
        if not (home / "reached").exists():
            assert code == 0
            shutil.rmtree(home)
            return step - 1
        assert code in ((-signal.SIGKILL,) if fault is killed else (0, 2)), (fault, step, code)
        assert read(home / "audit") in (old, whole), (fault, step)
        (home / "reached").unlink()
        write(home / "audit", NEW, new)
        assert read(home / "audit") == whole
        kept = {"notes.txt", "more"} if before else set()
        assert {path.name for path in (home / "audit").iterdir()} == NAMES | kept, (fault, step)
        assert [path.name for path in home.iterdir()] == ["audit"], (fault, step)
        shutil.rmtree(home)


def read(folder: Path) -> dict[str, bytes] | None:
    """Return the files of an audit as a command would find them."""
    if not folder.exists():
        return None
    for _ in read_audit(folder).mentions():
        pass
    return {name: (folder / name).read_bytes() for name in NAMES}


def in_a_fork(work: Callable[[], None]) -> int:
    """Run a function in a separate process; return its exit code, which is 2 for one of our errors."""
    child = os.fork()
    if not child:
        try:
            work()
        except AssessError:
            os._exit(2)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def write_with_fault(folder: Path, result: AuditResult, step: int, fault: Fault) -> None:
    left, real_open = step, os.open

    def faulty(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.close(real_open(folder.parent / "reached", os.O_CREAT))
                fault()
            return real(*arguments, **named)

        return call

    for name in STEPS:
        setattr(os, name, faulty(getattr(os, name)))
    write(folder, NEW, result)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def failed() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _quick_page(audit: SavedAudit, file: Path, **_: object) -> None:
    """Write a placeholder instead of a page: drawing it would take most of the time."""
    write_whole(file, repr(audit.results.signature))


if __name__ == "__main__":
    with mock.patch("assess.audits.html.page.write_html", _quick_page):
        main()

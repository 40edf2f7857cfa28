"""An audit as files: `audit.json`, the way back to every caption beside it, and a page.

`mentions.jsonl` has every mention at its place, `labels.jsonl` the analysis of each distinct label.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from assess.audits.html.page import ImageSource, write_html
from assess.audits.result import AuditResult, FileFacts, label_text
from assess.audits.saved import LABELS, MENTIONS, RESULTS, MentionIndex, SavedAudit, read_audit
from assess.measures.coverage.run import TAKEN_AT_ONCE, MentionLine, mention_line, said_of
from assess.records import Analysis, Mention
from assess.whole_files import TextFile, whole_file, whole_folder, write_whole

PAGE = "report.html"
_NAMES = (RESULTS, MENTIONS, LABELS, PAGE)


class AuditFiles:
    """The files of one audit while it runs."""

    def __init__(self, folder: Path, mentions: TextFile) -> None:
        self._folder = folder
        self._mentions = mentions
        self._lines = 0
        self._digest = hashlib.sha256()
        self._size = 0  # bytes
        self.index = MentionIndex()  # of what was written, so that the page need not look for it

    def add_lines(self, system: str, lines: Iterable[MentionLine]) -> None:
        """Write mentions of a system as lines, each with its caption and what is said of its person."""
        opening = f'{{"system": {json.dumps(system, ensure_ascii=False)}, "image_id": '
        waiting = iter(lines)
        while some := list(islice(waiting, TAKEN_AT_ONCE)):
            written = [f'{opening}{line.image}, "record": {line.record}, {line.told}}}\n' for line in some]
            for line, text in zip(some, written, strict=True):
                if line.label is not None:
                    self.index.add(self._size, system, line.label)
                self._size += len(text) if text.isascii() else len(text.encode())
            together = "".join(written)
            self._lines += len(some)
            self._digest.update(together.encode())
            self._mentions.write(together)

    def add_mention(
        self, mention: Mention, caption: str, analysis: Analysis, groups: Mapping[str, str]
    ) -> None:
        """Write one mention."""
        self.add_lines(mention.system, [mention_line(mention, caption, said_of(analysis, groups))])

    def finish(self, audit: AuditResult) -> None:
        """Write the results, the analyses of the distinct labels, and which files belong to them."""
        labels = label_text(audit).encode()
        write_whole(self._folder / LABELS, labels)
        facts = {
            MENTIONS: FileFacts(lines=self._lines, sha256=self._digest.hexdigest()),
            LABELS: FileFacts(lines=labels.count(b"\n"), sha256=hashlib.sha256(labels).hexdigest()),
        }
        write_whole(self._folder / RESULTS, audit.model_copy(update={"files": facts}).to_saved())


@contextmanager
def write_results(folder: Path) -> Iterator[AuditFiles]:
    """Give the files to write into a folder that is there, without the page."""
    with whole_file(folder / MENTIONS) as mentions:
        yield AuditFiles(folder, mentions)


@contextmanager
def write_audit(folder: Path, *, images: ImageSource | None = None) -> Iterator[AuditFiles]:
    """Give the files to write; they appear together, and those of an audit that fails never."""
    with whole_folder(folder, _NAMES) as unfinished:
        with write_results(unfinished) as files:
            yield files
        saved = read_audit(unfinished, beside=folder, index=files.index)
        write_html(saved, unfinished / PAGE, images=images)


def copy_audit(audit: SavedAudit, folder: Path) -> Path:
    """Write the files of a saved audit, and its page, into another folder."""
    source = audit.file.parent
    with whole_folder(folder, _NAMES) as unfinished:
        for name in (RESULTS, *audit.results.files):
            shutil.copyfile(source / name, unfinished / name)
        write_html(audit, unfinished / PAGE)
    return folder

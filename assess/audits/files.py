"""An audit as files: `audit.json`, `mentions.jsonl` with the way back to every caption, and a page."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from assess.audits.html.page import ImageSource, write_html
from assess.audits.result import AuditResult, FileFacts
from assess.audits.saved import MENTIONS, RESULTS, SavedAudit, read_audit
from assess.grammar.labels import label_key
from assess.records import Analysis, Mention
from assess.report.text import dump
from assess.whole_files import TextFile, whole_file, whole_folder, write_whole

PAGE = "report.html"
_NAMES = (RESULTS, MENTIONS, PAGE)


class AuditFiles:
    """The files of one audit while it runs."""

    def __init__(self, folder: Path, mentions: TextFile) -> None:
        self._folder = folder
        self._mentions = mentions
        self._lines = 0
        self._digest = hashlib.sha256()
        self._said: dict[str, str] = {}  # by the text of a label; captions repeat them

    def add_mention(
        self, mention: Mention, caption: str, analysis: Analysis, groups: Mapping[str, str]
    ) -> None:
        """Write one mention as a line, with its caption and what is said of its person anywhere in it."""
        said = self._said.get(analysis.text)
        if said is None:
            said = self._said[analysis.text] = _json(_said(analysis, groups))[1:-1]
        label = label_key(caption[mention.start : mention.end]) if mention.repeats else mention.text
        place = {
            "system": mention.system,
            "image_id": mention.image,
            "record": mention.caption,
            "start": mention.start,
            "end": mention.end,
            "label": label,
            "caption": caption,
            "person": mention.person,
            **({"repeats": True} if mention.repeats else {}),
            **({"pronoun": True} if mention.pronoun else {}),
            **({"unread": mention.unread} if mention.unread else {}),
            **({"places": mention.places} if mention.places else {}),
        }
        line = f"{_json(place)[:-1]}, {said}}}\n"
        self._lines += 1
        self._digest.update(line.encode("utf-8"))
        self._mentions.write(line)

    def finish(self, audit: AuditResult) -> None:
        """Write the results, the analyses of the distinct labels, and which mentions belong to them."""
        facts = {MENTIONS: FileFacts(lines=self._lines, sha256=self._digest.hexdigest())}
        saved = audit.model_copy(update={"files": facts}).to_saved()
        write_whole(self._folder / RESULTS, dump(saved) + "\n")


def _json(row: Mapping[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _said(analysis: Analysis, groups: Mapping[str, str]) -> dict[str, object]:
    """Return what a label tells: the columns that are the same wherever it stands."""
    nouns = [
        span.text.lower() for span in analysis.best.spans if span.role == "head" and span.position == "chunk"
    ]
    return {
        "head": nouns[-1] if nouns else None,
        "heads": analysis.best.heads,
        "modifiers": analysis.best.modifiers,
        "modifiers_all": analysis.modifiers,
        "groups": dict(groups),
    }


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
        write_html(read_audit(unfinished, beside=folder), unfinished / PAGE, images=images)


def copy_audit(audit: SavedAudit, folder: Path) -> Path:
    """Write the files of a saved audit, and its page, into another folder."""
    source = audit.file.parent
    with whole_folder(folder, _NAMES) as unfinished:
        for name in (RESULTS, MENTIONS):
            shutil.copyfile(source / name, unfinished / name)
        write_html(audit, unfinished / PAGE)
    return folder

"""Reading files in one pass without seeking: opening, hashing, unpacking, decoding, splitting into lines."""

from __future__ import annotations

import codecs
import difflib
import hashlib
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import AnyStr, BinaryIO, NamedTuple

from assess.corpus.source import STANDARD_INPUT, shown_path
from assess.errors import InputError, Place, some, visible
from assess.limits import EXPANDED, EXPANSION, FILE_SIZE, RECORD_SIZE

CHUNK = 1 << 16
GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31  # zlib's code for a gzip header whose checksum is verified
_UNPACK = "unpack or convert it first; plain and gzipped text are supported"
_EXPORT = "export the sheet as CSV or TSV (VLMEvalKit writes TSV if PRED_FORMAT=tsv is set)"
# The first bytes of files that are not text.
_WORKBOOK = rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/|xl/)"
_TAR = rb".{257}ustar"
_OTHER_KINDS = {
    _WORKBOOK: "an Excel workbook",
    rb"PK\x03\x04": "a zip archive",
    rb"\xfd7zXZ\x00": "an xz file",
    rb"BZh\d1AY&SY": "a bzip2 file",
    rb"\x28\xb5\x2f\xfd": "a Zstandard file",
    rb"PAR1": "a Parquet table",
    rb"ARROW1": "an Arrow table",
    rb"\x80[\x02-\x05]": "a Python pickle",
    rb"\x93NUMPY": "a NumPy array",
    rb"\x89HDF": "an HDF5 file",
    rb"SQLite format 3": "an SQLite database",
    rb"%PDF-": "a PDF document",
    rb"\xff\xd8\xff|\x89PNG|GIF8[79]a|RIFF.{4}WEBP": "an image",
    _TAR: "a tar archive",
}
_LONGEST_KIND = 512
# Control characters that never occur in text.
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# UTF-32 comes first because its little-endian mark begins with the mark of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONGEST_MARK = 4
# In an excerpt, missing text at the start of a line is shown as spaces; past this column there is no excerpt.
_LONGEST_INDENT = 1 << 24


class StoredFile:
    """An open file that yields its unpacked bytes and hashes its stored bytes."""

    def __init__(self, binary: BinaryIO, *, file: str) -> None:
        self.file = file
        self._binary = binary
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The hash of the stored (possibly packed) bytes that have been read so far."""
        return self._hash.hexdigest()

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in chunks of bounded size; gzipped files are unpacked."""
        stored = self.stored()
        head = take_head(stored, _LONGEST_KIND, b"")
        if head.startswith(GZIP):
            stored = _unzipped(chain([head], stored), file=self.file)
            head = take_head(stored, _LONGEST_KIND, b"")
        if kind := kind_of(head):
            hint = _EXPORT if kind == _OTHER_KINDS[_WORKBOOK] else _UNPACK
            raise InputError(f"this is {kind}, not text", place=Place(self.file), hint=hint)
        return chain([head] if head else [], stored)

    def stored(self) -> Iterator[bytes]:
        """Yield the bytes as stored."""
        return self._hashed(iter(lambda: self._binary.read(CHUNK), b""))

    def lines(self) -> Iterator[bytes]:
        """Yield the bytes as stored, line by line; lines keep their line feed."""
        return self._hashed(self._bounded_lines())

    def _bounded_lines(self) -> Iterator[bytes]:
        most, number = RECORD_SIZE.most, 0
        while line := self._binary.readline(most + 1):
            number += 1
            if len(line) > most:
                raise RECORD_SIZE.exceeded("the line is too long", Place(self.file, line=number))
            yield line

    def _hashed(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        try:
            for piece in pieces:
                self._hash.update(piece)
                yield piece
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", place=Place(self.file)) from error


def kind_of(head: bytes) -> str | None:
    """Return what kind of file this is if it is not text; None for text and unknown content."""
    return next((kind for start, kind in _OTHER_KINDS.items() if re.match(start, head, re.DOTALL)), None)


def is_tar(path: str) -> bool:
    """Whether a file is a tar archive, possibly gzipped. If it cannot be opened, its reader reports that."""
    if path == STANDARD_INPUT or not Path(path).is_file():
        return False
    try:
        with Path(path).open("rb") as binary:
            head = binary.read(CHUNK)
        if head.startswith(GZIP):
            head = zlib.decompressobj(_GZIP_WINDOW).decompress(head, _LONGEST_KIND)
    except (OSError, zlib.error):
        return False
    return re.match(_TAR, head, re.DOTALL) is not None


def take_head(chunks: Iterator[AnyStr], size: int, empty: AnyStr) -> AnyStr:
    """Take chunks until `size` bytes or characters have been read, or the end is reached."""
    pieces, total = [], 0
    while total < size and (chunk := next(chunks, None)) is not None:
        pieces.append(chunk)
        total += len(chunk)
    return empty.join(pieces)


def _unzipped(chunks: Iterator[bytes], *, file: str) -> Iterator[bytes]:
    """Yield the unpacked bytes of one or several gzip members."""
    member, begun = zlib.decompressobj(_GZIP_WINDOW), True
    stored = unpacked = 0
    for chunk in chunks:
        data = chunk
        stored += len(chunk)
        # Zeros after a member are padding; anything else starts another member.
        while data := data if begun else data.lstrip(b"\0"):
            begun = True
            for piece in _unpacked_pieces(member, data, file=file):
                unpacked += len(piece)
                check_expansion(unpacked, stored, file)
                yield piece
            data = member.unused_data
            if member.eof:
                member, begun = zlib.decompressobj(_GZIP_WINDOW), False
    if begun:
        message = "the gzip file is truncated"
        raise InputError(message, place=Place(file), hint="copy or download it again")


def check_expansion(unpacked: int, stored: int, file: str) -> None:
    """Raise an error if a file unpacks to more than `EXPANDED` bytes, at a higher ratio than allowed."""
    if unpacked > EXPANDED and unpacked > EXPANSION.most * stored:
        raise EXPANSION.exceeded("the file expands too much when unpacked", Place(file))


def _unpacked_pieces(member: zlib._Decompress, data: bytes, *, file: str) -> Iterator[bytes]:
    """Yield the unpacked `data` in pieces of bounded size, however high the compression ratio."""
    while data and not member.eof:
        try:
            piece = member.decompress(data, CHUNK)
        except zlib.error as error:
            message = f"the gzip file is damaged ({error})"
            raise InputError(message, place=Place(file), hint="copy or download it again") from error
        if piece:
            yield piece
        data = member.unconsumed_tail


@contextmanager
def open_stored(path: str) -> Iterator[StoredFile]:
    """Open a file, or standard input for `-`, for one complete pass."""
    file = shown_path(path)
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("there is no standard input", place=Place(file))
        yield StoredFile(sys.stdin.buffer, file=file)
        return
    with _open_path(Path(path)) as binary:
        yield StoredFile(binary, file=file)


def check_regular(path: str | Path, what: str) -> None:
    """Raise an error if a file cannot be opened, or does not allow seeking: a pipe or a device."""
    given = Path(path)
    stream = "standard input" if str(path) == STANDARD_INPUT else "a pipe or a device"
    if str(path) == STANDARD_INPUT or (given.exists() and not given.is_file() and not given.is_dir()):
        message, place = f"{what} cannot be read from {stream}", Place(shown_path(str(path)))
        raise InputError(message, place=place, hint="write it to a file first")
    _open_path(given).close()


@contextmanager
def open_stretch(path: str, start: int, end: int) -> Iterator[Iterator[bytes]]:
    """Open a file for reading the stored bytes from `start` to `end`."""
    with _open_path(Path(path)) as binary:
        binary.seek(start)
        yield _stretch(StoredFile(binary, file=path), end - start)


def _stretch(stored: StoredFile, left: int) -> Iterator[bytes]:
    for chunk in stored.stored():
        yield chunk[:left]
        left -= len(chunk)
        if left <= 0:
            return
    if left > 0:
        message = "the file has become shorter since its lines were counted"
        raise InputError(message, place=Place(stored.file), hint="do not change files while they are read")


def file_hash(path: str) -> str:
    """Return the hash of a file's stored bytes."""
    with open_stored(path) as stored:
        for _ in stored.stored():
            pass
        return stored.sha256


def _open_path(path: Path) -> BinaryIO:
    place = Place(str(path))
    try:
        if path.is_dir():
            raise InputError("this is a folder, not a file", place=place, hint=_files_in(path))
        return path.open("rb")
    except FileNotFoundError as error:
        raise InputError("the file does not exist", place=place, hint=_names_like(path)) from error
    except (OSError, ValueError) as error:  # ValueError: the path contains a NUL character
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be opened: {reason}", place=place) from error


def _names_like(path: Path) -> str:
    """Suggest existing files with a name similar to the missing one."""
    if not path.parent.is_dir():
        return f"the folder '{visible(str(path.parent))}' does not exist either"
    close = difflib.get_close_matches(path.name, [entry.name for entry in _entries(path.parent)], n=3)
    if close:
        return "the folder contains " + ", ".join(f"'{visible(name)}'" for name in close)
    return "the folder contains no file with a similar name"


def _files_in(folder: Path) -> str:
    files = [entry for entry in _entries(folder) if entry.is_file()]
    if not files:
        return "give the path of a caption file"
    return f"it contains {some(len(files), 'file')}: give one, such as '{visible(str(files[0]))}'"


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # only needed for a hint, so a folder that cannot be listed is ignored
        return []


class Position(NamedTuple):
    """A line and a column, counted in characters from 1."""

    line: int = 1
    column: int = 1

    def after(self, text: str) -> Position:
        """Return the position at the end of `text` if it begins here."""
        newlines = text.count("\n")
        if not newlines:
            return Position(self.line, self.column + len(text))
        return Position(self.line + newlines, len(text) - text.rfind("\n"))


def place_in(text: str, offset: int, *, start: Position, file: str, record: int | None = None) -> Place:
    """Return the place of `text[offset]`, where `text` is a part of a file that begins at `start`.

    Columns of the source line are correct even if `text` does not contain its beginning.
    """
    here = start.after(text[:offset])
    line_start = text.rfind("\n", 0, offset) + 1
    line_end = text.find("\n", offset)
    shown = text[line_start : line_end if line_end >= 0 else len(text)]
    indent = here.column - 1 - (offset - line_start)
    source = " " * indent + shown if indent < _LONGEST_INDENT else None
    return Place(file, line=here.line, column=here.column, record=record, source=source)


def decoded(chunks: Iterator[bytes], *, file: str, line: int | None = None) -> Iterator[str]:
    """Yield the text of UTF-8 bytes, or of UTF-16 or UTF-32 bytes that begin with a byte order mark.

    If the bytes come from the middle of a file, `line` is their first line number; they must be UTF-8.
    """
    head = take_head(chunks, _LONGEST_MARK, b"")
    mark, encoding = mark_of(head) if line is None else (b"", "utf-8")
    decoder = codecs.getincrementaldecoder(encoding)()
    position = Position(line or 1)
    data: bytes | None = head[len(mark) :]
    while data is not None:
        following = next(chunks, None)
        try:
            text = decoder.decode(data, final=following is None)
        except UnicodeDecodeError as error:
            raise _not_text(error, start=position, file=file) from error
        if text:
            yield text
        position = position.after(text)
        data = following


def whole_text(stored: StoredFile) -> str:
    """Return the whole text of a file."""
    pieces, size, most = [], 0, FILE_SIZE.most
    for piece in decoded(stored.chunks(), file=stored.file):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise FILE_SIZE.exceeded("the file is too large", Place(stored.file))
    return "".join(pieces)


def mark_of(head: bytes) -> tuple[bytes, str]:
    """Return the byte order mark at the beginning of a file, and its encoding."""
    return next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", "utf-8"))


def _not_text(error: UnicodeDecodeError, *, start: Position, file: str) -> InputError:
    """Return the error for a byte that cannot be decoded, with its location.

    There is no excerpt if the file is not text at all: it would fill the terminal with meaningless
    characters.
    """
    before = error.object[: error.start].decode(error.encoding)
    byte = error.object[error.start]
    after = error.object[error.start : error.start + 60].decode(error.encoding, "replace")
    place = place_in(before + after, len(before), start=start, file=file)
    hint = f"convert the file, for example: iconv -f WINDOWS-1252 -t UTF-8 '{file}'"
    if _BINARY.search(before[-200:] + after):
        place, hint = replace(place, source=None), f"if this is not a text file, {_UNPACK}"
    return InputError(f"the byte 0x{byte:02x} is not {error.encoding.upper()} text", place=place, hint=hint)


def raw_lines(chunks: Iterator[str], *, file: str) -> Iterator[str]:
    """Yield lines with their endings. Only a line feed ends a line: captions may contain other separators."""
    for ended, last in _batches(chunks, file):
        yield from [line + "\n" for line in ended]
        if last:
            yield last


def lines(chunks: Iterator[str], *, file: str) -> Iterator[str]:
    """Yield lines without their endings (line feed, or carriage return and line feed)."""
    for ended, last in _batches(chunks, file):
        yield from [line.removesuffix("\r") for line in ended]
        if last:
            yield last


def filled_lines(chunks: Iterator[str], *, file: str, start: int = 1) -> Iterator[tuple[int, str]]:
    """Yield lines without their endings, numbered from `start`; lines of white space are only counted.

    A small packed file may hold hundreds of millions of empty lines.
    """
    for ended, last in _batches(chunks, file):
        filled = [pair for pair in enumerate(ended, start) if pair[1] and not pair[1].isspace()]
        yield from [(number, line.removesuffix("\r")) for number, line in filled]
        start += len(ended)
        if last and not last.isspace():
            yield start, last


def _batches(chunks: Iterator[str], file: str) -> Iterator[tuple[list[str], str]]:
    """Yield the lines that end in each chunk, without line feeds; then what follows the last line feed."""
    pending: list[str] = []
    size, number, most = 0, 1, RECORD_SIZE.most
    for chunk in chunks:
        *ended, rest = chunk.split("\n")
        if ended:
            ended[0] = "".join([*pending, ended[0]])
            pending, size = [], 0
            yield ended, ""
        pending.append(rest)
        number += len(ended)
        size += len(rest)
        if size > most:
            raise RECORD_SIZE.exceeded("the line is too long", Place(file, line=number))
    yield [], "".join(pending)

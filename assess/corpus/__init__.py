"""Captions from any common format, one at a time, with errors that point to the record."""

from assess.corpus.formats import FORMATS, Format
from assess.corpus.reader import CaptionReader, CorpusSummary, read_captions
from assess.corpus.sniffing import sniff
from assess.corpus.source import Source, SourceOptions, check_names, parse_source

__all__ = [
    "FORMATS",
    "CaptionReader",
    "CorpusSummary",
    "Format",
    "Source",
    "SourceOptions",
    "check_names",
    "parse_source",
    "read_captions",
    "sniff",
]

"""Captions from any common format, one at a time, with errors that point to the record."""

from assess.corpus.formats import FORMATS, Format
from assess.corpus.partition import Partition
from assess.corpus.reader import CaptionReader, CorpusSummary, CorpusTally, read_captions
from assess.corpus.sniffing import sniff
from assess.corpus.source import Source, SourceOptions, check_names, parse_source

__all__ = [
    "FORMATS",
    "CaptionReader",
    "CorpusSummary",
    "CorpusTally",
    "Format",
    "Partition",
    "Source",
    "SourceOptions",
    "check_names",
    "parse_source",
    "read_captions",
    "sniff",
]

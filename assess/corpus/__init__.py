"""Captions from any common format, one at a time, with errors that point to the record."""

from assess.corpus.captions import (
    CaptionReader,
    CorpusSummary,
    CorpusTally,
    paired_by_number,
    read_captions,
    unlike_ids,
)
from assess.corpus.fields import Document, Row
from assess.corpus.formats import FORMATS, Format, Head, register_format, sniff
from assess.corpus.partition import Partition
from assess.corpus.source import Source, SourceOptions, check_names, parse_source

__all__ = [
    "FORMATS",
    "CaptionReader",
    "CorpusSummary",
    "CorpusTally",
    "Document",
    "Format",
    "Head",
    "Partition",
    "Row",
    "Source",
    "SourceOptions",
    "check_names",
    "paired_by_number",
    "parse_source",
    "read_captions",
    "register_format",
    "sniff",
    "unlike_ids",
]

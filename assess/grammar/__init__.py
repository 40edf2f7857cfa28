"""Grammars: a taxonomy compiled to Lark, and the parser that reads chunks with it."""

from assess.grammar.compile import compile_taxonomy
from assess.grammar.lexicon import Grammar
from assess.grammar.parser import Parser

__all__ = ["Grammar", "Parser", "compile_taxonomy"]

"""Grammars: a taxonomy compiled to Lark, and the parser that reads chunks with it."""

from assess.grammar.load import compile_taxonomy, load_grammar
from assess.grammar.model import Grammar
from assess.grammar.parser import Parser

__all__ = ["Grammar", "Parser", "compile_taxonomy", "load_grammar"]

"""Grammars: a taxonomy compiled to Lark, the parser that reads chunks with it, and one for any grammar."""

from assess.grammar.forest import Forest, WordGrammar
from assess.grammar.load import compile_taxonomy, load_grammar
from assess.grammar.model import Grammar
from assess.grammar.parser import Parser

__all__ = ["Forest", "Grammar", "Parser", "WordGrammar", "compile_taxonomy", "load_grammar"]

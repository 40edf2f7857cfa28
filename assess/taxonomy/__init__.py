"""Taxonomies: YAML files that define domains, validated, with the location of every mistake."""

from assess.taxonomy.compose import shipped_taxonomies
from assess.taxonomy.load import load_taxonomy, parse_taxonomy, read_taxonomy
from assess.taxonomy.model import Taxonomy, schema

__all__ = ["Taxonomy", "load_taxonomy", "parse_taxonomy", "read_taxonomy", "schema", "shipped_taxonomies"]

"""HTML: tables for notebooks and the parts of the page."""

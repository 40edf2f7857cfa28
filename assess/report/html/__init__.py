"""HTML: tables for notebooks, and parts of the page."""

"""The papers' tables from their data: each published value beside the one that we compute."""

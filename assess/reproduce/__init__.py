"""The papers' tables from their data, published beside computed."""

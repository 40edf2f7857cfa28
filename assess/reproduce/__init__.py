"""The papers' tables, computed from their data and compared with the published values."""

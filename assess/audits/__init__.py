"""Audits: everything the inputs allow in one run, saved, and what is done with a saved audit."""

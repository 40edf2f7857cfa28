"""The measures, with a folder for each, and what they share."""

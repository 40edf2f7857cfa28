"""Tools that keep the documentation correct: they run commands, and generate the reference and pictures."""

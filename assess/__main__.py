"""`python -m assess` is the same as `assess`."""

from assess.cli.main import run

run()

"""The command line: `main` assembles it; each other module has a group of commands."""

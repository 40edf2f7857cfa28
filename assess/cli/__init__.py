"""The command line. `main` puts it together; every other file is one group of commands."""

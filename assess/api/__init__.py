"""The same work from Python as from the command line: what is asked, running it, and its results."""

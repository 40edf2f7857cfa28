"""What keeps the documentation true: its commands are run, its reference and pictures are written by code."""

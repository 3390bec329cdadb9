"""The command line: one file for each subcommand, listed in ``app.py``."""

from dagscape.cli.app import main

__all__ = ["main"]

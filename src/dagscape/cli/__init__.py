"""The command line: one module per subcommand, listed in ``app.py``."""

from dagscape.cli.app import main

__all__ = ["main"]

"""``python -m dagscape``."""

import sys

from dagscape.cli.program.startup import run

if __name__ == "__main__":
    sys.exit(run())

"""``python -m dagscape``."""

import sys

from dagscape.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""Benchmarks: each module is a program, run from the repository's root with ``python -m benchmarks.NAME``.

Their results are the pages of ``benchmarks/results``.
"""

from pathlib import Path

# Data sets and networks beside the repository.
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

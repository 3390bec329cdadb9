"""Benchmarks: each module is a program, run from the repository's root with ``python -m benchmarks.NAME``."""

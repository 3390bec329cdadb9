"""Sums on a GPU, through CuPy."""

"""Sums on the processors of this machine, by the compiled kernels."""

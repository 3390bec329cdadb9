"""Exact posteriors: sums over all structures."""

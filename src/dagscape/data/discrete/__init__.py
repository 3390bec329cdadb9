"""Discrete data: levels, codes, distinct rows, interventions, discretising and summaries."""

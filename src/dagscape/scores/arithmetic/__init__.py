"""Scores as integers: units, logarithms and rounding."""

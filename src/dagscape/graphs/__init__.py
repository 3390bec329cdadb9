"""Structures and networks: DAGs, their equivalence classes, probabilities, comparison, files and pictures."""
